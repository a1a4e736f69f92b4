"""The page of one paper: what it says, where it is, whom it cites and who cites it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from portico.errors import PortalError
from portico.serve import describe
from portico.serve.chart import YearChart, year_chart
from portico.serve.citation_map import MOST_NODES, CitationMap, citation_map
from portico.serve.citing import citable, cite
from portico.serve.dates import date_of, said
from portico.serve.describe import Card, LinkedText, card
from portico.serve.formats import BYTES, COPY_TYPES, PDF, file_ending, format_name, known_type
from portico.serve.links import outside_url, paper_url, topic_url, with_parameters
from portico.serve.page_picture import PictureView, picture_of
from portico.serve.pages import cards, hit_cards
from portico.serve.paging import Paging, paging
from portico.serve.portal import Portal
from portico.serve.versions import Version, versions
from portico.store.catalog.authors import Byline
from portico.store.catalog.citations import CitationLink
from portico.store.documents.pages import RECORD
from portico.store.portal_view import Source
from portico.text.bibtex import citation_key
from portico.text.words import words
from portico.types.document import DocumentId
from portico.types.page import BodyHash
from portico.types.record import Entity, EntityId, Field

CITERS_SIZE = 20
# Characters of a title that can be one; whatever was read for it is at the foot of the page.
_LONGEST_TITLE = 1_000
_MOST_CONTEXTS = 5
# Topics less probable than this are noise to a reader.
_LEAST_TOPIC = 0.05

# Readers accept the mark anywhere in the first kilobyte; what has none is not opened in place.
_PDF_MARK, _PDF_MARK_WITHIN = b"%PDF-", 1024


@dataclass(frozen=True, slots=True)
class PlaceView:
    """Where a document was found, and our copy of it."""

    name: str
    url: str | None
    copy_url: str
    format: str
    size: str


@dataclass(frozen=True, slots=True)
class TopicView:
    """A place in the tree, how sure we are of it, and which of its keywords the paper has."""

    trail: tuple[LinkedText, ...]
    percent: int
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldView:
    """One value as it was read."""

    name: str
    value: str
    percent: int
    uncertain: bool
    place: LinkedText  # where it was read


@dataclass(frozen=True, slots=True)
class CitationView:
    """One reference or one citer: the paper, how it was printed, and what was said about it."""

    card: Card
    raw: str
    contexts: tuple[str, ...]
    percent: int
    uncertain: bool


@dataclass(frozen=True, slots=True)
class PaperPage:
    """Everything known about one paper."""

    id: str
    title: str
    authors: tuple[LinkedText, ...]
    affiliations: tuple[str, ...]
    year: str
    date: str  # the year, or more exactly
    appeared: str  # the same in words
    venue: str
    abstract: str
    held: bool
    n_citations: int
    uncertain: tuple[str, ...]
    topics: tuple[TopicView, ...]
    places: tuple[PlaceView, ...]
    references: tuple[CitationView, ...]
    citers: tuple[CitationView, ...]
    citers_paging: Paging
    n_citers: int
    chart: YearChart | None
    versions: tuple[Version, ...]
    related: tuple[Card, ...]
    fields: tuple[FieldView, ...]
    bibtex: str
    citation_map: CitationMap | None
    picture: PictureView | None


@dataclass(frozen=True, slots=True)
class CopyOfFile:
    """Bytes of a document with the name and type to serve them under."""

    body: bytes
    media_type: str
    filename: str
    in_place: bool


def paper(portal: Portal, entity: Entity, *, citers_page: int) -> PaperPage:
    view, here = portal.view, paper_url(entity.id)
    sources = view.sources(entity.documents)
    n_citers = view.citations.n_citers(entity.id)
    citers = view.citations.citers(entity.id, limit=CITERS_SIZE, offset=(citers_page - 1) * CITERS_SIZE)
    cited = view.citations.references(entity.id)
    people = view.authors.of_papers([entity.id, *(link.entity.id for link in (*cited, *citers))])
    references = tuple(_citation(link, people) for link in cited)
    date = date_of(entity)
    return PaperPage(
        id=entity.id,
        title=describe.shortened(_title(portal, entity), _LONGEST_TITLE),
        authors=describe.linked(describe.authors(entity), people.get(entity.id, ())),
        affiliations=tuple(dict.fromkeys(field.value for field in entity.all("affiliation"))),
        year=describe.year(entity),
        date=date,
        appeared=said(date),
        venue=describe.first_value(entity, describe.VENUE),
        abstract=entity.value("abstract") or "",
        held=bool(entity.documents),
        n_citations=entity.n_citations,
        uncertain=_uncertain(entity),
        topics=_topics(portal, entity),
        places=tuple(_place(entity, source, copies=portal.about.copies) for source in sources),
        references=references,
        citers=tuple(_citation(link, people) for link in citers),
        citers_paging=paging(
            citers_page,
            n_citers,
            size=CITERS_SIZE,
            url=lambda page: with_parameters(here, {"citers": page}) + "#cited-by",
        ),
        n_citers=n_citers,
        chart=year_chart(view.citations.by_year(entity.id)),
        versions=versions(entity, sources, copies=portal.about.copies),
        related=cards(portal, view.citations.related(entity.id)) or _alike(portal, entity),
        fields=tuple(_fields(entity, sources)),
        bibtex=cite([citable(entity, sources)], "bib"),
        citation_map=citation_map(
            [item.card for item in references],
            [card(link.entity) for link in _map_citers(portal, entity, citers, citers_page)],
            title=describe.title(entity),
        ),
        picture=picture_of(portal, entity),
    )


def _alike(portal: Portal, entity: Entity) -> tuple[Card, ...]:
    """Papers of the same words, for one that citations lead nowhere from; a damaged index spoils no page."""
    searcher = portal.index.current()
    try:
        return hit_cards(portal, searcher.similar(entity.id)) if searcher else ()
    except PortalError:
        return ()


def _map_citers(
    portal: Portal, entity: Entity, shown: Sequence[CitationLink], page: int
) -> Sequence[CitationLink]:
    """The most cited citers: those of the first page, which is usually the one that is shown."""
    return shown if page == 1 else portal.view.citations.citers(entity.id, limit=MOST_NODES)


def copy_of_file(portal: Portal, entity: Entity, number: int) -> CopyOfFile | None:
    """Our copy of the paper's document of that number, counted from 1; None where there is none."""
    if not portal.about.copies or not 1 <= number <= len(entity.documents):
        return None
    document = entity.documents[number - 1]
    body_name = BodyHash(document)
    if not portal.blobs.has(body_name):
        return None
    body = portal.blobs.get(body_name)
    media_type = _media_type(portal.view.sources([document]), document)
    if media_type == PDF and _PDF_MARK not in body[:_PDF_MARK_WITHIN]:
        media_type = BYTES
    key = citation_key(describe.authors(entity), describe.year(entity), describe.title(entity))
    return CopyOfFile(
        body=body,
        media_type=media_type,
        filename=key + file_ending(media_type),
        in_place=media_type == PDF,
    )


