"""A portal for programs: searches and suggestions as JSON, with their description, whatever it holds."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from portico.errors import PortalError
from portico.index.searcher import DEEPEST
from portico.serve.collection import Json, ServedCollection
from portico.serve.escaping import visible
from portico.serve.portal import ServedPortal
from portico.serve.rendering import Renderer
from portico.serve.search import PAGE_SIZE, Search, get_searcher
from portico.types.search import Results


def make_api_routes(portal: ServedPortal, collection: ServedCollection, renderer: Renderer) -> list[Route]:
    def page(request: Request) -> Response:
        """The description for people."""
        return renderer.page("api.html", paths=collection.describe_api(portal)["paths"])

    def search(request: Request) -> Response:
        asked, found = collection.ask(portal, request.query_params)
        return JSONResponse(_answer(asked, found) | collection.list_for_programs(portal, found))

    def suggest(request: Request) -> Response:
        """Completions of what is being typed; none while there is no index, which is no error here."""
        try:
            offered = get_searcher(portal).suggest(request.query_params.get("q", ""))
        except PortalError as error:
            raise HTTPException(503, portal.damaged) from error
        return JSONResponse({"suggestions": offered}, headers={"Cache-Control": "max-age=60"})

    def description(request: Request) -> Response:
        return JSONResponse(collection.describe_api(portal))

    return [
        Route("/api", page),
        Route("/api/search", search),
        Route("/api/suggest", suggest),
        Route("/api/openapi.json", description),
    ]


def _answer(search: Search, found: Results) -> Json:
    """All of an answer but the things that were found."""
    seen = search.page * PAGE_SIZE
    return {
        "query": search.query,
        "total": found.total,
        "page": search.page,
        "next": search.page + 1 if seen < min(found.total, DEEPEST) else None,
        "notice": found.notice,
        "suggestion": found.suggestion,
        "facets": {
            name: [{"value": visible(value), "count": count} for value, count in counts]
            for name, counts in found.facets
        },
    }
