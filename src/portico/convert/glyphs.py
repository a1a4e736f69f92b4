"""What pdfium tells of a page: every character with its edges, grouped by the text object that drew it."""

from collections import Counter
from collections.abc import Iterator
from ctypes import PYFUNCTYPE, addressof, byref, c_double, c_float, c_int, c_ushort, c_void_p, cast
from ctypes import create_string_buffer as buffer
from dataclasses import dataclass
from itertools import repeat
from math import hypot
from typing import Any

# Not pypdfium2 itself: its conveniences triple the start-up time of a worker.
import pypdfium2_raw as pdfium  # type: ignore[import-untyped]

from portico.convert.typefaces import Typeface, typeface_of

LINE_END_HYPHEN = "\ufffe"  # what pdfium makes of a hyphen that ends a line
OBLIQUE = -1

# The size of a Type 3 font is in units of its own (often 1), so a size that no reader could see, or one that
# dwarfs the boxes of its own glyphs, is not believed: the height of the boxes is.
SMALLEST_SIZE_PT = 2.5
LARGEST_SIZE_TO_HEIGHT = 3.0


@dataclass(frozen=True, slots=True)
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
    return PYFUNCTYPE(result, *argument_types)(cast(function, c_void_p).value)


_character_box = _handle(pdfium.FPDFText_GetLooseCharBox, c_void_p, c_int, c_void_p)
_text_object = _handle(pdfium.FPDFText_GetTextObject, c_void_p, c_int, result=c_void_p)
_unicode = _handle(pdfium.FPDFText_GetUnicode, c_void_p, c_int)
_font_of = _handle(pdfium.FPDFTextObj_GetFont, c_void_p, result=c_void_p)
_font_name = _handle(pdfium.FPDFFont_GetBaseFontName, c_void_p, c_void_p, c_int)
_font_flags = _handle(pdfium.FPDFFont_GetFlags, c_void_p)
_font_weight = _handle(pdfium.FPDFFont_GetWeight, c_void_p)


