"""A mention: the parts of a record that identify its paper, normalized for comparison."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from portico.text.names import PersonName, fold, parse_name, parse_names, split_value
from portico.types.record import Field, Record


def find_form(values: Mapping[str, str]) -> str:
    """The form of publication indicated by the folded values of a record's fields; "" if there is no
    indication.

    Words take precedence over field names, because fields are predicted as well: "technical report" in a
    field called journal is a report.
    """
    words = " ".join([values[name] for name in _WORDY if name in values])
    return _form_by_words(words) or next((form for name, form in _BY_FIELD if name in values), "")


def find_report_number(values: Mapping[str, str]) -> str:
    """ "90 100" of "cmu cs 90 100": year and serial number, as in most report series."""
    words = " ".join([values[name] for name in _NUMBERED if name in values])
    found = _REPORT_NUMBER.search(words)
    return found.group() if found else ""


@lru_cache(maxsize=200_000)  # most papers appear in one of a few hundred venues
def _form_by_words(words: str) -> str:
    return next((form for form, pattern in _SIGNS if pattern.search(words)), "")


_NUMBERED = ("tech", "number", "note", "institution")
_WORDY = ("booktitle", "journal", "venue", "tech", "institution", "note", "degree")
_SIGNS = (
    (
        "thesis",  # "partial fulfillment" occurs in headers
        re.compile(
            r"\bthesis|dissertation|diplomarbeit|habilitationsschrift|\bthese de doctorat|\btesis\b"
            r"|partial fulfill?ment"
        ),
    ),
    (
        "report",
        re.compile(r"\b(?:tech\w*|research) rep|\btechnical\b|\breport\b|\btr\b|\bmemo\b|arxiv|corr\b"),
    ),
    (
        "proceedings",
        re.compile(r"\bproc|\bconf|workshop|symposium|\badvances in|\bmeeting\b|working session"),
    ),
    ("journal", re.compile(r"journal|transactions|\btrans\b|letters|magazine|review|annals|\bj\b")),
)
# If no word decides: a place of publication together with a volume is not a book.
_BY_FIELD = (
    ("tech", "report"),
    ("journal", "journal"),
    ("booktitle", "chapter"),
    ("institution", "report"),
    ("volume", ""),
    ("publisher", "book"),
)
_REPORT_NUMBER = re.compile(r"\b\d\d \d{1,4}\b")


@dataclass(frozen=True, slots=True)
class Roles:
    """Which fields are used as title, people, year and so on; the first that exists is used."""

    entity: str = "paper"  # what the records describe
    anchor: str = "header"  # the kind of record that represents a held document
    title: tuple[str, ...] = ("title",)
    people: tuple[str, ...] = ("author", "authors")
    date: tuple[str, ...] = ("year", "date")
    venue: tuple[str, ...] = ("journal", "booktitle", "venue", "tech", "institution", "publisher")
    volume: tuple[str, ...] = ("volume",)
    pages: tuple[str, ...] = ("pages",)
    identifiers: tuple[str, ...] = ("doi", "arxiv", "url")
    # Fields that tell where and in which form it was published.
    publication: tuple[str, ...] = (
        "journal", "booktitle", "venue", "tech", "institution", "publisher", "volume", "note", "number",
        "degree",
    )  # fmt: skip
    # Fields that an entity may borrow from another record, in groups of alternative fields.
    borrowable: tuple[tuple[str, ...], ...] = (
        ("title",), ("author", "authors"), ("year", "date"), ("journal", "booktitle", "venue"),
        ("volume",), ("pages",), ("publisher",), ("doi",),
    )  # fmt: skip


PAPERS = Roles()


@dataclass(frozen=True, slots=True)
class Mention:
    """All compared values, normalized; missing values are empty."""

    title: str = ""  # normalized words separated by single spaces
    people: tuple[PersonName, ...] = ()
    year: int | None = None
    venue: str = ""  # folded words
    volume: str = ""
    pages: tuple[int, ...] = ()  # first, or first and last
    identifiers: frozenset[str] = frozenset()
    raw: str = ""  # normalized words of the whole record, kept only if there is no title
    anchor: str = ""  # the record's id if it represents a held document
    form: str = ""  # journal, proceedings, report and so on
    report: str = ""  # the number of a report
    named: str = ""  # the record's id if the builder made a decision about it
    letters: str = field(init=False, compare=False)  # the title without spaces: "on-line" is "online"
    surnames: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "letters", self.title.replace(" ", ""))
        object.__setattr__(self, "surnames", tuple(person.key for person in self.people))

    def __hash__(self) -> int:
        return hash((self.title, self.surnames, self.year, self.venue, self.anchor))  # tells most apart

    @property
    def comparable(self) -> bool:
        """Whether it can be merged with others: it has enough data, or a person decided about it."""
        return self.identifiable or bool(self.named)

    @property
    def order(self) -> tuple[str, int]:
        """A total order, the same in every run, in which likely pairs are near each other.

        The words would mostly suffice; the number, a digest of everything, breaks ties.
        """
        words = (self.title or self.raw, *self.surnames, str(self.year or ""))
        return " ".join(words)[:_ORDERING_LETTERS], self._digest

    @property
    def _digest(self) -> int:
        people = ";".join(
            f"{person.surname}|{'|'.join(person.given)}/{person.suffix}" for person in self.people
        )
        content = (
            self.title, people, str(self.year), self.venue, self.volume, str(self.pages),
            " ".join(sorted(self.identifiers)), self.raw, self.anchor, self.form, self.report, self.named,
        )  # fmt: skip
        whole = blake2b("\n".join(content).encode("utf-8", "surrogatepass"), digest_size=8)
        return int.from_bytes(whole.digest()) >> 1  # databases count up to 2 ** 63

    @property
    def n_filled(self) -> int:
        """The number of fields with a value."""
        return sum(map(bool, (self.title, self.people, self.year, self.venue, self.volume, self.pages)))

    @property
    def identifiable(self) -> bool:
        """Whether it has enough data that two equal mentions must mean the same paper.

        A title of some length, an identifier, or an author with a place of publication is enough; "Ibid.",
        "et al." or a year alone is not.
        """
        if len(self.letters) >= SHORTEST_TITLE or self.identifiers:
            return True
        return bool(self.people and (self.pages or self.title) and (self.year or self.volume))


_ORDERING_LETTERS = 100

SHORTEST_TITLE = 10
"""Minimum letters of a title that identifies a paper by itself; shorter ones ("Learning", "Preface") do
not."""


def parse_own_mention(record: Record, roles: Roles = PAPERS) -> Mention:
    """The comparable form of a record's own data, without what the page that lists its document adds.

    Listing pages distinguish report and article of one work, which headers rarely do; they are still one
    work.
    """
    if record.kind != roles.anchor or not any(field.listed_on for field in record.fields):
        return parse_mention(record, roles)
    own = tuple(field for field in record.fields if not field.listed_on)
    return parse_mention(replace(record, fields=own), roles)


def parse_mention(record: Record, roles: Roles = PAPERS) -> Mention:
    """The comparable form of one record."""
    values = _best_values(record)
    told = {name: fold_words(values[name]) for name in roles.publication if name in values}
    title = fold_words(_first(values, roles.title))
    date = _first(values, roles.date)
    return Mention(
        title=title,
        people=_people(record, roles),
        year=_year(record, date, roles),
        venue=_first(told, roles.venue),
        volume=_volume(_first(values, roles.volume)),
        pages=parse_pages(_first(values, roles.pages)),
        identifiers=frozenset(find_identifiers(values[name] for name in roles.identifiers if name in values)),
        raw="" if title else fold_words(record.raw[:_LONGEST_RAW]),
        anchor=record.id if record.kind == roles.anchor else "",
        form=find_form(told),
        report=find_report_number(told),
    )


def pack_mention(mention: Mention) -> tuple[Any, ...]:
    """The mention as plain values, for temporary files."""
    people = tuple((person.surname, person.given, person.suffix) for person in mention.people)
    return (
        mention.title, people, mention.year, mention.venue, mention.volume, mention.pages,
        tuple(mention.identifiers), mention.raw, mention.anchor, mention.form, mention.report, mention.named,
    )  # fmt: skip


def unpack_mention(packed: tuple[Any, ...]) -> Mention:
    title, people, year, venue, volume, pages, identifiers, *rest = packed
    names = tuple([_make_name(*person) for person in people])
    return Mention(title, names, year, venue, volume, pages, frozenset(identifiers), *rest)


@lru_cache(maxsize=200_000)  # as when they are read
def _make_name(surname: str, given: tuple[str, ...], suffix: str) -> PersonName:
    return PersonName(surname, given, suffix)


def fold_words(text: str) -> str:
    """Lower case, no accents, words of letters and digits with one space between them."""
    folded = fold(text)
    if folded.isascii():  # nearly all are, and this takes a quarter of the time
        return " ".join(folded.encode("ascii").translate(_SPACED).decode("ascii").split())
    return " ".join(_WORD.findall(folded))


def parse_year(text: str) -> int | None:
    """The last plausible year in the text; None for "19xx" and for page numbers."""
    years = _YEAR.findall(text)
    return int(years[-1]) if years else None


def parse_pages(text: str) -> tuple[int, ...]:
    """First and last page; "127-63" is read as 127 to 163."""
    numbers = [number for number in _NUMBER.findall(text) if len(number) <= _LONGEST_PAGE][:2]
    if len(numbers) == 2 and len(numbers[1]) < len(numbers[0]):
        numbers[1] = numbers[0][: -len(numbers[1])] + numbers[1]
    return tuple(int(number) for number in numbers)


def find_identifiers(values: Iterable[str]) -> Iterable[str]:
    """DOIs, arXiv numbers and URLs in the values, each prefixed by its scheme."""
    for value in values:
        text = value.strip().lower()
        if found := _DOI.search(text):
            yield "doi:" + found.group().rstrip(".,;)")
        elif found := _ARXIV.search(text):
            yield "arxiv:" + found.group(1)
        elif text.startswith(("http://", "https://", "ftp://")) and len(text.split()) == 1:
            yield "url:" + text.split("://", 1)[1].rstrip("/.,;")


_WORD = re.compile(r"[^\W_]+")
_SPACED = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)).ljust(256)
_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"(?<![\d-])(?:1[89]|20)\d\d(?![\d-]|\.\d)")
_DOI = re.compile(r"\b10\.\d{4,9}/\S+")
_ARXIV = re.compile(r"(?:arxiv[:./ ]|^)(?:abs/)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})")
_LONGEST_RAW = 600  # characters; a longer "reference" is a page of something else
_LONGEST_PAGE = 6  # digits


def _best_values(record: Record) -> dict[str, str]:
    """The most certain value of every field, in one pass: this runs for every reference."""
    best: dict[str, Field] = {}
    for found in record.fields:
        if found.name not in best or found.confidence > best[found.name].confidence:
            best[found.name] = found
    return {name: found.value for name, found in best.items()}


def _first(values: Mapping[str, str], names: tuple[str, ...]) -> str:
    for name in names:
        if value := values.get(name):
            return value
    return ""


def _year(record: Record, date: str, roles: Roles) -> int | None:
    """The labeled year; for references without one, a year among the words.

    Not for headers: there, a year may be that of a grant, a conference series or another paper.
    """
    if date or record.kind == roles.anchor:
        return parse_year(date)
    return parse_year(record.raw)


def _people(record: Record, roles: Roles) -> tuple[PersonName, ...]:
    for name in roles.people:
        people = [person for found in record.fields if found.name == name for person in _read_names(found)]
        if people:
            return tuple(people)
    return ()


def _read_names(found: Field) -> tuple[PersonName, ...]:
    if found.confidence < 1.0 or "," not in found.value:
        return parse_names(found.value)
    return tuple(parse_name(person) for person in split_value(found.value, is_certain=True))


def _volume(text: str) -> str:
    found = _NUMBER.search(text)
    return found.group() if found else ""
