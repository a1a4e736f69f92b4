"""The citation graph: who cites whom, how often, and who are its authorities, hubs and crossroads."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from portico.learn.hits import hubs_and_authorities, pagerank
from portico.types.record import Citation, Entity, EntityId

Ranks = tuple[int, float, float, float]
"""Citations, authority, hub and PageRank."""

SIGNIFICANT = 2
"""Decimals kept behind the first digit of a score: what lies beyond changes with every paper that is added
anywhere, and would mark every entity as changed."""


def rank(entities: Sequence[Entity], citations: Iterable[Citation]) -> tuple[Entity, ...]:
    """The entities, which ascend by id, with counts and scores filled in."""
    found = ranks([entity.id for entity in entities], ((c.citing, c.cited) for c in citations))
    return tuple(ranked(entity, found[entity.id]) for entity in entities)


def ranks(
    entities: Sequence[EntityId], citations: Iterable[tuple[EntityId, EntityId]]
) -> dict[EntityId, Ranks]:
    """Of all entities, ascending by id, from pairs of citing and cited, in any order and any number."""
    links = edges(citations)
    numbers = {name: idx for idx, name in enumerate(entities)}
    numbered = [(numbers[citing], numbers[cited]) for citing, cited in links]
    hubs, authorities = hubs_and_authorities(numbered, len(entities))
    visits = pagerank(numbered, len(entities))
    counts = [0] * len(entities)
    for _, cited in links:
        counts[numbers[cited]] += 1
    return {
        name: (counts[idx], significant(authorities[idx]), significant(hubs[idx]), significant(visits[idx]))
        for name, idx in numbers.items()
    }


def ranked(entity: Entity, found: Ranks) -> Entity:
    n_citations, authority, hub, visits = found
    return replace(entity, n_citations=n_citations, authority=authority, hub=hub, pagerank=visits)


def ranks_within(
    papers: Iterable[EntityId], citations: Iterable[tuple[EntityId, EntityId]]
) -> dict[EntityId, Ranks]:
    """Ranks of these papers by citations among themselves: who is seminal in a topic, who surveys it."""
    inside = sorted(set(papers))
    known = frozenset(inside)
    return ranks(inside, (pair for pair in citations if known.issuperset(pair)))


def significant(score: float) -> float:
    return float(f"{score:.{SIGNIFICANT}e}")


def edges(citations: Iterable[tuple[EntityId, EntityId]]) -> list[tuple[EntityId, EntityId]]:
    """Each pair of citing and cited entity once, ascending; nobody is cited by themselves.

    A paper that lists another version of itself, or one work twice, has not been cited the more.
    """
    return sorted({(citing, cited) for citing, cited in citations if citing != cited})
