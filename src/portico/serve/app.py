"""The routes of a portal, and the choice of its collection."""

import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from portico.config.settings import LANGUAGES
from portico.errors import PortalError, StoreAway
from portico.serve.api import make_api_routes, make_feed_routes
from portico.serve.builder.doubts import DoubtQueue, list_doubts
from portico.serve.builder.views import BuilderViews
from portico.serve.collection import ServedCollection
from portico.serve.contributions.corrections import CorrectionViews, make_correction_routes
from portico.serve.contributions.forms import Throttle
from portico.serve.contributions.signing_in import Guard, make_sign_in_routes
from portico.serve.contributions.submissions import make_submission_routes
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.declared.collection import ServedThings
from portico.serve.headers import SAFE_HEADERS, OtherSites, SafeHeaders
from portico.serve.language_choice import Languages
from portico.serve.languages import get_current_language, mark, translate
from portico.serve.oai import make_oai_routes
from portico.serve.observing import (
    AccessLog,
    Gauge,
    Observed,
    RequestCounts,
    describe_work,
    make_metrics_routes,
)
from portico.serve.pages import HomePage
from portico.serve.papers.collection import ServedPapers
from portico.serve.portal import About, Remembered, ServedPortal, open_portal
from portico.serve.public_address import BaseUrl, KnownHosts, PublicAddress
from portico.serve.rendering import Renderer, make_static_routes, make_theme_routes
from portico.serve.search import QueryCounts
from portico.store.opening import Store
from portico.types.declared_display import shown_kinds
from portico.types.domain import CollectionName, Domain
from portico.types.record import Entity, EntityId

_log = logging.getLogger(__name__)

OUT_OF_ORDER = mark(
    "Data that this page needs cannot be read. The portal's log has the details; its builder "
    "mends it with `portico verify --repair`."
)

DATABASE_AWAY = mark("The database of this portal does not answer. Nothing is lost; try again in a minute.")
_AWAY_S = 30  # seconds after which programs should retry

# Below this many bytes, compression costs more than it saves.
_COMPRESS_FROM = 1_000
# For zlib: pages are compressed for every request, so a fast level is worth a few more bytes.
_COMPRESS_LEVEL = 4
# Maximum age of the counts by facet; numbers this old are good enough for visitors.
_FRONT_AGE_S = 5.0
# Limit on one visitor's proposals: enough for somebody who goes through all their own papers.
_SENT, _SENT_WITHIN_S = 30, 3600.0
# Maximum age of the doubts, which take reading every paper of the portal.
_DOUBTS_AGE_S = 30.0
# Up to this many papers, light searches are fast: in 45,000, the most frequent words took 25 ms.
_SMALL_INDEX = 100_000
_WHAT_HAPPENED = {
    303: (mark("Sign in first"), mark("This page is only for the builder of this portal.")),
    403: (mark("Not like this"), mark("Nothing was changed.")),
    404: (mark("Nothing here"), mark("There is no page at this address.")),
    405: (mark("Not like this"), mark("This page accepts no data.")),
    429: (mark("Too fast"), mark("Please come back later.")),
    500: (
        mark("Something broke"),
        mark("An error occurred while making this page. The portal's log has the details."),
    ),
    503: (
        mark("Not ready yet"),
        mark("The search index of this portal is still being built. Try again in a moment."),
    ),
}
_SOMETHING_ELSE = mark("This did not work"), mark("The URL could not be understood.")


