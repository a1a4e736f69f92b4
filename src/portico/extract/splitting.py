"""A reference section → the references in it, whatever way they are set apart."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from portico.types.document import Document, Line

_LABELS: tuple[re.Pattern[str], ...] = (
    re.compile(r"^\s*\[\s*(\d{1,3})\s*\]"),
    re.compile(r"^\s*\(\s*(\d{1,3})\s*\)\s"),
    re.compile(r"^\s*(\d{1,3})\s*[.)]\s*(?=\S)"),
    re.compile(r"^\s*(\d{1,3})\s+(?=[A-Z“\"])"),
    re.compile(r"^\s*(\d{1,3})(?=[A-Z][a-z.])"),
)
_KEY = re.compile(r"^\s*\[\s*([A-Za-z][^\]\[]{1,40}?)\s*\]")
_AUTHOR_START = re.compile(
    r"^\W?(?:(?:van|von|de|der|den|di|del|la|le|al|el|ter|du|dos|d['’]|mc|o['’])\s?){0,3}"
    r"[A-ZÀ-ÖØ-ÞŁŠŽČ][\w'’`´-]*(?:\s[A-Z][\w'’-]+){0,3}(?:,|\s(?:[A-Z]\.|and\b|&)|\s[A-Z]{1,3}\b)"
    r"|^(?:[A-Z]\.\s?-?){1,4}\s?(?:(?:van|von|de|der|den|di|del|la|le)\s){0,2}[A-Z][\w'’-]+"
    r"|^[—–_-]{2,}"
    r"|^[A-Z][\w'’-]+\s[A-Z][\w'’.-]+(?:\s[A-Z][\w'’-]+)?(?:,|\.|\sand\s)"
)
_SENTENCE_END = re.compile(r"[.\])]\W*$|\d\W*$|https?://\S+$")
_YEAR = re.compile(r"\b(?:1[89]\d\d|20[0-4]\d)[a-z]?\b")

# Share of its numbers a list must count up by one for the numbers to be labels.
COUNTING_SHARE = 0.6
# Points by which a line is set in for the indentation to mean something; the smallest seen is 7.
INDENT = 4.0
# Points two left edges may differ and still be the same edge (rounding, hanging punctuation).
SAME_EDGE = 2.5
# Lines a reference has at most; more means that its end was missed.
MOST_LINES = 25


@dataclass(frozen=True, slots=True)
class Entry:
    """The lines of one reference and the label it is cited by ("12", "Smi95", "" when it has none)."""

    lines: tuple[Line, ...]
    label: str = ""
    label_end: int = 0  # characters of the first line that the label takes


def split_references(document: Document, lines: Sequence[Line]) -> tuple[Entry, ...]:
    """The references of a section, in order."""
    if not lines:
        return ()
    texts = [line.span.of(document.text) for line in lines]
    for find_starts in (_numbered, _keyed):
        starts = find_starts(texts)
        if starts:
            return tuple(_entries(lines, texts, starts))
    plain = _unlabelled(lines, texts)
    return tuple(_entries(lines, texts, dict.fromkeys(plain, ("", 0))))


def _entries(lines: Sequence[Line], texts: Sequence[str], starts: dict[int, tuple[str, int]]) -> list[Entry]:
    marks = [*sorted(starts), len(lines)]
    entries = []
    for start, end in zip(marks, marks[1:], strict=False):
        label, label_end = starts[start]
        chosen = tuple(lines[start:end][:MOST_LINES])
        if any(character.isalpha() for text in texts[start:end] for character in text):
            entries.append(Entry(chosen, label, label_end))
    return entries


def _numbered(texts: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Lines that open with the next number of the count; {} when the section does not count."""
    best: dict[int, tuple[str, int]] = {}
    for pattern in _LABELS:
        found = _counted(pattern, texts)
        if len(found) > len(best):
            best = found
    n_lines = len(texts)
    enough = len(best) >= 2 and len(best) * MOST_LINES >= n_lines and min(best) <= n_lines // 4
    return best if enough else {}


def _counted(pattern: re.Pattern[str], texts: Sequence[str]) -> dict[int, tuple[str, int]]:
    numbers = [
        (idx, int(match[1]), match.end()) for idx, text in enumerate(texts) if (match := pattern.match(text))
    ]
    chosen: dict[int, tuple[str, int]] = {}
    last = 0
    for idx, number, end in numbers:
        # A count may skip a number that the converter lost, but it never runs back.
        if last < number <= last + (3 if chosen else 1):
            chosen[idx] = (str(number), end)
            last = number
    steps = len(chosen) / max(1, last)
    return chosen if steps >= COUNTING_SHARE else {}


