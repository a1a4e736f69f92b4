"""What the portal asks of the store: papers, topics, citations both ways, and where each came from."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, and_, func, or_, select, true

from portico.store.codec import decode
from portico.store.dialect import chunks
from portico.store.schema import (
    alias,
    assignment,
    citation,
    entity,
    entity_document,
    meta,
    page,
    result,
    topic,
)
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Record, RecordId
from portico.types.topic import Assignment

GENERATION_KEY = "index_generation"
"""The name in `meta` of the index folder that is being served."""

EXTRACT = "extract"
"""The stage whose results hold the records of a document."""

ORDERS: Mapping[str, ColumnElement[Any]] = MappingProxyType(
    {
        "citations": entity.c.n_citations.desc(),
        "seminal": entity.c.authority.desc(),
        "survey": entity.c.hub.desc(),
        "date": entity.c.year.desc().nulls_last(),
        "title": entity.c.title.asc(),
    }
)
"""Orders in which papers of a topic can be listed."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The portal in numbers."""

    n_held: int
    n_cited_only: int
    n_citations: int
    n_sources: int


@dataclass(frozen=True, slots=True)
class TopicCount:
    """One node of the tree, with the papers at it and below it."""

    path: tuple[str, ...]
    n_papers: int


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document was found: an address, or a path in a folder."""

    name: str
    kind: str  # web, file
    document: DocumentId
    media_type: str
    n_bytes: int
    fetched_at: float


@dataclass(frozen=True, slots=True)
class CitationLink:
    """A citation with both ends' other half: the entity at the far end, and the reference that proves it."""

    entity: Entity
    record: Record | None  # None while the citing document is being extracted again
    confidence: float


