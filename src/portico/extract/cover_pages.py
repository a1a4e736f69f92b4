"""Recognizes cover pages that an archive or publisher has put before a document."""

from collections.abc import Sequence

from rapidfuzz import fuzz

from portico.extract.headings import compiled, is_heading
from portico.types.document import Document, Line
from portico.types.domain import Headings

# The most pages of a cover and the most words on each; a page with more belongs to the document.
MOST_PAGES, MOST_WORDS = 2, 600
# Words of covers occur in papers too ("enlighten", "general rights"). A cover therefore must have, in one of
# its largest sizes, a title that the next page repeats among its first lines, apart from OCR errors.
TITLE_LETTERS, FIRST_LINES, PRINTED_AGAIN = 10, 40, 85.0
# Points by which two sizes must differ to be distinct, and the number of largest sizes its title may have.
SIZE_STEP, LARGE_SIZES = 0.6, 3


def split_cover(
    document: Document, lines: tuple[Line, ...], headings: Headings
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Split the lines into those of the cover, if there is one, and the rest."""
    n_pages = 0
    while n_pages < min(MOST_PAGES, len(document.pages) - 1) and _is_cover(
        document, [line for line in lines if line.page == n_pages], headings
    ):
        n_pages += 1
    cover = tuple(line for line in lines if line.page < n_pages)
    behind = tuple(line for line in lines if line.page >= n_pages)
    if not cover or not behind or not _is_printed_again(document, cover, behind):
        return (), lines
    return cover, behind


def list_cover_titles(document: Document, cover: Sequence[Line]) -> list[str]:
    """Return possible titles of the document printed on its cover: the paragraphs in its largest sizes."""
    return _list_large(document, cover, LARGE_SIZES)


def _list_large(document: Document, lines: Sequence[Line], n_sizes: int) -> list[str]:
    """Return the paragraphs set in the `n_sizes` largest sizes."""
    sizes: list[float] = []
    for size in sorted({line.size for line in lines}, reverse=True):
        if not sizes or sizes[-1] - size > SIZE_STEP:
            sizes.append(size)
    found: list[str] = []
    for size in sizes[:n_sizes]:
        blocks: dict[int, list[str]] = {}
        for line in lines:
            if abs(line.size - size) <= SIZE_STEP:
                blocks.setdefault(line.block, []).append(line.span.of(document.text).strip())
        found += [" ".join(texts) for texts in blocks.values()]
    return [text for text in found if sum(map(str.isalnum, text)) >= TITLE_LETTERS]


def _is_cover(document: Document, page: Sequence[Line], headings: Headings) -> bool:
    texts = [line.span.of(document.text) for line in page]
    if any(is_heading(text, headings.cover) for text in texts):
        return True
    if sum(len(text.split()) for text in texts) > MOST_WORDS:
        return False
    whole = " ".join(texts)
    return compiled(headings.cover_words).search(whole.lower()) is not None


def _is_printed_again(document: Document, cover: Sequence[Line], behind: Sequence[Line]) -> bool:
    """Whether a title in large letters on the cover or on the page after it appears on both."""
    opening = [line for line in behind if line.page == behind[0].page][:FIRST_LINES]
    on_cover, printed = (
        _letters(" ".join(line.span.of(document.text) for line in lines)) for lines in (cover, opening)
    )
    pairs = [(_letters(title), printed) for title in list_cover_titles(document, cover)]
    pairs += [(_letters(title), on_cover) for title in _list_large(document, opening, 1)]
    return any(
        len(title) <= len(text) and fuzz.partial_ratio(title, text) >= PRINTED_AGAIN for title, text in pairs
    )


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
