"""What the portal asks about topics: the tree with counts, the papers of a node, the topics of a paper."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, and_, func, or_, select

from portico.store.compared_tables import topic_rank
from portico.store.reading import ORDERS, TIES, listed
from portico.store.schema import assignment, entity, entity_document, topic
from portico.store.topic_ranks import RANKED_WITHIN
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId
from portico.types.topic import Assignment


@dataclass(frozen=True, slots=True)
class TopicCount:
    """One node of the tree, with the papers at it and below it."""

    path: tuple[str, ...]
    n_papers: int


@dataclass(frozen=True, slots=True)
class TopicReader:
    """Read-only questions about the topic tree."""

    engine: Engine

    def tree(self) -> tuple[TopicCount, ...]:
        """The whole tree in the builder's order, parents before children; counts include descendants."""
        with self.engine.connect() as connection:
            paths = connection.scalars(select(topic.c.path).order_by(topic.c.position, topic.c.path)).all()
            best = _best_topics().subquery()
            query = select(best.c.topic, func.count()).where(best.c.place == 1).group_by(best.c.topic)
            at_node = {str(path): int(count) for path, count in connection.execute(query)}
        n_papers: Counter[tuple[str, ...]] = Counter()
        for path, count in at_node.items():
            for ancestor in _ancestors(_parts(path)):
                n_papers[ancestor] += count
        tree = dict.fromkeys(ancestor for path in paths for ancestor in _ancestors(_parts(path)))
        return tuple(TopicCount(path, n_papers[path]) for path in tree)

    def keywords(self, paths: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], tuple[str, ...]]:
        """The builder's words for these nodes."""
        wanted = ["/".join(path) for path in paths]
        query = select(topic.c.path, topic.c.keywords).where(topic.c.path.in_(wanted))
        with self.engine.connect() as connection:
            return {_parts(path): tuple(words.splitlines()) for path, words in connection.execute(query)}

    def papers(
        self, path: Sequence[str], *, order: str = "citations", limit: int = 20, offset: int = 0
    ) -> tuple[Entity, ...]:
        """Held papers whose best topic is this node or one below it.

        Seminal and surveying papers are those that are so in this topic.
        """
        query = self._in_topic(path, entity.c.id)
        if order in RANKED_WITHIN:
            here = and_(topic_rank.c.entity == entity.c.id, topic_rank.c.topic == "/".join(path))
            query = query.outerjoin(topic_rank, here).order_by(RANKED_WITHIN[order].desc().nulls_last())
        else:
            query = query.order_by(ORDERS[order])
        query = query.order_by(*TIES)
        return listed(self.engine, query.limit(limit).offset(offset))

    def years(self, path: Sequence[str]) -> tuple[tuple[int, int], ...]:
        """How many papers of the topic each year has, years ascending."""
        query = self._in_topic(path, entity.c.year, func.count()).where(entity.c.year.is_not(None))
        with self.engine.connect() as connection:
            rows = connection.execute(query.group_by(entity.c.year).order_by(entity.c.year))
            return tuple((year, count) for year, count in rows)

    def of_documents(self, documents: Sequence[DocumentId]) -> tuple[Assignment, ...]:
        """Places of these documents in the tree, most probable first."""
        query = (
            select(assignment.c.document, assignment.c.topic, assignment.c.probability)
            .where(assignment.c.document.in_(documents))
            .order_by(assignment.c.probability.desc(), assignment.c.topic)
        )
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(
            Assignment(DocumentId(document), _parts(path), probability)
            for document, path, probability in rows
        )

    def best(self, ids: Sequence[EntityId]) -> dict[EntityId, tuple[str, ...]]:
        """The most probable topic of each entity that has one."""
        best = _best_topics(ids).subquery()
        with self.engine.connect() as connection:
            rows = connection.execute(select(best.c.entity, best.c.topic).where(best.c.place == 1)).all()
        return {EntityId(found): _parts(path) for found, path in rows}

    def places(self) -> dict[EntityId, tuple[str, ...]]:
        """The most probable topic of every entity that has one."""
        best = _best_topics().subquery()
        with self.engine.connect() as connection:
            rows = connection.execute(select(best.c.entity, best.c.topic).where(best.c.place == 1)).all()
        return {EntityId(found): _parts(path) for found, path in rows}

    def _in_topic(self, path: Sequence[str], *columns: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
        with self.engine.connect() as connection:
            nodes = connection.scalars(select(topic.c.path)).all()
        wanted = "/".join(path)
        below = [node for node in nodes if node == wanted or node.startswith(f"{wanted}/")]
        return select(*columns).where(entity.c.id.in_(_best_in(below)))


def _best_topics(ids: Sequence[EntityId] | None = None) -> Select[str, str, int]:
    """Topics of held papers ranked by probability; `place` 1 is the best."""
    place = func.row_number().over(
        partition_by=entity_document.c.entity,
        order_by=(assignment.c.probability.desc(), assignment.c.topic),
    )
    query = select(entity_document.c.entity, assignment.c.topic, place.label("place")).join(
        assignment, assignment.c.document == entity_document.c.document
    )
    return query if ids is None else query.where(entity_document.c.entity.in_(ids))


def _best_in(paths: Sequence[str]) -> Select[str]:
    """Entities whose best topic is one of these; looks only at papers that have one of them at all."""
    other_document, other = entity_document.alias("other_document"), assignment.alias("other")
    better = (
        select(other.c.topic)
        .join(other_document, other_document.c.document == other.c.document)
        .where(
            other_document.c.entity == entity_document.c.entity,
            or_(
                other.c.probability > assignment.c.probability,
                and_(other.c.probability == assignment.c.probability, other.c.topic < assignment.c.topic),
            ),
        )
    )
    return (
        select(entity_document.c.entity)
        .join(assignment, assignment.c.document == entity_document.c.document)
        .where(assignment.c.topic.in_(paths), ~better.exists())
    )


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _ancestors(path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every node from the top down to the path itself."""
    return [path[:depth] for depth in range(1, len(path) + 1)]