def _keyed(texts: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Lines that open with a key in brackets: [Smi95], [Smith et al., 1995]."""
    found = {idx: (match[1], match.end()) for idx, text in enumerate(texts) if (match := _KEY.match(text))}
    return found if len(found) >= 2 and 0 in found and len(found) * MOST_LINES >= len(texts) else {}


def _unlabelled(lines: Sequence[Line], texts: Sequence[str]) -> list[int]:
    """The best division of a list without labels: each way is scored by how its references look."""
    ways: tuple[Callable[[Sequence[Line], Sequence[str]], list[int]], ...] = (
        _hanging,
        _indented,
        _paragraphs,
        _spaced,
        _by_words,
    )
    candidates = [starts for way in ways if (starts := way(lines, texts))]
    return max(candidates, key=lambda starts: _quality(texts, starts), default=[0])


def _quality(texts: Sequence[str], starts: list[int]) -> float:
    """How many of the references start like one, hold a year and end like one, less the odd ones."""
    marks = [*starts, len(texts)]
    points = 0.0
    for start, end in zip(marks, marks[1:], strict=False):
        entry = " ".join(texts[start:end])
        n_years = len(set(_YEAR.findall(entry)))
        points += bool(_AUTHOR_START.match(texts[start].strip()))
        points += 1.0 if n_years else -0.5
        points += 0.5 if _SENTENCE_END.search(texts[end - 1]) else -0.5
        points -= max(0, end - start - 6) * 0.5
        points -= 1.5 if len(entry) < 40 else 0.0
    return points / len(texts)


def _hanging(lines: Sequence[Line], texts: Sequence[str]) -> list[int]:
    """First lines stand out to the left of the others."""
    return [idx for idx, edge in enumerate(_edges(lines)) if edge == "out"]


def _indented(lines: Sequence[Line], texts: Sequence[str]) -> list[int]:
    """First lines are set in."""
    found = [idx for idx, edge in enumerate(_edges(lines)) if edge == "in"]
    return sorted({0, *found}) if found else []


def _edges(lines: Sequence[Line]) -> list[str]:
    """For each line whether it starts at its column's left edge ("out") or is set in ("in")."""
    columns: dict[tuple[int, int], list[float]] = defaultdict(list)
    keys = _columns(lines)
    for line, key in zip(lines, keys, strict=True):
        if line.box:
            columns[key].append(line.box.left)
    left = {key: _left_edge(values) for key, values in columns.items()}
    edges = []
    for line, key in zip(lines, keys, strict=True):
        if line.box is None:
            edges.append("")
        else:
            offset = line.box.left - left[key]
            edges.append("out" if offset < SAME_EDGE else "in" if offset >= INDENT else "")
    return edges if "in" in edges else [""] * len(lines)


def _left_edge(values: list[float]) -> float:
    """The leftmost edge that at least a few lines share: a stray character does not make an edge."""
    counts = Counter(round(value) for value in values)
    shared = [edge for edge, n_lines in counts.items() if n_lines + counts[edge + 1] > len(values) * 0.08]
    return float(min(shared, default=min(values)))


def _columns(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Page and column of each line; a new column starts where the text jumps up the page."""
    keys = []
    column = 0
    before: Line | None = None
    for line in lines:
        if before is not None and (
            before.page != line.page or (line.box and before.box and line.box.top < before.box.top - 40)
        ):
            column += 1
        keys.append((line.page, column))
        before = line
    return keys


def _paragraphs(lines: Sequence[Line], texts: Sequence[str]) -> list[int]:
    """Each block of the converter is a reference; a block that opens in mid-sentence is not a start."""
    return [
        idx
        for idx, line in enumerate(lines)
        if idx == 0 or (lines[idx - 1].block != line.block and not texts[idx].strip()[:1].islower())
    ]


def _spaced(lines: Sequence[Line], texts: Sequence[str]) -> list[int]:
    """References are set apart by more space than their own lines."""
    gaps = [
        after.box.top - before.box.bottom if before.box and after.box and after.page == before.page else None
        for before, after in zip(lines, lines[1:], strict=False)
    ]
    known = [gap for gap in gaps if gap is not None and gap > -40]
    if not known:
        return []
    usual = median(known)
    height = median(line.box.bottom - line.box.top for line in lines if line.box)
    starts = [0]
    for idx, gap in enumerate(gaps, start=1):
        jumped = gap is None or gap < -40
        if (not jumped and gap is not None and gap > usual + 0.25 * height) or (
            jumped and _looks_like_start(texts, idx)
        ):
            starts.append(idx)
    return starts if len(starts) > 1 else []


def _by_words(lines: Sequence[Line], texts: Sequence[str]) -> list[int]:
    """A line that opens with an author behind a line that ends a sentence."""
    return [idx for idx in range(len(texts)) if idx == 0 or _looks_like_start(texts, idx)]


def _looks_like_start(texts: Sequence[str], idx: int) -> bool:
    return bool(_AUTHOR_START.match(texts[idx].strip())) and bool(_SENTENCE_END.search(texts[idx - 1]))
