"""A portal of declared kinds for programs: JSON with its description, feeds, the sitemap, robots.txt."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from portico import __version__
from portico.errors import PortalError
from portico.index.declared_fields import SORTS
from portico.serve.answering import answered
from portico.serve.asking import searcher_of
from portico.serve.directory import pages
from portico.serve.directory.showing import display_of, facts_of, kind_of, parameter_of
from portico.serve.directory.thing import MOST_PARTS
from portico.serve.escaping import visible
from portico.serve.feeds import SITEMAP_SIZE, moment, words
from portico.serve.portal import Portal
from portico.serve.rendering import Renderer
from portico.types.record import Entity, EntityId
from portico.types.showing import searched_fields

Json = dict[str, Any]
Find = Callable[[Request, Callable[[EntityId], str]], Entity | Response]

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def routes(portal: Portal, renderer: Renderer, find: Find) -> list[Route]:
    machines = _Machines(portal, renderer, find)
    return [
        Route("/api", machines.page),
        Route("/api/search", machines.search),
        Route("/api/item/{id}", machines.item),
        Route("/api/kinds", machines.kinds),
        Route("/api/suggest", machines.suggest),
        Route("/api/openapi.json", machines.description),
        Route("/feed", machines.atom),
        Route("/sitemap.xml", machines.sitemap),
        Route("/robots.txt", machines.robots),
    ]


class _Machines:
    def __init__(self, portal: Portal, renderer: Renderer, find: Find) -> None:
        self._portal, self._render, self._find = portal, renderer, find

    def page(self, request: Request) -> Response:
        """The description for people."""
        return self._render.page("api.html", paths=description(self._portal)["paths"])

    def search(self, request: Request) -> Response:
        search, found = pages.ask(self._portal, request.query_params)
        entities = self._portal.view.entities.many([hit.entity for hit in found.hits])
        results = [
            _item(self._portal, entities[hit.entity]) | {"score": hit.score}
            for hit in found.hits
            if hit.entity in entities
        ]
        return JSONResponse(answered(search, found, page_size=pages.PAGE_SIZE) | {"results": results})

    def item(self, request: Request) -> Response:
        entity = self._find(request, lambda name: f"/api{self._portal.naming.url(name)}")
        if isinstance(entity, Response):
            return entity
        things, view = self._portal.things, self._portal.view
        whole = things.wholes([entity.id]).get(entity.id)
        return JSONResponse(
            _item(self._portal, entity)
            | {
                "part_of": whole,
                "parts": things.parts(entity.id, limit=MOST_PARTS),
                "topics": [
                    {"path": "/".join(place.path), "probability": round(place.probability, 4)}
                    for place in view.topics.of_documents(entity.documents)
                ],
                "sources": [source.name for source in view.sources(entity.documents)],
            }
        )

    def kinds(self, request: Request) -> Response:
        """What this portal shows, and by which fields it can be searched."""
        return JSONResponse({"kinds": [*_kinds(self._portal)]})

    def suggest(self, request: Request) -> Response:
        """Completions of what is being typed; none while there is no index, which is no error here."""
        try:
            offered = searcher_of(self._portal).suggest(request.query_params.get("q", ""))
        except PortalError as error:
            raise HTTPException(503, pages.DAMAGED) from error
        return JSONResponse({"suggestions": offered}, headers={"Cache-Control": "max-age=60"})

    def description(self, request: Request) -> Response:
        return JSONResponse(description(self._portal))

    def atom(self, request: Request) -> Response:
        """What a search found, the latest first."""
        search, found = pages.ask(self._portal, request.query_params, sort="newest")
        entities = self._portal.view.entities.many([hit.entity for hit in found.hits])
        shown = [entities[hit.entity] for hit in found.hits if hit.entity in entities]
        lines = _atom(self._portal, request, search.query, shown)
        return Response(_XML + "\n".join(lines), media_type="application/atom+xml")

    def sitemap(self, request: Request) -> Response:
        """All pages; where there are many, an index of several files that each begin after an id."""
        host, after = str(request.base_url).rstrip("/"), request.query_params.get("after")
        marks = self._portal.view.entities.held_marks(every=SITEMAP_SIZE)
        if after is None and len(marks) > 1:
            files = "".join(
                f"<sitemap><loc>{words(f'{host}/sitemap.xml?after={m}')}</loc></sitemap>" for m in marks
            )
            return _xml(f'<sitemapindex xmlns="{_SITEMAPS}">{files}</sitemapindex>')
        ids = self._portal.view.entities.held_ids(EntityId(after or ""), limit=SITEMAP_SIZE)
        paths = [*(("/", "/about") if not after else ()), *map(self._portal.naming.url, ids)]
        body = "".join(f"<url><loc>{words(host + path)}</loc></url>" for path in paths)
        return _xml(f'<urlset xmlns="{_SITEMAPS}">{body}</urlset>')

    def robots(self, request: Request) -> Response:
        host = str(request.base_url).rstrip("/")
        barred = ("/search", "/feed", "/api/search")
        lines = ["User-agent: *", *(f"Disallow: {path}" for path in barred), f"Sitemap: {host}/sitemap.xml"]
        return PlainTextResponse("\n".join(lines) + "\n")


def _item(portal: Portal, entity: Entity) -> Json:
    return {
        "id": entity.id,
        "url": portal.naming.url(entity.id),
        "kind": entity.kind,
        "title": visible(portal.naming.title(entity)),
        "fields": [
            {"name": field.name, "value": visible(field.value), "confidence": round(field.confidence, 4)}
            for field in entity.fields
        ],
    }


def _kinds(portal: Portal) -> Iterator[Json]:
    for kind in portal.kinds:
        display = display_of(kind)
        yield {
            "name": kind.name,
            "singular": display.singular,
            "plural": display.plural,
            "part_of": kind.parent or None,
            "fields": [
                {
                    "name": each.field,
                    "label": each.label,
                    "form": str(each.form),
                    "searchable": each.searchable,
                }
                for each in display.fields
            ],
        }


def _atom(portal: Portal, request: Request, query: str, things: Sequence[Entity]) -> Iterator[str]:
    host, here = str(request.base_url).rstrip("/"), str(request.url)
    stamps = portal.view.found_at(things)
    yield '<feed xmlns="http://www.w3.org/2005/Atom">'
    title = f"{query or portal.naming.many} – {portal.about.title}"
    yield f"<id>{words(here)}</id><title>{words(title)}</title>"
    yield f'<link rel="self" href={quoteattr(str(visible(here)))}/><link href={quoteattr(host + "/")}/>'
    yield f"<updated>{moment(max(stamps.values(), default=0.0))}</updated>"
    yield f"<author><name>{words(portal.about.title)}</name></author>"
    for entity in things:
        address = host + portal.naming.url(entity.id)
        facts = "; ".join(facts_of(entity, kind_of(portal, entity)))
        yield (
            f"<entry><id>{words(address)}</id><title>{words(portal.naming.title(entity))}</title>"
            f"<link href={quoteattr(address)}/><updated>{moment(stamps.get(entity.id, 0.0))}</updated>"
            f"<summary>{words(facts)}</summary></entry>"
        )
    yield "</feed>"


def _xml(body: str) -> Response:
    return Response(_XML + body, media_type="application/xml")


_TEXT = {"type": "string"}


def description(portal: Portal) -> Json:
    """What the API takes and gives, as OpenAPI 3.1."""
    named = _parameter("id", f"the id of the {portal.naming.one}", _TEXT) | {"in": "path", "required": True}
    typed = _parameter("q", "what has been typed so far", _TEXT)
    facets = [field.name for field in searched_fields(portal.kinds) if field.facet]
    searching = [
        _parameter("q", "words, phrases and fields, as in the search box", _TEXT),
        _parameter("sort", "the order", {"type": "string", "enum": [*SORTS]}),
        _parameter(
            "kind", "one kind alone", {"type": "string", "enum": [kind.name for kind in portal.kinds]}
        ),
        _parameter("topic", "a topic, its names joined with /", _TEXT),
        *(_parameter(parameter_of(facet), f"a value of {facet}, as printed", _TEXT) for facet in facets),
        _parameter("page", "which twenty", {"type": "integer", "minimum": 1, "maximum": 500}),
    ]
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{portal.about.title}: API", "version": __version__},
        "paths": {
            "/api/search": _get("What fits a query, with facets", searching, "total", "results", "facets"),
            "/api/item/{id}": _get(
                f"One {portal.naming.one} with all that was read", [named], "id", "fields"
            ),
            "/api/kinds": _get("The kinds of things here, and their fields", [], "kinds"),
            "/api/suggest": _get("How a query that is being typed may go on", [typed], "suggestions"),
        },
    }


def _parameter(name: str, told: str, schema: Json) -> Json:
    return {"name": name, "in": "query", "required": False, "description": told, "schema": schema}


def _get(summary: str, parameters: list[Json], *keys: str) -> Json:
    problem = {"content": {"application/json": {"schema": {"type": "object", "required": ["error"]}}}}
    found = {"application/json": {"schema": {"type": "object", "required": [*keys]}}}
    answers: Json = {
        "200": {"description": "found", "content": found},
        "301": {"description": "it has another id now"},
        "404": {"description": "there is no such thing"} | problem,
        "503": {"description": "the search index is not ready, or damaged"} | problem,
    }
    return {"get": {"summary": summary, "parameters": parameters, "responses": answers}}
