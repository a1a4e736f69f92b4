"""What pdfium tells of a page: every character with its edges, grouped by the text object that drew it."""

from bisect import bisect_left
from collections import Counter
from ctypes import (
    byref,
    c_ushort,
    c_void_p,
    cast,
)
from ctypes import create_string_buffer as buffer
from dataclasses import dataclass
from itertools import compress, repeat
from math import hypot
from operator import lt, ne, sub
from statistics import median_low
from typing import Any

# Not pypdfium2 itself: its conveniences triple the start-up time of a worker.
import pypdfium2_raw as pdfium

from portico.convert import calls
from portico.convert.typefaces import Typeface, typeface_of

LINE_END_HYPHEN = "\ufffe"  # what pdfium makes of a hyphen that ends a line
OBLIQUE = -1
LAST_CODE = 0x10FFFF
NO_HINTS: frozenset[int] = frozenset()

# The size of a Type 3 font is in units of its own (often 1), so a size that no reader could see, or one that
# dwarfs its own glyphs, is not believed: the height of all the glyphs of the font is.
SMALLEST_SIZE_PT = 2.5
LARGEST_SIZE_TO_HEIGHT = 3.0
# The white, in ems, between the inks of two letters of a word: 0.06 to 0.07 in the Type 3 fonts of TeX.
USUAL_BEARING_EM = 0.06
MOST_BEARING_EM = 0.08
MIN_GAPS = 30  # with fewer on a page the usual is believed


@dataclass(slots=True)  # not frozen: there are hundreds on a page, and frozen ones cost twice the time
class Stroke:
    """Characters drawn by one text object: one typeface, one size, one baseline.

    `lefts` and `rights` are the edges of each character of `text`, in points; y grows downwards.
    """

    text: str
    lefts: list[float]
    rights: list[float]
    top: float
    bottom: float
    baseline: float
    size: float
    typeface: Typeface
    bearing: float  # white that the font leaves between letters and the edges do not count, in ems
    hints: frozenset[int]  # positions in `text` before which pdfium sees a space


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """One page as drawn: its size, and its strokes in the order of the file."""

    width: float
    height: float
    strokes: list[Stroke]


def read_page(document: Any, index: int) -> PageGlyphs | None:
    """The glyphs of page `index`; None where pdfium cannot load the page."""
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        return None
    text_page = pdfium.FPDFText_LoadPage(page)
    try:
        return _Reader(page, text_page).read() if text_page else None
    finally:
        pdfium.FPDFText_ClosePage(text_page)
        pdfium.FPDF_ClosePage(page)


@dataclass(slots=True)
class _Chars:
    """Characters of a page in parallel lists; y grows upwards, as in the file."""

    text: str
    indices: list[int]  # by which pdfium knows them
    lefts: list[float]
    rights: list[float]
    uppers: list[float]
    lowers: list[float]


@dataclass(slots=True)
class _Upright(_Chars):
    """The same on a page turned so that most of the text is upright."""

    top: float  # the height at which the page begins
    width: float
    height: float


@dataclass(slots=True)
class _Run:
    """Characters start to end of a page, drawn alike: one font, one size, one baseline, one direction."""

    start: int
    end: int
    font: int
    size: float
    x: float  # where the first character begins and stands, as in the file
    y: float
    turn: int
    tight: bool  # its size is not believed: the ink tells it


