"""The API of declared kinds: JSON with its description, and feeds."""

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from portico.index.declared_fields import SORTS
from portico.serve.api import (
    TEXT,
    describe_get,
    describe_id,
    describe_parameter,
    describe_paths,
)
from portico.serve.collection import FindEntity, Json, pair_hits
from portico.serve.declared.describing import get_display, name_parameter
from portico.serve.declared.thing_page import MOST_PARTS
from portico.serve.escaping import strip_hidden
from portico.serve.portal import ServedPortal
from portico.types.declared_display import searched_fields
from portico.types.record import Entity
from portico.types.search import Results


def make_api_routes(portal: ServedPortal, find: FindEntity) -> list[Route]:
    api = _ThingsApi(portal, find)
    return [Route("/api/item/{id}", api.item), Route("/api/kinds", api.kinds)]


def describe_hits(portal: ServedPortal, found: Results) -> Json:
    """The things found by a search, as JSON."""
    return {
        "results": [
            _describe_thing(portal, entity) | {"score": hit.score} for entity, hit in pair_hits(portal, found)
        ]
    }


class _ThingsApi:
    def __init__(self, portal: ServedPortal, find: FindEntity) -> None:
        self._portal, self._find = portal, find

    def item(self, request: Request) -> Response:
        entity = self._find(request, lambda name: f"/api{self._portal.naming.url(name)}")
        things, view = self._portal.things, self._portal.view
        whole = things.wholes([entity.id]).get(entity.id)
        return JSONResponse(
            _describe_thing(self._portal, entity)
            | {
                "part_of": whole,
                "parts": things.parts(entity.id, limit=MOST_PARTS),
                "topics": [
                    {"path": "/".join(place.path), "probability": round(place.probability, 4)}
                    for place in view.topics.of_documents(entity.documents)
                ],
                "sources": [source.show_place() for source in view.sources(entity.documents)],
            }
        )

    def kinds(self, request: Request) -> Response:
        """The kinds this portal shows, and the fields each can be searched by."""
        return JSONResponse({"kinds": [*_describe_kinds(self._portal)]})


def _describe_thing(portal: ServedPortal, entity: Entity) -> Json:
    return {
        "id": entity.id,
        "url": portal.naming.url(entity.id),
        "kind": entity.kind,
        "title": strip_hidden(portal.naming.title(entity)),
        "fields": [
            {"name": field.name, "value": strip_hidden(field.value), "confidence": round(field.confidence, 4)}
            for field in entity.fields
        ],
    }


def _describe_kinds(portal: ServedPortal) -> Iterator[Json]:
    for kind in portal.kinds:
        display = get_display(kind)
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


def describe_things_api(portal: ServedPortal) -> Json:
    """The OpenAPI 3.1 description of the API."""
    named = describe_id(f"the id of the {portal.naming.one}")
    typed = describe_parameter("q", "what has been typed so far", TEXT)
    facets = [field.name for field in searched_fields(portal.kinds) if field.facet]
    kinds = {"type": "string", "enum": [kind.name for kind in portal.kinds]}
    searching = [
        describe_parameter("q", "words, phrases and fields, as in the search field", TEXT),
        describe_parameter("sort", "the order", {"type": "string", "enum": [*SORTS]}),
        describe_parameter("kind", "one kind alone", kinds),
        describe_parameter("topic", "a topic, its names joined with /", TEXT),
        *(
            describe_parameter(name_parameter(facet), f"a value of {facet}, as printed", TEXT)
            for facet in facets
        ),
        describe_parameter("page", "which twenty", {"type": "integer", "minimum": 1, "maximum": 500}),
    ]
    return describe_paths(
        portal.about.title,
        {
            "/api/search": _describe_get(
                "What fits a query, with facets", searching, "total", "results", "facets"
            ),
            "/api/item/{id}": _describe_get(
                f"One {portal.naming.one} with all that was read", [named], "id", "fields"
            ),
            "/api/kinds": _describe_get("The kinds of things here, and their fields", [], "kinds"),
            "/api/suggest": _describe_get("Completions of a query as it is typed", [typed], "suggestions"),
        },
    )


def _describe_get(summary: str, parameters: list[Json], *keys: str) -> Json:
    answer = {"type": "object", "required": [*keys]}
    return describe_get(summary, parameters, answer, {"type": "object", "required": ["error"]})
