"""Converts PDF to pages of lines in reading order. Runs inside the sandbox, so it imports little."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref
from dataclasses import dataclass
from itertools import groupby
from math import inf
from statistics import median
from typing import Any

import pypdfium2_raw as pdfium

from portico.convert.characters import (
    count_unmapped,
    from_bitmap_codes,
    from_cork_codes,
    uses_bitmap_codes,
    uses_cork_codes,
)
from portico.convert.columns import ReadingOrder
from portico.convert.embedded import read_embedded
from portico.convert.fonts import Typeface, find_font_codes
from portico.convert.glyphs import PageGlyphs, Stroke, make_edges, read_page
from portico.convert.line_segments import build_pieces
from portico.convert.lines import AUTHORS_EM, TextLine, build_lines, build_paragraphs
from portico.convert.pictures import PictureMark, draw_picture
from portico.convert.readability import measure_readability

_REASONS = {
    pdfium.FPDF_ERR_FORMAT: "is damaged or is no PDF at all: it cannot be opened; fetch or save it again",
    pdfium.FPDF_ERR_PASSWORD: "is encrypted with a password; remove the password and add it again",
    pdfium.FPDF_ERR_SECURITY: "is encrypted in a way that cannot be read; unlock it and add it again",
}

# The text layer is judged by as many pages as have at least this many words together, because a cover or a
# picture may come first. In 190 real files, the first page of those that are gibberish has 0.04 to 0.34 known
# words, that of all others 0.46 or more; whole texts are judged by the same measure (readable.MIN_KNOWN).
JUDGED_WORDS = 200
JUDGED_PAGES = 2


class PdfError(Exception):
    """Why this PDF cannot be read: the second half of a sentence that begins with its name."""


def read_pdf(body: bytes, *, max_pages: int) -> dict[str, Any]:
    """Everything read from a PDF, as JSON can carry it:

    pages     [width, height] of each
    fonts     [name, bold, italic]
    lines     [page, block, left, top, right, bottom, runs], runs being [text, font, size, raised]
    unmapped  share of the glyphs that no font names
    asides    [name, value] of what is told besides the lines: metadata, what is sideways on the first page

    Of a text layer that is gibberish only the first pages have lines: nobody will read the others.
    """
    with _opened(body) as document:
        n_pages = pdfium.FPDF_GetPageCount(document)
        if n_pages == 0:
            raise PdfError("has no pages; it is damaged: fetch or save it again")
        if n_pages > max_pages:
            raise PdfError(f"has {n_pages:,} pages, more than the {max_pages:,} that are allowed; split it")
        collected = _Collected()
        collected.asides += read_embedded(document, body)
        for index in range(n_pages):
            if 0 < index <= JUDGED_PAGES and collected.judge_gibberish():
                collected.pages += [_page_size(document, rest) for rest in range(index, n_pages)]
                break
            glyphs = read_page(document, index)
            if glyphs is not None:
                collected.add(glyphs)
    if not collected.pages:
        raise PdfError(f"is damaged: none of its {n_pages} pages can be read; fetch or save it again")
    return collected.as_json()


def draw_page(
    body: bytes, index: int, *, dots_per_inch: float, marks: Sequence[PictureMark] = ()
) -> tuple[bytes, float]:
    """A page as PNG with marks on it, and the width of its dots in points."""
    with _opened(body) as document:
        drawn = draw_picture(document, index, dots_per_inch=dots_per_inch, marks=marks)
    if drawn is None:
        raise PdfError(f"is damaged: page {index + 1} cannot be drawn; fetch or save it again")
    return drawn


def read_recognized(pages: list[tuple[float, float, float, str]]) -> dict[str, Any]:
    """The same as `read_pdf` returns, from OCR of page pictures: width, height, points per pixel, words."""
    collected = _Collected()
    for width, height, points_per_dot, table in pages:
        collected.add(make_recognized_page(table, width=width, height=height, points_per_dot=points_per_dot))
    return collected.as_json()


@contextmanager
def _opened(body: bytes) -> Iterator[Any]:
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(body, len(body), None)
    if not document:
        error = pdfium.FPDF_GetLastError()
        raise PdfError(
            _REASONS.get(error, f"cannot be opened (pdfium error {error}); fetch or save it again")
        )
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


def _page_size(document: Any, index: int) -> list[float]:
    """Width and height of a page that is not read."""
    size = pdfium.FS_SIZEF()
    pdfium.FPDF_GetPageSizeByIndexF(document, index, byref(size))
    return [round(size.width, 1), round(size.height, 1)]


class _Collected:
    """Collects pages, and numbers typefaces and paragraphs across them."""

    def __init__(self) -> None:
        self.pages: list[list[float]] = []
        self._order = ReadingOrder()
        self._fonts: dict[Typeface, int] = {}
        self._lines: list[list[Any]] = []
        self._n_blocks = 0
        self._is_cork = False
        self._is_judged = False
        self._n_glyphs = 0
        self._n_unmapped = 0
        self.asides: list[tuple[str, str]] = []

    def add(self, glyphs: PageGlyphs) -> None:
        page = len(self.pages)
        self.pages.append([round(glyphs.width, 1), round(glyphs.height, 1)])
        if glyphs.sideways and page == 0:
            self.asides += [("sideways", line) for line in glyphs.sideways.split("\n")]
        for stroke in glyphs.strokes:
            codes = find_font_codes(stroke.typeface.name)
            if codes:
                stroke.text = stroke.text.translate(codes)
        text = "".join([stroke.text for stroke in glyphs.strokes])
        if uses_bitmap_codes(text):
            for stroke in glyphs.strokes:
                stroke.text = from_bitmap_codes(stroke.text)
            text = from_bitmap_codes(text)
        # What one page shows holds for those behind it, which may have few words.
        self._is_cork = self._is_cork or uses_cork_codes(text)
        if self._is_cork:
            for stroke in glyphs.strokes:
                stroke.text = from_cork_codes(stroke.text)
            text = from_cork_codes(text)
        self._n_glyphs += len(text)
        self._n_unmapped += count_unmapped(text)
        pieces = build_pieces(glyphs.strokes)
        for region in self._order.regions(pieces, width=glyphs.width, first_page=page == 0) if pieces else []:
            lines = build_lines(region.pieces, cut_em=AUTHORS_EM if region.is_title else inf)
            for paragraph in build_paragraphs(lines):
                self._lines += [self._row(line, page) for line in paragraph]
                self._n_blocks += 1

    def judge_gibberish(self) -> bool:
        """Whether what was read so far is unusable. Decided once, when there is enough to decide."""
        if self._is_judged:
            return False
        text = "\n".join("".join(run[0] for run in line[-1]) for line in self._lines)
        found = measure_readability(text, n_pages=len(self.pages), unmapped=self._share_unmapped)
        self._is_judged = found.n_words >= JUDGED_WORDS
        return self._is_judged and found.is_gibberish

    def as_json(self) -> dict[str, Any]:
        return {
            "pages": self.pages,
            "fonts": [[font.name, font.bold, font.italic] for font in self._fonts],
            "lines": self._lines,
            "unmapped": self._share_unmapped,
            "asides": self.asides,
        }

    @property
    def _share_unmapped(self) -> float:
        return self._n_unmapped / max(self._n_glyphs, 1)

    def _row(self, line: TextLine, page: int) -> list[Any]:
        runs = [
            [
                stretch.text,
                self._fonts.setdefault(stretch.typeface, len(self._fonts)),
                round(stretch.size, 1),
                stretch.raised,
            ]
            for stretch in line.stretches
        ]
        box = [round(edge, 1) for edge in (line.left, line.top, line.right, line.bottom)]
        return [page, self._n_blocks, *box, runs]


RECOGNIZED = Typeface("OCR", bold=False, italic=False)
# Minimum confidence of Tesseract in a word, in percent; it is lower for noise and rules.
MIN_SURE = 20.0
# The box of a word extends from its lowest ink to its highest. The tall words of a paragraph have letters
# with ascenders and descenders: together 0.9 of the type size.
SIZE_TO_TALL = 1.1
TALL_SHARE = 0.8  # share of the words that are no taller than the tall ones
# Distance of the lowest ink of a line from the baseline, in ems.
DESCENT_EM = 0.2
WORD_LEVEL = "5"


@dataclass(frozen=True, slots=True)
class RecognizedWord:
    """One word with its box in pixels from the upper left corner, and its line."""

    line: tuple[str, ...]
    left: int
    top: int
    right: int
    bottom: int
    text: str


def read_word_table(table: str) -> Iterator[RecognizedWord]:
    """The words of a page in tesseract's table (tsv), without uncertain ones."""
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) != 12 or cells[0] != WORD_LEVEL or not cells[11].strip():
            continue
        left, top, width, height = map(int, cells[6:10])
        if float(cells[10]) >= MIN_SURE:
            yield RecognizedWord(tuple(cells[1:5]), left, top, left + width, top + height, cells[11].strip())


