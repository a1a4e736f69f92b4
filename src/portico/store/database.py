"""Code common to both databases: write transactions, upserts, change tracking, checks.

`sqlite.py` and `postgresql.py` are specific to one database each; everything else uses an engine of either.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, delete, select, text, tuple_

from portico.errors import PortalError
from portico.store.bulk import execute_many
from portico.store.postgresql import (
    describe_postgresql_weakness,
    find_postgresql_faults,
    write_to_postgresql,
)
from portico.store.sqlite import find_sqlite_faults, write_to_sqlite

T = TypeVar("T")

CHUNK = 400
"""Rows or keys per statement: pairs of them stay below 999, the lowest limit SQLite may have been built
with."""

_WRITERS = {"sqlite": write_to_sqlite, "postgresql": write_to_postgresql}
_CHECKS = {"sqlite": find_sqlite_faults, "postgresql": find_postgresql_faults}


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One write transaction: all of it is stored, or nothing; nobody else writes meanwhile."""
    with _WRITERS[engine.dialect.name](engine).begin() as connection:
        yield connection


def upsert(connection: Connection, table: Table, rows: Iterable[Mapping[str, object]]) -> int:
    """Insert rows, or overwrite those with the same primary key; all rows have the same columns."""
    n_rows = 0
    for chunk in chunks(rows):
        statement = upsert_statement(connection.dialect.name, table, tuple(chunk[0]))
        execute_many(connection, statement, chunk)
        n_rows += len(chunk)
    return n_rows


@lru_cache(maxsize=64)
def upsert_statement(database: str, table: Table, names: tuple[str, ...]) -> Any:
    """The statement `upsert` runs, for rows that name these columns."""
    # SQLAlchemy leaves INSERT … ON CONFLICT to its dialects; that of PostgreSQL takes long to load.
    statement: Any = import_module(f"sqlalchemy.dialects.{database}").insert(table)
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
    """The faults that the database itself finds in its pages, indexes and foreign keys; empty if sound."""
    try:
        with engine.connect() as connection:
            return _CHECKS[engine.dialect.name](connection)
    except PortalError as error:  # too damaged even for the check
        return (str(error),)


def describe_weakness(engine: Engine) -> str:
    """What neither the database nor our digests of rows would find; "" if they find everything."""
    if engine.dialect.name == "sqlite":  # see seals.py
        return ""
    with engine.connect() as connection:
        return describe_postgresql_weakness(connection)


def rebuild_indexes(engine: Engine) -> None:
    """Rebuild every index from its table."""
    if engine.dialect.name == "sqlite":  # a server mends its own
        with writing(engine) as connection:
            connection.execute(text("REINDEX"))


Row = Mapping[str, object]
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """How many rows were written (new or different) and how many were removed."""

    n_written: int
    n_removed: int

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(self.n_written + other.n_written, self.n_removed + other.n_removed)


def apply_changes(connection: Connection, table: Table, rows: Iterable[Row]) -> Changes:
    """Make the table hold exactly `rows`, which have all columns, inside the caller's transaction.

    The rows must be in order of the primary key: they are compared with the table's rows while both are read,
    so that neither is ever held in memory as a whole.
    """
    names = [column.name for column in table.columns]
    keys = [column.name for column in table.primary_key]
    before = _read_by_key(connection, table)
    known = next(before, None)
    gone: list[Key] = []
    last: Key | None = None
    n_removed = 0

    def find_changed() -> Iterator[Row]:
        nonlocal known, last, n_removed
        for row in rows:
            key = _part(row, keys)
            if last is not None and not _is_before(last, key):
                raise ValueError(f"{table.name}: the rows do not ascend, or two have the key {key}")
            last = key
            while known is not None and _is_before(known[0], key):
                gone.append(known[0])
                known = next(before, None)
            if len(gone) >= READ_AT_ONCE:
                n_removed += remove_rows(connection, table, gone)
                gone.clear()
            is_there = known is not None and known[0] == key
            if not is_there or (known is not None and known[1] != _part(row, names)):
                yield row
            if is_there:
                known = next(before, None)
        while known is not None:
            gone.append(known[0])
            known = next(before, None)

    # What changes is written a few thousand at a time; the table is read on behind it, never again before it.
    n_written = upsert(connection, table, find_changed())
    return Changes(n_written, n_removed + remove_rows(connection, table, gone))


def sort_by_key(table: Table, rows: Iterable[Row]) -> list[Row]:
    """The rows in order of the table's primary key, as `apply_changes` requires."""
    keys = [column.name for column in table.primary_key]
    return sorted(rows, key=lambda row: _part(row, keys))


READ_AT_ONCE = 5_000
"""Rows read in one query when tables are compared."""


def _read_by_key(connection: Connection, table: Table) -> Iterator[tuple[Key, tuple[object, ...]]]:
    """Key and full row of every row in order of key, each query starting after the last row read."""
    columns = tuple(table.primary_key)
    places = [column.name for column in table.columns]
    place_of_key = [places.index(column.name) for column in columns]
    query = select(table).order_by(*columns).limit(READ_AT_ONCE)
    rows = connection.execute(query).all()
    while rows:
        found = [(tuple(row[place] for place in place_of_key), tuple(row)) for row in rows]
        yield from found
        if len(rows) < READ_AT_ONCE:
            return
        behind = found[-1][0]
        after = columns[0] > behind[0] if len(columns) == 1 else tuple_(*columns) > tuple_(*behind)
        rows = connection.execute(query.where(after)).all()


def _is_before(one: Key, other: Key) -> bool:
    """Whether one key precedes the other in the order of the databases: text by its bytes."""
    return one < other


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
