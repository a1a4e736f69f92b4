"""A portal of papers: what its pages, feeds and programs are told."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from portico.index.searcher import SORTS
from portico.serve.collection import FindEntity, Json
from portico.serve.headers import COPY_POLICY, PDF_POLICY
from portico.serve.links import paper_url, topic_url
from portico.serve.naming import Naming
from portico.serve.pages import HomePage, ResultsPage, list_empty_topics, make_branches
from portico.serve.paging import page_number
from portico.serve.papers import api, author_page, citing, describing, lists, oai, page_picture
from portico.serve.papers.api_description import describe_papers_api
from portico.serve.papers.paper_page import copy_of_file, describe_article, make_paper_page
from portico.serve.papers.sheet import PaperSheet
from portico.serve.papers.static_index import write_paper_files
from portico.serve.papers.topic_page import make_topic_page
from portico.serve.portal import Holding, ServedPortal
from portico.serve.rendering import Renderer
from portico.serve.search import Search
from portico.serve.xml_text import moment, quoted, words
from portico.store.catalog.things import Things
from portico.types.record import Entity
from portico.types.search import Results

PAPERS = Naming("paper", "papers", "/paper/", describing.title)


class ServedPapers:
    """Papers with their authors, topics and citations."""

    holding = Holding(PAPERS, lists.DAMAGED)
    sheet = PaperSheet()
    templates = ""
    counted_as = counted_in_files = "papers"
    unknown = "The portal knows no paper of this id. It may have been removed."
    feed_sort = "date"
    barred = ("/paper/*/file/",)
    static_pages = ("/topics",)

    def template_values(self, portal: ServedPortal) -> Mapping[str, object]:
        return {"things": PAPERS.many, "thing": PAPERS.one}

    def read_search(self, portal: ServedPortal, parameters: Mapping[str, str]) -> Search:
        return lists.read_search(parameters)

    def ask(self, portal: ServedPortal, parameters: Mapping[str, str]) -> tuple[Search, Results]:
        search = lists.read_search(parameters)
        return search, lists.ask(portal, search)

    def make_home(self, portal: ServedPortal) -> HomePage:
        return lists.make_home(portal)

    def make_results(self, portal: ServedPortal, search: Search, found: Results) -> ResultsPage:
        return lists.make_results_page(portal, search, found)

    def about_values(self, portal: ServedPortal, home: HomePage) -> dict[str, object]:
        return {"overview": portal.overview.get(), "sorts": SORTS}

    def make_routes(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> list[Route]:
        pages = _PaperPages(portal, renderer, find)
        return [
            *api.make_api_routes(portal, find),
            *oai.make_oai_routes(portal),
            *citing.make_citing_routes(portal, find),
            Route("/topics", pages.topics),
            Route("/topic/{path:path}", pages.topic),
            *author_page.make_author_routes(portal, renderer),
            *page_picture.make_picture_routes(portal, find),
            Route("/paper/{id}/file/{number:int}", pages.file),
            Route("/paper/{id}", pages.paper),
        ]

    def list_for_programs(self, portal: ServedPortal, found: Results) -> Json:
        return api.describe_hits(portal, found)

    def describe_api(self, portal: ServedPortal) -> Json:
        return describe_papers_api(portal.about.title)

    def write_feed(
        self, portal: ServedPortal, request: Request, query: str, entities: Sequence[Entity]
    ) -> Iterator[str]:
        """Papers in the order of their years, each stamped with when the portal last learned of it."""
        host, here = str(request.base_url).rstrip("/"), str(request.url)
        stamps, title = portal.view.changed_at(entities), words(portal.about.title)
        yield '<feed xmlns="http://www.w3.org/2005/Atom">'
        yield f"<id>{words(here)}</id><title>{words(query or 'All papers')} – {title}</title>"
        yield f'<link rel="self" href={quoted(here)}/>'
        yield f'<link type="text/html" href={quoted(f"{host}/search?{request.url.query}")}/>'
        yield f"<updated>{moment(max(stamps.values(), default=0.0))}</updated>"
        for paper in entities:
            address = host + paper_url(paper.id)
            names = describing.authors(paper) or ("unknown",)
            people = "".join(f"<author><name>{words(name)}</name></author>" for name in names)
            yield (
                f"<entry><id>{words(address)}</id><title>{words(describing.title(paper))}</title>"
                f"<link href={quoted(address)}/><updated>{moment(stamps.get(paper.id, 0.0))}</updated>"
                f"{people}<summary>{words(paper.value('abstract') or '')}</summary></entry>"
            )
        yield "</feed>"

    def front_paths(self, portal: ServedPortal) -> Sequence[str]:
        tree = portal.overview.get().tree
        return ("/", "/topics", "/about", *(topic_url(node.path) for node in tree if node.n_papers))

    def write_static_index(self, entities: Sequence[Entity], things: Things, folder: Path) -> int:
        return write_paper_files(entities, folder)


class _PaperPages:
    """The endpoints of pages that only papers have."""

    def __init__(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> None:
        self._portal, self._render, self._find = portal, renderer, find

    def topics(self, request: Request) -> Response:
        tree = self._portal.overview.get().tree
        choice = self._portal.view.tree_choice()
        return self._render.page(
            "topics.html",
            branches=make_branches(tree),
            empty=list_empty_topics(tree),
            choice=choice.describe() if choice else "",
        )

    def topic(self, request: Request) -> Response:
        path = tuple(request.path_params["path"].strip("/").split("/"))
        asked = request.query_params
        number = page_number(asked.get("page", ""))
        page = make_topic_page(self._portal, path, order=asked.get("sort", ""), page=number)
        if page is None:
            raise HTTPException(404, "The topic tree of this portal has no such topic.")
        return self._render.page("topic.html", status=404 if number > page.paging.n_pages else 200, page=page)

    def paper(self, request: Request) -> Response:
        entity = self._find(request, paper_url)
        if isinstance(entity, Response):
            return entity
        citers_page = page_number(request.query_params.get("citers", ""))
        page = make_paper_page(self._portal, entity, citers_page=citers_page)
        host = str(request.base_url).rstrip("/")
        return self._render.page("paper.html", page=page, host=host, described=describe_article(page, host))

    def file(self, request: Request) -> Response:
        number = int(request.path_params["number"])
        entity = self._find(request, lambda name: f"{paper_url(name)}/file/{number}")
        if isinstance(entity, Response):
            return entity
        copy = copy_of_file(self._portal, entity, number)
        if copy is None:
            raise HTTPException(404, "The portal has no copy of this file.")
        disposition = "inline" if copy.in_place else "attachment"
        return Response(
            copy.body,
            media_type=copy.media_type,
            headers={
                "Content-Disposition": f'{disposition}; filename="{copy.filename}"',
                "Content-Security-Policy": PDF_POLICY if copy.in_place else COPY_POLICY,
            },
        )
