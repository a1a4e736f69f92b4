"""Determines the reading order of a page: columns separated by white space, headings kept whole."""

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor, inf

from portico.convert.line_segments import LinePiece

# Minimum number of lines with a free gutter between them for it to count; author blocks side by side at the
# head of a paper have fewer lines and less text, so two lines are enough there.
MIN_GUTTER_LINES = 5
MIN_AUTHOR_LINES = 2
# Narrower columns are labels ("[12]"), equation numbers or page numbers, and belong to the line next to them.
MIN_COLUMN_SHARE = 0.18
MIN_AUTHOR_SHARE = 0.08
# Minimum share of a column that text fills; cells of tables fill less, and tables are read by rows.
MIN_FILL = 0.55
# A narrow column of short lines on a first page (dates, keywords) stands beside an abstract: text that fills
# this share of a column this much wider, where this share of the lines begin at the edge of their column.
BESIDE_LINES, BESIDE_SHARE = 4, 0.12
BESIDE_FILL, BESIDE_WIDER, BESIDE_ALIGNED = 0.85, 1.5, 0.75
MIN_GUTTER_PT = 6.0
# Minimum share of a column's lines that do not extend into the gutter.
MIN_AGREEMENT = 0.9
# The lowest horizontal gap on a first page that has this height, in lines, and is in this upper share of the
# text ends the title and the authors, which have columns of their own.
TITLE_GAP = 1.8
TITLE_SHARE = 0.45
# Additional gap between lines, in line heights, that separates two rows of author blocks.
BLOCK_GAP = 0.2
# Lines are ragged if less than this share of them begin at the two most frequent positions, of this width.
RAGGED_SHARE = 0.6
RAGGED_PT = 3.0
# Boxes of lines extend from the highest to the lowest letter of the font, so neighbors may overlap.
LINE_OVERLAP_PT = 4.0
# Notes in the margin are narrower than this share of the text beside them.
MARGIN_WIDTH = 0.5
# The gap between a running head and the text is at least this many of the head's heights.
MARGIN_GAP = 0.6


Gutter = tuple[float, float]
"""Left and right edge of the white strip between two columns."""


@dataclass(frozen=True, slots=True)
class Region:
    """Pieces to be read from top to bottom; in a title, pieces beside each other belong together."""

    pieces: list[LinePiece]
    is_title: bool = False


class ReadingOrder:
    """Orders the pages of one document, first to last: columns found on a page help to find those of the
    next.
    """

    def __init__(self) -> None:
        self._gutter: Gutter | None = None

    def regions(self, pieces: list[LinePiece], *, width: float, first_page: bool) -> list[Region]:
        """The regions of the next page, to be read one after the other."""
        head, body, foot = _without_margins(sorted(pieces, key=lambda piece: piece.top))
        title, text = _cut_title(body) if first_page else ([], body)
        title_regions = _Order(width, authors=True, first_page=first_page).regions(title, depth=0)
        is_title = first_page and not title
        order = _Order(width, authors=is_title, usual=self._gutter, first_page=first_page)
        text_regions = order.regions(text, depth=0)
        self._gutter = order.text_gutter or self._gutter
        regions = [Region(head), *(Region(part, is_title=True) for part in title_regions)]
        regions += [Region(part) for part in [*text_regions, foot]]
        return [region for region in regions if region.pieces]


