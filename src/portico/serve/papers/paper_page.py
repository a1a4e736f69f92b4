"""The page of one paper: its data, files, references and citing papers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from portico.errors import PortalError
from portico.serve.charts import YearChart, draw_year_chart
from portico.serve.languages import format_date, format_decimal, mark, translate
from portico.serve.links import add_parameters, check_outside_url, make_paper_url, make_topic_url
from portico.serve.page_parts import UNCERTAIN, LinkedText, PaperCard, is_uncertain, shorten
from portico.serve.pages import Paging, make_paging
from portico.serve.papers import describing
from portico.serve.papers.citation_export import cite, make_citable
from portico.serve.papers.citation_lists import (
    CitationView,
    Quote,
    References,
    choose_quotes,
    group_references,
    make_citation_view,
)
from portico.serve.papers.citation_map import MOST_NODES, CitationMap, draw_citation_map
from portico.serve.papers.describing import get_date, get_format_name, make_card
from portico.serve.papers.files import PictureView, find_picture
from portico.serve.papers.home_and_results import make_cards, make_hit_cards
from portico.serve.papers.reading import find_readable, find_value_urls, name_field
from portico.serve.portal import ServedPortal
from portico.store.catalog.citations import CitationLink
from portico.store.documents.pages import RECORD
from portico.store.portal_view import Source
from portico.text.citation_formats import Citable
from portico.text.reference_styles import STYLES
from portico.text.words import split_words
from portico.types.enrichment import CatalogAnswer, name_listing
from portico.types.record import Edition, Entity, EntityId, Field

CITERS_SIZE = 20
# Maximum length of a plausible title; the full value is at the foot of the page.
_LONGEST_TITLE = 1_000
_CITED_FILES = (("BibTeX", "bib"), ("RIS", "ris"))
# Topics less probable than this are noise to a reader.
_LEAST_TOPIC = 0.05

# Labels of the forms of editions; others are shown under their own names.
_FORMS = {
    "journal": mark("journal article"),
    "proceedings": mark("conference paper"),
    "report": mark("technical report"),
    "chapter": mark("chapter of a book"),
}


@dataclass(frozen=True, slots=True)
class Version:
    """One publication of the work, and its file, if the portal has one."""

    form: str
    venue: str
    year: str
    n_citing: int  # number of references to this version
    copy_url: str  # "" if the portal has no file of it
    url: str  # where the file was found; "" if it cannot be linked to


@dataclass(frozen=True, slots=True)
class PlaceView:
    """Where a document was found, and the link to our copy of it."""

    name: str
    url: str | None
    copy_url: str
    format: str
    size: str


@dataclass(frozen=True, slots=True)
class TopicView:
    """A topic of the paper, how probable it is, and which of its keywords the paper contains."""

    trail: tuple[LinkedText, ...]
    percent: int
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CitedAs:
    """The paper's citation in one style or format, ready to be copied."""

    name: str
    text: str
    is_code: bool


@dataclass(frozen=True, slots=True)
class PaperField:
    """One value as it was read."""

    name: str
    value: str
    percent: int
    uncertain: bool
    place: LinkedText  # where it was read, with the URL of the page that shows it, if any


@dataclass(frozen=True, slots=True)
class PaperPage:
    """Everything known about one paper."""

    id: EntityId
    title: str
    authors: tuple[LinkedText, ...]
    affiliations: tuple[str, ...]
    year: str
    date: str  # the year, or more exactly
    appeared: str  # the same in words
    venue: str
    issue: str  # volume, number and pages: "12(3), 34–56"
    doi: str
    open_access: str  # where a catalog found a free copy
    language: str  # its name; "" if it is English or unknown
    abstract: str
    held: bool
    n_citations: int
    uncertain: tuple[str, ...]
    topics: tuple[TopicView, ...]
    places: tuple[PlaceView, ...]
    references: References
    quotes: tuple[Quote, ...]  # what citing papers say, the most informative first
    citers: tuple[CitationView, ...]
    citers_paging: Paging
    n_citers: int
    chart: YearChart | None
    versions: tuple[Version, ...]
    related: tuple[PaperCard, ...]
    fields: tuple[PaperField, ...]
    citable: Citable  # the same for reference managers, without doubtful values
    cited_as: tuple[CitedAs, ...]
    citation_map: CitationMap | None
    picture: PictureView | None
    read_url: str  # URL of the page that shows its PDF; "" if there is none


