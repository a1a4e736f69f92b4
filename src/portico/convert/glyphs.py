"""What pdfium tells of a page: every character with its edges, grouped by the text object that drew it."""

from array import array
from collections import Counter
from collections.abc import Sequence
from ctypes import PYFUNCTYPE, addressof, byref, c_double, c_int, c_ushort, c_void_p, cast
from ctypes import create_string_buffer as buffer
from dataclasses import dataclass
from itertools import compress, pairwise, repeat
from math import hypot
from operator import lt
from typing import Any

# Not pypdfium2 itself: its conveniences triple the start-up time of a worker.
import pypdfium2_raw as pdfium

from portico.convert.typefaces import Typeface, typeface_of

LINE_END_HYPHEN = "\ufffe"  # what pdfium makes of a hyphen that ends a line
OBLIQUE = -1

# The size of a Type 3 font is in units of its own (often 1), so a size that no reader could see, or one that
# dwarfs its own glyphs, is not believed: the height of all the glyphs of the font is.
SMALLEST_SIZE_PT = 2.5
LARGEST_SIZE_TO_HEIGHT = 3.0


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
    tight: bool  # the edges are those of the ink, not of the room that the font leaves around it
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


def _handle(function: Any, *argument_types: Any, result: Any = c_int) -> Any:
    """The same C function under plain types: ctypes then needs half the time for a call."""
    address = cast(function, c_void_p).value
    assert address is not None
    return PYFUNCTYPE(result, *argument_types)(address)


_character_box = _handle(pdfium.FPDFText_GetLooseCharBox, c_void_p, c_int, c_void_p)
_text_object = _handle(pdfium.FPDFText_GetTextObject, c_void_p, c_int, result=c_void_p)
_unicode = _handle(pdfium.FPDFText_GetUnicode, c_void_p, c_int)
_matrix = _handle(pdfium.FPDFText_GetMatrix, c_void_p, c_int, c_void_p)
_origin = _handle(pdfium.FPDFText_GetCharOrigin, c_void_p, c_int, c_void_p, c_void_p)
_font_size = _handle(pdfium.FPDFText_GetFontSize, c_void_p, c_int, result=c_double)
_font_of = _handle(pdfium.FPDFTextObj_GetFont, c_void_p, result=c_void_p)
_font_name = _handle(pdfium.FPDFFont_GetBaseFontName, c_void_p, c_void_p, c_int)
_font_flags = _handle(pdfium.FPDFFont_GetFlags, c_void_p)
_font_weight = _handle(pdfium.FPDFFont_GetWeight, c_void_p)


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


