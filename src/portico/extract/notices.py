"""Collects lines that may say where and when a document appeared: heads, feet, margins, "how to cite"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from portico.extract.furniture import page_edges, repeated_lines
from portico.extract.zones import Zones
from portico.types.document import Document, Line, Span
from portico.types.domain import Notice, Place

# Lines examined at the top and at the foot of the first page, in whatever zone.
FRONT_EDGE = 6
# Points by which letters of a notice below the text are smaller than those of the text.
SMALLER = 0.7
# Share by which the letters of two lines must differ in size for them to be two texts.
OTHER_SIZE = 0.25
# Pages at the end of a document that may say how to cite it.
LAST_PAGES = 2
# Lines after the words "how to cite" that belong to them.
CITED_LINES = 5
_HOW_TO_CITE = re.compile(
    r"\b(?:(?:please\s)?cite\s(?:this\s)?(?:article|paper|as|chapter)|to cite|how to cite|cite as"
    r"|citation\s?:|suggested citation"
    r"|recommended citation|zitiervorschlag|zitation|citar como|cómo citar|pour citer"
    r"|empfohlene zitierung)\b",
    re.IGNORECASE,
)
_DOI_FIRST = re.compile(r"\s*doi\s?:\s?10\.", re.IGNORECASE)
# A DOI on a line of its own is the paper's if dates of its history are within this many lines.
HISTORY_LINES = 3
_DOI_ALONE = re.compile(
    r"^\s*(?:doi\s?:?\s?)?(?:https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+\s*$", re.IGNORECASE
)
# The beginning of a line that says of which volume, number or date an issue is.
_NUMBERS_FIRST = re.compile(
    r"\W*(?:vol|no|issue|band|jg|heft|tome|n[º°]|[^\W\d]{3,9}\s(?:\d{1,2},?\s)?(?:19|20)\d\d|\d)",
    re.IGNORECASE,
)
_HISTORY = re.compile(r"\b(?:received|accepted|published|submitted|citation)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlacedNotice:
    """A notice and where its text begins in the document; None if it is not printed in any line."""

    notice: Notice
    start: int | None

    def span(self, start: int, end: int) -> Span:
        return Span(0, 0) if self.start is None else Span(self.start + start, self.start + end)


def notices_of(document: Document, zones: Zones) -> Iterator[PlacedNotice]:
    """Yield every notice of a document: lines of the first page before heads and feet that recur."""
    yield from _pairs(document, zones.cover, Place.COVER)
    yield from _first_page(document, zones)
    for line in repeated_lines(document, {line.span.start for line in zones.references}):
        yield _placed(document, [line], Place.REPEATED)
    yield from _how_to_cite(document, zones)
    for name, value in document.asides:
        place = Place.SIDEWAYS if name == "sideways" else Place.EMBEDDED
        yield PlacedNotice(Notice(value, place, name), None)


def _first_page(document: Document, zones: Zones) -> Iterator[PlacedNotice]:
    """Yield the lines of the header, and those of its page that stand at the edges or in small letters."""
    if not zones.header:
        return
    page = zones.header[0].page
    lines = [line for line in document.lines if line.page == page and line.span.of(document.text).strip()]
    edges = {line.span.start for line in page_edges(lines, FRONT_EDGE)}
    header = {line.span.start for line in zones.header}
    cited = {line.span.start for line in zones.references}
    usual = _usual_size(lines)
    chosen = [
        line
        for line in lines
        if line.span.start not in cited
        and (line.span.start in edges or line.span.start in header or line.size <= usual - SMALLER)
    ]
    for line in chosen:
        place = Place.EDGE if line.span.start in edges else Place.FRONT
        yield _placed(document, [line], place)
    yield from _pairs(document, chosen, Place.FRONT, single=False)


def _pairs(
    document: Document, lines: Sequence[Line], place: Place, *, single: bool = True
) -> Iterator[PlacedNotice]:
    """Yield lines one by one and joined with the next, because a notice may continue on the next line."""
    for idx, line in enumerate(lines):
        if single:
            yield _placed(document, [line], place)
        following = lines[idx + 1 : idx + 2]
        if (
            following
            and following[0].span.start == line.span.end + 1
            and _may_continue(document, line, following[0])
        ):
            yield _placed(document, [line, *following], place)


def _may_continue(document: Document, line: Line, other: Line) -> bool:
    """Whether a line may go on in the next one: volume and date may follow a large name in any size."""
    return _is_set_alike(line, other) or (
        line.size > other.size and _NUMBERS_FIRST.match(other.span.of(document.text)) is not None
    )


def _is_set_alike(line: Line, other: Line) -> bool:
    """Whether two lines are similar enough in size to be one text, unlike a running head and a title."""
    return abs(line.size - other.size) <= OTHER_SIZE * max(line.size, other.size)


def _how_to_cite(document: Document, zones: Zones) -> Iterator[PlacedNotice]:
    """Yield what follows "how to cite" on the first and last pages, and a DOI near the paper's history."""
    lines = document.lines
    n_pages = len(document.pages)
    # On a first page with references, a DOI may still be at its foot.
    cited = {line.span.start for line in zones.references if line.page > 0}
    texts = [line.span.of(document.text) for line in lines]
    for idx, line in enumerate(lines):
        if 1 < line.page < n_pages - LAST_PAGES:
            continue
        around = texts[max(0, idx - HISTORY_LINES) : idx + HISTORY_LINES + 1]
        is_doi = _DOI_FIRST.match(texts[idx]) or (
            _DOI_ALONE.match(texts[idx]) and any(map(_HISTORY.search, around))
        )
        if _HOW_TO_CITE.search(texts[idx]) or (is_doi and line.span.start not in cited):
            block = [one for one in lines[idx : idx + CITED_LINES] if one.page == line.page]
            yield _placed(document, block, Place.CITED)


def _placed(document: Document, lines: Sequence[Line], place: Place) -> PlacedNotice:
    span = Span(lines[0].span.start, lines[-1].span.end)
    return PlacedNotice(Notice(span.of(document.text).replace("\n", " "), place), span.start)


def _usual_size(lines: Sequence[Line]) -> float:
    """Return the size of most characters on a page."""
    weights: dict[float, int] = {}
    for line in lines:
        weights[line.size] = weights.get(line.size, 0) + len(line.span)
    return max(weights, key=lambda size: weights[size], default=0.0)
