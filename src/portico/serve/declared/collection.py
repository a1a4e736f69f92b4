"""A portal whose domain declares its kinds: what its pages, feeds and programs are told."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.serve.collection import FindEntity, Json
from portico.serve.declared import api, lists
from portico.serve.declared.describing import name_things
from portico.serve.declared.linked_data import schema_org
from portico.serve.declared.sheet import ThingSheet
from portico.serve.declared.static_index import write_thing_files
from portico.serve.declared.thing_page import make_thing_page
from portico.serve.links import with_parameters
from portico.serve.pages import HomePage, ResultsPage
from portico.serve.portal import Holding, ServedPortal
from portico.serve.rendering import Renderer
from portico.serve.search import Search, get_searcher
from portico.store.catalog.things import Things
from portico.types.domain import Kind
from portico.types.record import Entity
from portico.types.search import Results


@dataclass(frozen=True, slots=True)
class ServedThings:
    """Things of the kinds that a domain declares."""

    kinds: tuple[Kind, ...]
    templates: str = "directory/"
    counted_as: str = "things"
    counted_in_files: str = "entries"
    unknown: str = "The portal knows nothing of this id. It may have been removed."
    feed_sort: str = "newest"
    barred: Sequence[str] = ()
    static_pages: Sequence[str] = ()

    @property
    def holding(self) -> Holding:
        return Holding(name_things(self.kinds), lists.DAMAGED, self.kinds)

    @property
    def sheet(self) -> ThingSheet:
        return ThingSheet(self.kinds)

    def template_values(self, portal: ServedPortal) -> Mapping[str, object]:
        naming = portal.naming
        kinds = lists.kind_links(portal)
        return {"directory": True, "things": naming.many, "thing": naming.one, "kinds": kinds}

    def read_search(self, portal: ServedPortal, parameters: Mapping[str, str]) -> Search:
        return lists.read_search(parameters, list(get_searcher(portal).facet_fields))

    def ask(self, portal: ServedPortal, parameters: Mapping[str, str]) -> tuple[Search, Results]:
        return lists.ask(portal, parameters)

    def make_home(self, portal: ServedPortal) -> HomePage:
        return lists.make_home(portal)

    def make_results(self, portal: ServedPortal, search: Search, found: Results) -> ResultsPage:
        return lists.make_results_page(portal, search, found)

    def about_values(self, portal: ServedPortal, home: HomePage) -> dict[str, object]:
        n_sources = portal.overview.get().counts.n_sources
        return {"page": home, "n_sources": n_sources, "fields": lists.searched_names(portal)}

    def make_routes(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> list[Route]:
        pages = _ThingPages(portal, renderer, find)
        return [
            Route("/topic/{path:path}", pages.topic),
            Route(portal.naming.path + "{id}", pages.thing),
            *api.make_api_routes(portal, find),
        ]

    def list_for_programs(self, portal: ServedPortal, found: Results) -> Json:
        return api.describe_hits(portal, found)

    def describe_api(self, portal: ServedPortal) -> Json:
        return api.describe_things_api(portal)

    def write_feed(
        self, portal: ServedPortal, request: Request, query: str, entities: Sequence[Entity]
    ) -> Iterator[str]:
        return api.write_feed(portal, request, query, entities)

    def front_paths(self, portal: ServedPortal) -> Sequence[str]:
        return ("/", "/about")

    def write_static_index(self, entities: Sequence[Entity], things: Things, folder: Path) -> int:
        return write_thing_files(entities, self.kinds, things, folder)


class _ThingPages:
    """The endpoints of pages that only declared kinds have."""

    def __init__(self, portal: ServedPortal, renderer: Renderer, find: FindEntity) -> None:
        self._portal, self._render, self._find = portal, renderer, find

    def topic(self, request: Request) -> Response:
        """A topic with what is below it, and everything that stands there."""
        path = request.path_params["path"].strip("/")
        place = lists.find_topic(self._portal, path)
        if place is None:
            raise HTTPException(404, "The topic tree of this portal has no such topic.")
        if self._render.is_static:  # where the search runs in the browser, lists are made there, too
            return RedirectResponse(with_parameters("/search", {"topic": path}), status_code=303)
        asked = lists.ask(self._portal, {**request.query_params, "topic": path})
        page = lists.make_results_page(self._portal, *asked)
        return self._render.page("directory/topic.html", page=page, place=place)

    def thing(self, request: Request) -> Response:
        entity = self._find(request, self._portal.naming.url)
        if isinstance(entity, Response):
            return entity
        page = make_thing_page(self._portal, entity)
        host = str(request.base_url).rstrip("/")
        described = schema_org(self._portal, entity, host)
        return self._render.page("directory/thing.html", page=page, host=host, described=described)
