"""The map of the field, and the map around a paper, which grows as visitors click."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from portico.index.searcher import EVERYWHERE
from portico.serve.collection import Json
from portico.serve.page_parts import PaperCard
from portico.serve.papers.citation_map import MOST_NODES, say_who
from portico.serve.papers.home_and_results import make_cards, make_hit_cards
from portico.serve.portal import ServedPortal
from portico.serve.rendering import Renderer
from portico.serve.search import get_searcher, report_damage
from portico.types.record import EntityId

# How many papers the map of the field shows of each kind, as fits on a screen.
_MOST_SEMINAL, _MOST_SURVEYS = 24, 8


@dataclass(frozen=True, slots=True)
class MapNode:
    """A paper on the map."""

    id: EntityId
    card: PaperCard
    who: str  # first author and year
    kind: str  # "seminal" or "survey" on the map of the field; "" around a paper


@dataclass(frozen=True, slots=True)
class ExploringPage:
    """The papers that a map starts with, as a list; the browser draws them."""

    title: str
    data: str  # URL of the same data with citations, for the browser
    nodes: tuple[MapNode, ...]
    main_path: tuple[MapNode, ...]  # from old to new


def make_map_routes(portal: ServedPortal, renderer: Renderer) -> list[Route]:
    def page(request: Request) -> Response:
        name = request.query_params.get("paper", "")
        if not name:
            field = _read_field(portal)
            return renderer.page("map.html", page=ExploringPage("", "/map.json", *field[:1], field[2]))
        nodes, _ = _read_around(portal, name)
        data = f"/map.json?paper={nodes[0].id}"
        return renderer.page("map.html", page=ExploringPage(nodes[0].card.title, data, nodes, ()))

    def data(request: Request) -> Response:
        name = request.query_params.get("paper", "")
        if name:
            nodes, edges = _read_around(portal, name)
            return JSONResponse(_describe(nodes, edges, ()))
        return JSONResponse(_describe(*_read_field(portal)))

    return [Route("/map", page), Route("/map.json", data)]


Edge = tuple[EntityId, EntityId]
"""A citing paper and a paper it cites."""


def _describe(nodes: Iterable[MapNode], edges: Iterable[Edge], main_path: Iterable[MapNode]) -> Json:
    return {
        "nodes": [
            {
                "id": node.id,
                "url": node.card.url,
                "title": node.card.title,
                "who": node.who,
                "year": int(node.card.year) if node.card.year else None,
                "citations": node.card.n_citations,
                "held": node.card.held,
                "topic": node.card.topic.text if node.card.topic else "",
                "kind": node.kind,
            }
            for node in nodes
        ],
        "edges": list(edges),
        "main_path": [node.id for node in main_path],
    }


def _make_node(name: EntityId, card: PaperCard, kind: str = "") -> MapNode:
    return MapNode(name, card, say_who(card), kind)


def _read_around(portal: ServedPortal, name: str) -> tuple[tuple[MapNode, ...], tuple[Edge, ...]]:
    """A paper with its most cited references and its most cited citing papers."""
    entity = portal.view.entities.current(name)
    if entity is None:
        raise HTTPException(404, "The portal knows no paper of this id. It may have been removed.")
    links = portal.view.citations.references(entity.id)
    cited = sorted((link.entity for link in links), key=lambda each: -each.n_citations)[:MOST_NODES]
    citing = [link.entity for link in portal.view.citations.citers(entity.id, limit=MOST_NODES)]
    entities = {each.id: each for each in (entity, *cited, *citing)}
    cards = make_cards(portal, [*entities.values()])
    nodes = tuple(_make_node(each, card) for each, card in zip(entities, cards, strict=True))
    return nodes, tuple(_list_edges(portal, entities))


def _list_edges(portal: ServedPortal, ids: Collection[EntityId]) -> list[Edge]:
    """The citations among these papers, as pairs of citing and cited paper."""
    cited = portal.view.citations.cited(ids)
    return [(one, other) for one in ids for other in sorted(cited.get(one, ())) if other in ids]


def _read_field(portal: ServedPortal) -> tuple[tuple[MapNode, ...], tuple[Edge, ...], tuple[MapNode, ...]]:
    """Seminal papers and surveys with their citations, and the main path through them."""
    searcher = get_searcher(portal)
    nodes: dict[EntityId, MapNode] = {}
    for kind, sort, most in (("seminal", "seminal", _MOST_SEMINAL), ("survey", "survey", _MOST_SURVEYS)):
        with report_damage(portal):
            found = searcher.search("", sort=sort, within=EVERYWHERE, limit=most)
        named = dict(zip((hit.entity for hit in found.hits), make_hit_cards(portal, found), strict=False))
        for name, card in named.items():
            if card.year:
                nodes.setdefault(name, _make_node(name, card, kind))
    edges = tuple(_list_edges(portal, nodes))
    path = tuple(
        nodes[name] for name in find_main_path(edges, {name: nodes[name].card.year for name in nodes})
    )
    return tuple(nodes.values()), edges, path


def find_main_path(edges: Sequence[Edge], years: Mapping[EntityId, str]) -> tuple[EntityId, ...]:
    """The chain of citations, from old to new, that most citation chains pass through (search path count).

    Citations of papers that are not older, which are mistakes or reprints, are left out.
    """
    forward: dict[EntityId, list[EntityId]] = {}
    backward: dict[EntityId, list[EntityId]] = {}
    for citing, cited in edges:
        if years[cited] < years[citing]:
            forward.setdefault(cited, []).append(citing)
            backward.setdefault(citing, []).append(cited)
    order = sorted(years, key=lambda name: (years[name], name))
    into, out = _count_chains(order, backward), _count_chains(order[::-1], forward)
    best: dict[EntityId, tuple[int, tuple[EntityId, ...]]] = {}
    for name in order[::-1]:
        onward = [
            (into[name] * out[later] + best[later][0], best[later][1]) for later in forward.get(name, ())
        ]
        weight, chain = max(onward, default=(0, ()))
        best[name] = (weight, (name, *chain))
    chosen = max(best.values(), default=(0, ()))[1]
    return chosen if len(chosen) > 1 else ()


def _count_chains(
    order: Sequence[EntityId], before: Mapping[EntityId, Sequence[EntityId]]
) -> dict[EntityId, int]:
    """How many chains reach each paper. A paper with no predecessor starts one chain."""
    counted: dict[EntityId, int] = {}
    for name in order:
        counted[name] = sum(counted[each] for each in before.get(name, ())) or 1
    return counted
