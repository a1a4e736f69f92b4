"""Joins segments to printed lines, and lines to paragraphs."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from portico.convert.characters import recombine, to_plain_text
from portico.convert.fonts import Typeface, restore_dashes_and_quotes
from portico.convert.line_segments import SHIFT_EM, SPACE_EM, LinePiece, PiecePart

# In ems of the line: pieces this close to a common baseline are on one line.
SAME_BASELINE_EM = 0.25
# A superscript is smaller than this share of its line, and higher by at least this many ems.
RAISED_SIZE = 0.87
RAISED_EM = 0.12
# A paragraph ends if the distance to the next line is more than this many usual distances.
PARAGRAPH_LEADING = 1.3
# Lines whose sizes differ by this factor are never in one paragraph (headings and text, text and footnotes).
SAME_SIZE = 1.12
# A line starts farther left or right than its neighbors by this many ems: an indent.
INDENT_EM = 0.7
# A line that leaves this many ems free at its right end ends a paragraph.
SHORT_EM = 2.5


# Lines whose middles are this close to the middle of all are centered: a title, a block of authors.
CENTERED_EM = 0.6


# Minimum distance of authors' names on one line that are separated only by space.
AUTHORS_EM = 1.8


@dataclass(slots=True)
class StyledStretch:
    """Characters of a line that share a typeface and a size."""

    text: str
    typeface: Typeface
    size: float
    raised: bool


@dataclass(slots=True)
class TextLine:
    """One printed line of a region."""

    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    size: float
    stretches: list[StyledStretch]

    @property
    def text(self) -> str:
        return "".join(stretch.text for stretch in self.stretches)


def build_lines(pieces: list[LinePiece], *, cut_em: float = inf) -> list[TextLine]:
    """The printed lines of one region from top to bottom, cut at gaps wider than `cut_em` ems."""
    rows: dict[int, list[_Row]] = {}
    ordered: list[_Row] = []
    # Large type first: it sets the lines that superscripts and subscripts then join.
    for piece in sorted(pieces, key=lambda piece: (-round(piece.main.size), piece.left)):
        row = _row_for(piece, rows)
        if row is None:
            row = _Row(piece)
            ordered.append(row)
            rows.setdefault(int(row.baseline) // _ROW_BIN_PT, []).append(row)
        else:
            row.pieces.append(piece)
    rows_down = sorted(ordered, key=lambda row: row.baseline)
    lines = [_line(row, pieces) for row in rows_down for pieces in _cut(row, cut_em * row.size)]
    return [line for line in lines if line.stretches]


def build_paragraphs(lines: list[TextLine]) -> list[list[TextLine]]:
    """The lines of one region divided into paragraphs."""
    paragraphs: list[list[TextLine]] = []
    for group in _spaced_groups(lines):
        starters = _starters(group)
        for i, line in enumerate(group):
            if i == 0 or i in starters:
                paragraphs.append([line])
            else:
                paragraphs[-1].append(line)
    return paragraphs


_ROW_BIN_PT = 8


class _Row:
    """Pieces on approximately the same baseline."""

    __slots__ = ("baseline", "pieces", "size")

    def __init__(self, piece: LinePiece) -> None:
        self.pieces = [piece]
        self.baseline = piece.main.baseline
        self.size = piece.main.size


def _row_for(piece: LinePiece, rows: dict[int, list[_Row]]) -> _Row | None:
    main = piece.main
    place = int(main.baseline) // _ROW_BIN_PT
    best, distance = None, float("inf")
    for near in range(place - 2, place + 3):
        for row in rows.get(near, ()):
            shift = abs(row.baseline - main.baseline)
            small = main.size < RAISED_SIZE * row.size
            reach = (SHIFT_EM if small else SAME_BASELINE_EM) * row.size
            if shift <= reach and shift < distance and not _collides(piece, row):
                best, distance = row, shift
    return best


def _collides(piece: LinePiece, row: _Row) -> bool:
    """Whether the piece would overlap what the row contains already."""
    for other in row.pieces:
        if min(piece.right, other.right) - max(piece.left, other.left) > 0.5 * min(piece.width, other.width):
            return True
    return False


def _cut(row: _Row, gap: float) -> list[list[LinePiece]]:
    """The pieces of the row from left to right, in groups without such a gap inside."""
    pieces = sorted(row.pieces, key=lambda piece: piece.left)
    groups = [pieces[:1]]
    for before, piece in pairwise(pieces):
        if piece.left - before.right > gap:
            groups.append([])
        groups[-1].append(piece)
    return groups


def _line(row: _Row, pieces: list[LinePiece]) -> TextLine:
    stretches: list[StyledStretch] = []
    right = None
    for piece in pieces:
        gap = None if right is None else piece.left - right
        for part in piece.parts:
            _add(stretches, part, row, space=gap is not None and gap > SPACE_EM * part.size)
            gap = None
        right = piece.right
    _trim(stretches)
    first, *others = pieces
    left, top, right, bottom = first.left, first.top, first.right, first.bottom
    for piece in others:
        top, right, bottom = min(top, piece.top), max(right, piece.right), max(bottom, piece.bottom)
    return TextLine(left, top, right, bottom, row.baseline, row.size, stretches)


def _add(stretches: list[StyledStretch], part: PiecePart, row: _Row, *, space: bool) -> None:
    text = to_plain_text(part.text)
    raised = part.size < RAISED_SIZE * row.size and row.baseline - part.baseline > RAISED_EM * row.size
    last = stretches[-1] if stretches else None
    if last is None:
        stretches.append(StyledStretch(text, part.typeface, part.size, raised))
        return
    if space:
        last.text += " "
    if last.typeface is part.typeface and last.size == part.size and last.raised is raised:
        last.text += text
        return
    # An accent set by a font of its own belongs to the letter that follows.
    joint = recombine(last.text[-1:] + text[:1])
    if text and len(joint) == 1:
        last.text, text = last.text[:-1], joint + text[1:]
    stretches.append(StyledStretch(text, part.typeface, part.size, raised))


def _trim(stretches: list[StyledStretch]) -> None:
    """Remove repeated spaces, spaces at the ends and empty stretches; combine accents with their letters."""
    before = " "
    for stretch in stretches:
        text = recombine(_squeeze(stretch.text) if "  " in stretch.text else stretch.text)
        if not stretch.typeface.name:
            text = restore_dashes_and_quotes(text)
        if before.endswith(" "):
            text = text.lstrip(" ")
        stretch.text = text
        before = text or before
    for stretch in reversed(stretches):
        stretch.text = stretch.text.rstrip(" ")
        if stretch.text:
            break
    stretches[:] = [stretch for stretch in stretches if stretch.text]


def _squeeze(text: str) -> str:
    words = " ".join(text.split())
    return " " * text.startswith(" ") + words + " " * text.endswith(" ")


def _spaced_groups(lines: list[TextLine]) -> list[list[TextLine]]:
    """The lines divided where unusual white space, or another type size, separates them."""
    steps = [_step(above, below) for above, below in pairwise(lines)]
    usual = _usual([step for step in steps if step > 0])
    groups: list[list[TextLine]] = []
    for i, line in enumerate(lines):
        if i and steps[i - 1] <= PARAGRAPH_LEADING * usual and _same_size(lines[i - 1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _step(above: TextLine, below: TextLine) -> float:
    """The distance between baselines in ems, so that large type may have large distances."""
    return (below.baseline - above.baseline) / max(min(above.size, below.size), 1.0)


def _usual(steps: list[float]) -> float:
    """The most frequent distance; 1.2 if there is nothing to compare."""
    if not steps:
        return 1.2
    counts = Counter(round(step, 1) for step in steps)
    return min(max(counts, key=lambda step: (counts[step], -step)), 2.5)


def _same_size(above: TextLine, below: TextLine) -> bool:
    return max(above.size, below.size) <= SAME_SIZE * min(above.size, below.size)


def _starters(group: list[TextLine]) -> set[int]:
    """Which lines begin a paragraph, by their indents: hanging as in lists of references, or of the first
    line.

    Lines begin at the left edge or are indented. Which of the two begins paragraphs follows from the line
    before: the last line of a paragraph is short.
    """
    edge, end = min(line.left for line in group), max(line.right for line in group)
    em = group[0].size
    if all(abs(line.left + line.right - edge - end) < 2 * CENTERED_EM * em for line in group):
        return set()
    inner = [line.left - edge > INDENT_EM * em for line in group]
    if not any(inner[1:]) or all(inner):
        return set()
    short = [end - line.right > SHORT_EM * em for line in group]
    changes = [i for i in range(1, len(group)) if inner[i] != inner[i - 1]]
    outward = [i for i in changes if not inner[i]]
    inward = [i for i in changes if inner[i]]
    n_inner = sum(inner)
    hanging_score = _share(short, outward) - _share(short, inward)
    if hanging_score == 0:
        hanging_score = n_inner / len(group) - 0.5
    if hanging_score > 0:  # hanging: every line at the edge begins an entry
        return {i for i in range(1, len(group)) if not inner[i]}
    return {i for i in range(1, len(group)) if inner[i] and not inner[i - 1]}


def _share(short: list[bool], starts: list[int]) -> float:
    return sum(short[i - 1] for i in starts) / len(starts) if starts else 0.0
