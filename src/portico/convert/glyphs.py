"""Reads all characters of a page from pdfium, with their boxes, grouped by text object."""

from collections import Counter
from collections.abc import Iterable, Sequence
from ctypes import (
    byref,
    c_ushort,
    c_void_p,
    cast,
)
from ctypes import create_string_buffer as buffer
from dataclasses import dataclass, replace
from itertools import compress, count, islice, repeat
from math import hypot
from operator import lt, ne, sub
from statistics import median_low
from typing import Any

# Not pypdfium2 itself: its conveniences triple the start-up time of a worker.
import pypdfium2_raw as pdfium

from portico.convert import pdfium_calls
from portico.convert.characters import LINE_END_HYPHEN, compose_overprints
from portico.convert.fonts import Typeface, read_typeface

OBLIQUE = -1
LAST_CODE = 0x10FFFF

# The size of a Type 3 font is in its own units (often 1). If it is too small to be read, or much larger than
# its glyphs, it is replaced by the height of all the glyphs of the font.
SMALLEST_SIZE_PT = 2.5
LARGEST_SIZE_TO_HEIGHT = 3.0
# The space, in ems, between the ink of two letters of a word: 0.06 to 0.07 in the Type 3 fonts of TeX.
USUAL_BEARING_EM = 0.06
MOST_BEARING_EM = 0.08
# Maximum characters of a page in another direction than most: more are a table or the labels of a figure.
MOST_SIDEWAYS = 1_000
MIN_GAPS = 30  # with fewer on a page, the usual value is used


@dataclass(slots=True)
class Edges:
    """The left and right edges of the characters of a page, in points; shared by all strokes of the page."""

    lefts: list[float]
    rights: list[float]
    gaps: list[float]  # the space between each character and the next of the list
    hints: frozenset[int]  # positions in the lists before which pdfium detects a space


def make_edges(lefts: list[float], rights: list[float], hints: Iterable[int] = ()) -> Edges:
    """The edges with the white between them."""
    return Edges(lefts, rights, list(map(sub, islice(lefts, 1, None), rights)), frozenset(hints))


@dataclass(slots=True)  # not frozen: there are hundreds on a page, and frozen ones cost twice the time
class Stroke:
    """Characters with one typeface, size and baseline; y grows downwards.

    Its first character is number `start` of `edges`.
    """

    text: str
    start: int
    edges: Edges
    top: float
    bottom: float
    baseline: float
    size: float
    typeface: Typeface
    bearing: float  # space between letters that is part of the font and not of the gaps, in ems


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """One page as drawn: its size, and its strokes in the order of the file."""

    width: float
    height: float
    strokes: list[Stroke]
    sideways: str = ""  # text in another direction, such as stamps in margins


def read_page(document: Any, index: int) -> PageGlyphs | None:
    """The glyphs of page `index`; None if pdfium cannot load the page."""
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
    indices: list[int]  # their character indices in pdfium
    lefts: list[float]
    rights: list[float]
    uppers: Sequence[float]  # by pdfium's index, for all characters: only a few are ever read
    lowers: Sequence[float]


@dataclass(slots=True)
class _Run:
    """Characters from start to end of a page with one font, size, baseline and direction."""

    start: int
    end: int
    font: int
    size: float
    x: float  # the position of the first character, as in the file
    y: float
    turn: int
    low: float  # the extent of its characters across the writing direction
    high: float
    tight: bool  # whether its size is unreliable, so that the ink is measured


_Look = tuple[int | None, float, float, float, float, int]
"""How an object is drawn: font, size in font units, c and d of its matrix, baseline, quarter turns."""


