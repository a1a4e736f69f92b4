"""Prints references in several styles, with the errors authors make, and the citation marks for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from portico.sample.people import FictitiousPerson, to_ascii_letters
from portico.sample.works import Venue, Work

# Probability of each error per reference, estimated from real reference lists.
CHANCE_ET_AL = 0.12
CHANCE_LOST_AUTHOR = 0.04
CHANCE_TYPO = 0.06
CHANCE_WRONG_YEAR = 0.04
CHANCE_WRONG_PAGE = 0.05
CHANCE_NO_PAGES = 0.15
CHANCE_SHORT_VENUE = 0.45
CHANCE_NO_MIDDLE = 0.25
CHANCE_OTHER_NAMES = 0.15  # full first names among initials, or the reverse


@dataclass(frozen=True, slots=True)
class StyledText:
    """Text in one style: italic, bold, both or neither."""

    text: str
    italic: bool = False
    bold: bool = False


@dataclass(frozen=True, slots=True)
class CitedWork:
    """What one reference says about a work: its fields, with the errors introduced."""

    work: Work
    title: str
    authors: tuple[FictitiousPerson, ...]
    et_al: bool
    full_names: bool
    year: int
    venue: Venue
    short_venue: bool
    pages: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """One printed reference. `label` is printed before it; "" if nothing is."""

    entry: CitedWork
    label: str
    suffix: str  # "a", "b" after the year, if authors and year alone are not unique
    pieces: tuple[StyledText, ...]
    authors: tuple[str, ...]  # as printed
    venue: str  # as printed

    @property
    def raw(self) -> str:
        text = "".join(piece.text for piece in self.pieces)
        return f"{self.label} {text}" if self.label else text


@dataclass(frozen=True, slots=True)
class ReferenceStyle:
    """How a paper prints and cites its references."""

    name: str
    marks: str  # number, dot, alpha, year
    surname_first: bool
    full_names: bool
    print_entry: Callable[[CitedWork, str, str], list[StyledText]]


def print_references(rng: Random, works: Sequence[Work], style: ReferenceStyle) -> tuple[Reference, ...]:
    """The reference list of a paper that cites these works, in the order of the style."""
    entries = [_with_slips(rng, work, style) for work in works]
    entries.sort(key=lambda entry: (to_ascii_letters(entry.authors[0].surname), entry.year, entry.title))
    suffixes = _suffixes(entries, style)
    references = []
    for idx, entry in enumerate(entries):
        label = _label(style, entry, idx + 1, suffixes[idx])
        names = _names(entry, surname_first=style.surname_first)
        pieces = style.print_entry(entry, _join(names, style, et_al=entry.et_al), suffixes[idx])
        references.append(
            Reference(entry, label, suffixes[idx], tuple(pieces), tuple(names), _venue_name(entry))
        )
    return tuple(references)


def cite(
    references: Sequence[Reference], numbers: Sequence[int], style: ReferenceStyle, *, as_noun: bool
) -> str:
    """The citation mark for the references with these numbers, counted from 0."""
    if style.marks in ("number", "dot"):
        return "[" + ", ".join(str(number + 1) for number in sorted(numbers)) + "]"
    if style.marks == "alpha":
        return "[" + ", ".join(references[number].label.strip("[]") for number in numbers) + "]"
    if as_noun and len(numbers) == 1:
        reference = references[numbers[0]]
        return f"{_short_names(reference.entry)} ({reference.entry.year}{reference.suffix})"
    cited = [references[number] for number in numbers]
    parts = (f"{_short_names(ref.entry)}, {ref.entry.year}{ref.suffix}" for ref in cited)
    return "(" + "; ".join(parts) + ")"


def _with_slips(rng: Random, work: Work, style: ReferenceStyle) -> CitedWork:
    authors = work.authors
    if len(authors) > 2 and rng.random() < CHANCE_LOST_AUTHOR:
        authors = authors[:-1]
    if rng.random() < CHANCE_NO_MIDDLE:
        authors = tuple(replace(author, middle="") for author in authors)
    venue = work.venue
    if venue.first_page and rng.random() < CHANCE_WRONG_PAGE:
        venue = replace(venue, last_page=venue.last_page + rng.choice((-1, 1, 10)))
    other_names = rng.random() < CHANCE_OTHER_NAMES
    return CitedWork(
        work=work,
        title=_typo(rng, work.title) if rng.random() < CHANCE_TYPO else work.title,
        authors=authors,
        et_al=len(authors) > 2 and rng.random() < CHANCE_ET_AL,
        full_names=style.full_names != other_names,
        year=work.year + rng.choice((-1, 1)) if rng.random() < CHANCE_WRONG_YEAR else work.year,
        venue=venue,
        short_venue=rng.random() < CHANCE_SHORT_VENUE,
        pages=bool(venue.first_page) and rng.random() >= CHANCE_NO_PAGES,
    )


def _typo(rng: Random, title: str) -> str:
    """The title with a letter dropped or two letters swapped inside a long word."""
    places = [
        idx
        for idx in range(2, len(title) - 3)
        if title[idx - 2 : idx + 3].islower() and title[idx - 2 : idx + 3].isalpha()
    ]
    if not places:
        return title
    idx = rng.choice(places)
    if rng.random() < 0.5:
        return title[:idx] + title[idx + 1 :]
    return title[:idx] + title[idx + 1] + title[idx] + title[idx + 2 :]


def _suffixes(entries: Sequence[CitedWork], style: ReferenceStyle) -> list[str]:
    if style.marks in ("number", "dot"):
        return [""] * len(entries)
    name = _letters if style.marks == "alpha" else _short_names
    keys = [(name(entry), entry.year) for entry in entries]
    return [
        chr(ord("a") + keys[:idx].count(key)) if keys.count(key) > 1 else "" for idx, key in enumerate(keys)
    ]


def _label(style: ReferenceStyle, entry: CitedWork, number: int, suffix: str) -> str:
    if style.marks == "number":
        return f"[{number}]"
    if style.marks == "dot":
        return f"{number}."
    if style.marks == "alpha":
        return f"[{_letters(entry)}{entry.year % 100:02d}{suffix}]"
    return ""


def _letters(entry: CitedWork) -> str:
    if len(entry.authors) == 1:
        return entry.authors[0].surname[:3]
    return "".join(author.surname[0].upper() for author in entry.authors)


def _names(entry: CitedWork, *, surname_first: bool) -> list[str]:
    shown = entry.authors[:1] if entry.et_al else entry.authors
    names = []
    for author in shown:
        given = author.initials
        if entry.full_names:
            given = f"{author.given} {author.middle}." if author.middle else author.given
        names.append(f"{author.surname}, {given}" if surname_first else f"{given} {author.surname}")
    return names


def _join(names: list[str], style: ReferenceStyle, *, et_al: bool) -> str:
    if et_al:
        return f"{names[0]}, et al." if style.surname_first else f"{names[0]} et al."
    if style.marks == "dot":
        return ", ".join(names)
    if len(names) == 1:
        return names[0]
    last = ", and " if style.surname_first or len(names) > 2 else " and "
    return ", ".join(names[:-1]) + last + names[-1]


def _short_names(entry: CitedWork) -> str:
    surnames = [author.surname for author in entry.authors]
    if len(surnames) == 1:
        return surnames[0]
    if len(surnames) == 2 and not entry.et_al:
        return f"{surnames[0]} and {surnames[1]}"
    return f"{surnames[0]} et al."


def _venue_name(entry: CitedWork) -> str:
    venue = entry.venue
    if venue.kind == "conference":
        if entry.short_venue:
            return (
                f"Proc. {venue.short}" if entry.year % 2 else f"Proc. {venue.acronym}-{entry.year % 100:02d}"
            )
        return f"Proceedings of the {venue.ordinal} {venue.full}"
    return venue.short if entry.short_venue else venue.full


def _sentence_case(title: str) -> str:
    """The title in sentence case as BibTeX makes it: the first word, words after a colon, and names keep
    their capitals.
    """
    words = title.split(" ")
    out = []
    for idx, word in enumerate(words):
        own_capitals = any(part[1:] != part[1:].lower() or len(part) == 1 for part in word.split("-"))
        keep = idx == 0 or words[idx - 1].endswith(":") or own_capitals or word in PROPER
        if not own_capitals and word not in PROPER:
            word = word[0] + word[1:].lower() if keep else word.lower()
        out.append(word)
    return " ".join(out)


PROPER = frozenset((
    "Bellman", "Markov", "Bayes", "Bayesian", "Gaussian", "Gibbs", "Dirichlet", "Kalman", "Gabor",
    "Voronoi", "Delaunay", "Hebbian", "Rocchio", "Huffman", "Steiner", "Q-Learning", "Monte", "Carlo",
))  # fmt: skip


def _pages(entry: CitedWork, form: str) -> str:
    return form.format(f"{entry.venue.first_page}–{entry.venue.last_page}") if entry.pages else ""


def _stop(text: str) -> str:
    """The text with a period at its end, without doubling the period of an initial."""
    return text if text.endswith(".") else text + "."


def _plain(entry: CitedWork, names: str, suffix: str) -> list[StyledText]:
    head = [StyledText(f"{_stop(names)} ")]
    year = f"{entry.year}{suffix}"
    name = _venue_name(entry)
    title = _sentence_case(entry.title)
    venue = entry.venue
    if venue.kind == "book":
        return [*head, StyledText(entry.title, italic=True), StyledText(f". {name}, {venue.place}, {year}.")]
    if venue.kind == "report":
        return [*head, StyledText(f"{title}. {name}, {venue.place}, {year}.")]
    if venue.kind == "journal":
        where = f", {venue.volume}({venue.number})" + _pages(entry, ":{}") + f", {year}."
        return [*head, StyledText(f"{title}. "), StyledText(name, italic=True), StyledText(where)]
    where = _pages(entry, ", pages {}") + f", {venue.place}, {year}."
    return [*head, StyledText(f"{title}. In "), StyledText(name, italic=True), StyledText(where)]


def _quoted(entry: CitedWork, names: str, suffix: str) -> list[StyledText]:
    name = _venue_name(entry)
    venue = entry.venue
    year = f"{entry.year}{suffix}"
    if venue.kind == "book":
        return [
            StyledText(f"{names}, "),
            StyledText(entry.title, italic=True),
            StyledText(f", {venue.place}: {name}, {year}."),
        ]
    head = StyledText(f"{names}, “{entry.title},” ")
    if venue.kind == "report":
        return [head, StyledText(f"{name}, {venue.place}, {year}.")]
    if venue.kind == "journal":
        where = f", vol. {venue.volume}, no. {venue.number}" + _pages(entry, ", pp. {}") + f", {year}."
        return [head, StyledText(name, italic=True), StyledText(where)]
    return [
        StyledText(head.text + "in "),
        StyledText(name, italic=True),
        StyledText(_pages(entry, ", pp. {}") + f", {year}."),
    ]


def _author_year(entry: CitedWork, names: str, suffix: str) -> list[StyledText]:
    name = _venue_name(entry)
    venue = entry.venue
    head = f"{names} ({entry.year}{suffix}). "
    if venue.kind == "book":
        return [
            StyledText(head),
            StyledText(entry.title, italic=True),
            StyledText(f". {venue.place}: {name}."),
        ]
    title = _sentence_case(entry.title)
    if venue.kind == "report":
        return [StyledText(f"{head}{title}. {name}, {venue.place}.")]
    if venue.kind == "journal":
        where = f", {venue.volume}" + _pages(entry, ", {}") + "."
        return [StyledText(f"{head}{title}. "), StyledText(name, italic=True), StyledText(where)]
    where = _pages(entry, " (pp. {})") + f". {venue.place}."
    return [StyledText(f"{head}{title}. In "), StyledText(name, italic=True), StyledText(where)]


def _year_after_names(entry: CitedWork, names: str, suffix: str) -> list[StyledText]:
    name = _venue_name(entry)
    venue = entry.venue
    head = f"{_stop(names)} {entry.year}{suffix}. "
    if venue.kind == "book":
        return [
            StyledText(head),
            StyledText(entry.title, italic=True),
            StyledText(f". {venue.place}: {name}."),
        ]
    if venue.kind == "report":
        return [StyledText(f"{head}{entry.title}. {name}, {venue.place}.")]
    if venue.kind == "journal":
        where = f" {venue.volume}({venue.number})" + _pages(entry, ":{}") + "."
        return [StyledText(f"{head}{entry.title}. "), StyledText(name, italic=True), StyledText(where)]
    return [
        StyledText(f"{head}{entry.title}. In "),
        StyledText(name, italic=True),
        StyledText(_pages(entry, ", {}") + "."),
    ]


def _colon(entry: CitedWork, names: str, suffix: str) -> list[StyledText]:
    name = _venue_name(entry)
    venue = entry.venue
    year = f"({entry.year}{suffix})"
    head = f"{names}: {entry.title}. "
    if venue.kind in ("book", "report"):
        return [StyledText(f"{head}{name}, {venue.place} {year}")]
    if venue.kind == "journal":
        return [
            StyledText(f"{head}{name} "),
            StyledText(str(venue.volume), bold=True),
            StyledText(f" {year}" + _pages(entry, " {}")),
        ]
    return [StyledText(f"{head}In: {name} {year}" + _pages(entry, " {}"))]


PLAIN = ReferenceStyle("plain", "number", False, True, _plain)
QUOTED = ReferenceStyle("quoted", "number", False, False, _quoted)
ALPHA = ReferenceStyle("alpha", "alpha", False, True, _plain)
AUTHOR_YEAR = ReferenceStyle("author-year", "year", True, False, _author_year)
NATURAL = ReferenceStyle("natural", "year", True, False, _year_after_names)
COLON = ReferenceStyle("colon", "dot", True, False, _colon)
