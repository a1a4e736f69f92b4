"""The portal for programs: searches, papers, topics and suggestions as JSON."""

from collections.abc import Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from portico.errors import PortalError
from portico.serve import describe, pages
from portico.serve.answering import answered
from portico.serve.api_description import description
from portico.serve.asking import DAMAGED, ask, searcher_of
from portico.serve.links import author_url, paper_url
from portico.serve.portal import Portal
from portico.serve.rendering import Renderer
from portico.types.record import Entity, EntityId
from portico.types.search import Hit
from portico.types.topic import Assignment

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
        entities = self._portal.view.entities.many([hit.entity for hit in found.hits])
        return JSONResponse(
            answered(search, found, page_size=pages.PAGE_SIZE)
            | {
                "after": pages.last_shown(found),
                "papers": [_hit(entities[hit.entity], hit) for hit in found.hits if hit.entity in entities],
            }
        )

    def paper(self, request: Request) -> Response:
        view, name = self._portal.view, EntityId(request.path_params["id"])
        entity = view.entities.get(name)
        if entity is None:
            became = view.entities.moved_to(name)
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
                "topics": _topics(view.topics.of_documents(entity.documents)),
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


def _topics(places: Sequence[Assignment]) -> list[Json]:
    """Each topic once, as probable as its most probable document: a PDF and a PostScript file are two."""
    best: dict[str, float] = {}
    for place in places:
        best.setdefault("/".join(place.path), place.probability)  # the most probable first
    return [{"path": path, "probability": round(chance, 4)} for path, chance in best.items()]


def _hit(entity: Entity, hit: Hit) -> Json:
    return _paper(entity) | {"score": hit.score, "snippet": hit.snippet, "marks": hit.marks}
