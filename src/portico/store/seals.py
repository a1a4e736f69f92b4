"""Digests of all rows, to detect bytes changed by the disk.

SQLite checks the structure of its pages, not their contents. A `seal` is the digest of a bucket, that is,
some neighboring rows of a table, as they were when a build ended, or while it went on: it may be killed, so
it seals every minute what it has written. Triggers record in `touched` which buckets were written since then:
these cannot be checked, but all others must still have their digest. What people contribute (corrections,
submissions, marks) cannot be computed again, so its digest is written in the same transaction. Both tables
and the triggers exist in SQLite only: a database server has checksums of its own.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

from sqlalchemy import BigInteger, Connection, Engine, Table, text

from portico.store import match_tables
from portico.store.database import chunks, writing
from portico.store.faults import make_database_error

_TABLES = match_tables.matched.metadata.tables  # all tables of the schema

SCHEMA = "sqlite_schema"
"""The declarations of tables and indexes, sealed as if they were a table."""

# Rows of a bucket have the same number except for this many low bits: few if rows are large, or if each
# matters by itself.
_BITS: Mapping[str, int] = MappingProxyType(
    {"meta": 0, "page": 0, "correction": 0, "submission": 0, "verdict": 0, "mark": 0, "lesson_act": 0}
    | {"result": 2, "entity": 3, "failure": 3, "link": 5}
    | {"block": 22}  # its keys have 32 bits
)
_DEFAULT_BITS = 8
_BY_PEOPLE = ("correction", "submission", "verdict", "mark", "lesson_act", "meta")
_KEY_BITS = 54  # tables ordered by a hash instead of a number: 1,024 buckets
SEAL_EVERY_S = 60.0
_SEAL_SHARE = 0.05  # maximum share of a build's time spent on sealing
_AT_ONCE = 64  # buckets sealed in one transaction: others may write in between

_PLACE = "part VARCHAR NOT NULL, bucket BIGINT NOT NULL"
_MAKE = (
    f"CREATE TABLE seal ({_PLACE}, digest VARCHAR NOT NULL, PRIMARY KEY (part, bucket)) WITHOUT ROWID",
    f"CREATE TABLE touched ({_PLACE}, PRIMARY KEY (part, bucket)) WITHOUT ROWID",
)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Some neighboring rows of a table."""

    table: str
    number: int


@dataclass(frozen=True, slots=True)
class _Cut:
    """How one table is divided into buckets: by the high bits of an integer column, or not at all."""

    table: str
    column: str | None
    bits: int

    def number(self, row: str) -> str:
        """SQL for the bucket of a row; `row` is a name with its dot, or nothing."""
        return "0" if self.column is None else f"({row}{_quote(self.column)} >> {self.bits})"

    def where(self, number: int) -> str:
        """SQL that is true for the rows of one bucket, and uses the order in which they are stored."""
        if self.column is None:
            return "1"
        first = number << self.bits
        return f"{_quote(self.column)} BETWEEN {first} AND {first + (1 << self.bits) - 1}"


def _cut(table: Table) -> _Cut:
    if table.dialect_options["sqlite"]["with_rowid"]:
        return _Cut(table.name, "rowid", _BITS.get(table.name, _DEFAULT_BITS))
    first = next(iter(table.primary_key))
    return _Cut(
        table.name,
        first.name if isinstance(first.type, BigInteger) else None,
        _BITS.get(table.name, _KEY_BITS),
    )


_CUTS: Mapping[str, _Cut] = MappingProxyType({table.name: _cut(table) for table in _TABLES.values()})


def prepare_seals(engine: Engine) -> None:
    """Record every change from now on; existing rows count as written since the last seal."""
    if not _keeps_seals(engine):
        return
    with engine.connect() as connection:
        if _has_seals(connection):
            return
    with writing(engine) as connection:
        drop_seals(connection)  # of other buckets
        for statement in (*_MAKE, *(each for cut in _CUTS.values() for each in _triggers(cut))):
            connection.execute(text(statement))
        for cut in _CUTS.values():
            numbers = f"SELECT DISTINCT '{cut.table}', {cut.number('')} FROM {_quote(cut.table)}"
            connection.execute(text(f"INSERT OR IGNORE INTO touched {numbers}"))


def drop_seals(connection: Connection) -> None:
    """Remove all digests, because the tables are about to be changed."""
    if connection.dialect.name != "sqlite":
        return
    for cut in _CUTS.values():
        for event in _EVENTS:
            connection.execute(text(f"DROP TRIGGER IF EXISTS {_name(cut, event)}"))
    for name in ("seal", "touched"):
        connection.execute(text(f"DROP TABLE IF EXISTS {name}"))


