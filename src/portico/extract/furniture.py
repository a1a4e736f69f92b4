"""Recognizes running heads and page numbers, which belong to no sentence."""

import re
from collections import Counter, defaultdict
from collections.abc import Container

from portico.types.document import Document, Line

_NUMBER = re.compile(r"^\W*(?:page\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+|[^\w\s]+")

# Lines looked at from the top and from the bottom of each page.
EDGE_LINES = 2
# The same where what comes back is looked for: archives add lines of their own above the heads.
WIDE_EDGE_LINES = 4
# Pages on which a line must come back, digits aside, to be a running head. Two: odd and even pages of a
# short paper have different heads.
REPEATED_ON_PAGES = 2
# Share of the pages of a long document on which it must: in a list of references ends of lines come back.
REPEATED_SHARE = 0.08
# Points within which two lines stand equally high.
SAME_HEIGHT = 8.0


def drop_furniture(document: Document) -> tuple[Line, ...]:
    """The document's lines, without page numbers, repeated heads and feet, and empty lines."""
    printed = [line for line in document.lines if line.span.of(document.text).strip()]
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in printed:
        pages[line.page].append(line)
    edges = {page: page_edges(lines, EDGE_LINES) for page, lines in pages.items()}
    seen = Counter(key for lines in edges.values() for key in {_key(document, line) for line in lines})
    dropped = {
        line.span.start for lines in edges.values() for line in lines if _is_furniture(document, line, seen)
    }
    return tuple([line for line in printed if line.span.start not in dropped])


def page_edges(lines: list[Line], n_lines: int) -> list[Line]:
    """The outermost lines: by place on the page where it is known, else by reading order."""
    if all(line.box for line in lines):
        lines = sorted(lines, key=lambda line: line.box.top if line.box else 0.0)
    if len(lines) <= 2 * n_lines:
        return lines
    return lines[:n_lines] + lines[-n_lines:]


def repeated_lines(document: Document, but_not: Container[int] = ()) -> list[Line]:
    """Of each head or foot that comes back, digits aside, the first line that says it; no page numbers.

    `but_not` are the places of lines that are text, however they stand.
    """
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in document.lines:
        if line.span.of(document.text).strip():
            pages[line.page].append(line)
    first: dict[tuple[str, int], Line] = {}
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    for page, lines in pages.items():
        for line in page_edges(lines, WIDE_EDGE_LINES):
            key = _key(document, line)
            if sum(character.isalpha() for character in key[0]) > 3 and line.span.start not in but_not:
                first.setdefault(key, line)
                seen[key].add(page)
    enough = max(REPEATED_ON_PAGES, REPEATED_SHARE * len(pages))
    return [line for key, line in first.items() if len(seen[key]) >= enough]


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
