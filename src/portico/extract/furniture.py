"""Running heads and page numbers: what is printed on the pages but belongs to no sentence."""

import re
from collections import Counter, defaultdict

from portico.types.document import Document, Line

_NUMBER = re.compile(r"^\W*(?:page\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+|[^\w\s]+")

# Lines looked at from the top and from the bottom of each page.
EDGE_LINES = 2
# Pages on which a line must come back, digits aside, to be a running head. Two: odd and even pages of a
# short paper have different heads.
REPEATED_ON_PAGES = 2
# Points within which two lines stand equally high.
SAME_HEIGHT = 8.0


def without_furniture(document: Document) -> tuple[Line, ...]:
    """The document's lines, without page numbers, repeated heads and feet, and empty lines."""
    printed = [line for line in document.lines if line.span.of(document.text).strip()]
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in printed:
        pages[line.page].append(line)
    edges = {page: _edges(lines) for page, lines in pages.items()}
    seen = Counter(key for lines in edges.values() for key in {_key(document, line) for line in lines})
    dropped = {
        line.span.start for lines in edges.values() for line in lines if _is_furniture(document, line, seen)
    }
    return tuple([line for line in printed if line.span.start not in dropped])


def _edges(lines: list[Line]) -> list[Line]:
    """The outermost lines: by place on the page where it is known, else by reading order."""
    if all(line.box for line in lines):
        lines = sorted(lines, key=lambda line: line.box.top if line.box else 0.0)
    if len(lines) <= 2 * EDGE_LINES:
        return lines
    return lines[:EDGE_LINES] + lines[-EDGE_LINES:]


def _key(document: Document, line: Line) -> tuple[str, int]:
    """What the line says, digits aside, and how high it stands: heads keep their place, headings do not."""
    words = " ".join(_DIGITS.sub(" ", line.span.of(document.text)).lower().split())
    return words, round(line.box.top / SAME_HEIGHT) if line.box else 0


def _is_furniture(document: Document, line: Line, seen: Counter[tuple[str, int]]) -> bool:
    if _NUMBER.match(line.span.of(document.text).strip()):
        return True
    key = _key(document, line)
    # The first page carries the title itself, which later pages may repeat as their head.
    return line.page > 0 and len(key[0]) > 3 and seen[key] >= REPEATED_ON_PAGES
