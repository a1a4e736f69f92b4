"""How the papers of a topic rank by citations among themselves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, select

from portico.store.changes import apply_changes
from portico.store.compared_tables import topic_rank
from portico.store.dialect import writing
from portico.store.reading import TIES, listed
from portico.store.schema import entity
from portico.types.record import Entity, EntityId

RANKED_WITHIN = {"seminal": topic_rank.c.authority, "survey": topic_rank.c.hub}
"""Orders in which the papers of a topic are listed by what they are to this topic, not to all."""


@dataclass(frozen=True, slots=True)
class TopicRank:
    """What one paper is to one topic; papers that are neither seminal nor surveys have none."""

    topic: str
    paper: EntityId
    authority: float
    hub: float


@dataclass(frozen=True, slots=True)
class TopicRanks:
    """Written whole; only rows that changed are touched."""

    engine: Engine

    def replace(self, ranks: Iterable[TopicRank]) -> int:
        """Make these the ranks; returns how many differ from before."""
        rows = [
            {"topic": each.topic, "entity": each.paper, "authority": each.authority, "hub": each.hub}
            for each in ranks
        ]
        with writing(self.engine) as connection:
            changes = apply_changes(connection, topic_rank, rows)
        return changes.n_written + changes.n_removed

    def leading(self, path: Sequence[str], order: str, *, limit: int) -> tuple[Entity, ...]:
        """The most seminal papers of the topic, or its best surveys; none where no citation tells."""
        score = RANKED_WITHIN[order]
        query = (
            select(entity.c.id)
            .join(topic_rank, topic_rank.c.entity == entity.c.id)
            .where(topic_rank.c.topic == "/".join(path), score > 0)
            .order_by(score.desc(), *TIES)
        )
        return listed(self.engine, query.limit(limit))