def create_app(
    store: Store,
    *,
    index_folder: Path,
    about: About,
    collection: ServedCollection | None = None,
    writable: WritablePortal | None = None,
    find_index: Callable[[], str | None] | None = None,
    access_log: AccessLog | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Starlette:
    """Build the ASGI application of a portal from an open store; `index_folder` holds one folder per index
    generation.

    `find_index` returns the generation to serve, if that is not simply the one the store names.

    The portal holds papers unless another collection is given. Without `writable` it is read-only: nobody can
    correct, submit or sign in.
    """
    held = collection or ServedPapers()
    portal = open_portal(store, index_folder, about, held.holding, clock=clock, find_index=find_index)
    renderer = Renderer(portal.about)
    renderer.offer(things=portal.naming.many, thing=portal.naming.one, **held.template_values(portal))
    counts = QueryCounts(writable.store.contributions.query_log, now=writable.now) if writable else None
    site = _Site(portal, held, renderer, counts, clock=clock)
    contributions: list[Route] = []
    if writable and counts:
        current = _show_at_once(replace(writable, naming=portal.naming), portal)
        contributions = _make_contribution_routes(site, current, counts, clock=clock)
    routes = [*site.make_routes(), *contributions, *site.make_common_routes()]
    answered = RequestCounts(route.path.split("/")[1] for route in routes)
    app = Starlette(
        routes=[*make_metrics_routes(answered, about.metrics, site.measure), *routes],
        middleware=[
            *_make_observers(about, answered, access_log),
            *([Middleware(KnownHosts, about.hosts)] if about.hosts else []),
            *([Middleware(PublicAddress, BaseUrl.parse(about.base_url))] if about.base_url else []),
            Middleware(Languages, about.languages, about.language),
            *([Middleware(OtherSites, about.cors)] if about.cors else []),
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
    app.state.renderer, app.state.collection, app.state.theme = renderer, held, about.theme
    app.router.redirect_slashes = False  # they would go to whatever host the request names
    return app


def _make_observers(about: About, counts: RequestCounts, log: AccessLog | None) -> list[Middleware]:
    """The outermost middleware, for metrics and the access log; empty if neither is wanted."""
    tell = [*([counts.add] if about.metrics else []), *([log.add] if log else [])]
    return [Middleware(Observed, tell)] if tell else []


_SERVED: Mapping[CollectionName, Callable[[Domain], ServedCollection]] = MappingProxyType(
    {
        CollectionName.PAPERS: lambda domain: ServedPapers(),
        CollectionName.DECLARED: lambda domain: ServedThings(shown_kinds(domain)),
    }
)


def choose_served(domain: Domain) -> ServedCollection:
    """The collection that supplies a portal's pages. It is chosen once, when the portal is opened, by
    what its domain says it holds.
    """
    return _SERVED[domain.collection](domain)


def _make_contribution_routes(
    site: "_Site", writable: WritablePortal, counts: QueryCounts, *, clock: Callable[[], float]
) -> list[Route]:
    """All routes through which people change a portal, behind one guard. From then on, pages show links
    to them.
    """
    portal, renderer, sheet = site.portal, site.renderer, site.collection.sheet
    renderer.offer(takes_part=True)
    guard = Guard(writable)
    throttle = Throttle(writable.store.contributions.rate_events, "sent", _SENT, _SENT_WITHIN_S, writable.now)
    found = Remembered(lambda: list_doubts(writable, sheet), max_age_s=_DOUBTS_AGE_S, clock=clock)
    views = CorrectionViews(portal, writable, guard, renderer, throttle, sheet)
    return [
        *make_submission_routes(writable, renderer, throttle),
        *make_correction_routes(views),
        *make_sign_in_routes(guard, renderer),
        *BuilderViews(writable, guard, renderer, counts, DoubtQueue(writable, sheet, found)).routes(),
    ]


def _show_at_once(writable: WritablePortal, portal: ServedPortal) -> WritablePortal:
    """The same portal, but with corrections visible from the next search on."""

    def reindex(names: Collection[EntityId]) -> bool:
        done = writable.reindex(names)
        portal.index.look_again()
        portal.overtaken.forget()
        return done

    return replace(writable, reindex=reindex)


class _Site:
    """The endpoints, which share one portal and one renderer. Slow ones run in a thread."""

    def __init__(
        self,
        portal: ServedPortal,
        collection: ServedCollection,
        renderer: Renderer,
        counts: QueryCounts | None,
        *,
        clock: Callable[[], float],
    ) -> None:
        self.portal, self.collection, self.renderer, self._counts = portal, collection, renderer, counts
        # One per language, since headings are in the language of the page.
        self._front = {
            code: Remembered(lambda: collection.make_home(portal), max_age_s=_FRONT_AGE_S, clock=clock)
            for code in LANGUAGES
        }
        self._work = Remembered(portal.view.count_work, max_age_s=_FRONT_AGE_S, clock=clock)

    def make_routes(self) -> list[Route]:
        """All routes that show the portal's contents, to programs and to people."""
        portal, collection = self.portal, self.collection
        return [
            Route("/search", self.search),  # routes are tried in order, and this one is used most
            Route("/", self.home),
            *make_api_routes(portal, collection, self.renderer),
            *make_feed_routes(portal, collection),
            *make_oai_routes(portal, collection),
            *collection.make_routes(portal, self.renderer, self.find),
            Route("/about", self.about),
        ]

    def make_common_routes(self) -> list[Route]:
        """The routes that do not depend on what the portal holds."""
        return [
            Route("/healthz", self.health),
            *make_static_routes(),
            *make_theme_routes(self.portal.about.theme, self.renderer),
            Route("/{path:path}/", self.without_slash),
        ]

    @asynccontextmanager
    async def readiness(self, app: Starlette) -> AsyncIterator[None]:
        """Load templates and a small index at startup, so that the first visitor does not have to wait
        for them.
        """
        self.renderer.get_ready(self.collection.templates)
        searcher = self.portal.index.current()
        if searcher is not None and searcher.n_entries <= _SMALL_INDEX:
            with suppress(PortalError):  # pages and /healthz report a damaged index
                searcher.get_ready()
        yield

    def home(self, request: Request) -> Response:
        return self.renderer.page(f"{self.collection.templates}home.html", page=self._get_front())

    def _get_front(self) -> HomePage:
        return self._front[get_current_language().code].get()

    async def search(self, request: Request) -> Response:
        """The results page.

        Most searches take a few milliseconds and run right here: handing them to a thread and back would take
        a third longer. Those that may be slow run in a thread.
        """
        if self.renderer.is_static:
            return self.renderer.page("static_search.html")
        asked, searcher = request.query_params, self.portal.index.current()
        is_small = searcher is not None and searcher.n_entries <= _SMALL_INDEX
        if is_small and self.collection.read_search(self.portal, asked).is_light:
            return self._results(asked)
        return await run_in_threadpool(self._results, asked)

    def _results(self, asked: Mapping[str, str]) -> Response:
        search, found = self.collection.ask(self.portal, asked)
        if self._counts and search.page == 1:
            self._counts.note(search.query, found.total)
        page = self.collection.make_results(self.portal, search, found)
        status = 404 if search.page > page.paging.n_pages else 200
        template = f"{self.collection.templates}results.html"
        return self.renderer.page(template, status=status, page=page, query=search.query)

    def about(self, request: Request) -> Response:
        values: dict[str, Any] = self.collection.about_values(self.portal, self._get_front())
        return self.renderer.page(f"{self.collection.templates}about.html", **values)

    def health(self, request: Request) -> Response:
        """Whether searches are answered, as JSON with status 200 or 503."""
        status, n_held, n_searchable, fault = self._examine()
        said: dict[str, object] = {
            "status": status,
            self.collection.counted_as: n_held,
            "searchable": n_searchable,
        }
        return JSONResponse(
            said | ({"fault": fault} if fault else {}), status_code=200 if status == "ok" else 503
        )

    def measure(self) -> list[Gauge]:
        """The same as metrics for Prometheus, plus the progress of crawls and builds."""
        status, n_held, n_searchable, _fault = self._examine()
        found = [
            Gauge("portico_healthy", "Whether searches are answered.", {"": status == "ok"}),
            Gauge("portico_held", "What the portal holds.", {"": n_held}),
            Gauge("portico_searchable", "What searches can find.", {"": n_searchable}),
        ]
        with suppress(StoreAway):  # portico_healthy reports it
            found += describe_work(self._work.get())
        return found

    def _examine(self) -> tuple[str, int, int, str]:
        """The portal's status, how many things it holds, how many of them searches can find, and what is
        wrong, if anything.

        This runs a query, because an index may open and be damaged all the same.
        """
        n_held, searcher, fault, is_away = 0, None, "", False
        try:
            n_held = self.portal.overview.get().counts.n_held
            searcher = self.portal.index.current()
            if searcher is not None:
                searcher.search("the", limit=1)
            elif self.portal.index.is_damaged:
                fault = self.portal.damaged
            fault = fault or self.portal.damage()
        except PortalError as error:
            fault, is_away = str(error), isinstance(error, StoreAway)
        status = "away" if is_away else "damaged" if fault else "ok" if searcher or not n_held else "building"
        return status, n_held, searcher.n_entries if searcher and not fault else 0, fault

    def without_slash(self, request: Request) -> Response:
        """Redirect to the same URL without the trailing slash, never to another host, whatever was
        requested.
        """
        path = "/" + quote(request.path_params["path"].strip("/"))
        asked = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(path + asked, status_code=301)

    def refuse(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        heading, words = _WHAT_HAPPENED.get(
            status, (mark("This did not work"), mark("The URL could not be understood."))
        )
        if isinstance(error, HTTPException) and error.detail not in ("", HTTPStatus(status).phrase):
            words = error.detail
        if words == self.portal.damaged:
            heading = mark("Search is not available")
        elif words in (OUT_OF_ORDER, DATABASE_AWAY):
            heading = mark("Out of order")
        headers = dict(getattr(error, "headers", None) or {})
        if status == 301:
            return Response(status_code=status, headers=headers)
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": words}, status_code=status, headers=headers)
        return self.renderer.message(status, translate(heading), translate(words), headers=headers)

    def out_of_order(self, request: Request, error: Exception) -> Response:
        """Respond with 503 if the data of a page cannot be read. The log gets the message only, since a
        traceback would tell a builder nothing more.
        """
        _log.error("%s", error)
        if isinstance(error, StoreAway):
            return self.refuse(request, HTTPException(503, DATABASE_AWAY, {"Retry-After": str(_AWAY_S)}))
        return self.refuse(request, HTTPException(503, OUT_OF_ORDER))

    def fail(self, request: Request, error: Exception) -> Response:
        heading, words = _WHAT_HAPPENED[500]
        # Starlette handles errors outside of all middleware, so the headers are set here.
        return self.renderer.message(500, translate(heading), translate(words), headers=SAFE_HEADERS)

    def find(self, request: Request, url: Callable[[EntityId], str]) -> Entity:
        """The entity that the URL names. Redirects with 301 if it was merged into another; responds with
        404 if there is none.
        """
        view, name = self.portal.view, EntityId(request.path_params["id"])
        found = view.entities.get(name)
        if found is not None:
            return found
        lower = EntityId(name.lower())  # ids are lowercase, but people and mail programs capitalize
        became = view.entities.moved_to(name) or (
            lower if view.entities.get(lower) else view.entities.moved_to(lower)
        )
        if became is None:
            raise HTTPException(404, self.collection.unknown)
        raise HTTPException(301, headers={"Location": url(became)})
