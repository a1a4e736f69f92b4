"""Bulk SQL statements, compiled once by SQLAlchemy and then passed to the driver as text.

SQLAlchemy processes every row and every parameter. A crawl writes thousands of rows per second, and matching
runs ten thousand small queries: there, this overhead exceeds the time of the database. So a statement is
compiled here once per database (`prepare`) and passed to the driver with plain values, positional or named as
the driver expects. This is the only module that does so; all others use SQLAlchemy. The cost is that values
are not converted by column type, except that text from outside is made storable (`SafeText`); so the columns
used here hold only numbers, text and bytes.

PostgreSQL receives many rows and keys as arrays, one per column, in one statement, and very many by COPY,
because each statement waits for an answer over the network.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    Column,
    Connection,
    Dialect,
    Engine,
    Insert,
    any_,
    bindparam,
    func,
    literal_column,
    select,
)
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.schema import ScalarElementColumnDefault

from portico.store.safe_text import SafeText, make_storable

Row = Mapping[str, Any]

_SIZES = (4, 32, 400)
"""Numbers of keys per query. Shorter lists are padded, so that there are three statements instead of four
hundred. SQLite may have been built to accept at most 999."""


def execute_many(connection: Connection, statement: Any, rows: Sequence[Row]) -> None:
    """Run an insert, update or delete once for each row; all rows have the same parameters.

    Same as `connection.execute`, in a third of the time.
    """
    if not rows:
        return
    arrays = connection.dialect.name == _POSTGRESQL and isinstance(statement, Insert)
    prepared = prepare(statement, connection.dialect, tuple(rows[0]))
    columns = [_column(prepared, name, rows) for name in prepared.names]
    if arrays:
        inserted = _inserting_arrays(statement, connection.dialect, prepared.names)
        named = dict(zip(prepared.names, columns, strict=True))
        connection.exec_driver_sql(inserted, _without_repeats(statement, named))
    else:
        values = zip(*columns, strict=True)
        connection.exec_driver_sql(prepared.text, _all_bound(prepared, values))


def execute_tuples(
    connection: Connection, statement: Any, names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]
) -> None:
    """The same for rows of numbers, in the order in which the statement names its parameters."""
    if rows:
        prepared = prepare(statement, connection.dialect, names)
        if prepared.names != names or prepared.words:
            raise ValueError(f"not {names} but {prepared.names} are the parameters of {prepared.text}")
        if connection.dialect.name == _POSTGRESQL and isinstance(statement, Insert):
            _copy(connection, statement.table, names, rows)
        else:
            connection.exec_driver_sql(prepared.text, _all_bound(prepared, rows))


def _copy(connection: Connection, table: Any, names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert very many rows into PostgreSQL as one COPY stream."""
    quote = connection.dialect.identifier_preparer.quote
    columns = ", ".join(map(quote, names))
    cursor: Any = connection.connection.cursor()
    try:
        with cursor.copy(f"COPY {quote(table.name)} ({columns}) FROM STDIN") as stream:
            for row in rows:
                stream.write_row(row)
    except connection.dialect.loaded_dbapi.Error:
        # A question in the usual way, which says what is wrong: this transaction has failed.
        connection.exec_driver_sql("SELECT 1")
        raise


def select_in(
    connection: Connection, query: Any, column: Column[Any], keys: Collection[Any]
) -> Iterator[Any]:
    """The rows of a query whose column has one of these values; the query has no other parameters."""
    for prepared, values in _asked(connection.dialect, query, column, keys):
        yield from connection.exec_driver_sql(prepared.text, values).all()


def read_in(engine: Engine, query: Any, column: Column[Any], keys: Collection[Any]) -> list[Any]:
    """The rows of `select_in` as plain tuples, in half the time, for pages that visitors wait for."""
    try:
        with engine.connect() as connection:
            cursor = connection.connection.cursor()
            found: list[Any] = []
            for prepared, values in _asked(engine.dialect, query, column, keys):
                cursor.execute(prepared.text, values)
                found += cursor.fetchall()
            return found
    except engine.dialect.loaded_dbapi.Error:
        with engine.connect() as connection:  # once more in the usual way, which says what is wrong
            return [tuple(row) for row in select_in(connection, query, column, keys)]


def prepare_reader(connection: Connection, query: Any, names: tuple[str, ...]) -> Callable[..., list[Any]]:
    """A function that runs a query repeatedly with different values for these parameters.

    It returns plain tuples, with little overhead per query.
    """
    prepared = prepare(query, connection.dialect, names)
    cursor = connection.connection.cursor()

    def read(*values: Any) -> list[Any]:
        given = {**prepared.fixed, **dict(zip(names, values, strict=True))}
        bound = prepared.bound([given[name] for name in prepared.names])
        try:
            cursor.execute(prepared.text, bound)
            return list(cursor.fetchall())
        except connection.dialect.loaded_dbapi.Error:
            # Once more in the usual way, which says what is wrong.
            return [tuple(row) for row in connection.exec_driver_sql(prepared.text, bound)]

    return read


def read_rows(connection: Connection, query: Any) -> list[Any]:
    """All rows of a query without parameters, as plain tuples."""
    return prepare_reader(connection, query, ())()


