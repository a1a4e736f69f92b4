"""Copies a store from one database to another, and compares them row by row."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Engine, LargeBinary, Table, delete, func, select, true, tuple_

from portico.errors import PortalError
from portico.store import match_tables
from portico.store.database import upsert, writing
from portico.store.meta import Meta
from portico.store.migrations import VERSION_KEY
from portico.store.schema import meta

ROWS_AT_ONCE = 4000
VALUES_AT_ONCE = 200
"""Rows copied at once of tables with encoded values, which are some kilobytes each."""

_COPY_OF = "copy_of"
"""The key in `meta` of an incomplete copy, with the name of the store it is copied from."""

_OWN = (VERSION_KEY, _COPY_OF)
_TABLES = match_tables.matched.metadata.sorted_tables  # referenced tables come first

Tell = Callable[[str, int], None]
"""Called with the name of a table and the number of rows copied since the last call."""


@dataclass(frozen=True, slots=True)
class CopyCounts:
    """What a copy holds; the rows of both were compared."""

    n_tables: int
    n_rows: int


def count_rows(engine: Engine) -> int:
    """The rows of all tables."""
    with engine.connect() as connection:
        return sum(connection.scalar(select(func.count()).select_from(table)) or 0 for table in _TABLES)


def copy_rows(source: Engine, target: Engine, name: str, tell: Tell) -> CopyCounts:
    """Make `target` hold exactly what `source`, called `name`, holds; if killed and called again it
    continues.

    PortalError if it holds something else, or if both still differ in the end.
    """
    _claim_target(target, name)
    n_rows = 0
    for table in _TABLES:
        _copy_table(source, target, table, tell)
        if (copied := _digest(source, table)) != _digest(target, table):
            # The original has changed since the part that was copied before.
            with writing(target) as connection:
                connection.execute(delete(table).where(_is_copied(table)))
            _copy_table(source, target, table, tell)
            copied = _digest(source, table)
            if copied != _digest(target, table):
                raise PortalError(
                    f"{table.name}: the copy differs from {name}, which somebody changes meanwhile. "
                    f"Stop whatever writes to it and run the same command again."
                )
        n_rows += copied[0]
    _count_on(target)
    Meta(target).delete(_COPY_OF)
    return CopyCounts(len(_TABLES), n_rows)


def _claim_target(target: Engine, name: str) -> None:
    known = Meta(target).get(_COPY_OF)
    with target.connect() as connection:
        filled = [
            table.name
            for table in _TABLES
            if connection.execute(select(table).where(_is_copied(table)).limit(1)).first() is not None
        ]
    if known is None and filled:
        raise PortalError(
            f"the target holds a portal already ({', '.join(filled[:3])} …). Name an empty database, "
            f"or one that a copy of {name} was begun in."
        )
    if known not in (None, name):
        raise PortalError(f"the target holds the beginning of a copy of {known}, not of {name}.")
    Meta(target).set(_COPY_OF, name)


def _copy_table(source: Engine, target: Engine, table: Table, tell: Tell) -> None:
    last = _last_key(target, table)
    if last is not None:
        with target.connect() as connection:
            tell(table.name, connection.scalar(select(func.count()).select_from(table)) or 0)
    for rows in _read_table(source, table, after=last):
        with writing(target) as connection:
            upsert(connection, table, (row._asdict() for row in rows))
        tell(table.name, len(rows))


def _last_key(engine: Engine, table: Table) -> tuple[Any, ...] | None:
    """The key of the last row copied: rows are copied in order of their keys."""
    keys = tuple(table.primary_key)
    query = select(*keys).where(_is_copied(table)).order_by(*(key.desc() for key in keys)).limit(1)
    with engine.connect() as connection:
        row = connection.execute(query).first()
    return tuple(row) if row is not None else None


def _read_table(engine: Engine, table: Table, after: tuple[Any, ...] | None = None) -> Iterator[list[Any]]:
    """All rows after a key in the order of their keys, in batches."""
    keys = tuple(table.primary_key)
    has_values = any(isinstance(column.type, LargeBinary) for column in table.columns)
    at_once = VALUES_AT_ONCE if has_values else ROWS_AT_ONCE
    query = select(table).where(_is_copied(table)).order_by(*keys).limit(at_once)
    places = [table.columns.keys().index(key.name) for key in keys]
    while True:
        page = query if after is None else query.where(tuple_(*keys) > tuple_(*after, types=_types(keys)))
        with engine.connect() as connection:
            rows = list(connection.execute(page))
        if not rows:
            return
        yield rows
        after = tuple(rows[-1][place] for place in places)


def _types(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(key.type for key in keys)


def _digest(engine: Engine, table: Table) -> tuple[int, str]:
    """The number of rows, and a digest of all their values in order."""
    total, n_rows = sha256(), 0
    for rows in _read_table(engine, table):
        for row in rows:
            total.update(repr(tuple(row)).encode("utf-8", "surrogatepass"))
        n_rows += len(rows)
    return n_rows, total.hexdigest()


def _is_copied(table: Table) -> Any:
    """Each store knows its own version; all else is copied."""
    return meta.c.key.not_in(_OWN) if table is meta else true()


def _count_on(target: Engine) -> None:
    """Make PostgreSQL number new rows after those that were copied; SQLite does so by itself."""
    if target.dialect.name != "postgresql":
        return
    with writing(target) as connection:
        for table in _TABLES:
            column = table.autoincrement_column
            if column is not None:
                last = select(func.coalesce(func.max(column), 0)).scalar_subquery()
                sequence = func.pg_get_serial_sequence(table.name, column.name)
                connection.execute(select(func.setval(sequence, last + 1, False)))
