"""Recognizes running heads and page numbers, which are not part of the text."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise

from portico.types.document import Document, Line, Span

_NUMBER = re.compile(r"^\W*(?:page\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+|[^\w\s]+")

_LINE_NUMBER = re.compile(r"\s{0,3}(\d{1,4})(?:\s+|\Z)")
# The fewest consecutive numbers on a page that make line numbers, and their share of its lines (half, if the
# numbers are lines of their own).
FEWEST_NUMBERED, NUMBERED_SHARE = 12, 0.4
# Share of the pages of a manuscript whose lines are numbered.
NUMBERED_PAGES = 0.5
# Lines examined at the top and at the bottom of each page.
EDGE_LINES = 2
# The same when looking for repeated lines, because archives add lines above the heads.
WIDE_EDGE_LINES = 4
# Pages on which a line must recur (ignoring digits) to be a running head. Two, because odd and even pages of
# a short paper have different heads.
REPEATED_ON_PAGES = 2
# Share of a long document's pages on which it must recur, because ends of references recur too.
REPEATED_SHARE = 0.08
# The same for a head of a single word: axes of figures and headings of tables are single words, too.
REPEATED_WORD_SHARE = 0.3
# Points within which two lines have the same height on the page.
SAME_HEIGHT = 8.0


def drop_furniture(document: Document) -> tuple[Line, ...]:
    """Return the document's lines without page numbers, repeated heads and feet, and empty lines."""
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


def without_line_numbers(document: Document) -> Document:
    """Return the document without the line numbers that manuscripts print before their lines or in the
    margin.
    """
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in document.lines:
        if line.span.of(document.text).strip():
            pages[line.page].append(line)
    numbered = {page for page, lines in pages.items() if _counts_lines(document, lines)}
    # References in a list may each begin with their number, but only on the last pages.
    if not numbered or len(numbered) < NUMBERED_PAGES * len(pages):
        return document
    lines = (_behind_number(document, line) if line.page in numbered else line for line in document.lines)
    return replace(document, lines=tuple(line for line in lines if len(line.span)))


def _counts_lines(document: Document, lines: Sequence[Line]) -> bool:
    """Whether most lines of a page begin with a number one higher than that of the line before."""
    numbers = [int(match[1]) for line in lines if (match := _LINE_NUMBER.match(line.span.of(document.text)))]
    n_counted = sum(following == number + 1 for number, following in pairwise(numbers))
    return n_counted >= max(FEWEST_NUMBERED, NUMBERED_SHARE * len(lines))


def _behind_number(document: Document, line: Line) -> Line:
    match = _LINE_NUMBER.match(line.span.of(document.text))
    return replace(line, span=Span(line.span.start + match.end(), line.span.end)) if match else line


def page_edges(lines: list[Line], n_lines: int) -> list[Line]:
    """Return the first and last lines of a page, by position if it is known, else by reading order."""
    if all(line.box for line in lines):
        lines = sorted(lines, key=lambda line: line.box.top if line.box else 0.0)
    if len(lines) <= 2 * n_lines:
        return lines
    return lines[:n_lines] + lines[-n_lines:]


def repeated_lines(document: Document, but_not: Container[int] = ()) -> list[Line]:
    """Return each head or foot that recurs (ignoring digits), once, as the first line with it; no page
    numbers.

    `but_not` holds the starts of lines known to be text, whatever their position.
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

    def is_enough(words: str, n_pages: int) -> bool:
        share = REPEATED_SHARE if " " in words else REPEATED_WORD_SHARE
        return n_pages >= max(REPEATED_ON_PAGES, share * len(pages))

    return [line for key, line in first.items() if is_enough(key[0], len(seen[key]))]


def _key(document: Document, line: Line) -> tuple[str, int]:
    """Return a line's text without digits, and its height on the page: heads keep their height, headings
    do not.
    """
    words = " ".join(_DIGITS.sub(" ", line.span.of(document.text)).lower().split())
    return words, round(line.box.top / SAME_HEIGHT) if line.box else 0


def _is_furniture(document: Document, line: Line, seen: Counter[tuple[str, int]]) -> bool:
    if _NUMBER.match(line.span.of(document.text).strip()):
        return True
    key = _key(document, line)
    # The first page carries the title itself, which later pages may repeat as their head.
    return line.page > 0 and len(key[0]) > 3 and seen[key] >= REPEATED_ON_PAGES
