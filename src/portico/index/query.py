"""Parses queries: words, "phrases", +must, -not, field:value, OR, (groups) and prefix*."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from portico.index.schema import LONGEST_WORD, SEARCHABLE, split_words
from portico.types.search import QueryNotice

# Longer queries are pasted texts or attacks; an abstract of 300 words has about 2,000 characters.
MAX_CHARACTERS = 2_000
# Each clause takes a lookup in every field; 64 take a few milliseconds with 45,000 papers.
MAX_CLAUSES = 64

# Fields whose words are highlighted: author names occur in a text only where its authors are listed.
_MARKED = (None, "abstract")
# The only field whose words are not in the combined text, in which corrections are searched.
_TOPIC_WORDS = SEARCHABLE["topic"]
_LINKS = ("cites", "citedby")
_TOKEN = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<field>[A-Za-z][A-Za-z0-9_]*):)?"
    r'(?:(?P<open>\()|"(?P<phrase>[^"]*)"|(?P<word>[^\s"()]+))|(?P<close>\))'
)
# Many people type `title: trees`. Allowed only at the beginning of a query, because titles have colons, too.
_BLANK_BEHIND_FIELD = re.compile(r"\s*([A-Za-z]+):\s+(?=\S)")
# Maximum nesting of groups; no real query has more.
_DEEPEST = 8
_PHRASE, _PARENTHESES = re.compile(r'"[^"]*"'), str.maketrans("()", "  ")
_TOO_MANY = QueryNotice("The query had very many words; the first {n} were searched.", (("n", MAX_CLAUSES),))
_LONE_OR = QueryNotice("OR stands between two words; here it had nothing to join.")
_YEARS = re.compile(r"(?P<low>\d{1,4})?(?P<between>\.\.|-)?(?P<high>\d{1,4})?")
_AS_SPACE = str.maketrans(dict.fromkeys("[]{}\0", " ") | dict.fromkeys("“”„«»", '"'))


class Sign(Enum):
    """Whether a clause is optional, required, or excluded."""

    PLAIN = ""
    MUST = "+"
    NOT = "-"


@dataclass(frozen=True, slots=True)
class QueryWords:
    """One word, or several in this order; in one field or in any."""

    words: tuple[str, ...]
    field: str | None = None  # the index field
    prefix: bool = False  # whether the last word is a prefix
    exact: bool = False  # in quotation marks, so that no other form of it matches
    forms: tuple[tuple[str, ...], ...] = ()  # other forms, each one word or several, with less weight


@dataclass(frozen=True, slots=True)
class QueryYears:
    """A range of years, both ends included."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class QueryCitation:
    """Papers that cite this one, or are cited by it."""

    field: str  # "cites" or "citedby"
    entity: str


@dataclass(frozen=True, slots=True)
class QueryGroup:
    """The contents of parentheses."""

    clauses: tuple["Clause", ...]


Choice = QueryWords | QueryYears | QueryCitation | QueryGroup


@dataclass(frozen=True, slots=True)
class QueryLanguage:
    """The names allowed before a colon, and the index field each one searches."""

    fields: Mapping[str, str]
    named: str  # the names, as shown to visitors
    of_papers: bool = True  # whether ranges of years and citations are supported

    @property
    def names(self) -> frozenset[str]:
        """All names allowed before a colon."""
        return frozenset((*self.fields, "year", *_LINKS) if self.of_papers else self.fields)