class _Reader:
    """Reads one open page; made for a single call.

    Calling C from Python is what costs here, so each kind of question is asked for all characters in one
    `map`, into one table.
    """

    def __init__(self, page: Any, text_page: Any) -> None:
        self._text_page = text_page
        self._reference = calls.reference(cast(text_page, c_void_p).value)
        self._n_chars = max(0, pdfium.FPDFText_CountChars(text_page))
        self._bounds = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, byref(self._bounds))
        self._typefaces: dict[int, Typeface] = {}
        self._inked: dict[int, list[Stroke]] = {}

    def read(self) -> PageGlyphs:
        chars = self._drawn()
        objects = list(map(calls.text_object, repeat(self._reference), chars.indices))
        starts = [0, *compress(range(1, len(objects)), map(ne, objects, objects[1:]))] if objects else []
        runs = self._runs(chars, starts, [objects[start] for start in starts])
        self._use_ink(chars, [run for run in runs if run.tight])
        upright = _commonest(runs)
        page = _upright(chars, upright, self._bounds)
        jumps = _jumps(chars.indices, starts)
        strokes = [self._stroke(page, run, jumps) for run in runs if run.turn == upright]
        self._measure_ink()
        # Plots and maps are drawn as type too, too small for any reader.
        legible = [stroke for stroke in strokes if stroke.size >= SMALLEST_SIZE_PT]
        return PageGlyphs(page.width, page.height, legible)

    def _drawn(self) -> "_Chars":
        """The characters that the file draws, without the spaces and line ends that pdfium makes up."""
        indices = range(self._n_chars)
        lefts, uppers, rights, lowers = calls.boxes.ask(calls.character_box, self._reference, indices)
        wide = list(map(lt, lefts, rights))  # what pdfium made up has no width
        return _Chars(
            text="".join(compress(self._text(), wide)),
            indices=list(compress(indices, wide)),
            lefts=list(compress(lefts, wide)),
            rights=list(compress(rights, wide)),
            uppers=list(compress(uppers, wide)),
            lowers=list(compress(lowers, wide)),
        )

    def _text(self) -> str:
        """All characters in one call where each is one unit of UTF-16, else one call for each."""
        n_chars = self._n_chars
        units = (c_ushort * (n_chars + 1))()
        n_units = pdfium.FPDFText_GetText(self._text_page, 0, n_chars, units) - 1
        if n_units == n_chars:
            text = bytes(units)[: 2 * n_units].decode("utf-16-le", "surrogatepass")
            if len(text) == n_chars:
                return text
        codes = map(calls.unicode, repeat(self._reference), range(n_chars))
        return "".join(map(chr, map(min, codes, repeat(LAST_CODE)))).replace("\x02", LINE_END_HYPHEN)

    def _runs(self, chars: "_Chars", starts: list[int], objects: list[int | None]) -> list[_Run]:
        """Objects that go on as the one before began are one run: many programs draw word by word."""
        if not starts:
            return []
        firsts = [chars.indices[start] for start in starts]
        a, b, c, d, xs, ys = calls.matrices.ask(calls.matrix, self._reference, firsts)
        nominal = map(calls.font_size, repeat(self._reference), firsts)
        sizes = [abs(size) * hypot(x, y) for size, x, y in zip(nominal, c, d, strict=True)]
        fonts = calls.each(calls.font_of, objects)
        turns = map(_turn, a, b)
        runs: list[_Run] = []
        last = None
        ends = [*starts[1:], len(chars.indices)]
        for start, end, font, size, x, y, turn in zip(starts, ends, fonts, sizes, xs, ys, turns, strict=True):
            key = (font, size, y) if turn == 0 else None
            if key is not None and key == last:
                runs[-1].end = end
            else:
                runs.append(_Run(start, end, font, size, x, y, turn, _is_tight(chars, start, size, turn)))
            last = key
        return runs

    def _use_ink(self, chars: "_Chars", tight: list[_Run]) -> None:
        """Puts the edges of the ink in the place of those that a Type 3 font claims."""
        asked = [index for run in tight for index in chars.indices[run.start : run.end]]
        lefts, rights, lowers, uppers = calls.inks.ask(calls.ink_box, self._reference, asked)
        done = 0
        for run in tight:
            place, found = slice(run.start, run.end), slice(done, done + run.end - run.start)
            chars.lefts[place], chars.rights[place] = lefts[found], rights[found]
            chars.lowers[place], chars.uppers[place] = lowers[found], uppers[found]
            done = found.stop

    def _baseline(self, run: _Run) -> float:
        """How far below the top edge of the upright page the run stands."""
        bounds = self._bounds
        if run.turn in (0, 2):
            return float(bounds.top - run.y if run.turn == 0 else run.y - bounds.bottom)
        return float(run.x - bounds.left if run.turn == 1 else bounds.right - run.x)

    def _stroke(self, page: "_Upright", run: _Run, jumps: list[int]) -> Stroke:
        start, end = run.start, run.end
        upper, lower = page.uppers[start], page.lowers[start]
        if run.tight:
            upper, lower = max(page.uppers[start:end]), min(page.lowers[start:end])
        hints = jumps[bisect_left(jumps, start) : bisect_left(jumps, end)]
        stroke = Stroke(
            page.text[start:end],
            page.lefts[start:end],
            page.rights[start:end],
            page.top - upper,
            page.top - lower,
            self._baseline(run),
            run.size,
            self._typeface(run.font),
            0.0,
            frozenset([jump - start for jump in hints]) if hints else NO_HINTS,
        )
        if run.tight:
            self._inked.setdefault(run.font, []).append(stroke)
        return stroke

    def _measure_ink(self) -> None:
        """Gives the strokes of fonts without a size the height from the lowest ink to the highest."""
        for strokes in self._inked.values():
            ascent = max(stroke.baseline - stroke.top for stroke in strokes)
            descent = max(stroke.bottom - stroke.baseline for stroke in strokes)
            for stroke in strokes:
                stroke.size = max(ascent + max(descent, 0.0), 1.0)
        bearing = _bearing(max(self._inked.values(), key=_n_letters)) if self._inked else 0.0
        for strokes in self._inked.values():
            for stroke in strokes:
                stroke.bearing = bearing

    def _typeface(self, font: int) -> Typeface:
        known = self._typefaces.get(font)
        if known is None:
            name, handle = buffer(256), calls.reference(font)
            length = calls.font_name(handle, byref(name), 256)
            decoded = name.value.decode("utf-8", "replace") if 0 < length <= 256 else ""
            known = typeface_of(decoded, flags=calls.font_flags(handle), weight=calls.font_weight(handle))
            self._typefaces[font] = known
        return known