def seal(engine: Engine) -> int:
    """Compute the digest of every bucket written since the last time; returns their number."""
    if not _keeps_seals(engine):
        return 0
    with engine.connect() as connection:
        if not _has_seals(connection):
            return 0
        waiting = [Bucket(*row) for row in connection.execute(text("SELECT part, bucket FROM touched"))]
    for some in chunks(waiting, _AT_ONCE):
        with writing(engine) as connection:
            _write_seals(connection, some)
    with writing(engine) as connection:
        found = _digest_schema(connection)
        if found != connection.scalar(text(f"SELECT digest FROM seal WHERE part = '{SCHEMA}'")):
            _replace_seal(connection, Bucket(SCHEMA, 0), found)
    return len(waiting)


class SealKeeper:
    """Seals what was written every minute while work goes on: a build may be killed before it ends."""

    def __init__(self, engine: Engine, clock: Callable[[], float]) -> None:
        self._engine, self._clock = engine, clock
        self._due = clock() + SEAL_EVERY_S

    def __call__(self) -> None:
        """Seals if that is due; to be called often, outside of any transaction."""
        started = self._clock()
        if started < self._due:
            return
        seal(self._engine)
        ended = self._clock()
        self._due = ended + max(SEAL_EVERY_S, (ended - started) / _SEAL_SHARE)


@contextmanager
def writing_sealed(engine: Engine) -> Iterator[Connection]:
    """One transaction for contributions of people, sealed with it."""
    with writing(engine) as connection:
        yield connection
        if _keeps_seals(engine) and _has_seals(connection):
            names = ", ".join(f"'{name}'" for name in _BY_PEOPLE)
            rows = connection.execute(text(f"SELECT part, bucket FROM touched WHERE part IN ({names})")).all()
            _write_seals(connection, [Bucket(*row) for row in rows])


def find_broken_seals(engine: Engine) -> Iterator[Bucket]:
    """The buckets whose rows differ from what was sealed, although we have not written them since."""
    if not _keeps_seals(engine):
        return
    with engine.connect() as connection:
        if not connection.scalar(text("SELECT 1 FROM sqlite_schema WHERE name = 'seal'")):
            return
        sealed = connection.scalar(text(f"SELECT digest FROM seal WHERE part = '{SCHEMA}'"))
        if sealed is not None and sealed != _digest_schema(connection):
            yield Bucket(SCHEMA, 0)
        elif not _has_seals(connection):
            return  # of another version, with other buckets: the next build seals everything
        names = connection.scalars(text("SELECT part FROM seal UNION SELECT part FROM touched")).all()
        yield from (Bucket(str(name), 0) for name in names if name not in (*_CUTS, SCHEMA))
    for cut in _CUTS.values():
        # One connection is one state of the database: what is written meanwhile is not seen, nor noted.
        with engine.connect() as connection:
            yield from _find_broken(connection, cut)


def accept_bucket(engine: Engine, bucket: Bucket) -> None:
    """Accept its rows as they are: the next `seal` covers them."""
    with writing(engine) as connection:
        if bucket.table in _CUTS:
            _touch(connection, bucket)
        else:
            connection.execute(text("DELETE FROM seal WHERE part = :part"), {"part": bucket.table})
            connection.execute(text("DELETE FROM touched WHERE part = :part"), {"part": bucket.table})


def delete_bucket(engine: Engine, bucket: Bucket) -> None:
    """Remove its rows, which are computed again or are of little value."""
    cut = _CUTS[bucket.table]
    with writing(engine) as connection:
        connection.execute(text(f"DELETE FROM {_quote(cut.table)} WHERE {cut.where(bucket.number)}"))
        _touch(connection, bucket)


def read_bucket(engine: Engine, bucket: Bucket, column: str) -> tuple[str, ...]:
    """One column of its rows, where it is still valid text."""
    cut = _CUTS[bucket.table]
    with engine.connect() as connection, _raw_text(connection) as cursor:
        cursor.execute(f"SELECT {column} FROM {_quote(cut.table)} WHERE {cut.where(bucket.number)}")
        found = [value for (value,) in cursor.fetchall() if isinstance(value, bytearray)]
    return tuple(text for value in found if (text := _as_text(value)) is not None)


