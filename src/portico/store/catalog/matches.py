"""The state of the last matching, changed in one transaction."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Engine,
    Float,
    Select,
    String,
    Table,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)

from portico.store.bulk import execute_many, execute_tuples, prepare_reader
from portico.store.catalog.entities import read_entities
from portico.store.catalog.graph import (
    GraphRanker,
    Patched,
    patch_graph,
    rank_all,
    replace_graph,
    rerank,
    write_parted_graph,
)
from portico.store.catalog.unseen import note_all_changed, note_changed_papers
from portico.store.codec import decode, encode
from portico.store.database import chunks, upsert, writing
from portico.store.match_tables import block, likeness, matched, mention, naming, occurrence
from portico.store.schema import meta
from portico.types.document import DocumentId
from portico.types.record import Citation, Entity, EntityId, Identity, Record, RecordId
from portico.types.stages import StageName

_LAST = 2**62
"""Upper bound of mention numbers: with a million mentions, 42 can be inserted one by one between any two."""

_LOSSLESS = "surrogatepass"

_place = tuple_(mention.c.place, mention.c.digest)
_given_place = tuple_(bindparam("place", type_=String), bindparam("digest", type_=BigInteger))
_AT = select(mention.c.number).where(
    mention.c.place == bindparam("place"), mention.c.digest == bindparam("digest")
)
_LAST_BEFORE = (
    select(mention.c.number)
    .where(_place < _given_place)
    .order_by(mention.c.place.desc(), mention.c.digest.desc())
    .limit(1)
)
_FIRST_BEHIND = (
    select(mention.c.number).where(_place > _given_place).order_by(mention.c.place, mention.c.digest).limit(1)
)
_in_block = select(block.c.mention).where(block.c.key == bindparam("of_key"))
_BEFORE = (
    _in_block.where(block.c.mention < bindparam("number"))
    .order_by(block.c.mention.desc())
    .limit(bindparam("wanted"))
)
_BEHIND = (
    _in_block.where(block.c.mention > bindparam("number"))
    .order_by(block.c.mention)
    .limit(bindparam("wanted"))
)
_BETWEEN = (
    select(func.count())
    .select_from(block)
    .where(
        block.c.key == bindparam("of_key"),
        block.c.mention > bindparam("low"),
        block.c.mention < bindparam("high"),
    )
)
_ORDER, _NEAR = ("place", "digest"), ("of_key", "number", "wanted")

Order = tuple[str, int]
Edge = tuple[float, int, int]
StoredRecord = tuple[RecordId, DocumentId, bool, bytes]
"""Id, document, whether it represents the document, and the record without its contexts."""


def store_record(record: Record, anchor: str) -> StoredRecord:
    return record.id, record.document, record.kind == anchor, encode(replace(record, contexts=()))


@dataclass(frozen=True, slots=True)
class Likeness:
    """Bound to one transaction, so that comparisons and conclusions change together."""

    connection: Connection

    def number(self, order: Order) -> int | None:
        return next(iter(self._column(_AT, _ORDER, *order)), None)

    def gap(self, order: Order) -> int | None:
        low = next(iter(self._column(_LAST_BEFORE, _ORDER, *order)), 0)
        high = next(iter(self._column(_FIRST_BEHIND, _ORDER, *order)), _LAST)
        return (low + high) // 2 if high - low > 1 else None

    def near(self, key: int, number: int, n: int) -> tuple[list[int], list[int]]:
        return self._column(_BEFORE, _NEAR, key, number, n), self._column(_BEHIND, _NEAR, key, number, n)

    def n_between(self, key: int, one: int, other: int) -> int:
        return self._column(_BETWEEN, ("of_key", "low", "high"), key, one, other)[0]

    def records(self, mentions: Iterable[int]) -> dict[int, list[Record]]:
        found: dict[int, list[Record]] = defaultdict(list)
        query = select(occurrence.c.mention, occurrence.c.value).order_by(occurrence.c.record)
        for number, value in self._chunked(query, occurrence.c.mention, mentions):
            found[number].append(decode(Record, value))
        return dict(found)

    def samples(self, mentions: Iterable[int]) -> dict[int, Record]:
        first = select(func.min(occurrence.c.record)).group_by(occurrence.c.mention)
        found: dict[int, Record] = {}
        for chunk in chunks(mentions):
            query = select(occurrence.c.mention, occurrence.c.value).where(
                occurrence.c.record.in_(first.where(occurrence.c.mention.in_(chunk)))
            )
            found |= {number: decode(Record, value) for number, value in self.connection.execute(query)}
        return found

    def mentions_of(self, records: Iterable[RecordId]) -> dict[RecordId, int]:
        query = select(occurrence.c.record, occurrence.c.mention).where(occurrence.c.mention.is_not(None))
        return {RecordId(name): number for name, number in self._chunked(query, occurrence.c.record, records)}

    def edges(self, mentions: Iterable[int]) -> list[Edge]:
        numbers = list(mentions)
        query = select(likeness.c.odds, likeness.c.one, likeness.c.other)
        ends = (likeness.c.one, likeness.c.other)
        rows = (row for end in ends for row in self._chunked(query, end, numbers))
        return sorted({(odds, one, other) for odds, one, other in rows})

    def add_mention(self, number: int, order: Order, keys: Sequence[int]) -> None:
        row = {"number": number, "place": order[0], "digest": order[1]}
        execute_many(self.connection, insert(mention), [row])
        execute_many(self.connection, insert(block), [{"key": key, "mention": number} for key in keys])

    def remove_mention(self, number: int, keys: Sequence[int]) -> None:
        self.connection.execute(delete(mention).where(mention.c.number == number))
        for key in keys:
            self.connection.execute(delete(block).where(block.c.key == key, block.c.mention == number))
        for end in (likeness.c.one, likeness.c.other):
            self.connection.execute(delete(likeness).where(end == number))

    def add_records(self, records: Sequence[tuple[Record, int | None]], *, anchor: str) -> None:
        rows = (_occurrence_row(record, number, anchor) for record, number in records)
        upsert(self.connection, occurrence, rows)

    def remove_records(self, records: Iterable[RecordId]) -> None:
        for chunk in chunks(records):
            self.connection.execute(delete(occurrence).where(occurrence.c.record.in_(chunk)))

    def add_edges(self, edges: Iterable[Edge]) -> None:
        upsert(self.connection, likeness, ({"one": a, "other": b, "odds": odds} for odds, a, b in edges))

    def remove_edges(self, pairs: Iterable[tuple[int, int]]) -> None:
        for one, other in pairs:
            self.connection.execute(delete(likeness).where(likeness.c.one == one, likeness.c.other == other))

    def homes(self, records: Iterable[RecordId]) -> set[EntityId]:
        query = select(occurrence.c.entity).where(occurrence.c.entity != "")
        return {EntityId(name) for (name,) in self._chunked(query, occurrence.c.record, records)}

    def identities(self, entities: Iterable[EntityId]) -> dict[EntityId, Identity]:
        return dict(map(_named, self._chunked(select(naming), naming.c.entity, entities)))

    def namesakes(self, keys: Iterable[str]) -> dict[EntityId, Identity]:
        wanted = sorted(key.encode("utf-8", _LOSSLESS) for key in keys)
        return dict(map(_named, self._chunked(select(naming), naming.c.key, wanted)))

    def entity(self, name: EntityId) -> Entity | None:
        return read_entities(self.connection, [name]).get(name)

    def bare(self, documents: Iterable[DocumentId]) -> list[DocumentId]:
        query = select(occurrence.c.document, func.max(case((occurrence.c.anchor, 1), else_=0))).group_by(
            occurrence.c.document
        )
        rows = self._chunked(query, occurrence.c.document, documents)
        return [DocumentId(document) for document, anchored in rows if not anchored]

    def taken(self, names: Iterable[EntityId]) -> set[EntityId]:
        return {EntityId(name) for (name,) in self._chunked(select(naming.c.entity), naming.c.entity, names)}

    def settle(self, homes: Iterable[tuple[RecordId, EntityId, float | None]]) -> None:
        """Assign these records to these entities, with these probabilities or the old ones."""
        record = occurrence.c.record == bindparam("name")
        probable = func.coalesce(bindparam("probable", type_=Float), occurrence.c.confidence)
        statement = update(occurrence).where(record).values(entity=bindparam("home"), confidence=probable)
        for chunk in chunks(homes):
            rows = [{"name": name, "home": home, "probable": odds} for name, home, odds in chunk]
            self.connection.execute(statement, rows)

    def rename(self, before: Iterable[EntityId], after: Iterable[tuple[EntityId, Identity]]) -> None:
        for chunk in chunks(before):
            self.connection.execute(delete(naming).where(naming.c.entity.in_(chunk)))
        upsert(self.connection, naming, (_naming_row(name, each) for name, each in after))

    def _column(self, query: Select[Any], names: tuple[str, ...], *values: int | str) -> list[int]:
        """One column, by the fast path because it is called thousands of times."""
        return [row[0] for row in prepare_reader(self.connection, query, names)(*values)]

    def _chunked(self, query: Select[Any], column: Any, wanted: Iterable[Any]) -> Iterable[Any]:
        for chunk in chunks(wanted):
            yield from self.connection.execute(query.where(column.in_(chunk))).all()


@dataclass(frozen=True, slots=True)
class Compared:
    """All comparison data: mentions by position in their order, and the pairs found."""

    n_mentions: int
    orders: Iterable[Order]
    keys: Iterable[tuple[int, int]]  # key and position, ascending
    edges: Iterable[Edge]  # ascending by position
    records: Iterable[tuple[StoredRecord, int | None, EntityId, float]]  # position, entity, probability
    identities: Iterable[tuple[EntityId, Identity]]


def write_compared(connection: Connection, compared: Compared) -> None:
    """Store this as the comparison data, with even gaps between the numbers of mentions."""
    for table in (occurrence, mention, block, likeness, naming):
        connection.execute(delete(table))
    step = _LAST // (compared.n_mentions + 1)
    numbers = range(step, _LAST, step)
    _fill(connection, mention, ((numbers[at], *order) for at, order in enumerate(compared.orders)))
    _fill(connection, block, ((key, numbers[at]) for key, at in compared.keys))
    _fill(connection, likeness, ((numbers[a], numbers[b], odds) for odds, a, b in compared.edges))
    _fill(connection, occurrence, _occurrences(compared, numbers))
    _fill(connection, naming, (tuple(_naming_row(*each).values()) for each in compared.identities))


def _occurrences(compared: Compared, numbers: Sequence[int]) -> Iterable[tuple[object, ...]]:
    for (record, document, is_anchor, value), position, home, confidence in compared.records:
        number = None if position is None else numbers[position]
        yield record, document, is_anchor, number, home, confidence, value


def _fill(connection: Connection, table: Table, rows: Iterable[tuple[object, ...]]) -> None:
    """Insert millions of rows, given in the order of the table's columns."""
    names = tuple(column.name for column in table.columns)
    statement = insert(table)
    for chunk in chunks(rows, _ROWS_AT_ONCE):
        execute_tuples(connection, statement, names, chunk)


