"""The routes of a portal of declared kinds: addresses in, pages out."""

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from portico.serve.directory import machines, pages
from portico.serve.directory.linked import schema_org
from portico.serve.directory.place import place
from portico.serve.directory.thing import thing
from portico.serve.links import with_parameters
from portico.serve.live import Remembered
from portico.serve.portal import Portal
from portico.serve.query_counting import QueryCounts
from portico.serve.rendering import Renderer
from portico.types.record import Entity, EntityId

# Counts of everything by every facet; a visitor does not mind numbers this old.
_FRONT_AGE_S = 5.0

GONE = "The portal knows nothing of this id. It may have been removed."


def routes(
    portal: Portal, renderer: Renderer, counts: QueryCounts | None, *, clock: Callable[[], float]
) -> list[Route]:
    """Pages for people, then for programs; every page knows how things are called here."""
    naming = portal.naming
    renderer.offer(directory=True, things=naming.many, thing=naming.one, kinds=pages.kind_links(portal))
    front = Remembered(lambda: pages.home(portal), max_age_s=_FRONT_AGE_S, clock=clock)
    site = _Directory(portal, renderer, counts, front)
    return [*site.routes(), *machines.routes(portal, renderer, site.entity)]


class _Directory:
    """The endpoints, which share one portal and one renderer. Each runs in a thread of its own."""

    def __init__(
        self,
        portal: Portal,
        renderer: Renderer,
        counts: QueryCounts | None,
        front: Remembered[pages.HomePage],
    ) -> None:
        self._portal, self._render, self._counts, self._front = portal, renderer, counts, front

    def routes(self) -> list[Route]:
        return [
            Route("/", self.home),
            Route("/search", self.search),
            Route("/topic/{path:path}", self.topic),
            Route(self._portal.naming.path + "{id}", self.thing),
            Route("/about", self.about),
        ]

    def home(self, request: Request) -> Response:
        return self._render.page("directory/home.html", page=self._front.get())

    def search(self, request: Request) -> Response:
        if self._render.is_static:
            return self._render.page("static_search.html")
        search, found = pages.ask(self._portal, request.query_params)
        if self._counts and search.page == 1:
            self._counts.note(search.query, found.total)
        page = pages.results(self._portal, search, found)
        status = 404 if search.page > page.paging.n_pages else 200
        return self._render.page("directory/results.html", status=status, page=page, query=search.query)

    def topic(self, request: Request) -> Response:
        """A topic with what is below it, and everything that stands there."""
        path = request.path_params["path"].strip("/")
        here = place(self._portal, path)
        if here is None:
            raise HTTPException(404, "The topic tree of this portal has no such topic.")
        if self._render.is_static:  # where the search runs in the browser, lists are made there, too
            return RedirectResponse(with_parameters("/search", {"topic": path}), status_code=303)
        page = pages.results(self._portal, *pages.ask(self._portal, request.query_params, topic=path))
        return self._render.page("directory/topic.html", page=page, place=here)

    def thing(self, request: Request) -> Response:
        entity = self.entity(request, self._portal.naming.url)
        if isinstance(entity, Response):
            return entity
        page = thing(self._portal, entity)
        host = str(request.base_url).rstrip("/")
        described = schema_org(self._portal, entity, host)
        return self._render.page("directory/thing.html", page=page, host=host, described=described)

    def about(self, request: Request) -> Response:
        page = self._front.get()
        n_sources = self._portal.overview.get().counts.n_sources
        fields = pages.searched_names(self._portal)
        return self._render.page("directory/about.html", page=page, n_sources=n_sources, fields=fields)

    def entity(self, request: Request, url: Callable[[EntityId], str]) -> Entity | Response:
        """The thing an address names; a redirect where it became another."""
        view, name = self._portal.view, EntityId(request.path_params["id"])
        found = view.entities.get(name)
        if found is not None:
            return found
        lower = EntityId(name.lower())  # ids are lower case; people and mailers shout
        became = view.entities.moved_to(name) or (
            lower if view.entities.get(lower) else view.entities.moved_to(lower)
        )
        if became is None:
            raise HTTPException(404, GONE)
        return RedirectResponse(url(became), status_code=301)