class _Reader:
    """Reads one open page; made for a single use.

    Calls from Python to C are the main cost, so each property is read for all characters in one `map`, into
    one table.
    """

    def __init__(self, page: Any, text_page: Any) -> None:
        self._text_page = text_page
        self._reference = pdfium_calls.to_reference(cast(text_page, c_void_p).value)
        self._n_chars = max(0, pdfium.FPDFText_CountChars(text_page))
        self._bounds = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, byref(self._bounds))
        self._typefaces: dict[int, Typeface] = {}
        self._inked: dict[int, list[Stroke]] = {}

    def read(self) -> PageGlyphs:
        chars = self._drawn()
        objects = list(map(pdfium_calls.text_object, repeat(self._reference), chars.indices))
        starts = [0, *compress(range(1, len(objects)), map(ne, objects, objects[1:]))] if objects else []
        runs = self._runs(chars, starts, [objects[start] for start in starts])
        tight = [run for run in runs if run.tight]
        if tight:
            self._use_ink(chars, tight)
        upright = _commonest(runs)
        edges = make_edges(*_upright(chars, upright, self._bounds), _jumps(chars.indices))
        strokes = self._strokes(chars.text, edges, runs, upright)
        self._measure_ink()
        # Plots and maps are drawn as type too, too small for any reader.
        legible = [stroke for stroke in strokes if stroke.size >= SMALLEST_SIZE_PT]
        width, height = self._bounds.right - self._bounds.left, self._bounds.top - self._bounds.bottom
        sideways = self._sideways(chars, [run for run in runs if run.turn not in (upright, OBLIQUE)])
        return PageGlyphs(*((height, width) if upright in (1, 3) else (width, height)), legible, sideways)

    def _sideways(self, chars: "_Chars", turned: list[_Run]) -> str:
        """The words of runs in another direction, if they are few, joined line by line."""
        if not turned or sum(run.end - run.start for run in turned) > MOST_SIDEWAYS:
            return ""
        whole = self._text()
        lines: list[list[int]] = []
        for run in turned:
            first, end = chars.indices[run.start], chars.indices[run.end - 1] + 1
            if lines and first - lines[-1][1] <= 2:
                lines[-1][1] = end
            else:
                lines.append([first, end])
        return "\n".join(" ".join(whole[first:end].split()) for first, end in lines)

    def _drawn(self) -> "_Chars":
        """The characters that the file draws, without the spaces and line ends that pdfium inserts."""
        indices = range(self._n_chars)
        boxes = pdfium_calls.boxes.ask(pdfium_calls.character_box, self._reference, indices)
        lefts, uppers, rights, lowers = boxes[0].tolist(), boxes[1], boxes[2].tolist(), boxes[3]
        wide = list(map(lt, lefts, rights))  # what pdfium made up has no width
        drawn = _Chars(
            text="".join(compress(self._text(), wide)),
            indices=list(compress(indices, wide)),
            lefts=list(compress(lefts, wide)),
            rights=list(compress(rights, wide)),
            uppers=uppers,
            lowers=lowers,
        )
        heights = [(lowers[index], uppers[index]) for index in drawn.indices]
        letters, gone = compose_overprints(drawn.text, drawn.lefts, drawn.rights, heights)
        if not gone:
            return drawn
        kept = [place not in gone for place in range(len(letters))]
        return replace(
            drawn,
            text="".join(compress(letters, kept)),
            indices=list(compress(drawn.indices, kept)),
            lefts=list(compress(drawn.lefts, kept)),
            rights=list(compress(drawn.rights, kept)),
        )

    def _text(self) -> str:
        """All characters in one call if each is one UTF-16 unit, else one call for each."""
        n_chars = self._n_chars
        units = (c_ushort * (n_chars + 1))()
        n_units = pdfium.FPDFText_GetText(self._text_page, 0, n_chars, units) - 1
        if n_units == n_chars:
            text = bytes(units)[: 2 * n_units].decode("utf-16-le", "surrogatepass")
            if len(text) == n_chars:
                return text
        codes = list(map(pdfium_calls.unicode, repeat(self._reference), range(n_chars)))
        if max(codes, default=0) > LAST_CODE:
            codes = [min(code, LAST_CODE) for code in codes]
        return "".join(map(chr, codes)).replace("\x02", LINE_END_HYPHEN)

    def _runs(self, chars: "_Chars", starts: list[int], objects: list[int | None]) -> list[_Run]:
        """The runs of the page; an object that continues the previous one joins its run, because many
        programs draw word by word.
        """
        if not starts:
            return []
        firsts = [chars.indices[start] for start in starts]
        matrices = pdfium_calls.matrices.ask(pdfium_calls.matrix, self._reference, firsts)
        a, b, c, d, xs, ys = [values.tolist() for values in matrices]
        nominals = map(pdfium_calls.font_size, repeat(self._reference), firsts)
        fonts = map(pdfium_calls.font_of, objects)
        runs: list[_Run] = []
        last: _Look | None = None
        ends = [*starts[1:], len(chars.indices)]
        drawn = zip(fonts, nominals, c, d, ys, map(_turn, a, b), strict=True)
        for start, end, x, look in zip(starts, ends, xs, drawn, strict=True):
            if look != last:
                runs.append(_run(chars, start, x, look))
                last = look if runs[-1].turn == 0 else None
            runs[-1].end = end
        return runs

    def _use_ink(self, chars: "_Chars", tight: list[_Run]) -> None:
        """Replace the edges that a Type 3 font declares by those of the ink."""
        asked = [index for run in tight for index in chars.indices[run.start : run.end]]
        inks = pdfium_calls.inks.ask(pdfium_calls.ink_box, self._reference, asked)
        lefts, rights, lowers, uppers = [ink.tolist() for ink in inks]
        chars_lowers, chars_uppers = list(chars.lowers), list(chars.uppers)
        done = 0
        for run in tight:
            place, found = slice(run.start, run.end), slice(done, done + run.end - run.start)
            chars.lefts[place], chars.rights[place] = lefts[found], rights[found]
            if run.turn in (0, 2):
                run.low, run.high = min(lowers[found]), max(uppers[found])
            else:
                run.low, run.high = min(lefts[found]), max(rights[found])
                for index, lower, upper in zip(asked[found], lowers[found], uppers[found], strict=True):
                    chars_lowers[index], chars_uppers[index] = lower, upper
            done = found.stop
        chars.lowers, chars.uppers = chars_lowers, chars_uppers

    def _strokes(self, text: str, edges: Edges, runs: list[_Run], turn: int) -> list[Stroke]:
        """The runs in this direction, turned upright."""
        top, sign = _top_edge(self._bounds, turn)
        strokes = []
        for run in runs:
            if run.turn != turn:
                continue
            upper, lower = (run.high, run.low) if sign < 0 else (run.low, run.high)
            stroke = Stroke(
                text[run.start : run.end],
                run.start,
                edges,
                sign * (upper - top),
                sign * (lower - top),
                sign * ((run.y if turn in (0, 2) else run.x) - top),
                run.size,
                self._typeface(run.font),
                0.0,
            )
            strokes.append(stroke)
            if run.tight:
                self._inked.setdefault(run.font, []).append(stroke)
        return strokes

    def _measure_ink(self) -> None:
        """Set the size of strokes in fonts without one to the height of their ink."""
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
            name, handle = buffer(256), pdfium_calls.to_reference(font)
            length = pdfium_calls.font_name(handle, byref(name), 256)
            decoded = name.value.decode("utf-8", "replace") if 0 < length <= 256 else ""
            known = read_typeface(
                decoded, flags=pdfium_calls.font_flags(handle), weight=pdfium_calls.font_weight(handle)
            )
            self._typefaces[font] = known
        return known


