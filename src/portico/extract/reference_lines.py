"""Layout features of the lines of a reference list: indents, paragraphs, spacing, how lines begin and end."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from portico.types.document import Document, Line

_AUTHOR_START = re.compile(
    r"^\W?(?:(?:van|von|de|der|den|di|del|la|le|al|el|ter|du|dos|d['’]|mc|o['’])\s?){0,3}"
    r"[A-ZÀ-ÖØ-ÞŁŠŽČ][\w'’`´-]*(?:\s[A-Z][\w'’-]+){0,3}(?:,|\s(?:[A-Z]\.|and\b|&)|\s[A-Z]{1,3}\b)"
    r"|^(?:[A-Z]\.\s?-?){1,4}\s?(?:(?:van|von|de|der|den|di|del|la|le)\s){0,2}[A-Z][\w'’-]+"
    r"|^[—–_-]{2,}"
    r"|^[A-Z][\w'’-]+\s[A-Z][\w'’.-]+(?:\s[A-Z][\w'’-]+)?(?:,|\.|\sand\s)"
)
_AUTHOR_YEAR = re.compile(r"^.{3,90}?\(?\b(?:1[89]\d\d|20[0-4]\d)[a-z]?\b")
_YEAR = re.compile(r"\b(?:1[89]\d\d|20[0-4]\d)[a-z]?\b")
_ABBREVIATION = re.compile(r"\b(?:[A-Z]|pp|vol|no|eds?|al)\.$")
# Characters at the end of a line that tell whether it ends in an abbreviation.
_TAIL = 8
_LABEL_LIKE = re.compile(r"^\s*(?:\[[^\]]{1,40}\]|\(?\d{1,3}[.)]?\s)")

# Points from which indentation is significant; chosen by eye, not tuned.
INDENT = 4.0
# Points two left edges may differ and still be the same edge (rounding, hanging punctuation).
SAME_EDGE = 2.5
# Points a text must jump up the page to be in the next column.
COLUMN_JUMP = 40.0
# Share of a column's lines that must share a left edge: a stray character does not make an edge.
EDGE_SHARE = 0.08
# Maximum distance, in lines, of the last year.
FAR_YEAR = 5
# Share of the line height by which the space above a paragraph exceeds the usual space.
WIDE_GAP = 0.25


@dataclass(frozen=True, slots=True)
class SeenLine:
    """The observed layout of one line; None if the source does not provide it."""

    text: str
    set_in: bool | None = None
    opens_block: bool | None = None
    after_gap: bool | None = None


def see_lines(document: Document, lines: Sequence[Line]) -> tuple[SeenLine, ...]:
    """Observe the layout of the lines of a document."""
    texts = [line.span.of(document.text) for line in lines]
    edges = _edges(lines)
    gaps = _gaps(lines)
    return tuple(
        SeenLine(
            text=texts[idx],
            set_in=edges[idx],
            opens_block=idx == 0 or lines[idx - 1].block != line.block,
            after_gap=gaps[idx],
        )
        for idx, line in enumerate(lines)
    )


def observe_list_lines(sightings: Sequence[SeenLine]) -> list[list[str]]:
    """Return features for each line: its own, its neighbors', and those of the whole list."""
    own = [_own(one) for one in sightings]
    looks = [_looks(one) for one in sightings]
    endings = [_ending(one.text) for one in sightings]
    since_year = _since_year(sightings)
    habits = _habits(sightings)
    longest = sorted(len(one.text) for one in sightings)[int(0.9 * (len(sightings) - 1))] if sightings else 1
    lengths = [f"length={_tenths(one.text, longest)}" for one in sightings]
    out = []
    for idx in range(len(sightings)):
        features = ["bias", *own[idx], *habits]
        features += [f"{habit},{look}" for habit in habits for look in looks[idx]]
        if idx:
            ending = endings[idx - 1]
            features += ["-1:" + text for text in own[idx - 1]]
            features += ["-1:" + ending, "-1:" + lengths[idx - 1]]
            features += [f"{ending},{text}" for text in own[idx] if text.startswith(("open", "author"))]
            features.append(f"{ending},{lengths[idx - 1]}")
        else:
            features.append("first")
        if idx + 1 < len(sightings):
            features += ["+1:" + text for text in own[idx + 1]]
        features += [lengths[idx], since_year[idx]]
        out.append(features)
    return out


