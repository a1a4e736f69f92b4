"""Why a paper's fields say what they say: where each was read, how sure we are, what else was read."""

from bisect import bisect_right

from portico.pipeline.portal import Portal
from portico.store.codec import decode
from portico.types.document import Box, Document, Line, Span
from portico.types.explanation import ExplanationSection
from portico.types.record import Entity, EntityId, Field, Record, RecordId
from portico.types.stages import StageName

COLUMNS = ("field", "value", "probability", "read from", "place", "runner-up")
# Other records that are looked through for what else was read; a famous paper is cited by thousands.
MOST_RECORDS = 50


def explain_fields(portal: Portal, paper_id: EntityId) -> ExplanationSection | None:
    """Every field of the paper; nothing where none is known."""
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
                "a page that lists it" if field.listed_on else _named(origin),
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
    """The lines that a span covers; none where it is empty, as of what stands in the metadata of a file."""
    if not len(span):
        return ()
    starts = [line.span.start for line in document.lines]
    first = max(0, bisect_right(starts, span.start) - 1)
    last = bisect_right(starts, max(span.start, span.end - 1))
    return document.lines[first:last]


def _runner_up(field: Field, records: tuple[Record, ...]) -> str:
    """The likeliest other value that a record of the same paper has, and its probability."""
    others = [
        other
        for record in records
        for other in record.all(field.name)
        if other.value.casefold() != field.value.casefold()
    ]
    best = max(others, key=lambda other: other.confidence, default=None)
    return f"{best.value} ({best.confidence:.2f})" if best else ""
