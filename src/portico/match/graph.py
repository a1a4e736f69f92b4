"""The citation graph: citation counts, authorities, hubs and PageRank."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from portico.learn.ranked_graph import rank_again, rank_graph, unpack_graph
from portico.types.record import Citation, Entity, EntityId
from portico.types.search import find_rank_step

Ranks = tuple[int, float, float, float]
"""Citations, authority, hub and PageRank."""

SIGNIFICANT = 2
"""Significant digits, and decimals, to which scores are rounded; the average paper has a score of 1. Further
digits change with every paper added anywhere, which would mark every entity as changed. Among papers with
equal scores, the one with more citations comes first."""


def rank_entities(entities: Sequence[Entity], citations: Iterable[Citation]) -> tuple[Entity, ...]:
    """The entities, ascending by id, with counts and scores filled in."""
    found = compute_ranks([entity.id for entity in entities], [(c.citing, c.cited) for c in citations])
    return tuple(add_ranks(entity, each) for entity, each in zip(entities, found, strict=True))


def compute_ranks(
    entities: Sequence[EntityId], citations: Sequence[tuple[EntityId, EntityId]]
) -> list[Ranks]:
    """The ranks of the entities (ascending by id), from pairs of citing and cited in any order.

    Citing another version of itself, or citing one work twice, does not count as a further citation.
    """
    return rank_graph(entities, citations, digits=SIGNIFICANT).ranks()


def _find_steps(ranks: Ranks) -> tuple[float, ...]:
    n_citations, authority, hub, _ = ranks
    return n_citations, find_rank_step(authority), find_rank_step(hub)


class CitationRanker:
    """Ranks all entities, or ranks again after some have changed; in between, the graph is kept as bytes."""

    def all(
        self, entities: Sequence[EntityId], citations: Iterable[tuple[EntityId, EntityId]]
    ) -> tuple[bytes, list[Ranks]]:
        """As `ranks`, with the graph to keep."""
        graph = rank_graph(entities, citations, digits=SIGNIFICANT)
        return graph.packed(), graph.ranks()

    def again(
        self,
        packed: bytes,
        gone: Collection[EntityId],
        come: Collection[EntityId],
        citations: Iterable[tuple[EntityId, EntityId]],
    ) -> tuple[bytes, dict[EntityId, Ranks], frozenset[EntityId]] | None:
        """The graph to keep, the entities whose ranks changed, and those whose index entries change with
        them.

        None if the bytes were not written by this class. A changed entity counts as removed and added;
        `citations` are all from and to added entities.
        """
        try:
            before = unpack_graph(packed)
        except ValueError:
            return None
        graph, changed = rank_again(before, gone, come, citations, digits=SIGNIFICANT)
        ranks = {EntityId(name): found for name, found in changed.items()}
        old = before.ranks_of(ranks)
        noticed = frozenset(
            name
            for name, found in ranks.items()
            if name not in old or _find_steps(old[name]) != _find_steps(found)
        )
        return graph.packed(), ranks, noticed


def add_ranks(entity: Entity, found: Ranks) -> Entity:
    n_citations, authority, hub, visits = found
    return replace(entity, n_citations=n_citations, authority=authority, hub=hub, pagerank=visits)


def rank_within(
    papers: Iterable[EntityId], citations: Iterable[tuple[EntityId, EntityId]]
) -> dict[EntityId, Ranks]:
    """Ranks of these papers by citations among themselves: the seminal papers and the surveys of a topic."""
    inside = sorted(set(papers))
    known = frozenset(inside)
    found = compute_ranks(inside, [pair for pair in citations if known.issuperset(pair)])
    return dict(zip(inside, found, strict=True))
