"""The routes of a portal: addresses in, pages out; nothing here decides what a page says."""

import logging
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from portico.errors import PortalError
from portico.index.searcher import SORTS
from portico.serve import (
    api,
    author_page,
    citing,
    feeds,
    oai,
    page_picture,
    pages,
    paper,
    taking_part,
    topic_page,
)
from portico.serve.asking import DAMAGED, ask
from portico.serve.desk import Desk
from portico.serve.directory import site as directory
from portico.serve.directory.pages import DAMAGED as THINGS_DAMAGED
from portico.serve.headers import COPY_POLICY, PDF_POLICY, SAFE_HEADERS, SafeHeaders
from portico.serve.linked_data import schema_org
from portico.serve.links import paper_url
from portico.serve.paging import page_number
from portico.serve.portal import About, Portal, open_portal
from portico.serve.query_counting import QueryCounts
from portico.serve.rendering import STATIC, Renderer
from portico.store.opening import Store
from portico.types.record import Entity, EntityId

_log = logging.getLogger(__name__)

OUT_OF_ORDER = (
    "Something that this page is made from cannot be read. The log of the portal says what; its builder "
    "mends it with `portico verify --repair`."
)

# Below this many bytes compression costs more than it saves.
_COMPRESS_FROM = 1_000
# Of zlib: pages are made for each visitor anew, so a fast level is worth a few bytes more.
_COMPRESS_LEVEL = 4
# Papers in which no search that looks light takes long: of 45,000, the commonest words of all took 25 ms.
_SMALL_INDEX = 100_000
# The address of the style sheet names its content, so a browser never needs to ask again.
_FOREVER = "public, max-age=31536000, immutable"
_WHAT_HAPPENED = {
    303: ("Sign in first", "This page is for whoever builds the portal."),
    403: ("Not like this", "Nothing was changed."),
    404: ("Nothing here", "There is no page at this address."),
    405: ("Not like this", "This address can be read, but nothing can be sent to it."),
    429: ("Too fast", "Please come back later."),
    500: ("Something broke", "The portal could not make this page. The error is in its log."),
    503: ("Not ready yet", "The search index of this portal is still being built. Try again in a moment."),
}


