"""Pages as pictures: pdfium draws, a few lines of PNG carry. Runs inside the sandbox."""

import struct
import zlib
from ctypes import string_at
from math import sqrt
from typing import Any

import pypdfium2_raw as pdfium

POINTS_PER_INCH = 72.0
# Two pages of letter paper at 300 dots per inch, side by side: what is larger is drawn coarser.
MAX_PIXELS = 2 * 2550 * 3300
# Of the levels of zlib: text compresses thirty times with the quickest already.
QUICKEST = 1
_WHITE = 0xFFFFFFFF


def page_picture(document: Any, index: int, *, dots_per_inch: float) -> tuple[bytes, float] | None:
    """A page in grey as PNG, and how many points a dot is wide; None where pdfium cannot load the page."""
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        return None
    try:
        width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
        scale = _scale(width, height, dots_per_inch / POINTS_PER_INCH)
        columns, rows = max(1, round(width * scale)), max(1, round(height * scale))
        return _drawn(page, columns, rows), 1.0 / scale
    finally:
        pdfium.FPDF_ClosePage(page)


def png(columns: int, rows: int, pixels: bytes, *, channels: int) -> bytes:
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


def _drawn(page: Any, columns: int, rows: int) -> bytes:
    bitmap = pdfium.FPDFBitmap_CreateEx(columns, rows, pdfium.FPDFBitmap_Gray, None, 0)
    if not bitmap:
        raise MemoryError
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, _WHITE)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, pdfium.FPDF_ANNOT)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        pixels = string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * rows)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    if stride != columns:
        pixels = b"".join(pixels[start : start + columns] for start in range(0, stride * rows, stride))
    return png(columns, rows, pixels, channels=1)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
