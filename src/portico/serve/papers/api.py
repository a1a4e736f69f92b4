"""Papers, authors and topics as JSON."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from portico.serve.collection import FindEntity, Json, pair_hits
from portico.serve.links import author_url, paper_url
from portico.serve.papers import describing
from portico.serve.portal import ServedPortal
from portico.serve.search import last_shown
from portico.types.record import Entity
from portico.types.search import Results
from portico.types.topic import Assignment

_MOST_COAUTHORS = 1000


def make_api_routes(portal: ServedPortal, find: FindEntity) -> list[Route]:
    api = _PapersApi(portal, find)
    return [
        Route("/api/paper/{id}", api.paper),
        Route("/api/author/{id}", api.author),
        Route("/api/topics", api.topics),
    ]


def describe_hits(portal: ServedPortal, found: Results) -> Json:
    """The papers of a search, and what the next page is asked to go on behind."""
    papers = [
        _describe_paper(entity) | {"score": hit.score, "snippet": hit.snippet, "marks": hit.marks}
        for entity, hit in pair_hits(portal, found)
    ]
    return {"after": last_shown(found), "papers": papers}


class _PapersApi:
    def __init__(self, portal: ServedPortal, find: FindEntity) -> None:
        self._portal, self._find = portal, find

    def paper(self, request: Request) -> Response:
        entity = self._find(request, lambda name: f"/api{paper_url(name)}")
        if isinstance(entity, Response):
            return entity
        view, name = self._portal.view, entity.id
        return JSONResponse(
            _describe_paper(entity)
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
                        "value": describing.public_value(field),
                        "confidence": round(field.confidence, 4),
                    }
                    for field in entity.fields
                ],
                "topics": _list_topics(view.topics.of_documents(entity.documents)),
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


def _describe_paper(entity: Entity) -> Json:
    return {
        "id": entity.id,
        "url": paper_url(entity.id),
        "title": describing.title(entity),
        "authors": describing.authors(entity),
        "year": int(year) if (year := describing.year(entity)) else None,
        "venue": describing.first_value(entity, describing.VENUE) or None,
        "held": bool(entity.documents),
        "citations": entity.n_citations,
        "authority": entity.authority,
        "hub": entity.hub,
    }


def _list_topics(places: Sequence[Assignment]) -> list[Json]:
    """Each topic once, as probable as its most probable document: a PDF and a PostScript file are two."""
    best: dict[str, float] = {}
    for place in places:
        best.setdefault("/".join(place.path), place.probability)  # the most probable first
    return [{"path": path, "probability": round(chance, 4)} for path, chance in best.items()]