@dataclass(frozen=True, slots=True)
class PortalView:
    """Read-only questions, each answered in one short transaction, so that a build can go on meanwhile."""

    engine: Engine

    def index_generation(self) -> str | None:
        with self.engine.connect() as connection:
            return connection.scalar(select(meta.c.value).where(meta.c.key == GENERATION_KEY))

    def counts(self) -> Counts:
        with self.engine.connect() as connection:
            rows = connection.execute(select(entity.c.held, func.count()).group_by(entity.c.held))
            by_held = {bool(held): int(count) for held, count in rows}
            n_citations = connection.scalar(select(func.count()).select_from(citation)) or 0
            n_sources = connection.scalar(select(func.count()).select_from(page)) or 0
        return Counts(by_held.get(True, 0), by_held.get(False, 0), n_citations, n_sources)

    def topics(self) -> tuple[TopicCount, ...]:
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

    def papers_in_topic(
        self, path: Sequence[str], *, order: str = "citations", limit: int = 20, offset: int = 0
    ) -> tuple[Entity, ...]:
        """Held papers whose best topic is this node or one below it."""
        query = self._in_topic(path, entity.c.id).order_by(ORDERS[order], *_TIES)
        return self._entities(query.limit(limit).offset(offset))

    def years_in_topic(self, path: Sequence[str]) -> tuple[tuple[int, int], ...]:
        """How many papers of the topic each year has, years ascending."""
        query = self._in_topic(path, entity.c.year, func.count()).where(entity.c.year.is_not(None))
        with self.engine.connect() as connection:
            rows = connection.execute(query.group_by(entity.c.year).order_by(entity.c.year))
            return tuple((year, count) for year, count in rows)

    def papers(self, *, order: str = "citations", limit: int = 20) -> tuple[Entity, ...]:
        """Held papers of the whole portal; those that have what the order is about."""
        query = select(entity.c.id).where(entity.c.held, _HAS[order]).order_by(ORDERS[order], *_TIES)
        return self._entities(query.limit(limit))

    def entity(self, entity_id: EntityId) -> Entity | None:
        return self.entities([entity_id]).get(entity_id)

    def held_ids(self, after: EntityId, *, limit: int) -> tuple[EntityId, ...]:
        """Papers of the portal in order of id, from behind this one."""
        query = select(entity.c.id).where(entity.c.held, entity.c.id > after).order_by(entity.c.id)
        with self.engine.connect() as connection:
            return tuple(EntityId(name) for name in connection.scalars(query.limit(limit)))

    def held_marks(self, *, every: int) -> tuple[str, ...]:
        """Ids behind which the next so many papers begin; the first is empty."""
        with self.engine.connect() as connection:
            ids = connection.scalars(select(entity.c.id).where(entity.c.held).order_by(entity.c.id)).all()
        return ("", *ids[every - 1 : -1 : every])

    def found_at(self, entities: Sequence[Entity]) -> dict[EntityId, float]:
        """When the documents of these papers were last found, in seconds since the epoch."""
        homes = {document: each.id for each in entities for document in each.documents}
        found: dict[EntityId, float] = {}
        with self.engine.connect() as connection:
            for chunk in chunks(homes):
                rows = connection.execute(
                    select(page.c.body, page.c.fetched_at).where(page.c.body.in_(chunk))
                )
                for body, at in rows:
                    found[homes[body]] = max(at, found.get(homes[body], 0.0))
        return found

    def earliest(self) -> float:
        """When the first page was found, in seconds since the epoch."""
        with self.engine.connect() as connection:
            return connection.scalar(select(func.min(page.c.fetched_at))) or 0.0

    def moved_to(self, entity_id: EntityId) -> EntityId | None:
        """What an id that once was has become."""
        with self.engine.connect() as connection:
            found = connection.scalar(select(alias.c.entity).where(alias.c.old == entity_id))
        return EntityId(found) if found is not None else None

    def entities(self, ids: Iterable[EntityId]) -> dict[EntityId, Entity]:
        with self.engine.connect() as connection:
            return _entities_by_id(connection, ids)

    def record(self, record_id: RecordId) -> Record | None:
        """A header or reference as it was read."""
        with self.engine.connect() as connection:
            return _records(connection, [record_id]).get(record_id)

    def topics_of(self, documents: Sequence[DocumentId]) -> tuple[Assignment, ...]:
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

    def best_topics(self, ids: Sequence[EntityId]) -> dict[EntityId, tuple[str, ...]]:
        """The most probable topic of each entity that has one."""
        best = _best_topics(ids).subquery()
        with self.engine.connect() as connection:
            rows = connection.execute(select(best.c.entity, best.c.topic).where(best.c.place == 1)).all()
        return {EntityId(found): _parts(path) for found, path in rows}

    def sources(self, documents: Sequence[DocumentId]) -> tuple[Source, ...]:
        """Every place these documents were found at, in the order of the documents."""
        query = select(page).where(page.c.body.in_(documents)).order_by(page.c.source)
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        found = [_source(row) for row in rows]
        return tuple(sorted(found, key=lambda source: documents.index(source.document)))

    def references(self, entity_id: EntityId) -> tuple[CitationLink, ...]:
        """What this paper cites, in the order in which the references are printed.

        Versions of one paper repeat each other's references: the version that has most is shown.
        """
        query = select(citation.c.record, citation.c.cited, citation.c.confidence)
        links = sorted(self._links(query.where(citation.c.citing == entity_id)), key=_printed_order)
        n_references = Counter(_document_of(link) for link in links)
        fullest = max(n_references, key=lambda document: n_references[document], default=None)
        return tuple(link for link in links if _document_of(link) == fullest)

    def citers(self, entity_id: EntityId, *, limit: int = 20, offset: int = 0) -> tuple[CitationLink, ...]:
        """Who cites this paper, each once, the most cited first."""
        query = (
            select(func.min(citation.c.record), citation.c.citing, func.max(citation.c.confidence))
            .join(entity, entity.c.id == citation.c.citing)
            .where(citation.c.cited == entity_id, citation.c.citing != entity_id)
            .group_by(entity.c.id)
            .order_by(*_TIES)
        )
        return self._links(query.limit(limit).offset(offset))

    def citations_by_year(self, entity_id: EntityId) -> tuple[tuple[int, int], ...]:
        """How many papers of each year cite this one, years ascending."""
        query = (
            select(entity.c.year, func.count(citation.c.citing.distinct()))
            .join(citation, entity.c.id == citation.c.citing)
            .where(citation.c.cited == entity_id, entity.c.year.is_not(None))
            .group_by(entity.c.year)
            .order_by(entity.c.year)
        )
        with self.engine.connect() as connection:
            return tuple((year, count) for year, count in connection.execute(query))

    def n_citers(self, entity_id: EntityId) -> int:
        """Rows that `citers` has for this paper."""
        query = select(func.count(citation.c.citing.distinct())).where(
            citation.c.cited == entity_id, citation.c.citing != entity_id
        )
        with self.engine.connect() as connection:
            return connection.scalar(query) or 0

    def related(self, entity_id: EntityId, *, limit: int = 6) -> tuple[Entity, ...]:
        """Held papers that cite the same papers, or are cited together with this one; most shared first."""
        mine, theirs = citation.alias("mine"), citation.alias("theirs")
        coupled = (
            select(theirs.c.citing.label("other"), func.count(theirs.c.cited.distinct()).label("shared"))
            .join(mine, mine.c.cited == theirs.c.cited)
            .where(mine.c.citing == entity_id)
            .group_by(theirs.c.citing)
        )
        cocited = (
            select(theirs.c.cited.label("other"), func.count(theirs.c.citing.distinct()).label("shared"))
            .join(mine, mine.c.citing == theirs.c.citing)
            .where(mine.c.cited == entity_id)
            .group_by(theirs.c.cited)
        )
        both = coupled.union_all(cocited).subquery()
        query = (
            select(entity.c.id)
            .join(both, both.c.other == entity.c.id)
            .where(entity.c.held, entity.c.id != entity_id)
            .group_by(entity.c.id)
            .order_by(func.sum(both.c.shared).desc(), *_TIES)
        )
        return self._entities(query.limit(limit))

    def _in_topic(self, path: Sequence[str], *columns: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
        with self.engine.connect() as connection:
            nodes = connection.scalars(select(topic.c.path)).all()
        wanted = "/".join(path)
        below = [node for node in nodes if node == wanted or node.startswith(f"{wanted}/")]
        return select(*columns).where(entity.c.id.in_(_best_in(below)))

    def _entities(self, query: Select[*tuple[Any, ...]]) -> tuple[Entity, ...]:
        """Entities by a query of their ids: sorting ids is faster than sorting whole entities."""
        with self.engine.connect() as connection:
            ids = [EntityId(found) for found in connection.scalars(query)]
            found = _entities_by_id(connection, ids)
        return tuple(found[name] for name in ids)

    def _links(self, query: Select[str, str, float]) -> tuple[CitationLink, ...]:
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
            ends = _entities_by_id(connection, {EntityId(end) for _, end, _ in rows})
            records = _records(connection, {RecordId(record) for record, _, _ in rows})
        return tuple(
            CitationLink(ends[EntityId(end)], records.get(RecordId(record)), confidence)
            for record, end, confidence in rows
            if end in ends
        )


# What a paper must have to be worth listing in an order.
_HAS: Mapping[str, ColumnElement[bool]] = MappingProxyType(
    {
        "citations": entity.c.n_citations > 0,
        "seminal": entity.c.authority > 0,
        "survey": entity.c.hub > 0,
        "date": entity.c.year.is_not(None),
        "title": true(),
    }
)

# Equal papers are always listed alike.
_TIES = (entity.c.n_citations.desc(), entity.c.title, entity.c.id)


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


def _entities_by_id(connection: Connection, ids: Iterable[EntityId]) -> dict[EntityId, Entity]:
    found: dict[EntityId, Entity] = {}
    for chunk in chunks(ids):
        rows = connection.execute(select(entity.c.id, entity.c.value).where(entity.c.id.in_(chunk)))
        found.update((EntityId(name), decode(Entity, value)) for name, value in rows)
    return found


def _records(connection: Connection, ids: Iterable[RecordId]) -> dict[RecordId, Record]:
    wanted = set(ids)
    found: dict[RecordId, Record] = {}
    for chunk in chunks({record.partition("#")[0] for record in wanted}):
        query = select(result.c.payload).where(result.c.stage == EXTRACT, result.c.subject.in_(chunk))
        for payload in connection.scalars(query.where(result.c.payload.is_not(None))):
            records = decode(tuple[Record, ...], payload)
            found.update((record.id, record) for record in records if record.id in wanted)
    return found


def _source(row: Row[*tuple[Any, ...]]) -> Source:
    return Source(
        name=row.source,
        kind=row.kind,
        document=DocumentId(row.body),
        media_type=row.media_type,
        n_bytes=row.n_bytes,
        fetched_at=row.fetched_at,
    )


def _printed_order(link: CitationLink) -> tuple[str, int]:
    record = link.record
    return (record.document, record.span.start) if record else ("", 0)


def _document_of(link: CitationLink) -> str:
    return link.record.document if link.record else ""


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _ancestors(path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every node from the top down to the path itself."""
    return [path[:depth] for depth in range(1, len(path) + 1)]
