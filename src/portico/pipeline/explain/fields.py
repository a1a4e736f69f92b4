"""Explains the fields of a paper: where each was read, how certain it is, and the page with boxes."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator

from portico.convert.converter import Converter, MarkOnPage, PictureRequest
from portico.errors import ConfigError
from portico.pipeline.documents.converting import read_limits
from portico.pipeline.portal import Portal
from portico.store.codec import decode
from portico.types.document import Box, Document, Line, Span
from portico.types.enrichment import name_listing
from portico.types.explanation import ExplanationSection
from portico.types.page import BodyHash
from portico.types.record import Entity, EntityId, Field, Record, RecordId
from portico.types.stages import StageName

COLUMNS = ("field", "value", "probability", "read from", "place", "runner-up")
# Maximum number of other records examined; a famous paper is cited by thousands.
MOST_RECORDS = 50


def explain_fields(portal: Portal, paper_id: EntityId) -> ExplanationSection | None:
    """Explains every field of the paper; None if it has none."""
    entity = portal.store.catalog.entities.current(paper_id)
    if entity is None or not entity.fields:
        return None
    records = _records(portal, entity)
    borrowed = dict(entity.origins)
    documents: dict[str, Document | None] = {}
    rows = []
    for field in entity.fields:
        origin = borrowed.get(field.name, entity.chosen)
        body = body_of(origin)
        if body not in documents:
            documents[body] = document_of(portal, body)
        rows.append(
            (
                field.name,
                field.value,
                f"{field.confidence:.2f}",
                name_listing(field.listed_on) if field.listed_on else _named(origin),
                field.listed_on or _place(documents[body], field.span),
                _runner_up(field, records) if len(entity.all(field.name)) == 1 else "",
            )
        )
    n_records = len(entity.records)
    said = "one record speaks" if n_records == 1 else f"{n_records} records speak"
    return ExplanationSection(
        "Fields", f"{said} of it; the best one is {_named(entity.chosen)}.", COLUMNS, tuple(rows)
    )


def _records(portal: Portal, entity: Entity) -> tuple[Record, ...]:
    wanted = frozenset(entity.records[:MOST_RECORDS])
    found: list[Record] = []
    for body in dict.fromkeys(map(body_of, entity.records[:MOST_RECORDS])):
        payload = portal.store.documents.results.get(StageName.EXTRACT, body)
        if payload is not None:
            found += [record for record in decode(tuple[Record, ...], payload) if record.id in wanted]
    return tuple(found)


def document_of(portal: Portal, body: str) -> Document | None:
    payload = portal.store.documents.results.get(StageName.CONVERT, body)
    return decode(Document, payload) if payload is not None else None


def body_of(record_id: RecordId) -> str:
    return record_id.partition("#")[0]


def _named(record_id: RecordId) -> str:
    body, _, part = record_id.partition("#")
    return f"{part.replace('ref-', 'reference ') or 'record'} of {body[:12]}"


def _place(document: Document | None, span: Span) -> str:
    """The page, counted from 1, and the box in points from its upper left corner."""
    if not len(span):
        return "the metadata of the file"
    lines = lines_in(document, span) if document is not None else ()
    if not lines:
        return ""
    page = f"page {lines[0].page + 1}"
    boxes = [line.box for line in lines if line.box is not None and line.page == lines[0].page]
    if not boxes:
        return page
    around = Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )
    return f"{page}, {around.left:.0f} {around.top:.0f} to {around.right:.0f} {around.bottom:.0f} pt"


def lines_in(document: Document, span: Span) -> tuple[Line, ...]:
    """The lines covered by a span; none if it is empty, as for values from embedded metadata."""
    if not len(span):
        return ()
    starts = [line.span.start for line in document.lines]
    first = max(0, bisect_right(starts, span.start) - 1)
    last = bisect_right(starts, max(span.start, span.end - 1))
    return document.lines[first:last]


def _runner_up(field: Field, records: tuple[Record, ...]) -> str:
    """The most likely other value in records of the same paper, with its probability."""
    others = [
        other
        for record in records
        for other in record.all(field.name)
        if other.value.casefold() != field.value.casefold()
    ]
    best = max(others, key=lambda other: other.confidence, default=None)
    return f"{best.value} ({best.confidence:.2f})" if best else ""


DOTS_PER_INCH = 110  # a page of letter paper is then as high as a large screen
MARGIN_PT = 1.5  # between the letters and their box
# Colors that everybody can distinguish on white: the dark half of Okabe and Ito's palette.
COLORS = ((213, 94, 0), (0, 114, 178), (0, 130, 95), (180, 80, 140), (160, 120, 0), (60, 60, 60))


def draw_fields(portal: Portal, paper_id: EntityId) -> bytes:
    """Draw the page with most of the fields, as PNG; ConfigError if no page shows any."""
    entity = portal.store.catalog.entities.current(paper_id)
    document = document_of(portal, body_of(entity.chosen)) if entity is not None else None
    if entity is None or document is None:
        raise ConfigError(f"{paper_id}: the portal does not have the file this paper was read from")
    borrowed = {name for name, origin in entity.origins if origin != entity.chosen}
    fields = [field for field in entity.fields if field.name not in borrowed and not field.listed_on]
    places = [(field, line) for field in fields for line in lines_in(document, field.span) if line.box]
    if not places:
        raise ConfigError(f"{paper_id}: its fields are on no page, so nothing can be drawn")
    pages = Counter(line.page for _, line in places)
    page = min(pages, key=lambda number: (-pages[number], number))
    names = list(dict.fromkeys(field.name for field in fields))
    marks = tuple(
        _mark(field, box, COLORS[names.index(field.name) % len(COLORS)])
        for field in fields
        for box in _boxes(document, field.span, page)
    )
    body = portal.store.blobs.get(BodyHash(body_of(entity.chosen)))
    with Converter(read_limits(portal)) as converter:
        return converter.picture(body, PictureRequest(page, DOTS_PER_INCH, marks), name=str(paper_id))


def _mark(field: Field, box: Box, color: tuple[int, int, int]) -> MarkOnPage:
    label = f"{field.name} {field.confidence:.2f}"
    return (
        box.left - MARGIN_PT,
        box.top - MARGIN_PT,
        box.right + MARGIN_PT,
        box.bottom + MARGIN_PT,
        label,
        color,
    )


def _boxes(document: Document, span: Span, page: int) -> Iterator[Box]:
    """Yield one box for consecutive lines, and a new one if the text continues in the next column."""
    around: Box | None = None
    for line in lines_in(document, span):
        box = _part(line, span)
        if box is None or line.page != page:
            continue
        if around is not None and box.top < around.top:
            yield around
            around = None
        around = box if around is None else _union(around, box)
    if around is not None:
        yield around


def _part(line: Line, span: Span) -> Box | None:
    """The box of the part of a line inside the span, assuming letters of equal width."""
    if line.box is None:
        return None
    width = (line.box.right - line.box.left) / max(len(line.span), 1)
    start = max(span.start, line.span.start) - line.span.start
    end = min(span.end, line.span.end) - line.span.start
    return Box(
        line.box.left + start * width, line.box.top, line.box.left + max(start, end) * width, line.box.bottom
    )


def _union(one: Box, other: Box) -> Box:
    return Box(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
    )