def _upright(chars: _Chars, turn: int, bounds: Any) -> _Upright:
    """The page after `turn` quarter turns, with its left edge at 0."""
    left, right, top, bottom = bounds.left, bounds.right, bounds.top, bounds.bottom
    width, height = right - left, top - bottom
    lefts, rights, uppers, lowers = chars.lefts, chars.rights, chars.uppers, chars.lowers
    if turn == 0 and left:
        lefts, rights = [x - left for x in lefts], [x - left for x in rights]
    elif turn == 1:
        lefts, rights = [y - bottom for y in chars.lowers], [y - bottom for y in chars.uppers]
        uppers, lowers = [right - x for x in chars.lefts], [right - x for x in chars.rights]
    elif turn == 2:
        lefts, rights = [right - x for x in chars.rights], [right - x for x in chars.lefts]
        uppers, lowers = [top - y for y in chars.lowers], [top - y for y in chars.uppers]
    elif turn == 3:
        lefts, rights = [top - y for y in chars.uppers], [top - y for y in chars.lowers]
        uppers, lowers = [x - left for x in chars.rights], [x - left for x in chars.lefts]
    if turn in (1, 3):
        width, height = height, width
    start = top if turn == 0 else height
    return _Upright(chars.text, chars.indices, lefts, rights, uppers, lowers, start, width, height)


def _bearing(strokes: list[Stroke]) -> float:
    """The white, in ems, between the ink of letters of a word: most gaps are such."""
    gaps = [gap / stroke.size for stroke in strokes for gap in map(sub, stroke.lefts[1:], stroke.rights)]
    enough = len(gaps) >= MIN_GAPS
    return min(max(median_low(gaps), 0.0), MOST_BEARING_EM) if enough else USUAL_BEARING_EM


def _n_letters(strokes: list[Stroke]) -> int:
    return sum(len(stroke.text) for stroke in strokes)


def _is_tight(chars: _Chars, place: int, size: float, turn: int) -> bool:
    upright = turn in (0, 2)
    far, near = (chars.uppers, chars.lowers) if upright else (chars.rights, chars.lefts)
    return not SMALLEST_SIZE_PT <= size <= LARGEST_SIZE_TO_HEIGHT * (far[place] - near[place])


def _jumps(indices: list[int], starts: list[int]) -> list[int]:
    """Where something was left out between characters of one object: the spaces that pdfium made up."""
    beginnings = set(starts)
    apart = compress(range(1, len(indices)), map(ne, map(sub, indices[1:], indices), repeat(1)))
    return [i for i in apart if i not in beginnings]


def _turn(a: float, b: float) -> int:
    """Quarter turns of the direction of writing (a, b), or OBLIQUE; slanted type is written straight."""
    if abs(b) <= 0.02 * abs(a):
        return 0 if a > 0 else 2
    if abs(a) <= 0.02 * abs(b):
        return 1 if b > 0 else 3
    return OBLIQUE


def _commonest(runs: list[_Run]) -> int:
    """The direction that most characters have; ties and empty pages are upright."""
    totals = Counter({0: 0})
    for run in runs:
        totals[run.turn] += run.end - run.start
    del totals[OBLIQUE]
    return totals.most_common(1)[0][0]
