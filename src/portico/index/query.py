"""What a visitor typed, understood: words, "phrases", +must, -not, field:value, OR and prefix*."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from portico.index.schema import SEARCHABLE, words_of

# Longer queries are pastes or attacks; an abstract of 300 words has about 2,000 characters.
MAX_CHARACTERS = 2_000
# Clauses each cost a look into every field; 64 take a few milliseconds on 45,000 papers.
MAX_CLAUSES = 64

# Fields whose words are marked: an author's name is found in a text only where its authors are named.
_MARKED = (None, "abstract")
# The one field whose words are no words of the combined text, which corrections are looked for in.
_TOPIC_WORDS = SEARCHABLE["topic"]
_LINKS = ("cites", "citedby")
_TOKEN = re.compile(
    r'(?P<sign>[+-]?)(?:(?P<field>[A-Za-z][A-Za-z0-9_]*):)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))'
)
_YEARS = re.compile(r"(?P<low>\d{1,4})?(?P<between>\.\.|-)?(?P<high>\d{1,4})?")
_AS_SPACE = str.maketrans(dict.fromkeys("()[]{}\0", " ") | dict.fromkeys("“”„«»", '"'))


class Sign(Enum):
    """How much a clause matters: expected, insisted upon, or unwanted."""

    PLAIN = ""
    MUST = "+"
    NOT = "-"


@dataclass(frozen=True, slots=True)
class Words:
    """One word, or several in this order; in one field or in any."""

    words: tuple[str, ...]
    field: str | None = None  # the index field
    prefix: bool = False  # the last word is the beginning of a word


@dataclass(frozen=True, slots=True)
class Years:
    """A range of years, both ends included."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Linked:
    """Papers that cite this one, or are cited by it."""

    field: str  # "cites" or "citedby"
    entity: str


Choice = Words | Years | Linked


@dataclass(frozen=True, slots=True)
class Language:
    """What may stand before a colon, and the index field each name reads."""

    fields: Mapping[str, str]
    named: str  # the names, as they are told to visitors
    of_papers: bool = True  # whether ranges of years and citations can be asked for


PAPERS = Language(SEARCHABLE, "author, title, abstract, venue, year, topic, cites and citedby")


@dataclass(frozen=True, slots=True)
class Clause:
    """Alternatives of which one is enough, and how much they matter."""

    sign: Sign
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """What was understood; `notice` tells the visitor what was not."""

    clauses: tuple[Clause, ...]
    notice: str = ""

    @property
    def sought(self) -> tuple[Words, ...]:
        """The words that may be marked in a text."""
        return tuple(choice for choice in self._wanted() if choice.field in _MARKED)

    @property
    def spelled(self) -> tuple[str, ...]:
        """The words that may be misspelled: none that are unwanted, only begun, or names of topics."""
        whole = [choice for choice in self._wanted() if choice.field != _TOPIC_WORDS]
        words = (choice.words[:-1] if choice.prefix else choice.words for choice in whole)
        return tuple(dict.fromkeys(word for each in words for word in each))

    def _wanted(self) -> list[Words]:
        clauses = [clause for clause in self.clauses if clause.sign is not Sign.NOT]
        return [choice for clause in clauses for choice in clause.choices if isinstance(choice, Words)]


def parse(query: str, language: Language = PAPERS) -> ParsedQuery:
    """Understand any string at all; what makes no sense is searched as plain words."""
    notices: list[str] = []
    text = _repair(query, notices)
    clauses: list[Clause] = []
    joining = False
    for match in _TOKEN.finditer(text):
        if match.group() in ("OR", "|"):
            joining = bool(clauses) and not joining
            if not joining:
                notices.append("OR stands between two words; here it had nothing to join.")
            continue
        if match.group() in ("AND", "&"):
            continue  # every word is required anyway
        clause = _clause(match, language, notices)
        if clause is None:
            continue
        if joining:
            clauses[-1] = _joined(clauses[-1], clause)
        else:
            clauses.append(clause)
        joining = False
    if joining:
        notices.append("OR stands between two words; here it had nothing to join.")
    return _bounded(clauses, notices)


def _repair(query: str, notices: list[str]) -> str:
    text = query.translate(_AS_SPACE)
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS]
        notices.append(f"The query was very long; its first {MAX_CHARACTERS:,} characters were searched.")
    if text.count('"') % 2:
        before, _, after = text.rpartition('"')
        text = f"{before} {after}"
        notices.append("A quotation mark had no partner; its words were searched one by one.")
    return text


def _clause(match: re.Match[str], language: Language, notices: list[str]) -> Clause | None:
    sign, field = Sign(match["sign"]), (match["field"] or "").lower()
    value = match["phrase"] if match["phrase"] is not None else match["word"]
    choice: Choice | None
    if field == "year" and language.of_papers:
        choice = _years(value, notices) or _words(f"year {value}", None, notices)
    elif field in _LINKS and language.of_papers:
        choice = Linked(field, value.strip().lower()) if value.strip() else None
    elif field and field not in language.fields:
        notices.append(f"There is no field “{field}”; its words were searched. Fields are {language.named}.")
        choice = _words(f"{field} {value}", None, notices)
    else:
        choice = _words(value, language.fields.get(field), notices)
    return Clause(sign, (choice,)) if choice else None


def _words(value: str, field: str | None, notices: list[str]) -> Words | None:
    words = words_of(value)
    if not words:
        if "*" in value:
            notices.append("A star needs the beginning of a word before it, as in neur*.")
        return None
    return Words(words, field, prefix=value.endswith("*"))


def _years(value: str, notices: list[str]) -> Years | None:
    match = _YEARS.fullmatch(value.strip())
    low, high = (match["low"], match["high"]) if match else (None, None)
    if match is None or not (low or high) or (low and high and not match["between"]):
        notices.append("Years are written year:1998, year:1995..1999 or year:1995.. ; searched as words.")
        return None
    if not match["between"]:
        low = high = low or high
    bounds = [int(bound) if bound else None for bound in (low, high)]
    if bounds[0] is not None and bounds[1] is not None:
        bounds.sort(key=lambda bound: bound or 0)
    return Years(bounds[0], bounds[1])


def _joined(left: Clause, right: Clause) -> Clause:
    """`a OR b`: one clause; it is unwanted only where the first alternative was."""
    return replace(left, choices=left.choices + right.choices)


def _bounded(clauses: list[Clause], notices: list[str]) -> ParsedQuery:
    kept, n_choices = [], 0
    for clause in clauses:
        n_choices += sum(len(choice.words) if isinstance(choice, Words) else 1 for choice in clause.choices)
        if n_choices > MAX_CLAUSES:
            notices.append(f"The query had very many words; the first {MAX_CLAUSES} were searched.")
            break
        kept.append(clause)
    return ParsedQuery(tuple(kept), " ".join(dict.fromkeys(notices)))