class _Order:
    def __init__(
        self, width: float, *, authors: bool, usual: Gutter | None = None, first_page: bool = False
    ) -> None:
        self._width = width
        self._first_page = first_page
        self._authors = authors  # may there be authors side by side?
        self._usual = usual  # where the columns of the pages before were parted
        self.text_gutter: Gutter | None = None  # where those of this page are

    def regions(self, pieces: list[LinePiece], depth: int) -> list[list[LinePiece]]:
        if len(pieces) < 2 * MIN_AUTHOR_LINES or depth > 4:
            return [pieces] if pieces else []
        gutter = self._gutter(pieces) or (self._usual_gutter(pieces) if depth == 0 else None)
        if gutter is None:
            return [pieces]
        left, right = gutter
        middle = (left + right) / 2
        regions: list[list[LinePiece]] = []
        for band, is_split in _bands(pieces, left, right):
            if is_split:
                above, beside = _first_row(band) if self._authors else ([], band)
                regions += [above] if above else []
                for row in _rows_of_blocks(beside) if self._authors and _is_ragged(beside) else [beside]:
                    for side in _sides(row, middle):
                        regions += self.regions(side, depth + 1)
            else:
                regions += self.regions(band, depth + 1) if len(band) < len(pieces) else [band]
        return regions

    def _gutter(self, pieces: list[LinePiece]) -> Gutter | None:
        """The white strip that most pairs of neighbors leave between them, if it separates columns of
        text.
        """
        pairs = [pair for pair in _neighbors(pieces) if pair[1].left - pair[0].right >= MIN_GUTTER_PT]
        if len(pairs) < MIN_AUTHOR_LINES:
            return None
        left, right = _most_agreed(pairs)
        if right - left < MIN_GUTTER_PT:
            return None
        pairs = [pair for pair in pairs if pair[0].right <= right and pair[1].left >= left]
        return (left, right) if self._parts_columns(pairs, left, right) else None

    def _usual_gutter(self, pieces: list[LinePiece]) -> Gutter | None:
        """The gutter of the previous pages, if few lines of this page cross it: its columns may be short."""
        if self._usual is None:
            return None
        left, right = self._usual
        n_left = sum(piece.right <= right for piece in pieces)
        n_right = sum(piece.left >= left for piece in pieces)
        enough = min(n_left, n_right) >= MIN_AUTHOR_LINES
        return self._usual if enough and n_left + n_right >= MIN_AGREEMENT * len(pieces) else None

    def _parts_columns(self, pairs: list[tuple[LinePiece, LinePiece]], left: float, right: float) -> bool:
        """Whether there is running text, not labels or table cells, on both sides."""
        before = list({id(pair[0]): pair[0] for pair in pairs}.values())
        after = list({id(pair[1]): pair[1] for pair in pairs}.values())
        n_lines = min(len(before), len(after))
        widths = [left - min(p.left for p in before), max(p.right for p in after) - right]
        if min(widths) <= 0.0:  # letters without width, one upon the other
            return False
        fill = min(
            sum(p.width for p in before) / len(before) / widths[0],
            sum(p.width for p in after) / len(after) / widths[1],
        )
        narrowest = min(widths) / self._width
        if n_lines >= MIN_GUTTER_LINES and fill >= MIN_FILL and narrowest >= MIN_COLUMN_SHARE:
            self.text_gutter = self.text_gutter or (left, right)
            return True
        if self._authors and n_lines >= MIN_AUTHOR_LINES and narrowest >= MIN_AUTHOR_SHARE:
            return True
        return (
            self._first_page
            and n_lines >= BESIDE_LINES
            and _stands_beside_text(before, after, least=BESIDE_SHARE * self._width)
        )


def _stands_beside_text(before: list[LinePiece], after: list[LinePiece], *, least: float) -> bool:
    """Whether one column is running text and the other a narrower one, not below `least`, of short lines."""
    sides = [_aligned(side) for side in (before, after)]
    if any(
        len(own) < max(BESIDE_LINES, BESIDE_ALIGNED * len(side))
        for own, side in zip(sides, (before, after), strict=True)
    ):
        return False
    short, text = sorted(sides, key=_width_of)
    fill = sum(piece.width for piece in text) / len(text) / _width_of(text)
    return fill >= BESIDE_FILL and _width_of(text) >= BESIDE_WIDER * _width_of(short) >= BESIDE_WIDER * least


def _width_of(column: list[LinePiece]) -> float:
    return max(piece.right for piece in column) - min(piece.left for piece in column)


