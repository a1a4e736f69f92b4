"""Shows a PDF inside the portal, and where its values, references and citations are on the page."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from portico.serve.collection import FindEntity, Json
from portico.serve.languages import mark, translate
from portico.serve.links import make_paper_url
from portico.serve.page_parts import PaperCard, shorten
from portico.serve.papers.describing import PDF, get_title, make_card, normalize_type
from portico.serve.papers.files import has_copy
from portico.serve.portal import ServedPortal
from portico.serve.rendering import PDF_VIEWER, Renderer
from portico.store.catalog.citations import CitationLink
from portico.store.portal_view import Source
from portico.text.names import parse_name
from portico.types.document import Document, DocumentId, Line, Span
from portico.types.record import Entity, EntityId, Field, Record

_LANGUAGE = "language"  # detected from the text, not printed anywhere
_LONGEST_VALUE, _LONGEST_LEAD = 200, 320
# Lines of a passage whose gap is less than this share of their height are drawn as one box.
_GAP = 1.2
# Labels before references in a list: "[12]", "[BEF91]", "12."
_LABEL = re.compile(r"\s*(?:\[([^\[\]]{1,20})\]|\(?(\d{1,3})[.)])")
_BRACKETS = re.compile(r"\[[^\[\]]{1,120}\]|\([\d ,;–-]{1,40}\)")
# Maximum characters between name and year of a citation, as in "Young and Nuñez (1996".
_NAME_TO_YEAR = 60

PageBox = tuple[int, float, float, float, float]
"""The page, counted from 0, and the left, top, right and bottom edges as shares of its width and height."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """A document whose text can be located on its pages."""

    document: Document
    starts: Sequence[int]  # of its lines

    def find_boxes(self, span: Span) -> list[PageBox]:
        """Where a span of text is on the pages: one box for each run of lines directly below each other."""
        boxes: list[PageBox] = []
        first = max(0, bisect_right(self.starts, span.start) - 1)
        for line in self.document.lines[first : bisect_right(self.starts, max(span.start, span.end - 1))]:
            box = self._cut(line, span)
            if box is None:
                continue
            if boxes and _are_joined(boxes[-1], box):
                page, left, top, right, _ = boxes[-1]
                boxes[-1] = (page, min(left, box[1]), min(top, box[2]), max(right, box[3]), box[4])
            else:
                boxes.append(box)
        return boxes

    def _cut(self, line: Line, span: Span) -> PageBox | None:
        """The part of a line that a span covers, assuming that all characters have the same width."""
        size = self.document.pages[line.page] if line.page < len(self.document.pages) else None
        start, end = max(span.start, line.span.start), min(span.end, line.span.end)
        if line.box is None or size is None or not (size.width and size.height) or start >= end:
            return None
        width = (line.box.right - line.box.left) / len(line.span)
        left = line.box.left + width * (start - line.span.start)
        right = line.box.left + width * (end - line.span.start)
        shares = (
            left / size.width,
            line.box.top / size.height,
            right / size.width,
            line.box.bottom / size.height,
        )
        return (line.page, *[round(min(1.0, max(0.0, share)), 4) for share in shares])  # type: ignore[return-value]


def _share(place: float, whole: float) -> float:
    return round(min(1.0, max(0.0, place / whole)), 4)


def _are_joined(above: PageBox, below: PageBox) -> bool:
    """Whether one line is directly below the other, in the same column."""
    height = below[4] - below[2]
    is_below = above[0] == below[0] and -height / 2 <= below[2] - above[4] <= _GAP * height
    return is_below and below[1] < above[3] and above[1] < below[3]


def make_reading_routes(portal: ServedPortal, renderer: Renderer, find: FindEntity) -> list[Route]:
    def page(request: Request) -> Response:
        number = int(request.path_params["number"])
        entity = find(request, lambda name: make_reading_url(name, number))
        readable = find_readable(portal, entity, portal.view.sources(entity.documents))
        here = make_reading_url(entity.id, number)
        if here not in readable.values():
            raise HTTPException(404, "The portal has no PDF of this that can be read here.")
        return renderer.page(
            "read.html",
            title=get_title(entity),
            back=make_paper_url(entity.id),
            file=f"{make_paper_url(entity.id)}/file/{number}",
            places=f"{here}.json",
            viewer=PDF_VIEWER,
        )

    def places(request: Request) -> Response:
        number = int(request.path_params["number"])
        entity = find(request, lambda name: f"{make_reading_url(name, number)}.json")
        if not 1 <= number <= len(entity.documents):
            raise HTTPException(404, "The portal has no such file of this paper.")
        return JSONResponse(list_places(portal, entity, entity.documents[number - 1]))

    return [
        Route("/paper/{id}/read/{number:int}.json", places),
        Route("/paper/{id}/read/{number:int}", page),
    ]


def make_reading_url(name: EntityId, number: int) -> str:
    return f"{make_paper_url(name)}/read/{number}"


def find_readable(
    portal: ServedPortal, entity: Entity, sources: Sequence[Source]
) -> Mapping[DocumentId, str]:
    """The documents of a paper that the portal shows page by page, with their URLs; empty without the
    viewer.
    """
    if not PDF_VIEWER or not portal.about.copies:
        return {}
    printed = {source.document for source in sources if normalize_type(source.media_type) == PDF}
    return {
        document: make_reading_url(entity.id, number)
        for number, document in enumerate(entity.documents, 1)
        if document in printed and has_copy(portal, document)
    }


def list_places(portal: ServedPortal, entity: Entity, document_id: DocumentId) -> Json:
    """Where the values, references and citations of a document are on its pages."""
    document = portal.view.document(document_id)
    if document is None:
        return {"pages": [], "values": [], "references": [], "mentions": []}
    layout = _Layout(document, [line.span.start for line in document.lines])
    links = [
        link
        for link in portal.view.citations.references(entity.id)
        if link.record is not None and link.record.document == document_id
    ]
    references = [_describe_reference(layout, link) for link in links]
    return {
        "pages": [[size.width, size.height] for size in document.pages],
        "values": [*_list_values(layout, entity)],
        "references": references,
        "mentions": [
            {"reference": place, "boxes": boxes}
            for place, link in enumerate(links)
            for boxes in _list_mentions(layout, link.record)
        ],
    }


def _list_values(layout: _Layout, entity: Entity) -> Iterator[Json]:
    """Every value printed in the document; `first` marks the first of those read from the same passage."""
    seen: set[Span] = set()
    for place, field in enumerate(entity.fields):
        boxes = layout.find_boxes(field.span) if _is_read_from(entity, field, layout.document.id) else []
        if boxes:
            is_first = field.span not in seen
            seen.add(field.span)
            yield {
                "id": f"value-{place}",
                "name": name_field(field.name),
                "field": field.name,
                "value": shorten(field.value, _LONGEST_VALUE),
                "percent": round(100 * field.confidence),
                "first": is_first,
                "boxes": boxes,
            }


def name_field(name: str) -> str:
    """The heading for a field, made from its own name if we have no label for it."""
    return translate(_FIELD_NAMES[name]) if name in _FIELD_NAMES else name.replace("_", " ").capitalize()


_FIELD_NAMES = {
    "title": mark("Title"), "author": mark("Author"), "authors": mark("Authors"), "editor": mark("Editor"),
    "affiliation": mark("Affiliation"), "address": mark("Address"), "email": mark("E-mail"),
    "abstract": mark("Abstract"), "keyword": mark("Keyword"), "year": mark("Year"), "date": mark("Date"),
    "published": mark("Published"), "journal": mark("Journal"), "booktitle": mark("Proceedings"),
    "venue": mark("Venue"), "volume": mark("Volume"), "number": mark("Number"), "pages": mark("Pages"),
    "publisher": mark("Publisher"), "institution": mark("Institution"), "tech": mark("Technical report"),
    "location": mark("Place"), "language": mark("Language"), "note": mark("Note"), "doi": mark("DOI"),
    "pubnum": mark("Report number"), "open_access": mark("Open access"), "url": mark("Web address"),
    "license": mark("License"),
}  # fmt: skip


def _is_read_from(entity: Entity, field: Field, document: DocumentId) -> bool:
    origin = dict(entity.origins).get(field.name, entity.chosen)
    is_printed = len(field.span) > 0 and not field.listed_on and field.name != _LANGUAGE
    return is_printed and origin.startswith(f"{document}#")


def find_value_urls(entity: Entity, readable: Mapping[DocumentId, str]) -> Mapping[int, str]:
    """Links to where the values of a paper are shown on its pages, by the position of the value among its
    fields.
    """
    return {
        place: f"{url}#value-{place}"
        for place, field in enumerate(entity.fields)
        for document, url in readable.items()
        if _is_read_from(entity, field, document)
    }


def _describe_reference(layout: _Layout, link: CitationLink) -> Json:
    card, record = make_card(link.entity), link.record
    return {
        "title": card.title,
        "facts": _describe_facts(card),
        "url": card.url,
        "held": card.held,
        "lead": shorten(link.entity.value("abstract") or "", _LONGEST_LEAD),
        "label": _find_label(layout.document.text, record.span) if record else "",
        "boxes": layout.find_boxes(record.span) if record else [],
    }


def _describe_facts(card: PaperCard) -> str:
    names = ", ".join(author.text for author in card.authors[:3])
    more = " et al." if len(card.authors) + card.n_more_authors > 3 else ""
    return " · ".join(part for part in (names + more, card.venue, card.year) if part)


def _find_label(text: str, span: Span) -> str:
    """The number or label of a reference in the list; "" if it has none."""
    found = _LABEL.match(text, span.start, span.end)
    return (found[1] or found[2]).strip() if found else ""


def _list_mentions(layout: _Layout, record: Record | None) -> Iterator[list[PageBox]]:
    """Where the text cites a reference: the boxes of its number, its label, or its author and year."""
    if record is None:
        return
    text = layout.document.text
    label = _find_label(text, record.span)
    people = record.all("author") or record.all("editor")
    surname = parse_name(people[0].value).surname if people else ""
    year = record.value("year") or ""
    for context in record.contexts:
        span = _find_labelled(text, context.span, label) or _find_named(text, context.span, surname, year)
        boxes = layout.find_boxes(span) if span else []
        if boxes:
            yield boxes


def _find_labelled(text: str, sentence: Span, label: str) -> Span | None:
    """The label in brackets, alone or among others. If it is within a range such as "3–7", the whole
    bracket.
    """
    if not label:
        return None
    alone = re.compile(rf"(?<![\w–-]){re.escape(label)}(?![\w–-])")
    for bracket in _BRACKETS.finditer(text, sentence.start, sentence.end):
        found = alone.search(text, bracket.start(), bracket.end())
        if found:
            is_only = len(found[0]) + 2 == len(bracket[0])
            return Span(*(bracket.span() if is_only else found.span()))
        ranges = re.findall(r"(\d{1,3})\s*[–-]\s*(\d{1,3})", bracket[0])
        if label.isdigit() and any(int(low) <= int(label) <= int(high) for low, high in ranges):
            return Span(*bracket.span())
    return None


def _find_named(text: str, sentence: Span, surname: str, year: str) -> Span | None:
    if not surname or not year:
        return None
    name = r"\s*".join(re.escape(part) for part in surname.split())
    pattern = re.compile(rf"\b{name}\b.{{0,{_NAME_TO_YEAR}}}?{re.escape(year[:4])}\w?", re.DOTALL)
    found = pattern.search(text, sentence.start, sentence.end)
    return Span(*found.span()) if found else None
