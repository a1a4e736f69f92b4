"""The page that a paper's fields were read from, with a labelled box around each of them."""

from collections import Counter
from collections.abc import Iterator

from portico.convert.converter import Converter, MarkOnPage, PictureRequest
from portico.errors import ConfigError
from portico.pipeline.documents.converting import read_limits
from portico.pipeline.explain.fields import body_of, document_of, lines_in
from portico.pipeline.portal import Portal
from portico.types.document import Box, Document, Line, Span
from portico.types.page import BodyHash
from portico.types.record import EntityId, Field

DOTS_PER_INCH = 110  # a page of letter paper is then as high as a large screen
MARGIN_PT = 1.5  # between the letters and their box
# Told apart on white by everybody: the dark half of Okabe and Ito's palette.
COLORS = ((213, 94, 0), (0, 114, 178), (0, 130, 95), (180, 80, 140), (160, 120, 0), (60, 60, 60))


def draw_fields(portal: Portal, paper_id: EntityId) -> bytes:
    """The page with most of the fields, as PNG; ConfigError where no page shows any."""
    entity = portal.store.catalog.entities.current(paper_id)
    document = document_of(portal, body_of(entity.chosen)) if entity is not None else None
    if entity is None or document is None:
        raise ConfigError(f"{paper_id}: the portal does not hold the file this paper was read from")
    borrowed = {name for name, origin in entity.origins if origin != entity.chosen}
    fields = [field for field in entity.fields if field.name not in borrowed and not field.listed_on]
    places = [(field, line) for field in fields for line in lines_in(document, field.span) if line.box]
    if not places:
        raise ConfigError(f"{paper_id}: its fields stand on no page; nothing can be drawn")
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
    """One box for lines below each other, a new one where the text jumps up to the next column."""
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
    """The box of what a line has of the span; letters are taken to be equally wide."""
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
