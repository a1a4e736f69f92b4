"""The collection of a portal of papers, as its pages, feeds and API use it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.index.searcher import SORTS
from portico.serve.collection import FeedEntry, FindEntity, Json
from portico.serve.contributions.forms import MistakenForm, clean_line, clean_lines
from portico.serve.escaping import strip_hidden
from portico.serve.languages import ENGLISH, get_current_language, mark, translate
from portico.serve.links import check_outside_url, make_paper_url, make_topic_url
from portico.serve.page_parts import LinkedText, Naming, PortalWords
from portico.serve.pages import HomePage, list_empty_topics, make_branches, read_page_number
from portico.serve.papers import (
    api,
    author_page,
    bulk,
    citation_export,
    describing,
    exploring,
    files,
    home_and_results,
    listing_pages,
    reading,
    suggesting,
)
from portico.serve.papers.api import describe_papers_api
from portico.serve.papers.embedded_metadata import (
    describe_article,
    list_meta_tags,
    list_signposts,
    write_coins,
)
from portico.serve.papers.paper_page import PaperPage, make_paper_page
from portico.serve.papers.topic_page import make_topic_page
from portico.serve.portal import Holding, ServedPortal
from portico.serve.public_address import get_base_url
from portico.serve.rendering import Renderer
from portico.serve.search import Search
from portico.serve.static_site import weigh_words, write_static_files
from portico.store.catalog.doubts import READ
from portico.store.catalog.things import Things
from portico.store.portal_view import Source
from portico.text.citation_formats import FORMATS
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId
from portico.types.search import Results
from portico.types.topic import TreeChoice

LONGEST_FIELD: Mapping[str, int] = {
    "title": 1_000,
    "author": 20_000,
    "venue": 500,
    "year": 4,
    "abstract": 12_000,
}
"""Maximum characters of each corrected field; a paper of a large experiment has thousands of authors."""

_FIRST_YEAR, _LAST_YEAR = 1500, 2099


class PaperSheet:
    """The fields of a paper that can be corrected."""

    template = "wrong.html"
    prefix = ""
    doubted = READ
    shows_pages = True

    def labels(self, thing: Entity) -> Mapping[str, str]:
        return {}

    def values(self, thing: Entity) -> dict[str, str]:
        authors = "\n".join(clean_line(field.value, LONGEST_FIELD["author"]) for field in thing.all("author"))
        return {
            "title": clean_line(thing.value("title") or "", LONGEST_FIELD["title"]),
            "author": clean_lines(authors, LONGEST_FIELD["author"]),
            "venue": clean_line(
                describing.get_first_value(thing, describing.VENUE[:3]), LONGEST_FIELD["venue"]
            ),
            "year": clean_line(thing.value("year") or "", LONGEST_FIELD["year"]),
            "abstract": clean_line(thing.value("abstract") or "", LONGEST_FIELD["abstract"]),
        }

    def typed(self, name: str, text: str) -> str:
        value = (
            clean_lines(text, LONGEST_FIELD[name])
            if name == "author"
            else clean_line(text, LONGEST_FIELD[name])
        )
        if name == "title" and not value:
            raise MistakenForm("A paper needs a title; if this is no paper, say so below.")
        if name == "year" and value and not (value.isdecimal() and _FIRST_YEAR <= int(value) <= _LAST_YEAR):
            raise MistakenForm("A year has four digits, like 1999.")
        return value

    def documents_removed(self, thing: Entity) -> Sequence[DocumentId]:
        """All its documents: a document contains exactly one paper, so it is removed with it."""
        return thing.documents


PAPERS = Naming(mark("paper"), mark("papers"), "/paper/", describing.get_title)
_WORDING = PortalWords(
    document="paper",
    submit=mark("Submit a paper or a site"),
    is_document=mark("a paper: the PDF or PostScript file itself"),
    is_site=mark("a site: a page that leads to papers on the same host"),
    failed="Failed, or no paper",
    doubted_first=": doubtful values of papers that many cite",
    colophon=mark(
        "Collected and organized automatically with {portico} {version}. Values may be wrong; papers "
        "belong to their authors."
    ),
)


class ServedPapers:
    """The collection of papers with their authors, topics and citations."""

    holding = Holding(
        PAPERS,
        mark(
            "The search index of this portal is damaged. Its builder mends it with `portico verify --repair` "
            "and `portico build`; topics and papers can be read meanwhile."
        ),
    )
    sheet = PaperSheet()
    templates = ""
    counted_as = counted_in_files = "papers"
    unknown = mark("The portal knows no paper of this id. It may have been removed.")
    static_pages = ("/topics",)

    make_home = staticmethod(home_and_results.make_home)
    make_results = staticmethod(home_and_results.make_results_page)
    list_for_programs = staticmethod(api.describe_hits)
    suggest_pages = staticmethod(suggesting.suggest_pages)

    def template_values(self, portal: ServedPortal) -> Mapping[str, object]:
        return {
            "wording": _WORDING,
            "sections": (LinkedText(mark("Topics"), "/topics"),),
            "has_topic_tree": True,
            "keeps_lists": True,
            "has_parquet": bulk.can_write_parquet(),
        }

    def read_search(self, portal: ServedPortal, parameters: Mapping[str, str]) -> Search:
        return home_and_results.read_search(parameters)

    def ask(self, portal: ServedPortal, parameters: Mapping[str, str]) -> tuple[Search, Results]:
        search = home_and_results.read_search(parameters)
        return search, home_and_results.ask(portal, search)

    def about_values(self, portal: ServedPortal, home: HomePage) -> dict[str, object]:
        return {"overview": portal.overview.get(), "sorts": SORTS}

    def make_routes(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> list[Route]:
        pages = _PaperPages(portal, renderer, find)
        return [
            *api.make_api_routes(portal, find),
            *bulk.make_bulk_routes(portal),
            *citation_export.make_citing_routes(portal, find),
            *exploring.make_map_routes(portal, renderer),
            *listing_pages.make_listing_routes(portal, renderer),
            Route("/reading-list", pages.reading_list),
            Route("/topics", pages.topics),
            Route("/topic/{path:path}", pages.topic),
            *author_page.make_author_routes(portal, renderer),
            *files.make_file_routes(portal, find),
            *reading.make_reading_routes(portal, renderer, find),
            Route("/paper/{id}", pages.paper),
        ]

    def describe_api(self, portal: ServedPortal) -> Json:
        return describe_papers_api(portal.about.title)

    def list_latest(
        self, portal: ServedPortal, parameters: Mapping[str, str], *, most: int
    ) -> Sequence[EntityId]:
        search = home_and_results.read_search({**parameters, "sort": "date"})
        return [*home_and_results.ask_many(portal, search, most=most)]

    def make_feed_entry(self, portal: ServedPortal, entity: Entity) -> FeedEntry:
        names = describing.list_authors(entity)
        return FeedEntry(describing.get_title(entity), entity.value("abstract") or "", names)

    def list_dublin_core(
        self, portal: ServedPortal, entities: Sequence[Entity]
    ) -> Iterator[tuple[EntityId, list[tuple[str, str]]]]:
        topics = portal.view.topics.best([entity.id for entity in entities])
        sources = portal.view.sources_of(entities)
        for each in entities:
            yield each.id, [*self._list_elements(each, sources[each.id], topics.get(each.id, ()))]

    def _list_elements(
        self, entity: Entity, sources: Sequence[Source], topic: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        citable = citation_export.make_citable(entity, sources)
        known = citable.fields
        yield "title", describing.get_title(entity)
        yield from (("creator", name) for name in citable.authors)
        yield "description", entity.value("abstract") or ""
        yield "date", describing.get_date(entity) if "year" in known else ""
        yield "source", describing.get_first_value(entity, describing.VENUE)
        yield "publisher", known.get("publisher", "")
        yield "language", known.get("language", "")
        yield "subject", " / ".join(topic)
        yield "identifier", f"https://doi.org/{known['doi']}" if known.get("doi") else ""
        for source in sources:
            yield "identifier", check_outside_url(source.name) or ""
        yield "type", "Text"

    def front_paths(self, portal: ServedPortal) -> Sequence[str]:
        tree = portal.overview.get().tree
        return ("/", "/topics", "/about", *(make_topic_url(node.path) for node in tree if node.n_papers))

    def write_static_index(self, entities: Sequence[Entity], things: Things, folder: Path) -> int:
        return write_paper_files(entities, folder)


class _PaperPages:
    """The endpoints that only portals of papers have."""

    def __init__(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> None:
        self._portal, self._render, self._find = portal, renderer, find

    def topics(self, request: Request) -> Response:
        tree = self._portal.overview.get().tree
        choice = self._portal.view.tree_choice()
        return self._render.page(
            "topics.html",
            branches=make_branches(tree),
            empty=list_empty_topics(tree),
            choice=_describe_tree(choice) if choice else "",
        )

    def topic(self, request: Request) -> Response:
        path = tuple(request.path_params["path"].strip("/").split("/"))
        asked = request.query_params
        number = read_page_number(asked.get("page", ""))
        page = make_topic_page(self._portal, path, order=asked.get("sort", ""), page=number)
        return self._render.page("topic.html", status=404 if number > page.paging.n_pages else 200, page=page)

    def reading_list(self, request: Request) -> Response:
        """An empty reading list, which the browser fills: only the visitor's browser knows what is on it."""
        return self._render.page("reading_list.html")

    def paper(self, request: Request) -> Response:
        entity = self._find(request, make_paper_url)
        citers_page = read_page_number(request.query_params.get("citers", ""))
        page, base_url = make_paper_page(self._portal, entity, citers_page=citers_page), get_base_url(request)
        if wanted := _choose_media_type(request.headers.get("accept", "")):
            return _describe_for_programs(page, wanted, base_url)
        answer = self._render.page(
            "paper.html",
            page=page,
            base_url=base_url,
            meta_tags=list_meta_tags(page, base_url),
            coins=write_coins(page),
            described=describe_article(page, base_url),
        )
        answer.headers["Link"] = list_signposts(page, base_url)
        answer.headers["Vary"] = "Accept"
        return answer