def stream_rows(connection: Connection, query: Any) -> Iterator[Any]:
    """All rows of a query, of which only some thousands are in memory at a time."""
    for rows in connection.execute(query.execution_options(yield_per=STREAMED_AT_ONCE)).partitions():
        yield from rows


STREAMED_AT_ONCE = 10_000


def _asked(
    dialect: Dialect, query: Any, column: Column[Any], keys: Collection[Any]
) -> Iterator[tuple["PreparedStatement", Any]]:
    """Statements with their values, each for as many keys as fit in one statement."""
    all_keys = [*map(make_storable, keys)] if isinstance(column.type, SafeText) else [*keys]
    if dialect.name == _POSTGRESQL:
        prepared = _asking_array(query, column, dialect)
        yield prepared, prepared.fixed | {_KEYS: all_keys}
        return
    for start in range(0, len(all_keys), _SIZES[-1]):
        chunk = all_keys[start : start + _SIZES[-1]]
        size = next(size for size in _SIZES if size >= len(chunk))
        prepared = _asking(query, column, dialect, size)
        chunk += chunk[-1:] * (size - len(chunk))
        names = _key_names(size)
        if prepared.names != names:  # the query has parameters of its own
            given = prepared.fixed | dict(zip(names, chunk, strict=True))
            chunk = [given[name] for name in prepared.names]
        yield prepared, prepared.bound(chunk)


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """A statement in the SQL of one database, and the form in which its driver expects parameters."""

    text: str
    names: tuple[str, ...]
    positional: bool  # parameters are bound by position, not by name
    words: frozenset[str]  # parameters with text from outside
    fixed: dict[str, Any]  # parameters that are the same for all rows

    def bound(self, values: Sequence[Any]) -> Any:
        return tuple(values) if self.positional else dict(zip(self.names, values, strict=True))


def _all_bound(prepared: PreparedStatement, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    return [*rows] if prepared.positional else [prepared.bound(row) for row in rows]


@lru_cache(maxsize=256)
def prepare(statement: Any, dialect: Dialect, given: tuple[str, ...]) -> PreparedStatement:
    """Compile a statement whose callers supply values for these parameters."""
    compiled: SQLCompiler = statement.compile(dialect=dialect, column_keys=list(given))
    types = {name: parameter.type for parameter, name in compiled.bind_names.items()}
    names = tuple(compiled.positiontup or types)
    defaults = {
        column.key: column.default.arg
        for column in compiled.insert_prefetch
        if isinstance(column.default, ScalarElementColumnDefault)
    }
    return PreparedStatement(
        text=str(compiled),
        names=names,
        positional=compiled.positional,
        words=frozenset(name for name in names if isinstance(types[name], SafeText)),
        fixed={name: value for name, value in (compiled.params | defaults).items() if name not in given},
    )


@lru_cache(maxsize=64)
def _asking(query: Any, column: Column[Any], dialect: Dialect, size: int) -> PreparedStatement:
    """The query for this many keys, written out, because compiling four hundred parameters takes 20 ms."""
    whole = prepare(query.where(column.op("IN")(literal_column(_KEYS))), dialect, ())
    before, after = whole.text.split(_KEYS)
    names = _key_names(size)
    marks = ", ".join(["?"] * size if whole.positional else [f"%({name})s" for name in names])
    n_before = before.count("?")
    return replace(
        whole,
        text=f"{before}({marks}){after}",
        names=(*whole.names[:n_before], *names, *whole.names[n_before:]),
    )


_KEYS = "__keys__"


@lru_cache(maxsize=64)
def _asking_array(query: Any, column: Column[Any], dialect: Dialect) -> PreparedStatement:
    keys = bindparam(_KEYS, type_=ARRAY(column.type))
    return prepare(query.where(column == any_(keys)), dialect, (_KEYS,))


@lru_cache(maxsize=256)
def _inserting_arrays(statement: Any, dialect: Dialect, names: tuple[str, ...]) -> str:
    """An insert or upsert of as many rows as its arrays are long."""
    types = statement.table.c
    arrays = (bindparam(name, type_=ARRAY(types[name].type)) for name in names)
    rows = func.unnest(*arrays).table_valued(*names).render_derived()
    return str(statement.from_select(names, select(*rows.c), include_defaults=False).compile(dialect=dialect))


def _without_repeats(statement: Any, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The rows without repeated keys: one statement may change a row only once, so the last of each key
    counts.
    """
    keys = [columns[column.name] for column in statement.table.primary_key if column.name in columns]
    places = {key: place for place, key in enumerate(zip(*keys, strict=True))}
    n_rows = len(next(iter(columns.values())))
    if not keys or len(places) == n_rows:
        return columns
    kept = sorted(places.values())
    return {name: [values[place] for place in kept] for name, values in columns.items()}


_POSTGRESQL = "postgresql"


@lru_cache(maxsize=len(_SIZES))
def _key_names(size: int) -> tuple[str, ...]:
    return tuple(f"key_{position}" for position in range(size))


def _column(prepared: PreparedStatement, name: str, rows: Sequence[Row]) -> list[Any]:
    """The values of one parameter in all rows."""
    if name in prepared.fixed:
        return [prepared.fixed[name]] * len(rows)
    values = [row[name] for row in rows]
    if name in prepared.words:
        return [value if value is None else make_storable(value) for value in values]
    return values
