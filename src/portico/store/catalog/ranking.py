"""Ranks of all entities, computed anew after every change of the graph and written where they differ."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from sqlalchemy import Connection, delete, func, select

from portico.store.bulk import read_rows
from portico.store.catalog.entities import RANKS, Ranks, write_ranks
from portico.store.database import chunks, upsert
from portico.store.match_tables import ranked_graph
from portico.store.schema import citation, entity
from portico.types.record import EntityId

Links = Sequence[tuple[EntityId, EntityId]]
"""Pairs of citing and cited, in any order and number."""


class GraphRanker(Protocol):
    """Who computes ranks; what it remembers of the graph from one time to the next are bytes."""

    def all(self, entities: Sequence[EntityId], citations: Links) -> tuple[bytes, Sequence[Ranks]]:
        """Of all entities, which ascend."""
        ...

    def again(
        self,
        packed: bytes,
        gone: Collection[EntityId],
        come: Collection[EntityId],
        citations: Links,
    ) -> tuple[bytes, Mapping[EntityId, Ranks]] | None:
        """Who ranks otherwise after some have gone and some have come, with all citations by and of these.

        None where the bytes cannot be read.
        """
        ...


def rank_all(connection: Connection, ranker: GraphRanker) -> None:
    """Ranks the whole graph as it stands in the tables."""
    before = sorted(read_rows(connection, select(entity.c.id, *RANKS)))
    links = read_rows(connection, select(citation.c.citing, citation.c.cited))
    packed, after = ranker.all([row[0] for row in before], links)
    changed = {row[0]: ranks for row, ranks in zip(before, after, strict=True) if row[1:] != ranks}
    write_ranks(connection, changed)
    _remember(connection, packed)


def rerank(connection: Connection, ranker: GraphRanker, touched: Collection[EntityId]) -> None:
    """Ranks all entities anew after these changed, with the same result as `rank_all`."""
    there: list[EntityId] = []
    links: list[tuple[EntityId, EntityId]] = []
    for chunk in chunks(touched):
        there += map(EntityId, connection.scalars(select(entity.c.id).where(entity.c.id.in_(chunk))))
        for end in (citation.c.citing, citation.c.cited):
            rows = connection.execute(select(citation.c.citing, citation.c.cited).where(end.in_(chunk)))
            links += [(EntityId(citing), EntityId(cited)) for citing, cited in rows]
    packed = connection.scalar(select(ranked_graph.c.value))
    found = ranker.again(packed, touched, there, links) if packed is not None else None
    if found is None:
        rank_all(connection, ranker)
    else:
        write_ranks(connection, found[1])
        _remember(connection, found[0])


def forget_ranking(connection: Connection) -> None:
    """The graph is being changed by hand: rank all of it next time."""
    connection.execute(delete(ranked_graph))


def is_ranked(connection: Connection) -> bool:
    """Whether nobody changed the graph by hand since it was last ranked."""
    return connection.scalar(select(func.count(ranked_graph.c.id))) == 1


def _remember(connection: Connection, packed: bytes) -> None:
    upsert(connection, ranked_graph, [{"id": 1, "value": packed}])