def create_app(
    store: Store,
    *,
    index_folder: Path,
    about: About,
    desk: Desk | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Starlette:
    """The portal over an open store; `index_folder` holds one folder for each index generation.

    Without a desk it only shows: nobody can correct, submit or sign in. Of a domain that declares its
    kinds, these are shown as they declare it.
    """
    portal = open_portal(store, index_folder, about, clock=clock)
    renderer = Renderer(portal.about)
    desk = _shown_at_once(desk, portal) if desk else None
    counts = QueryCounts(desk.store.people.query_log, now=desk.now) if desk else None
    site = _Site(portal, renderer, counts)
    people = taking_part.routes(portal, desk, renderer, counts, clock=clock) if desk and counts else []
    shown = directory.routes(portal, renderer, counts, clock=clock) if about.kinds else site.routes(portal)
    app = Starlette(
        routes=[*shown, *people, *site.common_routes()],
        middleware=[
            Middleware(SafeHeaders),
            Middleware(GZipMiddleware, minimum_size=_COMPRESS_FROM, compresslevel=_COMPRESS_LEVEL),
        ],
        exception_handlers={
            HTTPException: site.refuse,
            PortalError: site.out_of_order,
            Exception: site.fail,
        },
        lifespan=site.readiness,
    )
    app.state.renderer = renderer
    app.router.redirect_slashes = False  # it would send visitors to whatever host their request named
    return app


def _shown_at_once(desk: Desk, portal: Portal) -> Desk:
    """The desk whose corrections the next search shows."""

    def reindex(names: Collection[EntityId]) -> bool:
        done = desk.reindex(names)
        portal.index.look_again()
        portal.overtaken.forget()
        return done

    return replace(desk, reindex=reindex)


class _Site:
    """The endpoints, which share one portal and one renderer. Those that may take long get a thread."""

    def __init__(self, portal: Portal, renderer: Renderer, counts: QueryCounts | None) -> None:
        self._portal, self._render, self._counts = portal, renderer, counts

    def routes(self, portal: Portal) -> list[Route]:
        """Everything that a portal of papers shows, to programs and to people."""
        return [
            Route("/search", self.search),  # routes are tried one by one, and this one is asked for most
            Route("/", self.home),
            *api.routes(portal, self._render),
            *feeds.routes(portal),
            *oai.routes(portal),
            *citing.routes(portal, self.entity),
            Route("/topics", self.topics),
            Route("/topic/{path:path}", self.topic),
            *author_page.routes(self._portal, self._render),
            *page_picture.routes(portal, self.entity),
            Route("/paper/{id}/file/{number:int}", self.file),
            Route("/paper/{id}", self.paper),
            Route("/about", self.about),
        ]

    def common_routes(self) -> list[Route]:
        """What every portal has."""
        return [
            Route("/healthz", self.health),
            Route("/favicon.ico", self.icon),
            Route("/static/{name}", self.static),
            Route("/{path:path}/", self.without_slash),
        ]

    @asynccontextmanager
    async def readiness(self, app: Starlette) -> AsyncIterator[None]:
        """Before the first visitor comes, what they would wait for is done."""
        self._render.get_ready()
        searcher = self._portal.index.current()
        if searcher is not None and searcher.n_entries <= _SMALL_INDEX:
            with suppress(PortalError):  # of a damaged index pages and /healthz tell
                searcher.get_ready()
        yield

    def home(self, request: Request) -> Response:
        return self._render.page("home.html", page=pages.home(self._portal))

    async def search(self, request: Request) -> Response:
        """Most searches take a few milliseconds and are answered where they arrive: a thread that is handed
        one, and hands back its page, adds a third to that. Those that may take long get a thread."""
        if self._render.is_static:
            return self._render.page("static_search.html")
        search = pages.read_search(request.query_params)
        searcher = self._portal.index.current()
        if search.is_light and searcher is not None and searcher.n_entries <= _SMALL_INDEX:
            return self._results(search)
        return await run_in_threadpool(self._results, search)

    def _results(self, search: pages.Search) -> Response:
        found = ask(self._portal, search)
        if self._counts and search.page == 1:
            self._counts.note(search.query, found.total)
        page = pages.results(self._portal, search, found)
        status = 404 if search.page > page.paging.n_pages else 200
        return self._render.page("results.html", status=status, page=page, query=search.query)

    def topics(self, request: Request) -> Response:
        tree = self._portal.overview.get().tree
        return self._render.page("topics.html", branches=pages.branches(tree), empty=pages.empty_topics(tree))

    def topic(self, request: Request) -> Response:
        path = tuple(request.path_params["path"].strip("/").split("/"))
        asked = request.query_params
        number = page_number(asked.get("page", ""))
        page = topic_page.topic(self._portal, path, order=asked.get("sort", ""), page=number)
        if page is None:
            raise HTTPException(404, "The topic tree of this portal has no such topic.")
        return self._render.page("topic.html", status=404 if number > page.paging.n_pages else 200, page=page)

    def paper(self, request: Request) -> Response:
        entity = self.entity(request)
        if isinstance(entity, Response):
            return entity
        citers_page = page_number(request.query_params.get("citers", ""))
        page = paper.paper(self._portal, entity, citers_page=citers_page)
        host = str(request.base_url).rstrip("/")
        return self._render.page("paper.html", page=page, host=host, described=schema_org(page, host))

    def file(self, request: Request) -> Response:
        number = int(request.path_params["number"])
        entity = self.entity(request, f"/file/{number}")
        if isinstance(entity, Response):
            return entity
        copy = paper.copy_of_file(self._portal, entity, number)
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

    def about(self, request: Request) -> Response:
        return self._render.page("about.html", overview=self._portal.overview.get(), sorts=SORTS)

    def health(self, request: Request) -> Response:
        """Whether searches are answered: asks one, since an index may open and be damaged all the same."""
        n_held, searcher, fault = 0, None, ""
        try:
            n_held = self._portal.overview.get().counts.n_held
            searcher = self._portal.index.current()
            if searcher is not None:
                searcher.search("the", limit=1)
            elif self._portal.index.is_damaged:
                fault = DAMAGED
        except PortalError as error:
            fault = str(error)
        status = "damaged" if fault else "ok" if searcher or not n_held else "building"
        said: dict[str, object] = {
            "status": status,
            "things" if self._portal.kinds else "papers": n_held,
            "searchable": searcher.n_entries if searcher and not fault else 0,
        }
        return JSONResponse(
            said | ({"fault": fault} if fault else {}), status_code=200 if status == "ok" else 503
        )

    async def icon(self, request: Request) -> Response:
        return Response(STATIC["portico.svg"].body, media_type=STATIC["portico.svg"].media_type)

    async def static(self, request: Request) -> Response:
        found = STATIC.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        return Response(found.body, media_type=found.media_type, headers={"Cache-Control": _FOREVER})

    def without_slash(self, request: Request) -> Response:
        """The same address without the slash behind it; never another host, whatever was asked."""
        path = "/" + quote(request.path_params["path"].strip("/"))
        asked = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(path + asked, status_code=301)

    def refuse(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        heading, words = _WHAT_HAPPENED.get(status, ("This did not work", "The address was not understood."))
        if isinstance(error, HTTPException) and error.detail not in ("", HTTPStatus(status).phrase):
            words = error.detail
        if words in (DAMAGED, THINGS_DAMAGED):
            heading = "Search is out of order"
        elif words == OUT_OF_ORDER:
            heading = "Out of order"
        headers = dict(getattr(error, "headers", None) or {})
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": words}, status_code=status, headers=headers)
        return self._render.message(status, heading, words, headers=headers)

    def out_of_order(self, request: Request, error: Exception) -> Response:
        """What a page is made from cannot be read, of which a traceback tells a builder no more."""
        _log.error("%s", error)
        return self.refuse(request, HTTPException(503, OUT_OF_ORDER))

    def fail(self, request: Request, error: Exception) -> Response:
        heading, words = _WHAT_HAPPENED[500]
        # Starlette answers errors outside of all middleware, so the headers are set here.
        return self._render.message(500, heading, words, headers=SAFE_HEADERS)

    def entity(self, request: Request, suffix: str = "") -> Entity | Response:
        """The entity an address names; a redirect where it was merged into another."""
        entity_id = EntityId(request.path_params["id"])
        entity = self._portal.view.entities.get(entity_id)
        if entity is not None:
            return entity
        became = self._portal.view.entities.moved_to(entity_id)
        if became is None and not entity_id.islower():  # ids are lower case; people and mailers shout
            lower = EntityId(entity_id.lower())
            became = (
                lower if self._portal.view.entities.get(lower) else self._portal.view.entities.moved_to(lower)
            )
        if became is None:
            raise HTTPException(404, "The portal knows no paper of this id. It may have been removed.")
        return RedirectResponse(paper_url(became) + suffix, status_code=301)
