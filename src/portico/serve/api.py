"""The portal for programs: searches, papers, topics and suggestions as JSON, and their description."""

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from portico import __version__
from portico.errors import PortalError
from portico.index.searcher import SORTS
from portico.serve import describe, pages
from portico.serve.answering import answered
from portico.serve.asking import DAMAGED, ask, searcher_of
from portico.serve.links import author_url, paper_url
from portico.serve.portal import Portal
from portico.serve.rendering import Renderer
from portico.types.record import Entity, EntityId
from portico.types.search import Hit

Json = dict[str, Any]

_MOST_COAUTHORS = 1000


def routes(portal: Portal, renderer: Renderer) -> list[Route]:
    api = _Api(portal, renderer)
    return [
        Route("/api", api.page),
        Route("/api/search", api.search),
        Route("/api/paper/{id}", api.paper),
        Route("/api/author/{id}", api.author),
        Route("/api/topics", api.topics),
        Route("/api/suggest", api.suggest),
        Route("/api/openapi.json", api.description),
    ]


class _Api:
    def __init__(self, portal: Portal, renderer: Renderer) -> None:
        self._portal, self._render = portal, renderer

    def page(self, request: Request) -> Response:
        """The description for people."""
        return self._render.page("api.html", paths=description(self._portal.about.title)["paths"])

    def search(self, request: Request) -> Response:
        search = pages.read_search(request.query_params)
        found = ask(self._portal, search)
        entities = self._portal.view.entities([hit.entity for hit in found.hits])
        return JSONResponse(
            answered(search, found, page_size=pages.PAGE_SIZE)
            | {
                "after": pages.last_shown(found),
                "papers": [_hit(entities[hit.entity], hit) for hit in found.hits if hit.entity in entities],
            }
        )

    def paper(self, request: Request) -> Response:
        view, name = self._portal.view, EntityId(request.path_params["id"])
        entity = view.entity(name)
        if entity is None:
            became = view.moved_to(name)
            if became is None:
                raise HTTPException(404, "The portal knows no paper of this id. It may have been removed.")
            return RedirectResponse(f"/api{paper_url(became)}", status_code=301)
        return JSONResponse(
            _paper(entity)
            | {
                "people": [
                    {"name": each.printed, "id": each.author}
                    for each in view.authors.of_papers([name]).get(name, ())
                ],
                "versions": [
                    {"year": each.year, "venue": each.venue or None, "form": each.form or None}
                    for each in entity.editions
                ],
                "abstract": entity.value("abstract"),
                "fields": [
                    {
                        "name": field.name,
                        "value": describe.public_value(field),
                        "confidence": round(field.confidence, 4),
                    }
                    for field in entity.fields
                ],
                "topics": [
                    {"path": "/".join(place.path), "probability": round(place.probability, 4)}
                    for place in view.topics.of_documents(entity.documents)
                ],
                "sources": [source.name for source in view.sources(entity.documents)],
                "references": [link.entity.id for link in view.citations.references(name)],
                "cited_by": [link.entity.id for link in view.citations.citers(name, limit=1000)],
            }
        )

    def author(self, request: Request) -> Response:
        people, name = self._portal.view.authors, request.path_params["id"]
        card = people.card(name)
        if card is None:
            raise HTTPException(404, "The portal knows no author of this id.")
        if card.id != name:
            return RedirectResponse(f"/api{author_url(card.id)}", status_code=301)
        return JSONResponse(
            {
                "id": card.id,
                "url": author_url(card.id),
                "name": card.name,
                "printed": [{"name": printed, "count": count} for printed, count in card.variants],
                "papers": people.paper_ids(card.id),
                "years": [{"year": year, "papers": count} for year, count in people.years(card.id)],
                "coauthors": [
                    {"id": other.id, "name": other.name, "papers": other.n_papers}
                    for other in people.coauthors(card.id, limit=_MOST_COAUTHORS)
                ],
            }
        )

    def topics(self, request: Request) -> Response:
        tree = self._portal.overview.get().tree
        return JSONResponse(
            {"topics": [{"path": "/".join(node.path), "papers": node.n_papers} for node in tree]}
        )

    def suggest(self, request: Request) -> Response:
        """Completions of what is being typed; none while there is no index, which is no error here."""
        try:
            offered = searcher_of(self._portal).suggest(request.query_params.get("q", ""))
        except PortalError as error:
            raise HTTPException(503, DAMAGED) from error
        return JSONResponse({"suggestions": offered}, headers={"Cache-Control": "max-age=60"})

    def description(self, request: Request) -> Response:
        return JSONResponse(description(self._portal.about.title))


