"""The one place that knows which database this is: how to connect, begin, upsert, compare and check."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, Table, create_engine, delete, event, select, text, tuple_
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from portico.errors import PortalError
from portico.store.bulk import execute_many
from portico.store.faults import make_database_error

T = TypeVar("T")

BUSY_TIMEOUT_S = 30
"""How long a writer waits for another: far longer than our longest transaction takes."""

CHUNK = 400
"""Rows or keys in one statement: pairs of them stay below 999, the least limit SQLite has been built with."""

CACHED_KB = 8000
"""What a connection that writes keeps of the database in memory; SQLite's own figure is 2,000. A crawl asks
for links all over their table: with four times the pages at hand 4,593 pages take 4.6 instead of 5.4 s."""

_WRITES = "portico_writes"

_INSERTS = {"sqlite": sqlite.insert}
"""How each database says INSERT … ON CONFLICT, which SQLAlchemy leaves to its dialects."""


def open_sqlite(path: Path, *, read_only: bool = False, durable: bool = False) -> Engine:
    """An engine over one SQLite file in WAL mode, whose errors are ours.

    Every commit survives the end of the process; with `durable` it also survives a power cut.
    """
    engine = create_engine(_sqlite_url(path, read_only=read_only))

    def translate(context: ExceptionContext) -> None:
        error = make_database_error(context.original_exception, path)
        if error is not None:
            raise error from context.original_exception

    def prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        _prepare_sqlite(connection, read_only=read_only, durable=durable)

    event.listen(engine, "handle_error", translate)
    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction that writes: all of it is kept, or none.

    SQLite takes its write lock at once: a transaction that reads first and writes later could
    otherwise fail, without waiting, when another process wrote in between.
    """
    with engine.execution_options(**{_WRITES: True}).begin() as connection:
        yield connection


def upsert(connection: Connection, table: Table, rows: Iterable[Mapping[str, object]]) -> int:
    """Insert rows, or overwrite those with the same primary key; all rows name the same columns."""
    n_rows = 0
    for chunk in chunks(rows):
        statement = upsert_statement(connection.dialect.name, table, tuple(chunk[0]))
        execute_many(connection, statement, chunk)
        n_rows += len(chunk)
    return n_rows


@lru_cache(maxsize=64)
def upsert_statement(database: str, table: Table, names: tuple[str, ...]) -> Any:
    """The statement `upsert` runs, for rows that name these columns."""
    statement: Any = _INSERTS[database](table)
    keys = [column.name for column in table.primary_key]
    changed = {name: statement.excluded[name] for name in names if name not in keys}
    if not changed:
        return statement.on_conflict_do_nothing(index_elements=keys)
    return statement.on_conflict_do_update(index_elements=keys, set_=changed)


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def find_integrity_faults(engine: Engine) -> tuple[str, ...]:
    """What the database itself finds wrong with its pages, indexes and foreign keys; empty when sound."""
    try:
        with engine.connect() as connection:
            found = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
            strays = connection.execute(text("PRAGMA foreign_key_check")).all()
    except PortalError as error:  # too damaged even for the check
        return (str(error),)
    lost = (f"{row[0]}: row {row[1]} names a missing {row[2]}" for row in strays)
    return (*(line for line in found if line != "ok"), *lost)


def _sqlite_url(path: Path, *, read_only: bool) -> URL:
    if not read_only:
        return URL.create("sqlite", database=str(path))
    # A reader joins the write-ahead log, which needs files beside the database; on a medium that
    # cannot be written (and so cannot change) the log is left out.
    log = path.with_name(path.name + "-wal")
    frozen = {"immutable": "1"} if not os.access(path.parent, os.W_OK) and not log.exists() else {}
    query = {"mode": "ro", "uri": "true"} | frozen
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query=query)


def _prepare_sqlite(connection: DBAPIConnection, *, read_only: bool, durable: bool) -> None:
    # Transactions are begun by `_begin_sqlite`: Python's own way leaves table changes outside of them.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_S * 1000}")
    cursor.execute("PRAGMA foreign_keys = ON")
    if not read_only:
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute(f"PRAGMA cache_size = -{CACHED_KB}")
        cursor.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


Row = Mapping[str, object]
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """How many rows were written (new or different) and how many were removed."""

    n_written: int
    n_removed: int

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(self.n_written + other.n_written, self.n_removed + other.n_removed)


def apply_changes(connection: Connection, table: Table, rows: Sequence[Row]) -> Changes:
    """Make the table hold exactly `rows`, which name all columns, inside the caller's transaction."""
    names = [column.name for column in table.columns]
    keys = [column.name for column in table.primary_key]
    before = {_part(row._asdict(), keys): tuple(row) for row in connection.execute(select(table))}
    after = {_part(row, keys): row for row in rows}
    if len(after) != len(rows):
        raise ValueError(f"{table.name}: two rows have the same key")
    removed = remove_rows(connection, table, before.keys() - after.keys())
    changed = (row for key, row in after.items() if before.get(key) != _part(row, names))
    return Changes(n_written=upsert(connection, table, changed), n_removed=removed)


def remove_rows(connection: Connection, table: Table, keys: Iterable[Key]) -> int:
    """Delete the rows with these primary keys; returns how many keys were given."""
    columns = tuple(table.primary_key)
    n_removed = 0
    for chunk in chunks(keys):
        match = (
            columns[0].in_([key[0] for key in chunk]) if len(columns) == 1 else tuple_(*columns).in_(chunk)
        )
        connection.execute(delete(table).where(match))
        n_removed += len(chunk)
    return n_removed


def _part(row: Row, names: Sequence[str]) -> Key:
    return tuple(row[name] for name in names)
