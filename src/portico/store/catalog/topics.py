"""The topic tree with its counts, the papers of a topic and their ranks in it, and the topics of a paper."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, and_, delete, func, or_, select

from portico.store.bulk import read_in
from portico.store.catalog.entities import ORDERS, TIES, list_entities
from portico.store.database import Changes, apply_changes, chunks, sort_by_key, upsert, writing
from portico.store.match_tables import topic_rank
from portico.store.schema import assignment, entity, entity_document, result, topic
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId
from portico.types.stages import StageName
from portico.types.topic import Assignment, Topic

RANKED_WITHIN = {"seminal": topic_rank.c.authority, "survey": topic_rank.c.hub}
"""Sort orders for the papers of a topic by their rank within this topic, not within the whole portal."""


@dataclass(frozen=True, slots=True)
class TopicRank:
    """The role of one paper in one topic; papers that are neither seminal nor surveys have none."""

    topic: str
    paper: EntityId
    authority: float
    hub: float


@dataclass(frozen=True, slots=True)
class TopicCount:
    """One node of the tree, with the papers at it and below it."""

    path: tuple[str, ...]
    n_papers: int


@dataclass(frozen=True, slots=True)
class TopicStore:
    """The tree and the topics of documents. Replaced as a whole by the stages that compute them; only
    changed rows are written.
    """

    engine: Engine

    def replace_tree(self, topics: Sequence[Topic]) -> Changes:
        """Make this the topic tree, in this order; inner nodes that are not listed are added."""
        rows = [
            {"path": "/".join(path), "position": position, "keywords": "\n".join(keywords)}
            for position, (path, keywords) in enumerate(_with_inner_nodes(topics).items())
        ]
        with writing(self.engine) as connection:
            return apply_changes(connection, topic, sort_by_key(topic, rows))

    def replace_assignments(self, assignments: Iterable[Assignment]) -> Changes:
        """Make these the topics of all documents."""
        rows = (
            {"document": each.document, "topic": "/".join(each.path), "probability": each.probability}
            for each in sorted(assignments, key=lambda each: (each.document, "/".join(each.path)))
        )
        with writing(self.engine) as connection:
            return apply_changes(connection, assignment, rows)

    def amend_assignments(
        self, documents: Collection[DocumentId], assignments: Iterable[Assignment]
    ) -> frozenset[DocumentId]:
        """Replace the topics of these documents; returns those that had others before.

        Documents without any record left lose theirs.
        """
        after: dict[str, dict[str, float]] = {name: {} for name in documents}
        for each in assignments:
            after[each.document]["/".join(each.path)] = each.probability
        columns = (assignment.c.document, assignment.c.topic, assignment.c.probability)
        gone = assignment.c.document.not_in(
            select(result.c.subject).where(result.c.stage == StageName.EXTRACT, result.c.payload.is_not(None))
        )
        changed: set[DocumentId] = set()
        with writing(self.engine) as connection:
            connection.execute(delete(assignment).where(gone))
            for chunk in chunks(documents):
                here = assignment.c.document.in_(chunk)
                before: dict[str, dict[str, float]] = {name: {} for name in chunk}
                for document, path, probability in connection.execute(select(*columns).where(here)):
                    before[document][path] = probability
                others = [name for name in chunk if before[name] != after[name]]
                connection.execute(delete(assignment).where(assignment.c.document.in_(others)))
                rows = [
                    {"document": name, "topic": path, "probability": probability}
                    for name in others
                    for path, probability in after[name].items()
                ]
                upsert(connection, assignment, rows)
                changed.update(others)
        return frozenset(changed)

    def replace_ranks(self, ranks: Iterable[TopicRank]) -> int:
        """Replace the ranks of papers within topics; returns how many changed."""
        rows = (
            {"topic": each.topic, "entity": each.paper, "authority": each.authority, "hub": each.hub}
            for each in sorted(ranks, key=lambda each: (each.topic, each.paper))
        )
        with writing(self.engine) as connection:
            changes = apply_changes(connection, topic_rank, rows)
        return changes.n_written + changes.n_removed

    def all(self) -> tuple[Topic, ...]:
        """The tree in the builder's order, inner nodes included."""
        query = select(topic.c.path, topic.c.keywords).order_by(topic.c.position)
        with self.engine.connect() as connection:
            return tuple(
                Topic(tuple(path.split("/")), tuple(keywords.split("\n")) if keywords else ())
                for path, keywords in connection.execute(query)
            )

    def assignments(self) -> Iterator[Assignment]:
        """The topics of every document, the most probable first."""
        columns = (assignment.c.document, assignment.c.topic, assignment.c.probability)
        query = select(*columns).order_by(
            assignment.c.document, assignment.c.probability.desc(), assignment.c.topic
        )
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        return (
            Assignment(DocumentId(document), tuple(path.split("/")), probability)
            for document, path, probability in rows
        )

    def assignments_of(self, documents: Collection[DocumentId]) -> Iterator[Assignment]:
        """Every place of these documents, in any order."""
        columns = (assignment.c.document, assignment.c.topic, assignment.c.probability)
        for document, path, probability in read_in(
            self.engine, select(*columns), assignment.c.document, documents
        ):
            yield Assignment(DocumentId(document), tuple(path.split("/")), probability)

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
        """The builder's keywords of these nodes."""
        wanted = ["/".join(path) for path in paths]
        query = select(topic.c.path, topic.c.keywords).where(topic.c.path.in_(wanted))
        with self.engine.connect() as connection:
            return {_parts(path): tuple(words.splitlines()) for path, words in connection.execute(query)}

    def papers(
        self, path: Sequence[str], *, order: str = "citations", limit: int = 20, offset: int = 0
    ) -> tuple[Entity, ...]:
        """Held papers whose best topic is this node or one below it.

        "Seminal" and "survey" are meant within this topic.
        """
        query = self._in_topic(path, entity.c.id)
        if order in RANKED_WITHIN:
            here = and_(topic_rank.c.entity == entity.c.id, topic_rank.c.topic == "/".join(path))
            query = query.outerjoin(topic_rank, here).order_by(RANKED_WITHIN[order].desc().nulls_last())
        else:
            query = query.order_by(ORDERS[order])
        query = query.order_by(*TIES)
        return list_entities(self.engine, query.limit(limit).offset(offset))

    def years(self, path: Sequence[str]) -> tuple[tuple[int, int], ...]:
        """The number of papers of the topic in each year, years ascending."""
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

    def leading(self, path: Sequence[str], order: str, *, limit: int) -> tuple[Entity, ...]:
        """The most seminal papers of the topic, or its best surveys; none without citations."""
        score = RANKED_WITHIN[order]
        query = (
            select(entity.c.id)
            .join(topic_rank, topic_rank.c.entity == entity.c.id)
            .where(topic_rank.c.topic == "/".join(path), score > 0)
            .order_by(score.desc(), *TIES)
        )
        return list_entities(self.engine, query.limit(limit))

    def _in_topic(self, path: Sequence[str], *columns: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
        with self.engine.connect() as connection:
            nodes = connection.scalars(select(topic.c.path)).all()
        wanted = "/".join(path)
        below = [node for node in nodes if node == wanted or node.startswith(f"{wanted}/")]
        return select(*columns).where(entity.c.id.in_(best_in_topics(below)))


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


def best_in_topics(paths: Sequence[str]) -> Select[str]:
    """Entities whose best topic is one of these; reads only papers that have one of them at all."""
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


def _with_inner_nodes(topics: Sequence[Topic]) -> dict[tuple[str, ...], tuple[str, ...]]:
    nodes: dict[tuple[str, ...], tuple[str, ...]] = {}
    for each in topics:
        for length in range(1, len(each.path)):
            nodes.setdefault(each.path[:length], ())
        nodes[each.path] = each.keywords
    return nodes