def _paper(entity: Entity) -> Json:
    return {
        "id": entity.id,
        "url": paper_url(entity.id),
        "title": describe.title(entity),
        "authors": describe.authors(entity),
        "year": int(year) if (year := describe.year(entity)) else None,
        "venue": describe.first_value(entity, describe.VENUE) or None,
        "held": bool(entity.documents),
        "citations": entity.n_citations,
        "authority": entity.authority,
        "hub": entity.hub,
    }


def _hit(entity: Entity, hit: Hit) -> Json:
    return _paper(entity) | {"score": hit.score, "snippet": hit.snippet, "marks": hit.marks}


_TEXT: Mapping[str, str] = {"type": "string"}
_SEARCH_PARAMETERS = (
    ("q", 'the query: words, "phrases", +must, -not, author:name, year:1995..1999, a OR b, begin*', _TEXT),
    ("sort", "the order", {"type": "string", "enum": [*SORTS]}),
    ("topic", "a path of the topic tree, its names joined with /", _TEXT),
    ("author", "a name as printed", _TEXT),
    ("venue", "a venue as printed", _TEXT),
    ("from", "the first year", {"type": "string", "pattern": "^[0-9]{1,4}$"}),
    ("to", "the last year", {"type": "string", "pattern": "^[0-9]{1,4}$"}),
    ("after", "with page: `after` of the page before, so that none is missed when papers come or go", _TEXT),
    ("page", "which twenty papers", {"type": "integer", "minimum": 1, "maximum": 500}),
)


def description(title: str) -> Json:
    """What the API takes and gives, as OpenAPI 3.1."""
    typed = _parameter("q", "what has been typed so far", _TEXT)
    searching = [_parameter(*each) for each in _SEARCH_PARAMETERS]
    return {
        "openapi": "3.1.0",
        "info": {"title": f"{title}: API", "version": __version__},
        "paths": {
            "/api/search": _get(
                "Papers that fit a query, with facets", searching, "total", "papers", "facets"
            ),
            "/api/paper/{id}": _get(
                "One paper with fields, topics and citations", [_named("paper")], "id", "title"
            ),
            "/api/author/{id}": _get(
                "One author with papers, years and co-authors", [_named("author")], "id", "name", "papers"
            ),
            "/api/topics": _get("The topic tree with the number of papers", [], "topics"),
            "/api/suggest": _get("How a query that is being typed may go on", [typed], "suggestions"),
        },
    }


def _named(what: str) -> Json:
    return {"name": "id", "in": "path", "required": True, "description": f"the {what}'s id", "schema": _TEXT}


def _parameter(name: str, words: str, schema: Mapping[str, Any]) -> Json:
    return {"name": name, "in": "query", "required": False, "description": words, "schema": dict(schema)}


def _get(summary: str, parameters: list[Json], *keys: str) -> Json:
    schema = {"type": "object", "required": [*keys]}
    problem = {"content": {"application/json": {"schema": {"type": "object", "required": ["error"]}}}}
    answers: Json = {
        "200": {"description": "found", "content": {"application/json": {"schema": schema}}},
        "301": {"description": "it has another id now"},
        "404": {"description": "there is no such thing"} | problem,
        "503": {"description": "the search index is not ready, or damaged"} | problem,
    }
    return {"get": {"summary": summary, "parameters": parameters, "responses": answers}}