def make_paper_page(portal: ServedPortal, entity: Entity, *, citers_page: int) -> PaperPage:
    view, here = portal.view, make_paper_url(entity.id)
    sources = view.sources(entity.documents)
    n_citers = view.citations.n_citers(entity.id)
    citers = view.citations.citers(entity.id, limit=CITERS_SIZE, offset=(citers_page - 1) * CITERS_SIZE)
    cited = view.citations.references(entity.id)
    people = view.authors.of_papers([entity.id, *(link.entity.id for link in (*cited, *citers))])
    references = tuple(make_citation_view(link, people) for link in cited)
    citing = tuple(make_citation_view(link, people) for link in citers)
    date = get_date(entity)
    citable, readable = make_citable(entity, sources), find_readable(portal, entity, sources)
    return PaperPage(
        id=entity.id,
        title=shorten(_title(portal, entity), _LONGEST_TITLE),
        authors=describing.link_authors(describing.list_authors(entity), people.get(entity.id, ())),
        affiliations=describing.list_affiliations(entity),
        year=describing.get_year(entity),
        date=date,
        appeared=format_date(date),
        venue=describing.get_first_value(entity, describing.VENUE),
        issue=describing.describe_issue(entity),
        doi="" if "doi" in entity.doubtful else entity.value("doi") or "",
        open_access=check_outside_url(entity.value("open_access") or "") or "",
        language=describing.name_foreign_language(entity),
        abstract=entity.value("abstract") or "",
        held=bool(entity.documents),
        n_citations=entity.n_citations,
        uncertain=_uncertain(entity),
        topics=_topics(portal, entity),
        places=tuple(_place(entity, source, copies=portal.about.copies) for source in sources),
        references=group_references(references),
        quotes=choose_quotes(citing) if citers_page == 1 else (),
        citers=citing,
        citers_paging=make_paging(
            citers_page,
            n_citers,
            size=CITERS_SIZE,
            url=lambda page: add_parameters(here, {"citers": page}) + "#cited-by",
        ),
        n_citers=n_citers,
        chart=draw_year_chart(view.citations.by_year(entity.id)),
        versions=_versions(entity, sources, copies=portal.about.copies),
        related=_alike(portal, entity) or make_cards(portal, view.citations.related(entity.id)),
        fields=(
            *_fields(entity, sources, find_value_urls(entity, readable)),
            *_list_answers(entity, view.catalog_answers(entity.documents)),
        ),
        citable=citable,
        cited_as=_cite_in_styles(citable),
        citation_map=draw_citation_map(
            [make_card(link.entity, bylines=people.get(link.entity.id, ())) for link in cited],
            [make_card(link.entity) for link in _map_citers(portal, entity, citers, citers_page)],
            title=describing.get_title(entity),
            year=describing.get_year(entity),
        ),
        picture=find_picture(portal, entity),
        read_url=next(iter(readable.values()), ""),
    )


def _cite_in_styles(citable: Citable) -> tuple[CitedAs, ...]:
    styles = [CitedAs(name, write(citable), is_code=False) for name, write in STYLES.items()]
    files = [CitedAs(name, cite([citable], ending), is_code=True) for name, ending in _CITED_FILES]
    return (*styles, *files)


def _alike(portal: ServedPortal, entity: Entity) -> tuple[PaperCard, ...]:
    """Papers with similar words, references and citing papers; empty if the index is damaged."""
    searcher = portal.index.current()
    try:
        return make_hit_cards(portal, searcher.similar(entity.id)) if searcher else ()
    except PortalError:
        return ()


def _map_citers(
    portal: ServedPortal, entity: Entity, shown: Sequence[CitationLink], page: int
) -> Sequence[CitationLink]:
    """The most cited citing papers: those on the first page, which is usually the one shown."""
    return shown if page == 1 else portal.view.citations.citers(entity.id, limit=MOST_NODES)


def _title(portal: ServedPortal, entity: Entity) -> str:
    if entity.value("title"):
        return describing.get_title(entity)
    record = portal.view.record(entity.chosen)
    return describing.get_title(record) if record else describing.get_title(entity)


def _uncertain(entity: Entity) -> tuple[str, ...]:
    """Which of the headline values are doubtful, in words."""
    parts = {
        "title": ("title",),
        "authors": describing.AUTHOR,
        "venue": describing.VENUE,
        "year": describing.DATE,
        "abstract": ("abstract",),
    }
    return tuple(
        part
        for part, names in parts.items()
        if is_uncertain([field for name in names for field in entity.all(name)])
        or any(name in entity.doubtful for name in names)
    )


