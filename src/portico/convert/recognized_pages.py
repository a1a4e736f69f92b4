"""Words that were recognized in a picture of a page, as strokes: they take the same way as those of a PDF."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from portico.convert.fonts import Typeface
from portico.convert.glyphs import PageGlyphs, Stroke, make_edges

RECOGNIZED = Typeface("OCR", bold=False, italic=False)
# Tesseract tells in percent how sure it is of a word; of noise and rules it is not.
MIN_SURE = 20.0
# The box of a word goes from its lowest ink to its highest. The tall ones of a paragraph have letters that
# rise and letters that hang: together 0.9 of the size of their type.
SIZE_TO_TALL = 1.1
TALL_SHARE = 0.8  # of the words are not taller than the tall ones
# How far below the baseline the lowest ink of a line goes, in ems.
DESCENT_EM = 0.2
WORD_LEVEL = "5"


@dataclass(frozen=True, slots=True)
class RecognizedWord:
    """One word with its box in dots from the upper left corner, and the line it stands on."""

    line: tuple[str, ...]
    left: int
    top: int
    right: int
    bottom: int
    text: str


def read_word_table(table: str) -> Iterator[RecognizedWord]:
    """The words of a page in tesseract's table (tsv), those it is not sure of left out."""
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) != 12 or cells[0] != WORD_LEVEL or not cells[11].strip():
            continue
        left, top, width, height = map(int, cells[6:10])
        if float(cells[10]) >= MIN_SURE:
            yield RecognizedWord(tuple(cells[1:5]), left, top, left + width, top + height, cells[11].strip())


def make_recognized_page(table: str, *, width: float, height: float, points_per_dot: float) -> PageGlyphs:
    """The page whose picture was read; `width` and `height` in points."""
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
    """One stroke a word, all of a line on one baseline."""
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