def _aligned(column: list[LinePiece]) -> list[LinePiece]:
    """The lines that begin where most do."""
    places = Counter(round(piece.left) for piece in column)
    edge = places.most_common(1)[0][0]
    return [piece for piece in column if abs(piece.left - edge) < RAGGED_PT]


def _without_margins(pieces: list[LinePiece]) -> tuple[list[LinePiece], list[LinePiece], list[LinePiece]]:
    """Running head, the rest, page foot: a first and last row separated from both columns by white space."""
    n_head = _n_row(pieces)
    head = pieces[:n_head]
    if n_head == len(pieces) or not _apart(head, pieces[n_head:]):
        head, n_head = [], 0
    rest = pieces[n_head:]
    by_bottom = sorted(rest, key=lambda piece: -piece.bottom)
    foot = by_bottom[: _n_row(by_bottom)]
    if len(foot) == len(rest) or not _apart(by_bottom[len(foot) :], foot):
        return head, rest, []
    return head, by_bottom[len(foot) :], foot


def _cut_title(pieces: list[LinePiece]) -> tuple[list[LinePiece], list[LinePiece]]:
    """Title and authors, then the text, if much white space crosses the page between them."""
    ordered = sorted(pieces, key=lambda piece: piece.top)
    if not ordered:
        return [], []
    reach = ordered[0].top + TITLE_SHARE * (max(piece.bottom for piece in ordered) - ordered[0].top)
    cut, bottom = 0, ordered[0].bottom
    for i, piece in enumerate(ordered):
        if piece.top > reach:
            break
        if piece.top - bottom > TITLE_GAP * (piece.bottom - piece.top):
            cut = i
        bottom = max(bottom, piece.bottom)
    return ordered[:cut], ordered[cut:]


def _n_row(pieces: list[LinePiece]) -> int:
    """The number of pieces beside the very first, itself included."""
    n_row = 1
    while n_row < len(pieces) and _side_by_side(pieces[0], pieces[n_row]):
        n_row += 1
    return min(n_row, len(pieces))


def _apart(upper: list[LinePiece], lower: list[LinePiece]) -> bool:
    gap = min(piece.top for piece in lower) - max(piece.bottom for piece in upper)
    return gap > MARGIN_GAP * min(piece.bottom - piece.top for piece in upper)


def _neighbors(pieces: list[LinePiece]) -> list[tuple[LinePiece, LinePiece]]:
    """Each piece with the nearest one to the right at the same height."""
    ordered = sorted(pieces, key=lambda piece: piece.top)
    tops = [piece.top for piece in ordered]
    pairs = []
    for piece in ordered:
        # Those that start so near above or below that they may stand at the same height.
        first = bisect_right(tops, piece.top - 1.5 * (piece.bottom - piece.top))
        last = bisect_left(tops, piece.bottom)
        nearest, left = None, inf
        for other in ordered[first:last]:
            if piece.right <= other.left < left and _side_by_side(piece, other):
                nearest, left = other, other.left
        if nearest is not None:
            pairs.append((piece, nearest))
    return pairs


def _side_by_side(piece: LinePiece, other: LinePiece) -> bool:
    # Asked thousands of times a page: `min` and `max` would take half of the time of reading order.
    top, bottom, other_top, other_bottom = piece.top, piece.bottom, other.top, other.bottom
    height, other_height = bottom - top, other_bottom - other_top
    overlap = (bottom if bottom < other_bottom else other_bottom) - (top if top > other_top else other_top)
    return overlap > 0.4 * (height if height < other_height else other_height)


def _most_agreed(pairs: list[tuple[LinePiece, LinePiece]]) -> tuple[float, float]:
    """The strip, to the point, that almost as many pairs leave white as any other."""
    steps: Counter[int] = Counter()
    for before, after in pairs:
        steps[ceil(before.right)] += 1
        steps[floor(after.left) + 1] -= 1
    places = sorted(steps)
    counts = list(accumulate(steps[place] for place in places))
    peak = first = last = max(range(len(places) - 1), key=lambda i: (counts[i], places[i + 1] - places[i]))
    enough = MIN_AGREEMENT * counts[peak]
    while first > 0 and counts[first - 1] >= enough:
        first -= 1
    while counts[last + 1] >= enough:
        last += 1
    return places[first], places[last + 1] - 1


