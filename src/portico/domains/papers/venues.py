"""Names of journals and meetings brought to one form, without years, numbers and abbreviations."""

import re

from portico.domains.papers.fields import read_venue, read_whole
from portico.types.domain import Reading

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
    """The venue's name in lower case without year and ordinal, abbreviations written out.

    "In Proc. of the 12th Int. Conf. on Machine Learning, 1995" and "International Conference on Machine
    Learning" are one: "international conference machine learning".
    """
    return tuple(
        Reading(name, reading.start, reading.end)
        for reading in read_venue(passage)
        if (name := normal_venue(reading.value))
    )


def read_journal_name(passage: str) -> tuple[Reading, ...]:
    """The same of a journal, of whose name "Proceedings" is a part: "Proceedings of the IEEE"."""
    return tuple(
        Reading(name, reading.start, reading.end)
        for reading in read_whole(passage)
        if (name := _normal(reading.value))
    )


def normal_venue(name: str) -> str:
    """The name of a meeting as venues are compared; "" where nothing is left."""
    return _normal(_PROCEEDINGS.sub(" ", name))


def _normal(name: str) -> str:
    name = _ORDINAL.sub(" ", _YEAR.sub(" ", name))
    words = (word.lower() for word in _WORD.findall(name))
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words if word not in _IDLE)