def _topics(portal: ServedPortal, entity: Entity) -> tuple[TopicView, ...]:
    best: dict[tuple[str, ...], float] = {}
    for assignment in portal.view.topics.of_documents(entity.documents):
        best[assignment.path] = max(assignment.probability, best.get(assignment.path, 0.0))
    spoken = f" {' '.join(split_words(_spoken(entity)))} "
    keywords = portal.view.topics.keywords(best)
    likely = [(path, probability) for path, probability in best.items() if probability >= _LEAST_TOPIC]
    return tuple(
        TopicView(
            tuple(LinkedText(path[depth], make_topic_url(path[: depth + 1])) for depth in range(len(path))),
            round(100 * probability),
            tuple(each for each in keywords.get(path, ()) if f" {' '.join(split_words(each))} " in spoken),
        )
        for path, probability in likely
    )


def _spoken(entity: Entity) -> str:
    return f"{describing.get_title(entity)} {entity.value('abstract') or ''}"


def _place(entity: Entity, source: Source, *, copies: bool) -> PlaceView:
    number = entity.documents.index(source.document) + 1
    return PlaceView(
        name=source.show_place(),
        url=check_outside_url(source.name),
        # Records from another catalog have no file to read.
        copy_url=f"{make_paper_url(entity.id)}/file/{number}" if copies and source.kind != RECORD else "",
        format=get_format_name(source.media_type),
        size=_size(source.n_bytes),
    )


def _fields(entity: Entity, sources: Sequence[Source], shown: Mapping[int, str]) -> Iterator[PaperField]:
    borrowed = {name for name, record in entity.origins if record != entity.chosen}
    is_imported = any(source.kind == RECORD for source in sources)
    for number, field in enumerate(entity.fields):
        if field.listed_on:
            place = _place_of_listing(field)
        elif field.name in entity.doubtful:
            place = LinkedText(translate("a citation that may refer to another paper"), "#cited-by")
        elif field.name in borrowed:
            place = LinkedText(translate("how it is cited"), "#cited-by")
        elif is_imported:
            place = LinkedText(translate("the imported record"), "")
        else:
            # Values read by the extractor are never fully certain; those corrected by a person are.
            is_corrected = field.confidence == 1.0
            said = translate("a correction") if is_corrected else translate("the paper itself")
            place = LinkedText(said, shown.get(number, ""))
        yield _field(field, place, doubtful=field.name in entity.doubtful)


def _place_of_listing(field: Field) -> LinkedText:
    return LinkedText(translate(name_listing(field.listed_on)), check_outside_url(field.listed_on) or "")


def _list_answers(entity: Entity, answers: Sequence[CatalogAnswer]) -> Iterator[PaperField]:
    """Catalog values that the page does not show as its own, to be listed beside the values that were
    read.
    """
    shown = {_fold(field) for field in entity.fields}
    for answer in answers:
        for field in answer.fields:
            if _fold(field) not in shown:
                shown.add(_fold(field))
                sure = replace(field, confidence=field.confidence * answer.probability)
                yield _field(sure, _place_of_listing(field), doubtful=False)


def _fold(field: Field) -> tuple[str, str]:
    return field.name, " ".join(field.value.casefold().split())


def _field(field: Field, place: LinkedText, *, doubtful: bool) -> PaperField:
    return PaperField(
        name=name_field(field.name),
        value=describing.hide_mailbox(field),
        percent=round(100 * field.confidence),
        uncertain=doubtful or field.confidence < UNCERTAIN,
        place=place,
    )


def _size(n_bytes: int) -> str:
    if n_bytes >= 1_000_000:
        return f"{format_decimal(n_bytes / 1_000_000)} MB"
    return f"{max(1, round(n_bytes / 1000))} kB"


def _versions(entity: Entity, sources: Sequence[Source], *, copies: bool) -> tuple[Version, ...]:
    """The paper's publications, the oldest first; empty if there is only one. `copies` says whether our
    files are linked.
    """
    return tuple(_version(entity, edition, sources, copies) for edition in entity.editions)


def _version(entity: Entity, edition: Edition, sources: Sequence[Source], copies: bool) -> Version:
    held = [document for document in edition.documents if document in entity.documents]
    number = entity.documents.index(held[0]) + 1 if held else 0
    addresses = [check_outside_url(source.name) for source in sources if source.document in held]
    return Version(
        form=translate(_FORMS[edition.form]) if edition.form in _FORMS else edition.form,
        venue=edition.venue,
        year=str(edition.year or ""),
        n_citing=len(edition.records) - len(edition.documents),
        copy_url=f"{make_paper_url(entity.id)}/file/{number}" if copies and number else "",
        url=next((address for address in addresses if address), ""),
    )
