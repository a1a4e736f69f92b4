"""Queries about citations: what a paper cites, what cites it, and related papers."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import Engine, Select, func, select

from portico.store.bulk import read_in
from portico.store.catalog.entities import TIES, list_entities, read_entities, read_records
from portico.store.schema import citation, entity
from portico.types.record import Citation, Entity, EntityId, Record, RecordId


@dataclass(frozen=True, slots=True)
class CitationLink:
    """A citation as seen from one end: the entity at the other end, and the reference behind it."""

    entity: Entity
    record: Record | None  # None while the citing document is being extracted again
    confidence: float


CITATIONS_AT_ONCE = 10_000
"""Citations read in one query; they take some megabytes."""

NeighborIds = defaultdict[EntityId, set[EntityId]]


@dataclass(frozen=True, slots=True)
class CitationReader:
    """Read-only queries about the citation graph."""

    engine: Engine

    def all(self) -> Iterator[Citation]:
        """Every citation in order of its reference, in batches of some thousands."""
        columns = (citation.c.citing, citation.c.cited, citation.c.record, citation.c.confidence)
        query, last = select(*columns).order_by(citation.c.record).limit(CITATIONS_AT_ONCE), ""
        while True:
            with self.engine.connect() as connection:
                rows = connection.execute(query.where(citation.c.record > last)).all()
            for citing, cited, record, confidence in rows:
                yield Citation(EntityId(citing), EntityId(cited), RecordId(record), confidence)
            if len(rows) < CITATIONS_AT_ONCE:
                return
            last = rows[-1].record

    def cited(self, ids: Collection[EntityId]) -> NeighborIds:
        """The papers that each of these papers cites, each once and never itself."""
        found: NeighborIds = defaultdict(set)
        for one, other in read_in(self.engine, _PAIRS, citation.c.citing, ids):
            if one != other:
                found[one].add(other)
        return found

    def citing(self, ids: Collection[EntityId]) -> NeighborIds:
        """The papers that cite each of these papers, each once and never itself."""
        found: NeighborIds = defaultdict(set)
        for one, other in read_in(self.engine, _PAIRS, citation.c.cited, ids):
            if one != other:
                found[other].add(one)
        return found

    def of_records(self, records: Collection[RecordId]) -> dict[RecordId, tuple[EntityId, EntityId]]:
        """The citing and the cited paper of those of these references that are citations."""
        rows = read_in(self.engine, _PROVEN, citation.c.record, records)
        return {RecordId(name): (EntityId(citing), EntityId(cited)) for name, citing, cited in rows}

    def references(self, entity_id: EntityId) -> tuple[CitationLink, ...]:
        """The references of this paper, in the order in which they are printed.

        Versions of one paper repeat each other's references: the version with most is shown. A reference to
        another version of the same paper is not a citation.
        """
        query = select(citation.c.record, citation.c.cited, citation.c.confidence)
        query = query.where(citation.c.citing == entity_id, citation.c.cited != entity_id)
        links = sorted(self._links(query), key=_printed_order)
        n_references = Counter(_document_of(link) for link in links)
        fullest = max(n_references, key=lambda document: n_references[document], default=None)
        return tuple(link for link in links if _document_of(link) == fullest)

    def citers(self, entity_id: EntityId, *, limit: int = 20, offset: int = 0) -> tuple[CitationLink, ...]:
        """The papers that cite this one, each once, the most cited first."""
        query = (
            select(func.min(citation.c.record), entity.c.id, func.max(citation.c.confidence))
            .join(citation, entity.c.id == citation.c.citing)
            .where(citation.c.cited == entity_id, citation.c.citing != entity_id)
            .group_by(entity.c.id)
            .order_by(*TIES)
        )
        return self._links(query.limit(limit).offset(offset))

    def by_year(self, entity_id: EntityId) -> tuple[tuple[int, int], ...]:
        """How many papers of each year cite this one, years ascending."""
        query = (
            select(entity.c.year, func.count(citation.c.citing.distinct()))
            .join(citation, entity.c.id == citation.c.citing)
            .where(citation.c.cited == entity_id, citation.c.citing != entity_id, entity.c.year.is_not(None))
            .group_by(entity.c.year)
            .order_by(entity.c.year)
        )
        with self.engine.connect() as connection:
            return tuple((year, count) for year, count in connection.execute(query))

    def n_citers(self, entity_id: EntityId) -> int:
        """The number of rows that `citers` has for this paper."""
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
            .order_by(func.sum(both.c.shared).desc(), *TIES)
        )
        return list_entities(self.engine, query.limit(limit))

    def _links(self, query: Select[str, str, float]) -> tuple[CitationLink, ...]:
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
            ends = read_entities(connection, {EntityId(end) for _, end, _ in rows})
            records = read_records(connection, {RecordId(record) for record, _, _ in rows})
        return tuple(
            CitationLink(ends[EntityId(end)], records.get(RecordId(record)), confidence)
            for record, end, confidence in rows
            if end in ends
        )


_PAIRS = select(citation.c.citing, citation.c.cited)
_PROVEN = select(citation.c.record, citation.c.citing, citation.c.cited)


def _printed_order(link: CitationLink) -> tuple[str, int]:
    record = link.record
    return (record.document, record.span.start) if record else ("", 0)


def _document_of(link: CitationLink) -> str:
    return link.record.document if link.record else ""
