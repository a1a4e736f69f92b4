"""Batched calls to pdfium: per-character calls from Python dominate the cost of reading a page."""

from collections import deque
from collections.abc import Sequence
from ctypes import PYFUNCTYPE, byref, c_char, c_double, c_float, c_int, c_uint, c_void_p, cast, sizeof
from itertools import repeat
from typing import Any

# Not pypdfium2 itself: its conveniences triple the start-up time of a worker.
import pypdfium2_raw as pdfium

TABLE_ROWS = 8192  # a dense page has 6,000 characters


class AnswerTable:
    """Space for the results of one property of many characters, reused for every page."""

    def __init__(self, kind: Any, n_values: int, *, apart: bool = False) -> None:
        """With `apart` the function takes one reference for each value, else one for all."""
        size = sizeof(kind)
        room = (kind * (n_values * TABLE_ROWS))()
        self._n_values, self._row_bytes, self._kind = n_values, size * n_values, kind._type_
        self._room = memoryview(room).cast("B")
        # They keep the room alive. To make them costs more than the calls, so they are made once.
        self._references = [
            [byref(room, size * (n_values * row + column)) for row in range(TABLE_ROWS)]
            for column in range(n_values if apart else 1)
        ]

    def ask(self, function: Any, page: Any, indices: Sequence[int]) -> list[memoryview]:
        """The results, one row of numbers for each of the returned values."""
        answers = bytearray()
        for start in range(0, len(indices), TABLE_ROWS):
            part = indices[start : start + TABLE_ROWS]
            # A deque without room runs through all calls and keeps none of their results.
            deque(map(function, repeat(page), part, *self._references), maxlen=0)
            answers += self._room[: self._row_bytes * len(part)]
        values = memoryview(answers).cast(self._kind)
        return [values[column :: self._n_values] for column in range(self._n_values)]


def to_reference(address: int | None) -> Any:
    """An address in the form that C functions without declared arguments take; None is the null pointer."""
    return byref(c_char.from_address(address or 0))


def _handle(function: Any, result: Any = c_int, *arguments: Any) -> Any:
    """The same C function, without declared arguments unless given: a call then costs less than half.

    Arguments must be small integers or references made beforehand.
    """
    address = cast(function, c_void_p).value
    assert address is not None
    return PYFUNCTYPE(result, *arguments)(address)


character_box = _handle(pdfium.FPDFText_GetLooseCharBox)
ink_box = _handle(pdfium.FPDFText_GetCharBox)
text_object = _handle(pdfium.FPDFText_GetTextObject, c_void_p)
unicode = _handle(pdfium.FPDFText_GetUnicode, c_uint)
matrix = _handle(pdfium.FPDFText_GetMatrix)
font_size = _handle(pdfium.FPDFText_GetFontSize, c_double)
font_of = _handle(pdfium.FPDFTextObj_GetFont, c_void_p, c_void_p)  # takes pointers as plain integers
font_name = _handle(pdfium.FPDFFont_GetBaseFontName)
font_flags = _handle(pdfium.FPDFFont_GetFlags)
font_weight = _handle(pdfium.FPDFFont_GetWeight)

boxes, matrices, inks = AnswerTable(c_float, 4), AnswerTable(c_float, 6), AnswerTable(c_double, 4, apart=True)
