"""Features of a word's position on a web page: its line, neighboring lines, and its label."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from portico.extract.features import Seen, bare
from portico.extract.page_rows import HEADING
from portico.extract.words import Row

Patterns = tuple[tuple[str, re.Pattern[str]], ...]
"""Names of forms with their patterns."""

# Words of a heading or label that become features.
SEEN_WORDS = 4
# Characters before a colon that may announce a value: "Office hours and place:".
LEAD_CHARACTERS = 40
# Characters of a line in which patterns are searched; longer lines are running text or an attack.
SEARCHED_CHARACTERS = 2_000

_LEAD = re.compile(rf"^\s*([^\W\d_][^:：]{{0,{LEAD_CHARACTERS}}}?)\s*[:：](?=\s|$)")
_SEPARATOR = re.compile(r"^[-–—|/•·:©]+$|[,;:|(©]$")
_LETTERS = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class PageContext:
    """Computes features of the rows of a page; built once from the patterns of a domain."""

    patterns: Patterns = ()

    def __call__(self, rows: Sequence[Row], seen: Sequence[Seen]) -> list[list[str]]:
        """Return for each word the features of its position, in order."""
        starts = [0, *accumulate(len(row.words) for row in rows)]
        shapes = [
            _shape(row, seen[start:end]) for row, start, end in zip(rows, starts, starts[1:], strict=False)
        ]
        titled, footed = _common_words(rows)
        out: list[list[str]] = []
        heading: list[str] = []
        for idx, row in enumerate(rows):
            told = seen[starts[idx] : starts[idx + 1]]
            line = ["bias", *row.looks, *_line_features(shapes, idx), *heading, *find_lead_in(rows, idx)]
            words = self._words(row, told, line, _own_lead(row))
            for features, word in zip(words, row.words, strict=True):
                key = bare(word.text)
                features += ["titled"] * (key in titled) + ["footed"] * (key in footed)
            out += words
            if HEADING in row.looks:
                heading = [f"under={word}" for word in _words(row.text)]
        return out

    def _words(
        self, row: Row, told: Sequence[Seen], line: list[str], lead: tuple[list[str], int]
    ) -> list[list[str]]:
        """Return for each word of a line the line's features and those of its position in the line."""
        forms = match_patterns(row, self.patterns)
        own_lead, n_lead = lead
        n_words = len(row.words)
        out = []
        separator, since, n_separators = "none", 0, 0
        for idx, word in enumerate(row.words):
            features = [*line, *(f"form={name}" for name in forms[idx])]
            features.append(f"place={min(idx, 4)},{min(n_words - 1 - idx, 4)}")
            features.append(f"since={separator},{min(since, 3)}")
            features += ["cut"] if idx in row.cuts else []
            features.append(f"part={min(n_separators, 3)},{told[idx].group}")
            if own_lead and idx >= n_lead:
                features += own_lead
            elif own_lead:
                features.append("announces")
            out.append(features)
            since += 1
            if _SEPARATOR.search(word.text):
                separator, since, n_separators = word.text[-1], 0, n_separators + 1
        return out


def _common_words(rows: Sequence[Row]) -> tuple[set[str], set[str]]:
    """Return the words of the page's title and of its foot, both of which usually name the site."""
    titled = {bare(word.text) for row in rows if "in=title" in row.looks for word in row.words}
    footed = {bare(word.text) for row in rows if "in=foot" in row.looks for word in row.words}
    return titled, footed


def match_patterns(row: Row, patterns: Patterns) -> list[list[str]]:
    """Return for each word of a row the names of the patterns it is part of."""
    found: list[list[str]] = [[] for _ in row.words]
    if not patterns:
        return found
    text = row.text[:SEARCHED_CHARACTERS]
    ends = list(accumulate((len(word.text) + 1 for word in row.words), initial=0))
    for name, pattern in patterns:
        group = "value" if "value" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            start, end = match.span(group)
            for idx in range(len(row.words)):
                if ends[idx] < end and start < ends[idx + 1] - 1:
                    found[idx].append(name)
    return found


def find_lead_in(rows: Sequence[Row], idx: int) -> list[str]:
    """Return features of the label before this line: the cell on the left, or a line with a colon."""
    if not idx:
        return []
    before = rows[idx - 1]
    text = before.text
    same_block = before.block == rows[idx].block
    announces = text.endswith(":") or "first=dt" in before.looks or "first=th" in before.looks
    if (announces or (same_block and "in=td" in before.looks)) and len(text) <= LEAD_CHARACTERS:
        return [f"lead={word}" for word in _words(text)] + (["lead:"] if announces else [])
    return []


def read_announcement(text: str) -> tuple[str, int]:
    """Return a line's own label before a colon and where the rest begins; "" and 0 if it has none."""
    found = _LEAD.match(text)
    return (found[1], found.end()) if found else ("", 0)


def _own_lead(row: Row) -> tuple[list[str], int]:
    """Return features of the line's own label, and how many words it takes."""
    lead, end = read_announcement(row.text)
    if not lead:
        return [], 0
    return [f"lead={word}" for word in _words(lead)] + ["lead:"], len(row.text[:end].split())


@dataclass(frozen=True, slots=True)
class _Shape:
    """Properties of a line as a whole."""

    length: str
    capitals: str
    classes: tuple[str, ...]
    look: str


def _shape(row: Row, seen: Sequence[Seen]) -> _Shape:
    words = [word.text for word in row.words if _LETTERS.search(word.text)]
    n_capital = sum(_opens_capital(word) for word in words)
    if not words:
        capitals = "no-words"
    elif n_capital == len(words):
        capitals = "all"
    else:
        capitals = "most" if 2 * n_capital > len(words) else "few"
    classes: dict[str, int] = {}
    for word in seen:
        for name in {*word.told, *_lexicon_class(word)}:
            classes[name] = classes.get(name, 0) + 1
    said = tuple(sorted(f"{name}×{min(n, 2)}" for name, n in classes.items()))
    look = next((name for name in row.looks if name.startswith("first=")), "")
    return _Shape(_length(len(row.words)), capitals, said, look)


def _lexicon_class(word: Seen) -> tuple[str, ...]:
    """Return the class that a lexicon gives a word, if the word is capitalized."""
    group, _, case = word.group.partition("/")
    name = group.partition("=")[0]
    return (name,) if "=" in group and case in ("upper", "title", "capital", "single") else ()


def _line_features(shapes: Sequence[_Shape], idx: int) -> list[str]:
    features = []
    for step, mark in ((0, "l"), (-1, "l-1"), (1, "l+1")):
        there = idx + step
        if not 0 <= there < len(shapes):
            features.append(f"{mark}:none")
            continue
        shape = shapes[there]
        features.append(f"{mark}:{shape.length},{shape.capitals}")
        features.append(f"{mark}:{shape.look},{shape.length}")
        features += [f"{mark}:{name}" for name in shape.classes]
    return features


def _opens_capital(word: str) -> bool:
    letter = _LETTERS.search(word)
    return letter is not None and letter[0].isupper()


def _length(n_words: int) -> str:
    return str(n_words) if n_words < 6 else "6-9" if n_words < 10 else "10-19" if n_words < 20 else "long"


def _words(text: str) -> list[str]:
    """Return the first words of a heading or label, normalized for comparison."""
    return [bare(word) for word in text.split()[:SEEN_WORDS]]