def _own(one: SeenLine) -> list[str]:
    text = one.text.strip()
    first = text.split()[0] if text else ""
    features = [
        f"open={_kind(text[:1])}{_kind(text[1:2])}",
        f"author={bool(_AUTHOR_START.match(text))}",
        f"author-year={bool(_AUTHOR_YEAR.match(text))}",
        f"year={bool(_YEAR.search(text))}",
        f"label={bool(_LABEL_LIKE.match(text))}",
        f"w={first.lower().strip('.,:;()')[:12]}",
        *_looks(one),
    ]
    if "@" in text:
        features.append("email")
    return features


def _looks(one: SeenLine) -> list[str]:
    return [f"in={one.set_in}", f"block={one.opens_block}", f"gap={one.after_gap}"]


def _habits(sightings: Sequence[SeenLine]) -> list[str]:
    """Return how often lines are indented, open a block, or follow a gap in this list."""
    return [
        f"{name}~{_share([getattr(one, name) for one in sightings])}"
        for name in ("set_in", "opens_block", "after_gap")
    ]


def _share(values: Sequence[bool | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "?"
    share = sum(known) / len(known)
    return "none" if share < 0.05 else "few" if share < 0.2 else "some" if share < 0.85 else "all"


def _ending(text: str) -> str:
    text = text.rstrip()
    last = text[-1:]
    if last == ".":
        return "ends=." if not _ABBREVIATION.search(text[-_TAIL:]) else "ends=abbreviation"
    return "ends=" + (last if last in ",;:-&)]" else _kind(last))


def _since_year(sightings: Sequence[SeenLine]) -> list[str]:
    """Return for each line how many lines ago a year was last printed."""
    found = []
    last: int | None = None
    for idx, one in enumerate(sightings):
        if last is not None and idx - last <= FAR_YEAR:
            found.append(f"year-ago={idx - last}")
        else:
            found.append("year-ago=start" if idx < FAR_YEAR else f"year-ago={FAR_YEAR + 1}")
        last = idx if _YEAR.search(one.text) else last
    return found


def _tenths(text: str, longest: int) -> int:
    return min(10, 10 * len(text) // max(1, longest))


def _kind(character: str) -> str:
    if not character:
        return ""
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return "9" if character.isdigit() else "_" if character.isspace() else character


def _edges(lines: Sequence[Line]) -> list[bool | None]:
    """Return for each line whether it is indented from its column's left edge."""
    keys = _columns(lines)
    lefts: dict[int, list[float]] = defaultdict(list)
    for line, key in zip(lines, keys, strict=True):
        if line.box:
            lefts[key].append(line.box.left)
    edge = {key: _left_edge(values) for key, values in lefts.items()}
    found: list[bool | None] = []
    for line, key in zip(lines, keys, strict=True):
        offset = line.box.left - edge[key] if line.box else 0.0
        found.append(None if line.box is None or SAME_EDGE < offset < INDENT else offset >= INDENT)
    return found


def _left_edge(values: list[float]) -> float:
    """Return the leftmost edge that at least a few lines share."""
    counts = Counter(round(value) for value in values)
    shared = [edge for edge, n in counts.items() if n + counts[edge + 1] > len(values) * EDGE_SHARE]
    return float(min(shared, default=min(values)))


def _columns(lines: Sequence[Line]) -> list[int]:
    """Number the columns of the lines; a new one begins where the text jumps up the page."""
    keys: list[int] = []
    column = 0
    for before, line in zip([None, *lines], lines, strict=False):
        if before is not None and _jumps(before, line):
            column += 1
        keys.append(column)
    return keys


def _jumps(before: Line, line: Line) -> bool:
    if before.page != line.page:
        return True
    return bool(before.box and line.box and line.box.top < before.box.top - COLUMN_JUMP)


def _gaps(lines: Sequence[Line]) -> list[bool | None]:
    """Return for each line whether the space above it is larger than usual."""
    spaces: list[float | None] = [None]
    for before, line in pairwise(lines):
        known = before.box and line.box and not _jumps(before, line)
        spaces.append(line.box.top - before.box.bottom if known and line.box and before.box else None)
    measured = [space for space in spaces if space is not None]
    if not measured:
        return [None] * len(lines)
    usual = median(measured)
    height = median(line.box.bottom - line.box.top for line in lines if line.box)
    return [None if space is None else space > usual + WIDE_GAP * height for space in spaces]