class _Reader:
    """Reads one open page; made for a single call.

    Calling C from Python is what costs here, so each kind of question is asked for all characters in one
    `map`, into one array.
    """

    def __init__(self, page: Any, text_page: Any) -> None:
        self._text_page = text_page
        self._address = cast(text_page, c_void_p).value
        self._n_chars = max(0, pdfium.FPDFText_CountChars(text_page))
        self._bounds = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, byref(self._bounds))
        self._typefaces: dict[int, Typeface] = {}
        self._tight: dict[int, list[Stroke]] = {}

    def read(self) -> PageGlyphs:
        chars = self._drawn()
        starts, objects = self._runs(chars)
        firsts = [chars.indices[start] for start in starts]
        lengths = [end - start for start, end in pairwise([*starts, len(chars.indices)])]
        matrices = self._ask(_matrix, firsts, n_values=6)
        turns = [_turn(a, b) for a, b in zip(matrices[0::6], matrices[1::6], strict=True)]
        upright = _commonest(turns, weights=lengths)
        page = _upright(chars, upright, self._bounds)
        sizes = self._sizes(firsts, matrices)
        baselines = self._baselines(firsts, upright)
        strokes = [
            self._stroke(page, slice(start, start + length), text_object, size=size, baseline=baseline)
            for start, length, text_object, turn, size, baseline in zip(
                starts, lengths, objects, turns, sizes, baselines, strict=True
            )
            if turn == upright
        ]
        self._measure_tight()
        # Plots and maps are drawn as type too, too small for any reader.
        legible = [stroke for stroke in strokes if stroke.size >= SMALLEST_SIZE_PT]
        return PageGlyphs(page.width, page.height, legible)

    def _drawn(self) -> "_Chars":
        """The characters that the file draws, without the spaces and line ends that pdfium makes up."""
        boxes = self._ask(_character_box, range(self._n_chars), n_values=4)
        lefts, rights = boxes[0::4], boxes[2::4]
        wide = list(map(lt, lefts, rights))  # what pdfium made up has no width
        return _Chars(
            text="".join(compress(self._text(), wide)),
            indices=list(compress(range(self._n_chars), wide)),
            lefts=list(compress(lefts, wide)),
            rights=list(compress(rights, wide)),
            uppers=list(compress(boxes[1::4], wide)),
            lowers=list(compress(boxes[3::4], wide)),
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
        codes = map(_unicode, repeat(self._address), range(n_chars))
        return "".join(map(_character, codes))

    def _ask(self, function: Any, indices: Sequence[int], *, n_values: int) -> list[float]:
        values = array("f", bytes(4 * n_values * len(indices)))
        first, _ = values.buffer_info()
        width = 4 * n_values
        addresses = range(first, first + width * len(indices), width)
        for _ in map(function, repeat(self._address), indices, addresses):
            pass
        return values.tolist()

    def _runs(self, chars: "_Chars") -> tuple[list[int], list[int]]:
        """Where the characters of each text object start, and the objects.

        Characters of one object share a line, so only those at the ends of a stretch with the same upper and
        lower edge are asked for their object, unless the two differ.
        """
        if not chars.indices:
            return [], []
        edges = list(zip(chars.uppers, chars.lowers, strict=True))
        cuts = [0, *(i for i, (a, b) in enumerate(pairwise(edges), 1) if a != b), len(edges)]
        starts: list[int] = []
        objects: list[int] = []
        for start, end in pairwise(cuts):
            first = _text_object(self._address, chars.indices[start])
            if end - start == 1 or _text_object(self._address, chars.indices[end - 1]) == first:
                found = [(start, first)]
            else:
                asked = map(_text_object, repeat(self._address), chars.indices[start:end])
                found = list(enumerate(asked, start))
            for i, text_object in found:
                if not objects or text_object != objects[-1]:
                    starts.append(i)
                    objects.append(text_object)
        return starts, objects

    def _sizes(self, indices: list[int], matrices: list[float]) -> list[float]:
        nominal = map(_font_size, repeat(self._address), indices)
        return [
            abs(size) * hypot(c, d)
            for size, c, d in zip(nominal, matrices[2::6], matrices[3::6], strict=True)
        ]

    def _baselines(self, indices: list[int], turn: int) -> list[float]:
        """How far below the top edge of the upright page each character stands."""
        values = array("d", bytes(16 * len(indices)))
        first, _ = values.buffer_info()
        xs = range(first, first + 16 * len(indices), 16)
        ys = range(first + 8, first + 8 + 16 * len(indices), 16)
        for _ in map(_origin, repeat(self._address), indices, xs, ys):
            pass
        bounds = self._bounds
        if turn in (0, 2):
            return [bounds.top - y if turn == 0 else y - bounds.bottom for y in values[1::2]]
        return [x - bounds.left if turn == 1 else bounds.right - x for x in values[0::2]]

    def _stroke(
        self, page: "_Upright", run: slice, text_object: int, *, size: float, baseline: float
    ) -> Stroke:
        upper, lower = page.uppers[run.start], page.lowers[run.start]
        font = _font_of(text_object)
        tight = not SMALLEST_SIZE_PT <= size <= LARGEST_SIZE_TO_HEIGHT * (upper - lower)
        if tight:
            upper, lower = max(page.uppers[run]), min(page.lowers[run])
        stroke = Stroke(
            page.text[run],
            page.lefts[run],
            page.rights[run],
            page.top - upper,
            page.top - lower,
            baseline,
            size,
            self._typeface(font),
            tight,
            _jumps(page.indices[run]),
        )
        if tight:
            self._tight.setdefault(font, []).append(stroke)
        return stroke

    def _measure_tight(self) -> None:
        """Gives the strokes of fonts without a size the height from the lowest ink to the highest."""
        for strokes in self._tight.values():
            ascent = max(stroke.baseline - stroke.top for stroke in strokes)
            descent = max(stroke.bottom - stroke.baseline for stroke in strokes)
            for stroke in strokes:
                stroke.size = max(ascent + descent, 1.0)

    def _typeface(self, font: int) -> Typeface:
        known = self._typefaces.get(font)
        if known is None:
            name = buffer(256)
            length = _font_name(font, addressof(name), 256)
            decoded = name.value.decode("utf-8", "replace") if 0 < length <= 256 else ""
            known = typeface_of(decoded, flags=_font_flags(font), weight=_font_weight(font))
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


def _jumps(indices: list[int]) -> frozenset[int]:
    """Where something was left out between neighbors: the spaces that pdfium made up."""
    if indices[-1] - indices[0] == len(indices) - 1:
        return frozenset()
    return frozenset([i for i, (a, b) in enumerate(pairwise(indices), 1) if b - a > 1])


def _turn(a: float, b: float) -> int:
    """Quarter turns of the direction of writing (a, b), or OBLIQUE; slanted type is written straight."""
    if abs(b) <= 0.02 * abs(a):
        return 0 if a > 0 else 2
    if abs(a) <= 0.02 * abs(b):
        return 1 if b > 0 else 3
    return OBLIQUE


def _commonest(turns: list[int], *, weights: list[int]) -> int:
    """The direction that most characters have; ties and empty pages are upright."""
    totals = Counter({0: 0})
    for turn, weight in zip(turns, weights, strict=True):
        totals[turn] += weight
    del totals[OBLIQUE]
    return totals.most_common(1)[0][0]


def _character(code: int) -> str:
    if code == ord("\x02"):
        return LINE_END_HYPHEN
    return chr(code) if 0 <= code <= 0x10FFFF else "\ufffd"
