"""Generates works: their authors, dates and venues, and what they cite."""

import re
from dataclasses import dataclass, replace
from random import Random

from portico.sample.banks import Bank, Scale, load_banks
from portico.sample.people import Department, FictitiousPerson

FIRST_YEAR, LAST_YEAR = 1994, 2000
SMALL_WORDS = frozenset((
    "a", "an", "and", "among", "as", "at", "between", "by", "for", "from", "in", "into", "of", "on", "or",
    "over", "the", "to", "under", "with", "without",
))  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
PLACES = (
    "Northfield", "Eastmere", "Lindholm", "Harrowgate", "Valmont", "Port Averill", "St. Brannoc",
    "Kestrel Bay",
)  # fmt: skip
ORDINALS = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth",
    "Eleventh", "Twelfth", "Thirteenth", "Fourteenth", "Fifteenth", "Sixteenth", "Seventeenth",
    "Eighteenth", "Nineteenth", "Twentieth", "Twenty-First", "Twenty-Second", "Twenty-Third",
)  # fmt: skip
PUBLISHERS = ("Harbor Press", "Meridian Books", "Northfield University Press", "Lantern & Sons")

TITLE_PATTERNS = (
    "{method} for {task}",
    "{task} with {method}",
    "{task} Using {method}",
    "{system}: {method} for {task}",
    "Improving {task} by {method}",
    "On the Use of {method} in {task}",
    "Experiments with {method} in {task}",
    "Towards Practical {task}",
    "An Analysis of {method}",
)
OUTSIDE_PATTERNS = ("{method} for {task}", "{task} Using {method}", "{method} and {task}")
BOOK_PATTERNS = (
    "Introduction to {keyword}",
    "The Theory of {objects}",
    "A Survey of {objects}",
    "{objects} Reconsidered",
)


@dataclass(frozen=True, slots=True)
class Venue:
    """Where a work was published. Fields that do not apply to its kind are empty."""

    kind: str  # conference, journal, report, book
    full: str
    short: str
    acronym: str = ""
    volume: int = 0
    number: int = 0
    first_page: int = 0
    last_page: int = 0
    place: str = ""
    ordinal: str = ""  # "Seventh", of a conference


@dataclass(frozen=True, slots=True)
class Work:
    """A paper of the sample web or, if not `held`, one from outside that it cites."""

    id: str
    title: str
    authors: tuple[FictitiousPerson, ...]
    year: int
    month: str
    venue: Venue
    bank: Bank
    method: str
    task: str
    system: str
    department: str  # key of the department whose web holds it, "" if none does
    cites: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        return bool(self.department)


def invent_works(
    rng: Random,
    scale: Scale,
    departments: tuple[Department, ...],
    people: dict[str, tuple[FictitiousPerson, ...]],
) -> tuple[Work, ...]:
    """All works, held ones first. Held works cite older held works, and works from outside."""
    works: list[Work] = []
    banks = _topics(scale)
    for idx, bank in enumerate(banks):
        n_held = scale.n_papers // len(banks) + (idx < scale.n_papers % len(banks))
        pairs = list(zip(rng.sample(bank.methods, 12), rng.sample(bank.tasks, 12), strict=True))
        homes = (departments[idx % len(departments)], departments[(idx + 2) % len(departments)])
        works += _held_works(rng, bank, pairs[:n_held], homes, people)
        works += _outside_works(rng, bank, pairs[n_held:], people[""])
    works.sort(key=lambda work: (not work.held, work.year, work.bank.key, work.id))
    return tuple(replace(work, cites=_cites(rng, work, works)) if work.held else work for work in works)


def to_title_case(phrase: str) -> str:
    """The phrase in title case. Words with capitals of their own keep them."""
    words = phrase.split(" ")
    return " ".join(
        word if idx and word.lower() in SMALL_WORDS else _capitalize(word) for idx, word in enumerate(words)
    )


def _topics(scale: Scale) -> tuple[Bank, ...]:
    banks = load_banks()
    step = len(banks) / scale.n_topics
    return tuple(banks[int(idx * step)] for idx in range(scale.n_topics))


def _capitalize(word: str) -> str:
    parts = word.split("-")
    return "-".join(
        part if idx and part in SMALL_WORDS else part[:1].upper() + part[1:] for idx, part in enumerate(parts)
    )