def _run(chars: _Chars, start: int, x: float, look: _Look) -> _Run:
    """The run of a single object that begins with this character."""
    font, nominal, c, d, y, turn = look
    size = abs(nominal) * hypot(c, d)
    low, high = _across(chars, start, turn)
    tight = not SMALLEST_SIZE_PT <= size <= LARGEST_SIZE_TO_HEIGHT * (high - low)
    return _Run(start, start, font or 0, size, x, y, turn, low, high, tight)


def _top_edge(bounds: Any, turn: int) -> tuple[float, float]:
    """The top of the page for text in this direction, and 1 if positions grow from there, else -1."""
    return {0: (bounds.top, -1.0), 1: (bounds.left, 1.0), 2: (bounds.bottom, 1.0), 3: (bounds.right, -1.0)}[
        turn
    ]


def _upright(chars: _Chars, turn: int, bounds: Any) -> tuple[list[float], list[float]]:
    """Left and right edges of the characters after `turn` quarter turns, the page beginning at 0."""
    left, right, top, bottom = bounds.left, bounds.right, bounds.top, bounds.bottom
    lefts, rights = chars.lefts, chars.rights
    if turn == 0:
        return ([x - left for x in lefts], [x - left for x in rights]) if left else (lefts, rights)
    if turn == 2:
        return [right - x for x in rights], [right - x for x in lefts]
    uppers, lowers = ([edges[index] for index in chars.indices] for edges in (chars.uppers, chars.lowers))
    if turn == 1:
        return [y - bottom for y in lowers], [y - bottom for y in uppers]
    return [top - y for y in uppers], [top - y for y in lowers]


def _bearing(strokes: list[Stroke]) -> float:
    """The white, in ems, between the ink of adjacent letters of a word: the most frequent gap."""
    gaps = [
        gap / stroke.size
        for stroke in strokes
        for gap in stroke.edges.gaps[stroke.start : stroke.start + len(stroke.text) - 1]
    ]
    enough = len(gaps) >= MIN_GAPS
    return min(max(median_low(gaps), 0.0), MOST_BEARING_EM) if enough else USUAL_BEARING_EM


def _n_letters(strokes: list[Stroke]) -> int:
    return sum(len(stroke.text) for stroke in strokes)


def _across(chars: _Chars, place: int, turn: int) -> tuple[float, float]:
    """The extent of a character perpendicular to the writing direction."""
    if turn in (0, 2):
        index = chars.indices[place]
        return chars.lowers[index], chars.uppers[index]
    return chars.lefts[place], chars.rights[place]


def _jumps(indices: list[int]) -> frozenset[int]:
    """Where something was omitted between two characters: spaces and line ends inserted by pdfium."""
    apart = compress(count(1), map(ne, map(sub, islice(indices, 1, None), indices), repeat(1)))
    return frozenset(apart)


def _turn(a: float, b: float) -> int:
    """Quarter turns of the writing direction (a, b), or OBLIQUE; slanted type counts as straight."""
    if abs(b) <= 0.02 * abs(a):
        return 0 if a > 0 else 2
    if abs(a) <= 0.02 * abs(b):
        return 1 if b > 0 else 3
    return OBLIQUE


def _commonest(runs: list[_Run]) -> int:
    """The direction of most characters; ties and empty pages are upright."""
    totals = Counter({0: 0})
    for run in runs:
        totals[run.turn] += run.end - run.start
    del totals[OBLIQUE]
    return totals.most_common(1)[0][0]
