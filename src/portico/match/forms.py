"""In which form a work was published: journal, proceedings, report, thesis, chapter or book."""

import re
from collections.abc import Mapping
from functools import lru_cache


def form_of(values: Mapping[str, str]) -> str:
    """The form that the folded values of a record's fields speak for; "" where they do not say.

    Words come before the names of fields, since fields are guessed by machines too: "technical
    report" in a field called journal is a report.
    """
    words = " ".join([values[name] for name in _WORDY if name in values])
    return _form_by_words(words) or next((form for name, form in _BY_FIELD if name in values), "")


def report_number(values: Mapping[str, str]) -> str:
    """ "90 100" of "cmu cs 90 100": year and serial number, as most report series count."""
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
        "thesis",  # "partial fulfillment" stands in headers
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
# Where no word tells: a place of publication that comes with a volume is no book.
_BY_FIELD = (
    ("tech", "report"),
    ("journal", "journal"),
    ("booktitle", "chapter"),
    ("institution", "report"),
    ("volume", ""),
    ("publisher", "book"),
)
_REPORT_NUMBER = re.compile(r"\b\d\d \d{1,4}\b")