def _held_works(
    rng: Random,
    bank: Bank,
    pairs: list[tuple[str, str]],
    homes: tuple[Department, Department],
    people: dict[str, tuple[FictitiousPerson, ...]],
) -> list[Work]:
    groups = {home.key: rng.sample(people[home.key], min(5, len(people[home.key]))) for home in homes}
    works = []
    for idx, (method, task) in enumerate(pairs):
        home, other = (homes[0], homes[1]) if rng.random() < 0.75 else (homes[1], homes[0])
        authors = rng.sample(groups[home.key], rng.choice((1, 2, 2, 2, 3, 3, 4)))
        if other.key != home.key and len(authors) < 4 and rng.random() < 0.35:
            authors.append(rng.choice(groups[other.key]))
        year = FIRST_YEAR + (idx * (LAST_YEAR - FIRST_YEAR + 1)) // max(1, len(pairs))
        pattern = TITLE_PATTERNS[(idx + len(bank.key)) % len(TITLE_PATTERNS)]
        system = bank.systems[idx % len(bank.systems)]
        serial = load_banks().index(bank) * len(bank.methods) + idx + 1
        report = f"{home.report_prefix}-{year % 100:02d}-{serial:02d} {home.university}"
        works.append(
            Work(
                id=f"{bank.key}-{idx + 1}",
                title=_fill_title(pattern, method=method, task=task, system=system),
                authors=tuple(authors),
                year=year,
                month=rng.choice(MONTHS),
                venue=_venue(rng, bank, year, report),
                bank=bank,
                method=method,
                task=task,
                system=system,
                department=home.key,
            )
        )
    return works


def _outside_works(
    rng: Random, bank: Bank, pairs: list[tuple[str, str]], outsiders: tuple[FictitiousPerson, ...]
) -> list[Work]:
    titles = [_fill_title(rng.choice(OUTSIDE_PATTERNS), method=method, task=task) for method, task in pairs]
    objects = rng.sample(bank.objects, 3)
    titles += [
        _fill_title(pattern, keyword=rng.choice(bank.keywords), objects=objects[idx % 3])
        for idx, pattern in enumerate(BOOK_PATTERNS)
    ]
    works = []
    for idx, title in enumerate(titles):
        year = rng.randint(1978, FIRST_YEAR)
        book = title.startswith(("Introduction", "The Theory"))
        works.append(
            Work(
                id=f"outside-{bank.key}-{idx + 1}",
                title=title,
                authors=tuple(rng.sample(outsiders, 1 if book else rng.choice((1, 2, 2, 3)))),
                year=year,
                month=rng.choice(MONTHS),
                venue=_book(rng) if book else _venue(rng, bank, year, ""),
                bank=bank,
                method="",
                task="",
                system="",
                department="",
            )
        )
    return works


def _fill_title(pattern: str, **slots: str) -> str:
    return re.sub(
        r"\{(\w+)\}", lambda m: slots[m[1]] if m[1] == "system" else to_title_case(slots[m[1]]), pattern
    )


def _venue(rng: Random, bank: Bank, year: int, report: str) -> Venue:
    """A journal or a conference or, one time in five, the technical report `report`, if there is one."""
    first = rng.randint(1, 600)
    last = first + rng.randint(5, 24)
    chance = rng.random()
    if report and chance < 0.2:
        number, university = report.split(" ", 1)
        return Venue("report", f"Technical Report {number}", f"TR {number}", place=university)
    if chance < 0.5:
        volume = year - 1975
        full, short = bank.journal
        return Venue("journal", full, short, "", volume, rng.randint(1, 4), first, last)
    ordinal = _ordinal(year - 1977)
    full, short, acronym = bank.conference
    return Venue("conference", full, short, acronym, 0, 0, first, last, rng.choice(PLACES), ordinal)


def _book(rng: Random) -> Venue:
    publisher = rng.choice(PUBLISHERS)
    return Venue("book", publisher, publisher, place=rng.choice(PLACES))


def _ordinal(number: int) -> str:
    return ORDINALS[max(0, min(number, len(ORDINALS)) - 1)]


def _cites(rng: Random, work: Work, works: list[Work]) -> tuple[str, ...]:
    older = [other for other in works if other.held and other.id != work.id and _may_cite(work, other)]
    near = [other for other in older if other.bank.key == work.bank.key]
    far = [
        other
        for other in older
        if other.bank.key != work.bank.key and other.bank.path[0] == work.bank.path[0]
    ]
    outside = [other for other in works if not other.held and other.bank.key == work.bank.key]
    chosen = rng.sample(near, min(len(near), rng.randint(2, 6)))
    chosen += rng.sample(far, min(len(far), rng.randint(0, 2)))
    chosen += rng.sample(outside, min(len(outside), rng.randint(4, 7)))
    return tuple(other.id for other in chosen)


def _may_cite(work: Work, other: Work) -> bool:
    """Whether the other work is strictly older. That excludes citations of the future, and cycles within
    a year.
    """
    return other.year < work.year