def _title(portal: Portal, entity: Entity) -> str:
    if entity.value("title"):
        return describe.title(entity)
    record = portal.view.record(entity.chosen)
    return describe.title(record) if record else describe.title(entity)


def _uncertain(entity: Entity) -> tuple[str, ...]:
    """Which of the headline values are doubtful, in words."""
    parts = {
        "title": ("title",),
        "authors": describe.AUTHOR,
        "venue": describe.VENUE,
        "year": describe.DATE,
        "abstract": ("abstract",),
    }
    return tuple(
        part
        for part, names in parts.items()
        if describe.is_uncertain([field for name in names for field in entity.all(name)])
        or any(name in entity.doubtful for name in names)
    )


def _topics(portal: Portal, entity: Entity) -> tuple[TopicView, ...]:
    best: dict[tuple[str, ...], float] = {}
    for assignment in portal.view.topics.of_documents(entity.documents):
        best[assignment.path] = max(assignment.probability, best.get(assignment.path, 0.0))
    spoken = f" {' '.join(words(_spoken(entity)))} "
    keywords = portal.view.topics.keywords(best)
    likely = [(path, probability) for path, probability in best.items() if probability >= _LEAST_TOPIC]
    return tuple(
        TopicView(
            tuple(LinkedText(path[depth], topic_url(path[: depth + 1])) for depth in range(len(path))),
            round(100 * probability),
            tuple(each for each in keywords.get(path, ()) if f" {' '.join(words(each))} " in spoken),
        )
        for path, probability in likely
    )


def _spoken(entity: Entity) -> str:
    return f"{describe.title(entity)} {entity.value('abstract') or ''}"


def _place(entity: Entity, source: Source, *, copies: bool) -> PlaceView:
    number = entity.documents.index(source.document) + 1
    return PlaceView(
        name=_shown_name(source),
        url=outside_url(source.name),
        # Of a record from another catalog there is no file to read.
        copy_url=f"{paper_url(entity.id)}/file/{number}" if copies and source.kind != RECORD else "",
        format=format_name(source.media_type),
        size=_size(source.n_bytes),
    )


def _shown_name(source: Source) -> str:
    """An address as it is; a file, which is kept relative to the portal, by its path below the folder."""
    if source.kind != "file":
        return source.name
    return "/".join(part for part in source.name.split("/") if part not in ("..", "."))


def _citation(link: CitationLink, people: Mapping[EntityId, tuple[Byline, ...]]) -> CitationView:
    record = link.record
    contexts = tuple(context.text for context in record.contexts) if record else ()
    return CitationView(
        card=card(link.entity, bylines=people.get(link.entity.id, ())),
        raw=record.raw if record else "",
        contexts=contexts[:_MOST_CONTEXTS],
        percent=round(100 * link.confidence),
        uncertain=link.confidence < describe.UNCERTAIN,
    )


def _fields(entity: Entity, sources: Sequence[Source]) -> Iterator[FieldView]:
    borrowed = {name for name, record in entity.origins if record != entity.chosen}
    is_imported = any(source.kind == RECORD for source in sources)
    for field in entity.fields:
        if field.listed_on:
            place = LinkedText("a page that lists it", outside_url(field.listed_on) or "")
        elif field.name in entity.doubtful:
            place = LinkedText("a citation that may mean another paper", "#cited-by")
        elif field.name in borrowed:
            place = LinkedText("how it is cited", "#cited-by")
        elif is_imported:
            place = LinkedText("the imported record", "")
        else:
            # What is read is never quite certain; what a person corrected is.
            place = LinkedText("a correction" if field.confidence == 1.0 else "the paper itself", "")
        yield _field(field, place, doubtful=field.name in entity.doubtful)


def _field(field: Field, place: LinkedText, *, doubtful: bool) -> FieldView:
    return FieldView(
        name=field.name.replace("_", " ").capitalize(),
        value=describe.public_value(field),
        percent=round(100 * field.confidence),
        uncertain=doubtful or field.confidence < describe.UNCERTAIN,
        place=place,
    )


def _media_type(sources: Sequence[Source], document: DocumentId) -> str:
    types = [known_type(source.media_type) for source in sources if source.document == document]
    return next((found for found in types if found in COPY_TYPES), BYTES)


def _size(n_bytes: int) -> str:
    if n_bytes >= 1_000_000:
        return f"{n_bytes / 1_000_000:.1f} MB"
    return f"{max(1, round(n_bytes / 1000))} kB"