def make_recognized_page(table: str, *, width: float, height: float, points_per_dot: float) -> PageGlyphs:
    """The page from OCR of its picture; `width` and `height` in points."""
    strokes: list[Stroke] = []
    for _, paragraph in groupby(read_word_table(table), key=lambda word: word.line[:-1]):
        words = list(paragraph)
        # One size for a paragraph: single lines may have no letter that goes up or down.
        size = round(SIZE_TO_TALL * _tall(words) * points_per_dot)
        for _, line in groupby(words, key=lambda word: word.line):
            strokes += _strokes(list(line), float(size), points_per_dot)
    return PageGlyphs(width, height, strokes)


def _tall(words: list[RecognizedWord]) -> int:
    heights = sorted(word.bottom - word.top for word in words)
    return heights[int(TALL_SHARE * (len(heights) - 1))]


def _strokes(words: list[RecognizedWord], size: float, scale: float) -> Iterator[Stroke]:
    """One stroke per word, those of a line on one baseline."""
    low = median(word.bottom for word in words) * scale
    for word in words:
        left, right = word.left * scale, word.right * scale
        step = (right - left) / len(word.text)
        lefts = [left + step * i for i in range(len(word.text))]
        yield Stroke(
            text=word.text,
            start=0,
            edges=make_edges(lefts, [*lefts[1:], right]),
            top=low - size * (1 - DESCENT_EM),
            bottom=low + size * DESCENT_EM,
            baseline=low,
            size=size,
            typeface=RECOGNIZED,
            bearing=0.0,
        )