PAPERS = QueryLanguage(
    SEARCHABLE, "author, title, abstract, venue, affiliation, keyword, doi, year, topic, cites and citedby"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Alternatives of which one is enough, and whether they are required."""

    sign: Sign
    choices: tuple[Choice, ...]

    @property
    def is_plain_words(self) -> bool:
        """Whether the clause can be dropped if nothing has all words: it is not required and names no
        field.
        """
        return self.sign is Sign.PLAIN and all(map(_is_plain, self.choices))

    def take_apart(self) -> Iterator["Clause"]:
        """The clauses of its groups, and one clause of its other choices: "deep learning" or "DL" is "deep",
        "learning", and "DL".
        """
        single = tuple(choice for choice in self.choices if not isinstance(choice, QueryGroup))
        if single:
            yield replace(self, choices=single)
        for choice in self.choices:
            if isinstance(choice, QueryGroup):
                for clause in choice.clauses:
                    yield from clause.take_apart()


def _is_plain(choice: "Choice") -> bool:
    if isinstance(choice, QueryGroup):
        return all(clause.is_plain_words for clause in choice.clauses)
    return isinstance(choice, QueryWords) and choice.field is None


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The parsed query; `notices` tell the visitor what was not understood."""

    clauses: tuple[Clause, ...]
    notices: tuple[QueryNotice, ...] = ()

    @property
    def notice(self) -> str:
        return " ".join(map(str, self.notices))

    @property
    def sought(self) -> tuple[QueryWords, ...]:
        """The words that may be highlighted in a text."""
        return tuple(choice for choice in self._wanted() if choice.field in _MARKED)

    @property
    def spelled(self) -> tuple[str, ...]:
        """The words to check for misspelling: none that are quoted, excluded, incomplete, or names of
        topics.
        """
        whole = [choice for choice in self._wanted() if choice.field != _TOPIC_WORDS and not choice.exact]
        words = (choice.words[:-1] if choice.prefix else choice.words for choice in whole)
        return tuple(dict.fromkeys(word for each in words for word in each))

    def _wanted(self) -> list[QueryWords]:
        return list(_wanted(self.clauses))


def _wanted(clauses: Iterable[Clause]) -> Iterator[QueryWords]:
    for clause in clauses:
        for choice in clause.choices if clause.sign is not Sign.NOT else ():
            if isinstance(choice, QueryWords):
                yield choice
            elif isinstance(choice, QueryGroup):
                yield from _wanted(choice.clauses)


def parse_query(query: str, language: QueryLanguage = PAPERS) -> ParsedQuery:
    """Parse any string; what is not valid syntax is searched as plain words."""
    notices: list[QueryNotice] = []
    text = _repair(query, language, notices)
    clauses = _Reader(text, language, notices).clauses("")
    if not clauses and not notices and query and not query.isspace():
        notices.append(QueryNotice("There is no word in this that could be searched for."))
    return _bounded(clauses, notices)


_Unit = tuple[Sign, tuple[Clause, ...]]
"""A word or a group in parentheses, with the sign before it."""


class _Reader:
    """Reads a query from left to right, groups recursively."""

    def __init__(self, text: str, language: QueryLanguage, notices: list[QueryNotice]) -> None:
        self._tokens = _TOKEN.finditer(text)
        self._language, self._notices = language, notices

    def clauses(self, field: str) -> list[Clause]:
        """Clauses up to the end of this group; words without a field of their own are searched in this
        one.
        """
        units: list[_Unit] = []
        joining = unwanted = False
        for match in self._tokens:
            if match["close"]:
                break
            if match.group() in ("OR", "|"):
                if joining or not units:
                    self._notices.append(_LONE_OR)
                joining = bool(units) and not joining
            elif match.group() == "NOT":
                unwanted = True
            elif match.group() not in ("AND", "&"):  # every word is required anyway
                sign, inner = self._unit(match, field)
                if not inner:
                    continue
                unit = (Sign.NOT if unwanted else sign, inner)
                units[-1:] = [_joined(units[-1], unit)] if joining else [*units[-1:], unit]
                joining = unwanted = False
        if joining:
            self._notices.append(_LONE_OR)
        if unwanted:
            self._notices.append(QueryNotice("NOT stands before what is unwanted; here nothing followed."))
        return [clause for unit in units for clause in _spread(unit)]

    def _unit(self, match: re.Match[str], around: str) -> _Unit:
        sign, field = Sign(match["sign"] or ""), (match["field"] or around).lower()
        if match["open"]:
            return sign, tuple(self.clauses(field))
        choice = self._choice(match, field)
        return sign, (Clause(Sign.PLAIN, (choice,)),) if choice else ()

    def _choice(self, match: re.Match[str], field: str) -> Choice | None:
        value = match["phrase"] if match["phrase"] is not None else match["word"]
        language, notices = self._language, self._notices
        if field == "year" and language.of_papers:
            return _years(value, notices) or _words(f"year {value}", None, notices)
        if field in _LINKS and language.of_papers:
            return QueryCitation(field, value.strip().lower()) if value.strip() else None
        if field and field not in language.fields:
            notices.append(
                QueryNotice(
                    "There is no field “{field}”; its words were searched. Fields are {fields}.",
                    (("field", field), ("fields", language.named)),
                )
            )
            return _words(f"{field} {value}", None, notices)
        words = _words(value, language.fields.get(field), notices)
        return replace(words, exact=True) if words and match["phrase"] is not None else words


def _joined(left: _Unit, right: _Unit) -> _Unit:
    """`a OR b` as one clause; it is excluded only if the first alternative was."""
    return left[0], (Clause(Sign.PLAIN, _choices(left[1]) + _choices(right[1])),)


def _choices(clauses: tuple[Clause, ...]) -> tuple[Choice, ...]:
    alone = len(clauses) == 1 and clauses[0].sign is Sign.PLAIN
    return clauses[0].choices if alone else (QueryGroup(clauses),)


def _spread(unit: _Unit) -> tuple[Clause, ...]:
    """Parentheses around optional or required clauses are dropped; around excluded ones they are kept."""
    sign, clauses = unit
    if sign is Sign.PLAIN:
        return clauses
    return (Clause(sign, _choices(clauses)),)


def _repair(query: str, language: QueryLanguage, notices: list[QueryNotice]) -> str:
    text = query.translate(_AS_SPACE)
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS]
        notices.append(
            QueryNotice(
                "The query was very long; its first {n} characters were searched.",
                (("n", MAX_CHARACTERS),),
            )
        )
    if text.count('"') % 2:
        before, _, after = text.rpartition('"')
        text = f"{before} {after}"
        notices.append(QueryNotice("A quotation mark had no partner; its words were searched one by one."))
    if "(" in text or ")" in text:
        text = _paired(text, notices)
    field = _BLANK_BEHIND_FIELD.match(text)
    if field and field[1].lower() in language.names:
        text = f"{field[1]}:{text[field.end() :]}"
    return text