def _bands(pieces: list[LinePiece], left: float, right: float) -> list[tuple[list[LinePiece], bool]]:
    """The page divided where a line crosses the gutter, into bands of (pieces, whether the gutter splits
    them).
    """
    core = 0.3 * (right - left)
    long = MIN_FILL * (left - min(piece.left for piece in pieces))
    # A line of the left column that is too long for it reaches into the gutter, but not over it.
    crossing = [
        piece
        for piece in pieces
        if piece.left < right - core
        and piece.right > left + core
        and (piece.right > right or piece.width < long)
    ]
    crossing_ids = {id(piece) for piece in crossing}
    crossing.sort(key=lambda piece: piece.top)
    tops = [piece.top for piece in crossing]
    tallest = max((piece.bottom - piece.top for piece in crossing), default=0.0)
    bands: list[tuple[list[LinePiece], bool]] = []
    for piece in sorted(pieces, key=lambda piece: piece.top):
        # Only those can stand beside it that begin no more than the tallest above it.
        near = crossing[bisect_right(tops, piece.top - tallest) : bisect_left(tops, piece.bottom)]
        crosses = id(piece) in crossing_ids or any(_side_by_side(piece, other) for other in near)
        if bands and bands[-1][1] is not crosses:
            bands[-1][0].append(piece)
        else:
            bands.append(([piece], not crosses))
    return bands


def _first_row(pieces: list[LinePiece]) -> tuple[list[LinePiece], list[LinePiece]]:
    """The pieces above the first row of two (the last line of a title), and the rest."""
    for i, piece in enumerate(pieces):
        if any(_side_by_side(piece, other) for other in pieces[i + 1 : i + 8]):
            return pieces[:i], pieces[i:]
    return [], pieces


def _is_ragged(pieces: list[LinePiece]) -> bool:
    """Whether lines begin at many different positions, as centered lines do. Columns of text begin at
    few.
    """
    places = Counter(round(piece.left / RAGGED_PT) for piece in pieces)
    return sum(count for _, count in places.most_common(2)) < RAGGED_SHARE * len(pieces)


def _rows_of_blocks(pieces: list[LinePiece]) -> list[list[LinePiece]]:
    """Blocks of an author grid, row by row; rows are separated by white space larger than that between
    lines.
    """
    ordered = sorted(pieces, key=lambda piece: piece.top)
    bottoms = list(accumulate((piece.bottom for piece in ordered), max))
    white = [piece.top - bottom for piece, bottom in zip(ordered[1:], bottoms, strict=False)]
    between_lines = sorted(gap for gap in white if gap > -LINE_OVERLAP_PT)
    if not between_lines:
        return [pieces]
    usual = between_lines[len(between_lines) // 2]
    rows = [ordered[:1]]
    for piece, gap in zip(ordered[1:], white, strict=True):
        if gap > usual + BLOCK_GAP * (piece.bottom - piece.top):
            rows.append([])
        rows[-1].append(piece)
    return rows


def _sides(pieces: list[LinePiece], middle: float) -> list[list[LinePiece]]:
    """The pieces left of the middle, then those right of it; margin notes come last."""
    left = [piece for piece in pieces if (piece.left + piece.right) / 2 < middle]
    right = [piece for piece in pieces if (piece.left + piece.right) / 2 >= middle]
    return [right, left] if left and right and _is_margin(left, right) else [left, right]


def _is_margin(column: list[LinePiece], text: list[LinePiece]) -> bool:
    """A narrow column of little text that begins below the first lines of the text beside it."""
    lower = min(piece.top for piece in column) - min(piece.top for piece in text)
    width, text_width = (max(p.right for p in side) - min(p.left for p in side) for side in (column, text))
    return width < MARGIN_WIDTH * text_width and lower > 3 * (text[0].bottom - text[0].top)
