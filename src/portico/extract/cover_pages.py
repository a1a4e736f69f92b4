"""Pages that an archive or a publisher's site has put before a document: they cite it, and are not it."""

from collections.abc import Sequence

from portico.extract.headings import compiled, is_heading
from portico.types.document import Document, Line
from portico.types.domain import Headings

# Pages of a cover at most, and words of each at most: a page with more is the document's own.
MOST_PAGES, MOST_WORDS = 2, 600


def split_cover(
    document: Document, lines: tuple[Line, ...], headings: Headings
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The lines of the cover, none where there is no cover, and those behind it."""
    n_pages = 0
    while n_pages < min(MOST_PAGES, len(document.pages) - 1) and _is_cover(
        document, [line for line in lines if line.page == n_pages], headings
    ):
        n_pages += 1
    behind = tuple(line for line in lines if line.page >= n_pages)
    if not n_pages or not behind:
        return (), lines
    return tuple(line for line in lines if line.page < n_pages), behind


def _is_cover(document: Document, page: Sequence[Line], headings: Headings) -> bool:
    texts = [line.span.of(document.text) for line in page]
    if any(is_heading(text, headings.cover) for text in texts):
        return True
    if sum(len(text.split()) for text in texts) > MOST_WORDS:
        return False
    whole = " ".join(texts)
    return compiled(headings.cover_words).search(whole.lower()) is not None
