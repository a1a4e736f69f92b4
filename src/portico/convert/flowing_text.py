"""Lays out text without fixed pages as lines and pages, so that it can be read like a printed paper.

Runs inside the sandbox. HTML, DOCX, ODT, EPUB and LaTeX are first converted to HTML elements; this module
reads those as a visitor would, without menus and footers, and breaks lines as a printer would.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from portico.convert.html import PageWalk
from portico.convert.page_styles import PageError
from portico.convert.structured_data import read_structured_data
from portico.text.markup import decode, parse

Pair = tuple[str, str]

# A sheet of letter paper with an inch of margin, in points.
WIDTH, HEIGHT, MARGIN = 612.0, 792.0, 72.0
# Average letter width and line height as shares of the type size, as in Times.
LETTER_WIDTH, LINE_HEIGHT = 0.45, 1.2
# Space between paragraphs, in the same unit.
PARAGRAPH_SPACE = 0.6

# Meta elements read by search engines, and the equivalent XMP names of PDF files.
_SCHOLARLY = {
    "citation_title": "xmp:title",
    "citation_doi": "xmp:doi",
    "citation_journal_title": "xmp:publicationname",
    "citation_volume": "xmp:volume",
    "citation_issue": "xmp:number",
    "citation_issn": "xmp:issn",
    "citation_publication_date": "xmp:coverdate",
    "citation_date": "xmp:coverdate",
    "dc.title": "xmp:title",
    "og:title": "info:title",
}
_DOI_START = "10."


def read_article(body: bytes, *, media_type: str, max_pages: int) -> dict[str, Any]:
    """An article in HTML, in the form `read_pdf` gives."""
    html = decode(body, media_type)
    tree = parse(html)
    told = dict(read_structured_data(tree))
    asides = [(_SCHOLARLY[name], value) for key, value in told.items()
              if (name := key.removeprefix("meta:")) in _SCHOLARLY]  # fmt: skip
    first, last = (told.get(f"meta:citation_{end}page", "") for end in ("first", "last"))
    if first:
        asides.append(("xmp:pagerange", f"{first}–{last}" if last and last != first else first))
    identifier = told.get("meta:dc.identifier", "").removeprefix("doi:")
    if identifier.startswith(_DOI_START):
        asides.append(("xmp:doi", identifier))
    title = tree.css_first("title")
    if title is not None:
        asides.append(("info:title", " ".join(title.text().split())))
    return set_elements([html], asides, max_pages=max_pages)


def set_elements(parts: Iterable[str], asides: Sequence[Pair], *, max_pages: int) -> dict[str, Any]:
    """HTML parts, one after another, as lines and pages, in the form `read_pdf` returns."""
    walk = PageWalk(is_article=True)
    for part in parts:
        tree = parse(part)
        if tree.body is not None:
            walk.through(tree.body)
    if not walk.n_words:
        raise PageError("has no text")
    read = walk.as_json()
    pages = _Pages()
    for line in read["lines"]:
        pages.add(line[1], line[-1])
    if pages.n_pages > max_pages:
        raise PageError(
            f"would have {pages.n_pages:,} pages in print, more than the {max_pages:,} that are allowed;"
            " split it"
        )
    told = [pair for pair in dict.fromkeys(asides) if pair[1].strip()]
    return {**read, "pages": [[WIDTH, HEIGHT]] * pages.n_pages, "lines": pages.lines, "asides": told}


Run = list[Any]
"""Text, the number of its font, its size, and whether it is superscript."""


class _Pages:
    """Printed lines on numbered pages, added from top to bottom."""

    def __init__(self) -> None:
        self.lines: list[list[Any]] = []
        self.n_pages = 1
        self._top = MARGIN
        self._block = -1

    def add(self, block: int, runs: Sequence[Run]) -> None:
        """Add one logical line, as many printed lines as it takes."""
        if block != self._block and self._top > MARGIN:
            self._top += PARAGRAPH_SPACE * runs[0][2]
        self._block = block
        for row in _break_lines(runs):
            self._print(block, row)

    def _print(self, block: int, row: list[Run]) -> None:
        height = LINE_HEIGHT * max(size for _text, _font, size, _raised in row)
        if self._top + height > HEIGHT - MARGIN:
            self.n_pages, self._top = self.n_pages + 1, MARGIN
        right = MARGIN + sum(_measure(text, size) for text, _font, size, _raised in row)
        box = [round(value, 1) for value in (MARGIN, self._top, right, self._top + height)]
        self.lines.append([self.n_pages - 1, block, *box, row])
        self._top += height


def _measure(text: str, size: float) -> float:
    return len(text) * LETTER_WIDTH * size


def _break_lines(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs in lines that fit between the margins; a word wider than a line gets its own."""
    room = WIDTH - 2 * MARGIN
    rows: list[list[Run]] = [[]]
    used = 0.0
    for text, font, size, raised in runs:
        start = end = 0  # of what of the run stands in the line so far
        for word_end in _word_ends(text):
            needed = _measure(text[end:word_end].rstrip(" "), size)
            is_break = text[end:word_end].startswith(" ") or (end == 0 and _ends_in_space(rows[-1]))
            if used + needed > room and is_break and (rows[-1] or end > start):
                _append(rows[-1], [text[start:end], font, size, raised])
                rows.append([])
                used, start = 0.0, end
            used += _measure(text[end:word_end], size)
            end = word_end
        _append(rows[-1], [text[start:], font, size, raised])
    return [trimmed for row in rows if (trimmed := _trim(row))]


def _word_ends(text: str) -> Iterable[int]:
    """The end of each word of a text, including the spaces before it."""
    end = 0
    while end < len(text):
        start = end
        while start < len(text) and text[start] == " ":
            start += 1
        found = text.find(" ", start)
        end = len(text) if found < 0 else found
        yield end


def _ends_in_space(row: list[Run]) -> bool:
    return bool(row) and row[-1][0].endswith(" ")


def _append(row: list[Run], run: Run) -> None:
    if run[0]:
        row.append(run)


def _trim(row: list[Run]) -> list[Run]:
    """The line without spaces at its ends."""
    texts = [run[0] for run in row]
    if texts:
        texts[0] = texts[0].lstrip(" ")
        texts[-1] = texts[-1].rstrip(" ")
    return [[text, *run[1:]] for text, run in zip(texts, row, strict=True) if text]
