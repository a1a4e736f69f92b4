"""The citation graph: who cites whom, how often, and who are its authorities and hubs."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from portico.learn.hits import hubs_and_authorities
from portico.types.record import Citation, Entity, EntityId


def rank(entities: Sequence[Entity], citations: Iterable[Citation]) -> tuple[Entity, ...]:
    """The entities with citation counts, authority and hub filled in."""
    links = edges(citations)
    numbers = {entity.id: idx for idx, entity in enumerate(entities)}
    hubs, authorities = hubs_and_authorities(
        [(numbers[citing], numbers[cited]) for citing, cited in links], len(entities)
    )
    counts = [0] * len(entities)
    for _, cited in links:
        counts[numbers[cited]] += 1
    return tuple(
        replace(
            entity,
            n_citations=counts[idx],
            authority=round(authorities[idx], SCORE_DIGITS),
            hub=round(hubs[idx], SCORE_DIGITS),
        )
        for idx, entity in enumerate(entities)
    )


SCORE_DIGITS = 9
"""Decimals kept of a score: what lies beyond differs between processors and would mark every
entity as changed."""


def edges(citations: Iterable[Citation]) -> list[tuple[EntityId, EntityId]]:
    """Each pair of citing and cited entity once, ascending; nobody is cited by themselves.

    A paper that lists another version of itself, or one work twice, has not been cited the more.
    """
    return sorted({(c.citing, c.cited) for c in citations if c.citing != c.cited})
