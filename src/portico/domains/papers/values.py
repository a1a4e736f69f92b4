"""Normalizes values of papers: venue names, identifiers (DOI, arXiv, URLs), dates."""

import re
from collections.abc import Callable, Iterator

from portico.domains.papers.fields import read_journal, read_venue
from portico.types.domain import Reader, Reading

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_DATE_YEAR = r"(?P<year>1[89]\d\d|20[0-4]\d)(?!\d)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?<!\d){_DAY}(?:\s*[-–/]\s*\d{{1,2}})?(?:\s+of)?[\s-]+{_MONTH}[\s,-]*{_DATE_YEAR}",
        rf"\b{_MONTH}\s+{_DAY}(?:\s*[-–]\s*\d{{1,2}})?\s*,?\s+{_DATE_YEAR}",
        rf"(?<!\d){_DATE_YEAR}-(?P<number>0[1-9]|1[0-2])-{_DAY}\b",
        rf"\b{_MONTH}(?:\s*[-–/]\s*[a-z]{{3,9}}\.?)?[\s,'’]*{_DATE_YEAR}",
        rf"(?<!\d){_DATE_YEAR}[\s,;:(-]+{_MONTH}",
    )
)


def read_date(passage: str) -> tuple[Reading, ...]:
    """The last date with a month: 1997-06-02 in "received May 1996, revised 2 June 1997"."""
    taken: list[Reading] = []
    for form in _FORMS:
        for match in form.finditer(passage):
            if not any(match.start() < one.end and one.start < match.end() for one in taken):
                taken.append(Reading(_written(match.groupdict()), match.start(), match.end()))
    return (max(taken, key=lambda reading: reading.start),) if taken else ()


def _written(parts: dict[str, str | None]) -> str:
    month = parts.get("number") or f"{_MONTHS.index((parts['month'] or '')[:3].lower()) + 1:02}"
    day = parts.get("day")
    return f"{parts['year']}-{month}" + (f"-{int(day):02}" if day else "")


# Spaces from line ends within a DOI are not skipped, since anything could follow.
# Old DOIs of Wiley contain special characters: "10.1002/1522-2632(200101)86:1<77::AID-IROH77>3.0.CO;2-7".
_DOI = re.compile(
    r"\b10\.\d{4,9}/[^\s\"'<>“”,;]+(?:<\d+:{1,2}[\w-]{3,20}>\d\.\d\.[A-Z]{2};2-[\w#]{1,2})?", re.IGNORECASE
)
_ARXIV = re.compile(
    r"\barxiv(?:\.org/(?:abs|pdf)/|\s?[:.]\s?|\s(?:preprint\s)?(?:arxiv:\s?)?)"
    r"(?P<number>\d{4}\.\d{4,5}|[a-z][a-z-]{1,12}(?:\.[a-z]{2})?/\d{7})",
    re.IGNORECASE,
)
_URL = re.compile(r"\b(?:https?|ftp)://[^\s\"'<>“”]+|\bwww\.[\w-]+\.[^\s\"'<>“”,;]+", re.IGNORECASE)
_CLOSING = {")": "(", "]": "[", "}": "{"}


def read_doi(passage: str) -> tuple[Reading, ...]:
    """The DOIs, in lower case for comparison, without the URL of a resolver."""
    return tuple(_found(_DOI, passage, str.lower))


def read_arxiv(passage: str) -> tuple[Reading, ...]:
    """The arXiv identifiers, without the version: "1706.03762", "cs/9905014"."""
    return tuple(
        Reading(match["number"].lower(), match.start("number"), match.end("number"))
        for match in _ARXIV.finditer(passage)
    )


def read_url(passage: str) -> tuple[Reading, ...]:
    """URLs, except those of DOIs and arXiv, which are read as identifiers."""
    return tuple(
        reading
        for reading in _found(_URL, passage, str)
        if not _DOI.search(reading.value) and not _ARXIV.search(reading.value)
    )


def _found(pattern: re.Pattern[str], passage: str, write: Callable[[str], str]) -> Iterator[Reading]:
    for match in pattern.finditer(passage):
        value = _without_stop(match[0])
        yield Reading(write(value), match.start(), match.start() + len(value))


def _without_stop(text: str) -> str:
    """The text without trailing punctuation of the sentence and closing brackets that were opened before
    it.
    """
    while text and (
        text[-1] in ".,;:" or (text[-1] in _CLOSING and text.count(text[-1]) > text.count(_CLOSING[text[-1]]))
    ):
        text = text[:-1]
    return text


IDENTIFIER_READERS: tuple[tuple[str, Reader], ...] = (
    ("doi", read_doi),
    ("arxiv", read_arxiv),
    ("url", read_url),
)


_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b|['’]\d\d\b|(?<=[A-Z])['’-]?\d\d\b")
_ORDINAL = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)|(?:twenty|thirty)[\s-]?(?:first|second|third|fourth|fifth|sixth|seventh|eighth"
    r"|ninth)?|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth"
    r"|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth)\b",
    re.IGNORECASE,
)
_PROCEEDINGS = re.compile(r"^\W*(?:proc(?:eedings|s)?\b\.?)(?:\s+of)?(?:\s+the)?\b", re.IGNORECASE)
_ABBREVIATIONS = {
    "ann": "annual", "appl": "applied", "artif": "artificial", "assoc": "association", "bull": "bulletin",
    "commun": "communications", "comm": "communications", "comp": "computer", "comput": "computing",
    "conf": "conference", "eng": "engineering", "int": "international", "intl": "international",
    "intell": "intelligence", "j": "journal", "lett": "letters", "mach": "machine", "mag": "magazine",
    "math": "mathematics", "phys": "physics", "proc": "proceedings", "res": "research", "rev": "review",
    "sci": "science", "soc": "society", "softw": "software", "stat": "statistics", "symp": "symposium",
    "sys": "systems", "syst": "systems", "tech": "technical", "trans": "transactions", "univ": "university",
}  # fmt: skip
_IDLE = frozenset({"the", "of", "on", "for", "in", "and", "a", "an", "to"})
_WORD = re.compile(r"[^\W\d_]+")


def read_venue_name(passage: str) -> tuple[Reading, ...]:
    """The venue's name in lower case, without year and ordinal, with abbreviations spelled out.

    "In Proc. of the 12th Int. Conf. on Machine Learning, 1995" and "International Conference on Machine
    Learning" both become "international conference machine learning".
    """
    return tuple(
        Reading(name, reading.start, reading.end)
        for reading in read_venue(passage)
        if (name := normalize_venue(reading.value))
    )


def read_journal_name(passage: str) -> tuple[Reading, ...]:
    """The same for a journal, where "Proceedings" is part of the name: "Proceedings of the IEEE"."""
    return tuple(
        Reading(name, reading.start, reading.end)
        for reading in read_journal(passage)
        if (name := _normal(reading.value))
    )


def normalize_venue(name: str) -> str:
    """The name of a meeting, normalized for comparison; "" if nothing remains."""
    return _normal(_PROCEEDINGS.sub(" ", name))


def _normal(name: str) -> str:
    name = _ORDINAL.sub(" ", _YEAR.sub(" ", name))
    words = (word.lower() for word in _WORD.findall(name))
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words if word not in _IDLE)