_LINKED_DATA = "application/ld+json"
_BY_MEDIA_TYPE = {media_type.partition(";")[0]: ending for ending, (media_type, _) in FORMATS.items()}


def _choose_media_type(accept: str) -> str:
    """The media type in which a client wants a paper; "" for an HTML page, which browsers always accept."""
    asked = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    if "text/html" in asked:
        return ""
    return next((each for each in asked if each == _LINKED_DATA or each in _BY_MEDIA_TYPE), "")


def _describe_for_programs(page: PaperPage, media_type: str, base_url: str) -> Response:
    if media_type == _LINKED_DATA:
        body = json.dumps(describe_article(page, base_url), ensure_ascii=False)
    else:
        body = citation_export.cite([page.citable], _BY_MEDIA_TYPE[media_type])
    headers = {"Vary": "Accept", "Link": list_signposts(page, base_url)}
    return Response(body, media_type=f"{media_type}; charset=utf-8", headers=headers)


def _describe_tree(choice: TreeChoice) -> str:
    """Which topic tree the portal uses. The reason is shown in English only, as the build recorded it."""
    is_english = get_current_language().code == ENGLISH
    return choice.describe() if is_english else translate(choice.about)


# A word in the title or a name says more about a paper than one in its abstract.
_WORD_WEIGHTS = (("title", 3.0), ("authors", 3.0), ("venue", 1.0), ("abstract", 1.0))


def write_paper_files(papers: Iterable[Entity], folder: Path) -> int:
    """Write papers, with their search terms, to `folder`. Returns how many papers there are."""
    return write_static_files(((_weigh_paper_words(paper), _list_shown(paper)) for paper in papers), folder)


def _weigh_paper_words(paper: Entity) -> dict[str, float]:
    """Logarithmic term frequencies, weighted by the field in which the words occur."""
    texts = {
        "title": describing.get_title(paper),
        "authors": " ".join(describing.list_authors(paper)),
        "venue": describing.get_first_value(paper, describing.VENUE),
        "abstract": paper.value("abstract") or "",
    }
    year = describing.get_year(paper)
    return weigh_words((texts[part], weight) for part, weight in _WORD_WEIGHTS) | (
        {f"year{year}": 1.0} if year else {}  # a word that nobody types, for filtering by years
    )


def _list_shown(paper: Entity) -> list[object]:
    card = describing.make_card(paper)
    names = [author.text for author in card.authors]
    lead = "".join(piece.text for piece in card.snippet)
    texts = [strip_hidden(text) for text in (card.title, card.venue, card.year, lead)]
    return [paper.id, *texts, [strip_hidden(name) for name in names], card.n_more_authors, card.n_citations]