class _Reader:
    """Reads one open page; made for a single call."""

    def __init__(self, page: Any, text_page: Any) -> None:
        self._text_page = text_page
        self._address = cast(text_page, c_void_p).value
        self._n_chars = max(0, pdfium.FPDFText_CountChars(text_page))
        self._bounds = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, byref(self._bounds))
        self._typefaces: dict[int, Typeface] = {}
        self._turned = 0

    def read(self) -> PageGlyphs:
        text = self._text()
        boxes = self._boxes()
        runs = [(indices, self._turn(indices[0]), text_object) for indices, text_object in self._runs(boxes)]
        turns: Counter[int] = Counter()
        for indices, turn, _ in runs:
            turns[turn] += len(indices)
        turns.pop(OBLIQUE, None)
        upright = turns.most_common(1)[0][0] if turns else 0
        width, height = self._turn_page(boxes, upright)
        strokes = [
            self._stroke(text, boxes, indices, text_object)
            for indices, turn, text_object in runs
            if turn == upright
        ]
        return PageGlyphs(width, height, strokes)

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

    def _boxes(self) -> list[float]:
        """Left, top, right, bottom of every character in one flat list, y growing upwards still."""
        n_chars = self._n_chars
        boxes = (c_float * (4 * n_chars))()
        first = addressof(boxes)
        addresses = range(first, first + 16 * n_chars, 16)
        for _ in map(_character_box, repeat(self._address), range(n_chars), addresses):
            pass
        return list(boxes)

    def _objects(self) -> Iterator[tuple[int, int, int]]:
        """(start, end, text object) of every run of characters of one object.

        Each question to pdfium costs, so the end is sought by doubling steps, then by halving.
        """
        start, n_chars, address = 0, self._n_chars, self._address
        while start < n_chars:
            text_object = _text_object(address, start)
            if text_object is None:  # a space or line end that pdfium made up
                start += 1
                continue
            low, step = start, 8
            while low + step < n_chars and _text_object(address, low + step) == text_object:
                low, step = low + step, step * 2
            high = min(low + step, n_chars)
            while high - low > 1:
                middle = (low + high) // 2
                if _text_object(address, middle) == text_object:
                    low = middle
                else:
                    high = middle
            yield start, high, text_object
            start = high

    def _runs(self, boxes: list[float]) -> Iterator[tuple[list[int], int]]:
        """Indices of the characters that each object draws; what pdfium made up has no width."""
        for start, end, text_object in self._objects():
            drawn = [i for i in range(start, end) if boxes[4 * i + 2] > boxes[4 * i]]
            if drawn:
                yield drawn, text_object

    def _turn(self, index: int) -> int:
        """Quarter turns of the writing direction, or OBLIQUE."""
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._text_page, index, byref(matrix))
        # Slanted type has c ≠ 0, so the direction of writing (a, b) alone tells.
        a, b = matrix.a, matrix.b
        if abs(b) <= 0.02 * abs(a):
            return 0 if a > 0 else 2
        if abs(a) <= 0.02 * abs(b):
            return 1 if b > 0 else 3
        return OBLIQUE

    def _turn_page(self, boxes: list[float], turn: int) -> tuple[float, float]:
        """Makes the boxes upright with the origin at the top left, in place; gives the page's size."""
        left, right = self._bounds.left, self._bounds.right
        top, bottom = self._bounds.top, self._bounds.bottom
        # pdfium gives left, upper, right, lower with y growing upwards.
        lefts, uppers, rights, lowers = (boxes[edge::4] for edge in range(4))
        if turn == 0:
            edges = (
                [x - left for x in lefts],
                [top - y for y in uppers],
                [x - left for x in rights],
                [top - y for y in lowers],
            )
        elif turn == 1:
            edges = (
                [y - bottom for y in lowers],
                [x - left for x in lefts],
                [y - bottom for y in uppers],
                [x - left for x in rights],
            )
        elif turn == 2:
            edges = (
                [right - x for x in rights],
                [y - bottom for y in lowers],
                [right - x for x in lefts],
                [y - bottom for y in uppers],
            )
        else:
            edges = (
                [top - y for y in uppers],
                [right - x for x in rights],
                [top - y for y in lowers],
                [right - x for x in lefts],
            )
        for edge, values in enumerate(edges):
            boxes[edge::4] = values
        self._turned = turn
        width, height = right - left, top - bottom
        return (width, height) if turn in (0, 2) else (height, width)

    def _upright_y(self, x: float, y: float) -> float:
        """How far below the top edge of the upright page a point of the file's page is."""
        bounds = self._bounds
        distances = (bounds.top - y, x - bounds.left, y - bounds.bottom, bounds.right - x)
        return float(distances[self._turned])

    def _stroke(self, text: str, boxes: list[float], indices: list[int], text_object: int) -> Stroke:
        first, last = indices[0], indices[-1] + 1
        if last - first == len(indices):
            span = slice(4 * first, 4 * last)
            edges = boxes[span]
            characters = text[first:last]
        else:
            edges = [edge for i in indices for edge in boxes[4 * i : 4 * i + 4]]
            characters = "".join([text[i] for i in indices])
        top, bottom = min(edges[1::4]), max(edges[3::4])
        size, height = self._size(first), bottom - top
        if not SMALLEST_SIZE_PT <= size <= LARGEST_SIZE_TO_HEIGHT * height:
            size = height
        return Stroke(
            text=characters,
            lefts=edges[0::4],
            rights=edges[2::4],
            top=top,
            bottom=bottom,
            baseline=self._baseline(first),
            size=size,
            typeface=self._typeface(text_object),
        )

    def _size(self, index: int) -> float:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._text_page, index, byref(matrix))
        size: float = pdfium.FPDFText_GetFontSize(self._text_page, index)
        return abs(size) * hypot(matrix.c, matrix.d)

    def _baseline(self, index: int) -> float:
        x, y = c_double(), c_double()
        pdfium.FPDFText_GetCharOrigin(self._text_page, index, byref(x), byref(y))
        return self._upright_y(x.value, y.value)

    def _typeface(self, text_object: int) -> Typeface:
        font = _font_of(text_object)
        known = self._typefaces.get(font)
        if known is None:
            name = buffer(256)
            length = _font_name(font, addressof(name), 256)
            decoded = name.value.decode("utf-8", "replace") if 0 < length <= 256 else ""
            known = typeface_of(decoded, flags=_font_flags(font), weight=_font_weight(font))
            self._typefaces[font] = known
        return known


def _character(code: int) -> str:
    if code == ord("\x02"):
        return LINE_END_HYPHEN
    return chr(code) if 0 <= code <= 0x10FFFF else "\ufffd"