def _as_text(value: bytearray) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _keeps_seals(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite"


def _has_seals(connection: Connection) -> bool:
    """Whether changes are recorded, in the buckets of this version."""
    query = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'touch_%'"
    return frozenset(connection.scalars(text(query))) == _list_triggers()


@cache
def _list_triggers() -> frozenset[str]:
    return frozenset(statement for cut in _CUTS.values() for statement in _triggers(cut))


_EVENTS = ("INSERT", "UPDATE", "DELETE")


def _name(cut: _Cut, event: str) -> str:
    return f"touch_{cut.table}_{event.lower()}"


def _triggers(cut: _Cut) -> Iterator[str]:
    for event in _EVENTS:
        rows = {"INSERT": ("new",), "DELETE": ("old",)}.get(event, ("new", "old"))
        # No INSERT OR IGNORE: a trigger goes by the conflict clause of the statement that fired it.
        notes = " ".join(
            f"INSERT INTO touched SELECT '{cut.table}', {cut.number(f'{row}.')} WHERE NOT EXISTS "
            f"(SELECT 1 FROM touched WHERE part = '{cut.table}' AND bucket = {cut.number(f'{row}.')});"
            for row in rows
        )
        yield (f"CREATE TRIGGER {_name(cut, event)} AFTER {event} ON {_quote(cut.table)} BEGIN {notes} END")


def _find_broken(connection: Connection, cut: _Cut) -> Iterator[Bucket]:
    known = text("SELECT bucket, digest FROM seal WHERE part = :part")
    sealed: dict[int, str] = dict(connection.execute(known, {"part": cut.table}).all())
    noted = connection.scalars(text("SELECT bucket FROM touched WHERE part = :part"), {"part": cut.table})
    touched = frozenset(noted)
    there = connection.scalars(text(f"SELECT DISTINCT {cut.number('')} FROM {_quote(cut.table)}")).all()
    with _raw_text(connection) as cursor:
        for number in sorted({*there, *sealed} - touched, key=str):
            if not isinstance(number, int) or sealed.get(number) != _digest_bucket(cursor, cut, number):
                yield Bucket(cut.table, number)


def _write_seals(connection: Connection, buckets: list[Bucket]) -> None:
    with _raw_text(connection) as cursor:
        found = [(each, _digest_bucket(cursor, _CUTS[each.table], each.number)) for each in buckets]
    for bucket, digest in found:
        _replace_seal(connection, bucket, digest)


def _replace_seal(connection: Connection, bucket: Bucket, digest: str | None) -> None:
    key = {"part": bucket.table, "bucket": bucket.number}
    for table in ("seal", "touched"):
        connection.execute(text(f"DELETE FROM {table} WHERE part = :part AND bucket = :bucket"), key)
    if digest is not None:
        connection.execute(
            text("INSERT INTO seal VALUES (:part, :bucket, :digest)"), key | {"digest": digest}
        )


def _touch(connection: Connection, bucket: Bucket) -> None:
    key = {"part": bucket.table, "bucket": bucket.number}
    connection.execute(text("INSERT OR IGNORE INTO touched VALUES (:part, :bucket)"), key)


def _digest_bucket(cursor: Any, cut: _Cut, number: int) -> str | None:
    """The digest of its rows in order; None if it has none."""
    cursor.execute(f"SELECT * FROM {_quote(cut.table)} WHERE {cut.where(number)}")
    rows = cursor.fetchall()
    return _digest_rows(rows) if rows else None


def _digest_schema(connection: Connection) -> str:
    with _raw_text(connection) as cursor:
        cursor.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
        return _digest_rows(cursor.fetchall())


def _digest_rows(rows: list[tuple[object, ...]]) -> str:
    whole = blake2b(digest_size=12)
    for row in rows:
        # Long values by their own digest: writing out bytes as text takes longer than hashing them.
        short = [blake2b(each).digest() if type(each) is bytes else each for each in row]
        whole.update(ascii(short).encode())
    return whole.hexdigest()


@contextmanager
def _raw_text(connection: Connection) -> Iterator[Any]:
    """A cursor that returns text as bytes: damaged text may not be valid text."""
    driver: Any = connection.connection.dbapi_connection
    usual = driver.text_factory
    driver.text_factory = bytearray  # not bytes: what was text and became bytes is damaged too
    cursor = driver.cursor()
    try:
        yield cursor
    except sqlite3.Error as fault:  # this cursor is the driver's own, whose errors nobody translates
        raise make_database_error(fault, str(connection.engine.url.database)) or fault from fault
    finally:
        cursor.close()
        driver.text_factory = usual


def _quote(name: str) -> str:
    return f'"{name}"'