_ROWS_AT_ONCE = 10_000


def _named(row: Any) -> tuple[EntityId, Identity]:
    key = row.key.decode("utf-8", _LOSSLESS)
    return EntityId(row.entity), Identity(key, row.year, RecordId(row.record), row.held)


def _occurrence_row(record: Record, number: int | None, anchor: str) -> dict[str, object]:
    name, document, is_anchor, value = store_record(record, anchor)
    return {
        "record": name,
        "document": document,
        "anchor": is_anchor,
        "mention": number,
        "entity": "",
        "confidence": 1.0,
        "value": value,
    }


def _naming_row(name: EntityId, each: Identity) -> dict[str, object]:
    return {
        "entity": name,
        "key": each.key.encode("utf-8", _LOSSLESS),
        "year": each.year,
        "record": each.record,
        "held": each.held,
    }


_BASIS = "match_basis"

Decision = tuple[str, str, bool]
"""Two records, and whether they are the same paper."""


@dataclass(frozen=True, slots=True)
class Basis:
    """The inputs of a matching: its method, the builder's decisions, and documents."""

    method: str  # fingerprint of everything that invalidates all comparisons if it changes
    verdicts: tuple[Decision, ...]
    digests: Mapping[str, str] = field(default_factory=dict)  # new or changed documents
    gone: frozenset[str] = frozenset()  # documents that no longer exist


