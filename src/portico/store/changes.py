"""Make a table hold exactly these rows by touching only those that differ."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Table, delete, select, tuple_

from portico.store.dialect import chunks, upsert

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
