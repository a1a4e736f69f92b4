"""The API common to all portals: JSON, its OpenAPI description, feeds, sitemap."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from portico import __version__
from portico.errors import PortalError
from portico.index.searcher import DEEPEST
from portico.serve.collection import Json, ServedCollection
from portico.serve.escaping import escape_xml, format_moment, quote_attribute, strip_hidden
from portico.serve.feeds import answer_feed
from portico.serve.language_choice import list_choices
from portico.serve.portal import ServedPortal
from portico.serve.public_address import get_base_url
from portico.serve.rendering import Renderer
from portico.serve.search import PAGE_SIZE, Search, get_searcher
from portico.types.record import EntityId
from portico.types.search import Results


def make_api_routes(portal: ServedPortal, collection: ServedCollection, renderer: Renderer) -> list[Route]:
    def page(request: Request) -> Response:
        """The human-readable description of the API."""
        return renderer.page(
            f"{collection.templates}api.html", paths=collection.describe_api(portal)["paths"]
        )

    def search(request: Request) -> Response:
        asked, found = collection.ask(portal, request.query_params)
        return JSONResponse(_describe_answer(asked, found) | collection.list_for_programs(portal, found))

    def suggest(request: Request) -> Response:
        """Completions of what is being typed, and pages it may refer to. Both lists are empty while there
        is no index, which is not an error here.
        """
        typed = request.query_params.get("q", "")
        try:
            offered = get_searcher(portal).suggest(typed)
            pages = [each._asdict() for each in collection.suggest_pages(portal, typed)]
        except PortalError as error:
            raise HTTPException(503, portal.damaged) from error
        said = {"suggestions": offered, "pages": pages}
        return JSONResponse(said, headers={"Cache-Control": "max-age=60"})

    def description(request: Request) -> Response:
        servers = [{"url": get_base_url(request)}]  # without it, clients would use the root of the host
        return JSONResponse({**collection.describe_api(portal), "servers": servers})

    return [
        Route("/api", page),
        Route("/api/search", search),
        Route("/api/suggest", suggest),
        Route("/api/openapi.json", description),
    ]


def _describe_answer(search: Search, found: Results) -> Json:
    """Everything in a search response except the results themselves."""
    seen = search.page * PAGE_SIZE
    return {
        "query": search.query,
        "total": found.total,
        "page": search.page,
        "with_some": found.n_with_some,
        "next": search.page + 1 if seen < min(found.total + found.n_with_some, DEEPEST) else None,
        "notice": found.notice,
        "suggestion": found.suggestion,
        "corrected": bool(found.as_typed),
        "facets": {
            name: [{"value": strip_hidden(value), "count": count} for value, count in counts]
            for name, counts in found.facets
        },
    }


TEXT: Mapping[str, Any] = {"type": "string"}


def describe_paths(title: str, paths: Mapping[str, Json], schemas: Json | None = None) -> Json:
    """The OpenAPI document for these paths, with the schemas they refer to."""
    described = {
        "openapi": "3.1.0",
        "info": {"title": f"{title}: API", "version": __version__},
        "paths": dict(paths),
    }
    return described | ({"components": {"schemas": schemas}} if schemas else {})


def describe_parameter(name: str, words: str, schema: Mapping[str, Any]) -> Json:
    return {"name": name, "in": "query", "required": False, "description": words, "schema": dict(schema)}


def describe_id(words: str) -> Json:
    """The OpenAPI description of an id in a URL path."""
    return {"name": "id", "in": "path", "required": True, "description": words, "schema": dict(TEXT)}


def describe_get(summary: str, parameters: Sequence[Json], answer: Json, problem: Json) -> Json:
    """The OpenAPI description of one GET path: its summary, its parameters, and the schemas of its
    response and of its errors.
    """
    refused = {"content": {"application/json": {"schema": problem}}}
    answers: Json = {
        "200": {"description": "found", "content": {"application/json": {"schema": answer}}},
        "301": {"description": "redirect to its current id"},
        "404": {"description": "not found"} | refused,
        "503": {"description": "the search index is not ready, or damaged"} | refused,
    }
    return {"get": {"summary": summary, "parameters": [*parameters], "responses": answers}}


# The protocol allows 50,000 URLs per file; files of this size are read in one go.
SITEMAP_SIZE = 10_000
_BARRED = ("/search", "/map", "/feed", "/api/search", "/api/papers", "/download/")
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_OPEN_SEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_LONGEST_SHORT_NAME = 16  # characters that OpenSearch allows
_SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def make_feed_routes(portal: ServedPortal, collection: ServedCollection) -> list[Route]:
    def atom(request: Request) -> Response:
        return answer_feed(portal, collection, request)

    def sitemap(request: Request) -> Response:
        """All pages; if there are too many for one file, an index of files that each start after an id."""
        host, after = get_base_url(request), request.query_params.get("after")
        marks = portal.view.entities.held_marks(every=SITEMAP_SIZE)
        if after is None and len(marks) > 1:
            files = "".join(
                f"<sitemap><loc>{escape_xml(f'{host}/sitemap.xml?after={m}')}</loc></sitemap>" for m in marks
            )
            return _answer_xml(f'<sitemapindex xmlns="{_SITEMAPS}">{files}</sitemapindex>')
        ids = portal.view.entities.held_ids(EntityId(after or ""), limit=SITEMAP_SIZE)
        changed = portal.view.changes.changed_at(ids)
        pages: list[tuple[str, float | None]] = [
            (path, None) for path in (() if after else collection.front_paths(portal))
        ]
        pages += [(portal.naming.url(name), changed.get(name)) for name in ids]
        body = "".join(_write_sitemap_entry(host + path, at) for path, at in pages)
        return _answer_xml(f'<urlset xmlns="{_SITEMAPS}">{body}</urlset>')

    def robots(request: Request) -> Response:
        host = get_base_url(request)
        prefix = urlsplit(host).path
        languages = (
            "",
            *(f"/{code}" for code in list_choices(portal.about.language, portal.about.languages)),
        )
        barred = (f"Disallow: {prefix}{language}{path}" for language in languages for path in _BARRED)
        return PlainTextResponse("\n".join(["User-agent: *", *barred, f"Sitemap: {host}/sitemap.xml"]) + "\n")

    def search_description(request: Request) -> Response:
        """The OpenSearch 1.1 description, from which browsers learn how to search the portal."""
        host, about = get_base_url(request), portal.about
        searches = (
            ("text/html", "search"),
            ("application/atom+xml", "feed"),
            ("application/json", "api/search"),
        )
        addresses = "".join(
            f'<Url type="{kind}" template={quote_attribute(f"{host}/{path}?q={{searchTerms}}")}/>'
            for kind, path in searches
        )
        name = about.title[:_LONGEST_SHORT_NAME].strip()
        body = (
            f"<OpenSearchDescription xmlns={_OPEN_SEARCH!r}><ShortName>{escape_xml(name)}</ShortName>"
            f"<Description>{escape_xml(about.description or about.title)}</Description>"
            f"<InputEncoding>UTF-8</InputEncoding>{addresses}</OpenSearchDescription>"
        )
        return Response(_XML + body, media_type="application/opensearchdescription+xml")

    return [
        Route("/feed", atom),
        Route("/sitemap.xml", sitemap),
        Route("/robots.txt", robots),
        Route("/opensearch.xml", search_description),
    ]


def _write_sitemap_entry(address: str, changed_at: float | None) -> str:
    changed = f"<lastmod>{format_moment(changed_at)}</lastmod>" if changed_at else ""
    return f"<url><loc>{escape_xml(address)}</loc>{changed}</url>"


def _answer_xml(body: str) -> Response:
    return Response(_XML + body, media_type="application/xml")
