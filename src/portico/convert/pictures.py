"""Renders pages as PNG pictures with boxes drawn on them. Runs in the sandbox."""

import struct
import zlib
from collections.abc import Sequence
from ctypes import byref, c_ushort, string_at
from dataclasses import dataclass
from math import sqrt
from typing import Any

import pypdfium2_raw as pdfium

POINTS_PER_INCH = 72.0
# Two pages of letter paper at 300 dots per inch, side by side: larger pictures get a lower resolution.
MAX_PIXELS = 2 * 2550 * 3300
# zlib level: even the fastest compresses text to a thirtieth.
QUICKEST = 1
_WHITE = 0xFFFFFFFF
_OPAQUE = 255
_LABEL_FONT = b"Helvetica-Bold"  # one of the standard fonts of all PDF readers
LABEL_PT = 7.0
LINE_PT = 1.0


@dataclass(frozen=True, slots=True)
class PictureMark:
    """A box in points from the upper left corner of the page, the text above it, and its color."""

    left: float
    top: float
    right: float
    bottom: float
    label: str
    color: tuple[int, int, int]


def draw_picture(
    document: Any, index: int, *, dots_per_inch: float, marks: Sequence[PictureMark] = ()
) -> tuple[bytes, float] | None:
    """A page as PNG, and the width of a pixel in points; None if pdfium cannot load the page.

    Grey, or in color if there are marks.
    """
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        return None
    try:
        width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
        scale = _scale(width, height, dots_per_inch / POINTS_PER_INCH)
        columns, rows = max(1, round(width * scale)), max(1, round(height * scale))
        for mark in marks:
            _draw_mark(document, page, mark)
        return _drawn(page, columns, rows, channels=3 if marks else 1), 1.0 / scale
    finally:
        pdfium.FPDF_ClosePage(page)


def encode_png(columns: int, rows: int, pixels: bytes, *, channels: int) -> bytes:
    """Pixels row by row, one byte for each of 1 (grey) or 3 (red, green, blue) channels, as a PNG file."""
    row_bytes = columns * channels
    # Each row is told how it was filtered: not at all.
    lines = b"".join(b"\0" + pixels[start : start + row_bytes] for start in range(0, len(pixels), row_bytes))
    color = {1: 0, 3: 2}[channels]
    header = struct.pack(">IIBBBBB", columns, rows, 8, color, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, QUICKEST)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in chunks)


def _scale(width: float, height: float, wanted: float) -> float:
    n_pixels = max(width, 1.0) * max(height, 1.0) * wanted * wanted
    return wanted if n_pixels <= MAX_PIXELS else wanted * sqrt(MAX_PIXELS / n_pixels)


def _drawn(page: Any, columns: int, rows: int, *, channels: int) -> bytes:
    kind, flags = {
        1: (pdfium.FPDFBitmap_Gray, pdfium.FPDF_ANNOT),
        3: (pdfium.FPDFBitmap_BGR, pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER),
    }[channels]
    bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, kind, None, 0)
    if not bitmap:
        raise MemoryError
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, _WHITE)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, flags)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        pixels = string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * rows)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    row_bytes = columns * channels
    if stride != row_bytes:
        pixels = b"".join(pixels[start : start + row_bytes] for start in range(0, stride * rows, stride))
    return encode_png(columns, rows, pixels, channels=channels)


def _draw_mark(document: Any, page: Any, mark: PictureMark) -> None:
    bounds = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, byref(bounds))
    left, bottom = bounds.left + mark.left, bounds.top - mark.bottom
    box = pdfium.FPDFPageObj_CreateNewRect(left, bottom, mark.right - mark.left, mark.bottom - mark.top)
    pdfium.FPDFPageObj_SetStrokeColor(box, *mark.color, _OPAQUE)
    pdfium.FPDFPageObj_SetStrokeWidth(box, LINE_PT)
    pdfium.FPDFPath_SetDrawMode(box, pdfium.FPDF_FILLMODE_NONE, 1)
    pdfium.FPDFPage_InsertObject(page, box)
    label = pdfium.FPDFPageObj_NewTextObj(document, _LABEL_FONT, LABEL_PT)
    units = mark.label.encode("utf-16-le") + b"\0\0"
    pdfium.FPDFText_SetText(label, (c_ushort * (len(units) // 2)).from_buffer_copy(units))
    pdfium.FPDFPageObj_SetFillColor(label, *mark.color, _OPAQUE)
    pdfium.FPDFPageObj_Transform(label, 1, 0, 0, 1, left, bounds.top - mark.top + LINE_PT)
    pdfium.FPDFPage_InsertObject(page, label)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