def _paired(text: str, notices: list[QueryNotice]) -> str:
    """The text, without its parentheses if some are unbalanced or nested too deeply."""
    depth = deepest = 0
    for character in _PHRASE.sub("", text):
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
        if depth < 0:
            break
    if depth:
        notices.append(QueryNotice("A parenthesis had no partner; its words were searched one by one."))
    return text.translate(_PARENTHESES) if depth or deepest > _DEEPEST else text


def _words(value: str, field: str | None, notices: list[QueryNotice]) -> QueryWords | None:
    words = split_words(value)
    if not words:
        if "*" in value:
            notices.append(QueryNotice("A star needs the beginning of a word before it, as in neur*."))
        elif len(value) >= LONGEST_WORD:
            notices.append(QueryNotice("A word was longer than any that is kept; it was left out."))
        return None
    if len(words) > MAX_CLAUSES:
        notices.append(_TOO_MANY)
    return QueryWords(words[:MAX_CLAUSES], field, prefix=value.endswith("*"))


def _years(value: str, notices: list[QueryNotice]) -> QueryYears | None:
    match = _YEARS.fullmatch(value.strip())
    low, high = (match["low"], match["high"]) if match else (None, None)
    if match is None or not (low or high) or (low and high and not match["between"]):
        notices.append(
            QueryNotice("Years are written year:1998, year:1995..1999 or year:1995.. ; searched as words.")
        )
        return None
    if not match["between"]:
        low = high = low or high
    bounds = [int(bound) if bound else None for bound in (low, high)]
    if bounds[0] is not None and bounds[1] is not None:
        bounds.sort(key=lambda bound: bound or 0)
    return QueryYears(bounds[0], bounds[1])


def _bounded(clauses: list[Clause], notices: list[QueryNotice]) -> ParsedQuery:
    kept, room = [], MAX_CLAUSES
    for clause in clauses:
        choices: list[Choice] = []
        for choice in clause.choices:
            room -= _n_words(choice)
            if room < 0:
                break
            choices.append(choice)
        if choices:
            kept.append(replace(clause, choices=tuple(choices)))
        if room < 0:
            notices.append(_TOO_MANY)
            break
    return ParsedQuery(tuple(kept), tuple(dict.fromkeys(notices)))


def _n_words(choice: Choice) -> int:
    if isinstance(choice, QueryGroup):
        return sum(_n_words(each) for clause in choice.clauses for each in clause.choices)
    return len(choice.words) if isinstance(choice, QueryWords) else 1
