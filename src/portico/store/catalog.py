"""What the portal is made of once everything is known: topics, entities, citations, and old names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from portico.store.changes import Changes, apply_changes
from portico.store.dialect import chunks, writing
from portico.store.entities import STORED, entities_by_id, entity_from
from portico.store.graph import replace_graph
from portico.store.schema import alias, assignment, citation, entity, entity_document, topic
from portico.types.document import DocumentId
from portico.types.record import Citation, Entity, EntityId, RecordId
from portico.types.topic import Assignment, Topic

ENTITIES_AT_ONCE = 256
"""Entities read in one query: a few kilobytes each."""


@dataclass(frozen=True, slots=True)
class CatalogCounts:
    """How many papers the portal has, how many more it knows from citations, and how they are linked."""

    n_held: int
    n_cited_only: int
    n_citations: int
    n_topics: int
    n_assigned: int  # documents with a place in the tree


@dataclass(frozen=True, slots=True)
class Outline:
    """What tells whether an entity has changed, without reading it."""

    id: EntityId
    digest: str  # of everything but its ranks
    n_citations: int
    authority: float
    hub: float
    documents: tuple[DocumentId, ...]


@dataclass(frozen=True, slots=True)
class Catalog:
    """Written whole by the global stages; only rows that changed are touched."""

    engine: Engine

    def replace_topics(self, topics: Sequence[Topic]) -> Changes:
        """Make this the topic tree, in this order; inner nodes that are not named are added."""
        rows = [
            {"path": "/".join(path), "position": position, "keywords": "\n".join(keywords)}
            for position, (path, keywords) in enumerate(_with_inner_nodes(topics).items())
        ]
        with writing(self.engine) as connection:
            return apply_changes(connection, topic, rows)

    def replace_assignments(self, assignments: Iterable[Assignment]) -> Changes:
        """Make these the places of all documents in the tree."""
        rows = [
            {"document": each.document, "topic": "/".join(each.path), "probability": each.probability}
            for each in assignments
        ]
        with writing(self.engine) as connection:
            return apply_changes(connection, assignment, rows)

    def replace_graph(self, entities: Iterable[Entity], citations: Iterable[Citation]) -> Changes:
        """Make these the entities and citations; ids that vanish redirect to what they became."""
        with writing(self.engine) as connection:
            return replace_graph(connection, tuple(entities), tuple(citations))

    def topics(self) -> tuple[Topic, ...]:
        """The tree in the builder's order, inner nodes included."""
        query = select(topic.c.path, topic.c.keywords).order_by(topic.c.position)
        with self.engine.connect() as connection:
            return tuple(
                Topic(tuple(path.split("/")), tuple(keywords.split("\n")) if keywords else ())
                for path, keywords in connection.execute(query)
            )

    def assignments(self) -> Iterator[Assignment]:
        """Every place of every document, by document, the most probable first."""
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

    def entities(self) -> Iterator[Entity]:
        """Every entity in order of id, a few at a time."""
        last = ""
        while True:
            query = select(*STORED).where(entity.c.id > last).order_by(entity.c.id).limit(ENTITIES_AT_ONCE)
            with self.engine.connect() as connection:
                rows = connection.execute(query).all()
            if not rows:
                return
            found = [entity_from(row) for row in rows]
            yield from found
            last = found[-1].id

    def some(self, ids: Iterable[EntityId]) -> Iterator[Entity]:
        """Those of these entities that there are, a few at a time."""
        for chunk in chunks(ids, ENTITIES_AT_ONCE):
            with self.engine.connect() as connection:
                found = entities_by_id(connection, chunk)
            yield from found.values()

    def outlines(self, ids: Collection[EntityId] | None = None) -> Iterator[Outline]:
        """Every entity in order of id, or those of these ids."""
        documents: dict[str, list[DocumentId]] = defaultdict(list)
        columns = (entity.c.id, entity.c.digest, entity.c.n_citations, entity.c.authority, entity.c.hub)
        with self.engine.connect() as connection:
            held, known = select(entity_document.c.document, entity_document.c.entity), select(*columns)
            if ids is not None:
                held, known = held.where(entity_document.c.entity.in_(ids)), known.where(entity.c.id.in_(ids))
            for document, home in connection.execute(held):
                documents[home].append(DocumentId(document))
            rows = connection.execute(known.order_by(entity.c.id)).all()
        return (
            Outline(
                EntityId(name), digest, n_citations, authority, hub, tuple(sorted(documents.get(name, ())))
            )
            for name, digest, n_citations, authority, hub in rows
        )

    def held(self) -> Iterator[Entity]:
        """Every paper of the portal itself, without those only known from citations."""
        with self.engine.connect() as connection:
            ids = connection.scalars(select(entity.c.id).where(entity.c.held).order_by(entity.c.id)).all()
        for chunk in chunks(ids):
            with self.engine.connect() as connection:
                rows = select(*STORED).where(entity.c.id.in_(chunk)).order_by(entity.c.id)
                values = connection.execute(rows).all()
            yield from map(entity_from, values)

    def entity(self, id_: str) -> Entity | None:
        """The entity of that id, or the one that id became."""
        with self.engine.connect() as connection:
            became = connection.scalar(select(alias.c.entity).where(alias.c.old == id_))
            found = entities_by_id(connection, [EntityId(id_), EntityId(became or id_)])
        return found.get(EntityId(id_)) or found.get(EntityId(became or ""))

    def entity_digests(self) -> dict[EntityId, str]:
        """A fingerprint of every entity, whatever its ranks."""
        with self.engine.connect() as connection:
            return {
                EntityId(key): digest
                for key, digest in connection.execute(select(entity.c.id, entity.c.digest))
            }

    def citations(self) -> Iterator[Citation]:
        """Every citation in order of the record that proves it."""
        columns = (citation.c.citing, citation.c.cited, citation.c.record, citation.c.confidence)
        with self.engine.connect() as connection:
            rows = connection.execute(select(*columns).order_by(citation.c.record)).all()
        return (
            Citation(EntityId(citing), EntityId(cited), RecordId(record), confidence)
            for citing, cited, record, confidence in rows
        )

    def aliases(self) -> dict[EntityId, EntityId]:
        """Ids that once were, and what they became."""
        with self.engine.connect() as connection:
            rows = connection.execute(select(alias.c.old, alias.c.entity)).all()
        return {EntityId(old): EntityId(new) for old, new in rows}

    def counts(self) -> CatalogCounts:
        with self.engine.connect() as connection:
            by_held = select(entity.c.held, func.count()).group_by(entity.c.held)
            held: dict[bool, int] = dict(connection.execute(by_held).all())
            return CatalogCounts(
                n_held=held.get(True, 0),
                n_cited_only=held.get(False, 0),
                n_citations=connection.scalar(select(func.count()).select_from(citation)) or 0,
                n_topics=connection.scalar(select(func.count()).select_from(topic)) or 0,
                n_assigned=connection.scalar(select(func.count(assignment.c.document.distinct()))) or 0,
            )


def _with_inner_nodes(topics: Sequence[Topic]) -> dict[tuple[str, ...], tuple[str, ...]]:
    nodes: dict[tuple[str, ...], tuple[str, ...]] = {}
    for each in topics:
        for length in range(1, len(each.path)):
            nodes.setdefault(each.path[:length], ())
        nodes[each.path] = each.keywords
    return nodes