@dataclass(frozen=True, slots=True)
class Matches:
    """The state of matching; one transaction makes a new matching visible."""

    engine: Engine

    def basis(self) -> Basis | None:
        """The inputs of the last matching, all documents included; None if there was none."""
        with self.engine.connect() as connection:
            value = connection.scalar(select(meta.c.value).where(meta.c.key == _BASIS))
            digests = dict(connection.execute(select(matched.c.document, matched.c.digest)).all())
        if value is None:
            return None
        method, verdicts = json.loads(value)
        return Basis(method, tuple((one, other, same) for one, other, same in verdicts), digests)

    def records_of(self, documents: Iterable[str]) -> list[RecordId]:
        """The records that these documents had at the last matching."""
        found: list[RecordId] = []
        with self.engine.connect() as connection:
            for chunk in chunks(documents):
                query = select(occurrence.c.record).where(occurrence.c.document.in_(chunk))
                found += map(RecordId, connection.scalars(query))
        return sorted(found)

    def known(self, records: Iterable[RecordId]) -> list[RecordId]:
        """Those of the records that were part of the last matching."""
        found: list[RecordId] = []
        with self.engine.connect() as connection:
            for chunk in chunks(records):
                query = select(occurrence.c.record).where(occurrence.c.record.in_(chunk))
                found += map(RecordId, connection.scalars(query))
        return sorted(found)

    def replace(
        self,
        entities: Sequence[Entity],
        citations: Sequence[Citation],
        compared: Compared,
        basis: Basis,
        ranker: GraphRanker,
    ) -> None:
        """Replace the whole matching."""
        with writing(self.engine) as connection:
            replace_graph(connection, tuple(entities), tuple(citations))
            rank_all(connection, ranker)
            write_compared(connection, compared)
            connection.execute(delete(matched))
            _write_basis(connection, basis)

    def replace_parted(
        self, entities: Iterable[Entity], compared: Compared, basis: Basis, ranker: GraphRanker
    ) -> None:
        """The same for more entities than fit into memory; citations follow from the comparison data."""
        with writing(self.engine) as connection:
            write_compared(connection, compared)
            write_parted_graph(connection, entities)
            rank_all(connection, ranker)
            connection.execute(delete(matched))
            _write_basis(connection, basis)

    def forget(self) -> None:
        """Make the next matching compare everything, however little has changed."""
        with writing(self.engine) as connection:
            connection.execute(delete(meta).where(meta.c.key == _BASIS))

    @contextmanager
    def changing(self) -> Iterator[Likeness]:
        """The stored state, open for changes; nothing changes if the block ends with an error."""
        with writing(self.engine) as connection:
            yield Likeness(connection)

    @staticmethod
    def change(memory: Likeness, patched: Patched, basis: Basis, ranker: GraphRanker) -> None:
        """Replace the entities affected by a change, and rank everything again."""
        memory.settle(patched.homes)
        memory.rename(patched.before, patched.identities)
        touched = patch_graph(memory.connection, patched)
        noticed = rerank(memory.connection, ranker, touched)
        note_changed_papers(memory.connection, touched | patched.before)
        if noticed is None:
            note_all_changed(memory.connection, (StageName.INDEX,))
        else:
            note_changed_papers(memory.connection, noticed, (StageName.INDEX,))
        _write_basis(memory.connection, basis)


def _write_basis(connection: Connection, basis: Basis) -> None:
    for chunk in chunks(basis.gone):
        connection.execute(delete(matched).where(matched.c.document.in_(chunk)))
    rows = ({"document": name, "digest": found} for name, found in basis.digests.items())
    upsert(connection, matched, rows)
    value = json.dumps([basis.method, basis.verdicts])
    upsert(connection, meta, [{"key": _BASIS, "value": value}])
