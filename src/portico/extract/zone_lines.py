"""Features of a printed line for the zone model: its text, its layout, and its neighbors."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from portico.extract.header_looks import SIZE_STEP
from portico.types.document import Document, Line

HEADER, BODY, REFERENCES, APPENDIX, BACK, ASIDE = "header", "body", "references", "appendix", "back", "aside"
"""Zones of a document; `BACK` is acknowledgments, funding and the like, `ASIDE` a footnote or running
head."""

_LETTERS = re.compile(r"[^\W\d_]+")
_LABEL = re.compile(r"^\s*(?:\[\s*\d{1,3}\s*\]|\(?\d{1,3}[.)]\s|\d{1,3}\s+[A-Z])")
_KEY = re.compile(r"^\s*\[[A-Za-z][^\]]{1,30}\]")
_YEAR = re.compile(r"(?<!\d)(?:1[89]\d\d|20[0-4]\d)[a-z]?(?!\d)")
_INITIAL = re.compile(r"\b[A-Z]\.")
_PAGES = re.compile(r"\d\s?[-–—]{1,2}\s?\d")
_ADDRESS = re.compile(r"https?:|www\.|\bdoi\b|@", re.IGNORECASE)
_NUMBERED = re.compile(r"^\s*(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,4}|[A-H])[.\s]\s*[A-Z]")
_TABLE = re.compile(r"^[\s\d.,%()–-]+$")
_TELLING = re.compile(
    r"\b(?:vol|pp|eds?|proc|proceedings|journal|press|university|conference|et al|trans|in:|verlag|"
    r"appendix|annex|acknowledge?ments?|abstract|keywords|introduction|figure|table|received|accepted|copyright)\b",
    re.IGNORECASE,
)
# Lines without any of these need not be searched for telling words.
_TELLING_WORDS = frozenset({
    "vol", "pp", "ed", "eds", "proc", "proceedings", "journal", "press", "university", "conference", "al",
    "trans", "in", "verlag", "appendix", "annex", "acknowledgment", "acknowledgments", "acknowledgement",
    "acknowledgements", "abstract", "keywords", "introduction", "figure", "table", "received", "accepted",
    "copyright",
})  # fmt: skip
# Maximum length of a line that may be a heading, whose text becomes a feature as a whole.
_WHOLE_CHARACTERS = 40
# Lines before and after over which years and initials are counted.
_REACH = 5
# Features of a line that its neighbors get.
_SHARED = (
    "1:",
    "whole=",
    "years=",
    "initials=",
    "label",
    "key",
    "size=",
    "bold",
    "length=",
    "numbered",
    "block",
)


@dataclass(frozen=True, slots=True)
class ZoneLine:
    """A printed line, its page, and how it differs from the line before."""

    text: str
    page: int
    size_change: int = 0  # 1 larger, -1 smaller, 0 the same or not known
    starts_block: bool = False
    bold: bool = False
    italic: bool = False


def read_zone_lines(document: Document, lines: Sequence[Line], *, start: int = 0) -> tuple[ZoneLine, ...]:
    """Convert the lines of a document from `start` on to those the zone model reads."""
    return tuple(
        ZoneLine(
            line.span.of(document.text),
            line.page,
            _change(lines[idx - 1].size, line.size) if idx else 0,
            idx == 0 or lines[idx - 1].block != line.block,
            line.bold,
            line.italic,
        )
        for idx, line in enumerate(lines[start:], start=start)
    )


def _change(before: float, size: float) -> int:
    return (size - before > SIZE_STEP) - (before - size > SIZE_STEP)


def observe_zone_lines(lines: Sequence[ZoneLine], *, n_before: int = 0) -> list[list[str]]:
    """Return the features of each line, its neighbors, its position, and counts over nearby lines.

    If the lines are the end of a document, `n_before` is the number of lines before them.
    """
    widest = _usual_width(lines)
    n_years = [len(_YEAR.findall(line.text)) for line in lines]
    n_initials = [len(_INITIAL.findall(line.text)) if "." in line.text else 0 for line in lines]
    own = [_own(line, widest, *counts) for line, *counts in zip(lines, n_years, n_initials, strict=True)]
    shared = [[text for text in features if text.startswith(_SHARED)] for features in own]
    years, initials = _around(n_years), _around(n_initials)
    n_lines = len(lines) + n_before
    out = []
    for idx, features in enumerate(own):
        place = n_before + idx
        seen = [*features, f"at={20 * place // n_lines}", f"top={min(place, 20) // 4}"]
        seen += [f"years±={min(years[idx], 10) // 2}", f"initials±={min(initials[idx], 30) // 3}"]
        for step, mark in ((-1, "-1 "), (1, "+1 "), (2, "+2 ")):
            if 0 <= idx + step < len(own):
                seen += [mark + text for text in shared[idx + step]]
        out.append(seen)
    return out


def _own(line: ZoneLine, widest: int, n_years: int, n_initials: int) -> list[str]:
    text = line.text
    printed = text.split()
    words = _LETTERS.findall(text.lower())
    n_characters = len(text)
    features = ["bias", f"length={min(4 * n_characters // widest, 4)}"]
    features += [f"1:{words[0]}", f"z:{words[-1]}"] if words else ["1:"]
    features += [f"2:{words[1]}"] if len(words) > 1 else []
    if n_characters <= _WHOLE_CHARACTERS:
        features.append("whole=" + "".join(words))
    if not _TELLING_WORDS.isdisjoint(words):
        features += ["in:" + word.lower() for word in _TELLING.findall(text)]
    last = printed[-1][-1] if printed else ""
    features += [
        f"years={min(n_years, 2)}",
        f"initials={min(n_initials, 3)}",
        f"commas={min(text.count(','), 4)}",
        f"digits={10 * sum(map(str.isdigit, text)) // max(n_characters, 1)}",
        "end=" + ("" if last.isalnum() else last),
        f"capitals={4 * sum([word[0].isupper() for word in printed]) // max(len(printed), 1)}",
        f"size={line.size_change}",
    ]
    features += [name for name, pattern in _MARKS if pattern.search(text)]
    flags = (
        ("bold", line.bold),
        ("italic", line.italic),
        ("block", line.starts_block),
        ("upper", text.isupper()),
    )
    return features + [name for name, holds in flags if holds]


_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("label", _LABEL),
    ("key", _KEY),
    ("pages", _PAGES),
    ("address", _ADDRESS),
    ("numbered", _NUMBERED),
    ("table", _TABLE),
)


def _usual_width(lines: Sequence[ZoneLine]) -> int:
    """Return the length of a full line: nine of ten lines are no longer."""
    lengths = sorted(len(line.text) for line in lines)
    return max(lengths[9 * len(lengths) // 10], 1) if lengths else 1


def _around(counts: Sequence[int]) -> list[int]:
    """Return for each line the sum over the lines within reach."""
    sums = [0, *accumulate(counts)]
    n_lines = len(counts)
    return [sums[min(idx + _REACH + 1, n_lines)] - sums[max(idx - _REACH, 0)] for idx in range(n_lines)]
