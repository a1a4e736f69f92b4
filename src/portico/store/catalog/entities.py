"""Entities and records by id: how they are stored, read and listed."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    bindparam,
    delete,
    select,
    true,
    update,
)

from portico.errors import PortalError
from portico.store.bulk import execute_many, read_in
from portico.store.codec import decode, digest, encode
from portico.store.database import chunks, writing
from portico.store.schema import alias, entity, entity_document, result
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Record, RecordId
from portico.types.stages import StageName

Ranks = tuple[int, float, float, float]
"""Citations, authority, hub and PageRank."""

RANKS = (entity.c.n_citations, entity.c.authority, entity.c.hub, entity.c.pagerank)
"""The columns of `Ranks`, in that order."""

STORED = (entity.c.value, *RANKS)
"""The columns that `read_entity` reads, in that order."""

_RANK_NAMES = frozenset(column.name for column in RANKS)
_UNRANKED: Ranks = (0, 0.0, 0.0, 0.0)
_YEAR = re.compile(r"\d{4}")
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")


def read_entity(row: Any) -> Entity:
    """The entity in a row of `STORED`; the ranks encoded with it may be outdated."""
    value, *ranks = row
    return set_ranks(decode(Entity, value), (ranks[0], ranks[1], ranks[2], ranks[3]))


def read_entities(connection: Connection, ids: Iterable[EntityId]) -> dict[EntityId, Entity]:
    """Those of these entities that exist."""
    found: dict[EntityId, Entity] = {}
    for chunk in chunks(ids):
        rows = connection.execute(select(*STORED).where(entity.c.id.in_(chunk)))
        found |= {each.id: each for each in map(read_entity, rows)}
    return found


def make_entity_row(each: Entity) -> dict[str, object]:
    """An entity as a row; `digest` covers the encoded part only, so a changed rank does not change it."""
    value = encode(set_ranks(each, _UNRANKED))
    return {
        "id": each.id,
        "kind": each.kind,
        "held": bool(each.documents),
        "title": each.value("title") or "",
        "year": _year(each),
        "published": find_publication_day(each),
        **dict(zip((column.name for column in RANKS), get_ranks(each), strict=True)),
        "value": value,
        "digest": digest(value),
    }


def is_whole_row(row: Any) -> bool:
    """Whether a row is as `make_entity_row` made it; ranks are not part of what is encoded."""
    try:
        made = make_entity_row(decode(Entity, row.value))
        found = row._asdict()
        # The compressor may be another release now, so bytes are told by their digest.
        same = (name for name in made if name != "value" and name not in _RANK_NAMES)
        return digest(row.value) == row.digest and all(made[name] == found[name] for name in same)
    except PortalError:
        return False


def find_publication_day(each: Entity) -> int | None:
    """19990704, or 19990000 if only the year is known: the order of papers within a year."""
    year = _year(each)
    return None if year is None else 10_000 * year + _day(each, year)


def _year(each: Entity) -> int | None:
    found = _YEAR.search(each.value("year") or "")
    return int(found.group()) if found else None


def _day(each: Entity, year: int) -> int:
    """Month and day as 704, from the latest date of that year; papers may also state when they were
    received.
    """
    dates = (_DATE.fullmatch(field.value) for field in each.all("published"))
    days = (100 * int(date[2]) + int(date[3] or 0) for date in dates if date and int(date[1]) == year)
    return max(days, default=0)


def get_ranks(each: Entity) -> Ranks:
    return each.n_citations, each.authority, each.hub, each.pagerank


def set_ranks(each: Entity, ranks: Ranks) -> Entity:
    n_citations, authority, hub, pagerank = ranks
    return replace(each, n_citations=n_citations, authority=authority, hub=hub, pagerank=pagerank)


def write_ranks(connection: Connection, ranks: Mapping[EntityId, Ranks]) -> None:
    """Make these the ranks of these entities, and change nothing else."""
    names = tuple(f"new_{column.name}" for column in RANKS)
    for chunk in chunks(ranks.items()):
        rows = [{"of_id": name, **dict(zip(names, found, strict=True))} for name, found in chunk]
        execute_many(connection, _RERANK, rows)


_RERANK = (
    update(entity)
    .where(entity.c.id == bindparam("of_id"))
    .values({column: bindparam(f"new_{column.name}") for column in RANKS})
)


EXTRACT = StageName.EXTRACT
"""The stage whose results contain the records of a document."""

ORDERS: Mapping[str, ColumnElement[Any]] = MappingProxyType(
    {
        "citations": entity.c.n_citations.desc(),
        "seminal": entity.c.authority.desc(),
        "survey": entity.c.hub.desc(),
        "date": entity.c.published.desc().nulls_last(),
        "title": entity.c.title.asc(),
    }
)
"""Sort orders for the papers of a topic."""

# Conditions for listing a paper in a sort order.
HAS: Mapping[str, ColumnElement[bool]] = MappingProxyType(
    {
        "citations": entity.c.n_citations > 0,
        "seminal": entity.c.authority > 0,
        "survey": entity.c.hub > 0,
        "date": entity.c.year.is_not(None),
        "title": true(),
    }
)

# Tie-breakers, so that equal papers are always listed in the same order.
TIES = (entity.c.n_citations.desc(), entity.c.title, entity.c.id)


def list_entities(engine: Engine, query: Select[*tuple[Any, ...]]) -> tuple[Entity, ...]:
    """Entities for a query of ids: sorting ids is faster than sorting whole entities."""
    with engine.connect() as connection:
        ids = [EntityId(found) for found in connection.scalars(query)]
        found = read_entities(connection, ids)
    return tuple(found[name] for name in ids)


def read_records(connection: Connection, ids: Iterable[RecordId]) -> dict[RecordId, Record]:
    wanted = set(ids)
    found: dict[RecordId, Record] = {}
    for chunk in chunks({record.partition("#")[0] for record in wanted}):
        query = select(result.c.payload).where(result.c.stage == EXTRACT, result.c.subject.in_(chunk))
        for payload in connection.scalars(query.where(result.c.payload.is_not(None))):
            records = decode(tuple[Record, ...], payload)
            found.update((record.id, record) for record in records if record.id in wanted)
    return found


ENTITIES_AT_ONCE = 256
"""Entities read in one query; each takes a few kilobytes."""


IDS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """The data that shows whether an entity has changed, without reading it."""

    id: EntityId
    digest: str  # of everything except its ranks
    n_citations: int
    authority: float
    hub: float
    documents: tuple[DocumentId, ...]


@dataclass(frozen=True, slots=True)
class EntityReader:
    """The only reader of entities: by id, many at once, or all in order of id."""

    engine: Engine

    def get(self, entity_id: EntityId) -> Entity | None:
        """The entity with exactly this id."""
        return self.many([entity_id]).get(entity_id)

    def current(self, id_: str) -> Entity | None:
        """The entity with this id, or the one it redirects to."""
        with self.engine.connect() as connection:
            became = connection.scalar(select(alias.c.entity).where(alias.c.old == id_))
            found = read_entities(connection, [EntityId(id_), EntityId(became or id_)])
        return found.get(EntityId(id_)) or found.get(EntityId(became or ""))

    def moved_to(self, entity_id: EntityId) -> EntityId | None:
        """The id to which a former id redirects."""
        with self.engine.connect() as connection:
            found = connection.scalar(select(alias.c.entity).where(alias.c.old == entity_id))
        return EntityId(found) if found is not None else None

    def many(self, ids: Iterable[EntityId]) -> dict[EntityId, Entity]:
        """Those of these entities that exist, all in memory."""
        with self.engine.connect() as connection:
            return read_entities(connection, ids)

    def some(self, ids: Iterable[EntityId]) -> Iterator[Entity]:
        """Those of these entities that exist, in small batches."""
        for chunk in chunks(ids, ENTITIES_AT_ONCE):
            with self.engine.connect() as connection:
                found = read_entities(connection, chunk)
            yield from found.values()

    def all(self) -> Iterator[Entity]:
        """Every entity in order of id, in small batches."""
        last = ""
        while True:
            query = select(*STORED).where(entity.c.id > last).order_by(entity.c.id).limit(ENTITIES_AT_ONCE)
            with self.engine.connect() as connection:
                rows = connection.execute(query).all()
            if not rows:
                return
            found = [read_entity(row) for row in rows]
            yield from found
            last = found[-1].id

    def held(self) -> Iterator[Entity]:
        """Every held paper, without those only known from citations."""
        with self.engine.connect() as connection:
            ids = connection.scalars(select(entity.c.id).where(entity.c.held).order_by(entity.c.id)).all()
        for chunk in chunks(ids):
            with self.engine.connect() as connection:
                rows = select(*STORED).where(entity.c.id.in_(chunk)).order_by(entity.c.id)
                values = connection.execute(rows).all()
            yield from map(read_entity, values)

    def papers(self, *, order: str = "citations", limit: int = 20) -> tuple[Entity, ...]:
        """Held papers of the whole portal, limited to those that the sort order applies to."""
        query = select(entity.c.id).where(entity.c.held, HAS[order]).order_by(ORDERS[order], *TIES)
        return list_entities(self.engine, query.limit(limit))

    def titles(self, ids: Iterable[EntityId]) -> dict[EntityId, str]:
        """The current titles of those of these papers that still exist."""
        return dict(read_in(self.engine, _TITLES, entity.c.id, list(ids)))

    def iterate_ids(self) -> Iterator[EntityId]:
        """Every entity's id, ascending."""
        query, last = select(entity.c.id).order_by(entity.c.id).limit(IDS_AT_ONCE), ""
        while True:
            with self.engine.connect() as connection:
                found = connection.scalars(query.where(entity.c.id > last)).all()
            yield from map(EntityId, found)
            if len(found) < IDS_AT_ONCE:
                return
            last = found[-1]

    def homes(self, documents: Collection[DocumentId]) -> dict[DocumentId, EntityId]:
        """The paper to which each of these documents belongs, if there is one."""
        return dict(read_in(self.engine, _HOMES, entity_document.c.document, documents))

    def encoded(self, ids: Collection[EntityId]) -> dict[EntityId, bytes]:
        """Those of these entities that exist, encoded, for `decode` elsewhere."""
        return dict(read_in(self.engine, _VALUES, entity.c.id, ids))

    def iterate_held_ids(self) -> Iterator[EntityId]:
        """The ids of held papers, ascending."""
        last = EntityId("")
        while found := self.held_ids(last, limit=IDS_AT_ONCE):
            yield from found
            last = found[-1]

    def all_ids(self) -> frozenset[EntityId]:
        """Everything there is, works only known from citations included."""
        with self.engine.connect() as connection:
            return frozenset(map(EntityId, connection.scalars(select(entity.c.id))))

    def documents_of(self, ids: Collection[EntityId]) -> frozenset[DocumentId]:
        """The documents of these papers."""
        rows = read_in(self.engine, _DOCUMENTS, entity_document.c.entity, ids)
        return frozenset(DocumentId(document) for (document,) in rows)

    def list_documents(self) -> frozenset[DocumentId]:
        """Every document that belongs to a paper."""
        with self.engine.connect() as connection:
            return frozenset(map(DocumentId, connection.scalars(select(entity_document.c.document))))

    def held_ids(self, after: EntityId, *, limit: int) -> tuple[EntityId, ...]:
        """Ids of held papers in order, after this one."""
        query = select(entity.c.id).where(entity.c.held, entity.c.id > after).order_by(entity.c.id)
        with self.engine.connect() as connection:
            return tuple(EntityId(name) for name in connection.scalars(query.limit(limit)))

    def held_marks(self, *, every: int) -> tuple[str, ...]:
        """Ids after which each batch of held papers of this size begins; the first is empty."""
        with self.engine.connect() as connection:
            ids = connection.scalars(select(entity.c.id).where(entity.c.held).order_by(entity.c.id)).all()
        return ("", *ids[every - 1 : -1 : every])

    def summaries(self, ids: Collection[EntityId] | None = None) -> Iterator[EntitySummary]:
        """Summaries of all entities in order of id, or of these."""
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
            EntitySummary(
                EntityId(name), digest, n_citations, authority, hub, tuple(sorted(documents.get(name, ())))
            )
            for name, digest, n_citations, authority, hub in rows
        )

    def rows(self) -> Iterator[Any]:
        """Every stored row in order of id, whether or not it can still be read."""
        last = ""
        while True:
            query = select(entity).where(entity.c.id > last).order_by(entity.c.id).limit(ENTITIES_AT_ONCE)
            with self.engine.connect() as connection:
                rows = connection.execute(query).all()
            if not rows:
                return
            yield from rows
            last = rows[-1].id

    def remove(self, ids: Iterable[EntityId]) -> None:
        """Remove entities that cannot be read: the next matching creates them again."""
        with writing(self.engine) as connection:
            for chunk in chunks(ids):
                connection.execute(delete(entity).where(entity.c.id.in_(chunk)))

    def digests(self) -> dict[EntityId, str]:
        """A digest of every entity, independent of its ranks."""
        with self.engine.connect() as connection:
            return {
                EntityId(key): digest
                for key, digest in connection.execute(select(entity.c.id, entity.c.digest))
            }


_TITLES = select(entity.c.id, entity.c.title)
_VALUES = select(entity.c.id, entity.c.value)
_DOCUMENTS = select(entity_document.c.document)
_HOMES = select(entity_document.c.document, entity_document.c.entity)
