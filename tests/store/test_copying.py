"""A store is copied from one database to the other, both ways, however often the copying is cut short."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import BigInteger, Boolean, Float, Integer, LargeBinary, Table, insert, select

from portico.errors import PortalError
from portico.store import copying
from portico.store.copying import copy_rows, count_rows
from portico.store.database import writing
from portico.store.documents.results import RunRow
from portico.store.migrations import VERSION_KEY
from portico.store.opening import Store, open_store
from portico.store.schema import citation, meta, metadata
from tests.postgresql import PostgresServer

N_ROWS = 23


@pytest.fixture
def pair(store_url: str, tmp_path: Path, postgresql: PostgresServer) -> Iterator[tuple[Store, Store]]:
    """A store in one database, full of all that columns can hold, and an empty one in the other."""
    other = "sqlite:///copy.db" if store_url.startswith("postgresql") else postgresql.empty_portal()
    with (
        closing(open_store(store_url, tmp_path, create=True)) as source,
        closing(open_store(other, tmp_path, create=True)) as target,
    ):
        with writing(source.engine) as connection:
            for table in metadata.sorted_tables:
                connection.execute(insert(table), [_row(table, number) for number in range(1, N_ROWS)])
        yield source, target


def _row(table: Table, number: int) -> dict[str, Any]:
    return {column.name: _value(column, number) for column in table.columns}


def _value(column: Any, number: int) -> object:
    if column.nullable and number % 3 == 0:
        return None
    kinds: dict[type, object] = {
        Boolean: number % 2 == 0,
        BigInteger: number * 2**56,
        Integer: number,
        Float: number / 7,
        LargeBinary: bytes([number, 0, 255]),
    }
    by_type = next((value for kind, value in kinds.items() if isinstance(column.type, kind)), None)
    return by_type if by_type is not None else f"{'aBé~'[number % 4]}{number} “x”\n\\t%s"


def rows(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    with store.engine.connect() as connection:
        return {
            table.name: sorted(
                (tuple(row) for row in connection.execute(select(table)) if row[0] != VERSION_KEY), key=repr
            )
            for table in metadata.sorted_tables
        }


class Killed(BaseException):
    """What a kill -9 would be."""


def test_every_row_arrives_although_the_copying_is_cut_short_again_and_again(
    pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = pair
    monkeypatch.setattr(copying, "ROWS_AT_ONCE", 5)
    monkeypatch.setattr(copying, "VALUES_AT_ONCE", 5)
    left = 0

    def tell(_table: str, _n_rows: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise Killed

    for left in (3, 50, 120):  # noqa: B007
        with pytest.raises(Killed):
            copy_rows(source.engine, target.engine, "here", tell)
    left = -1
    counts = copy_rows(source.engine, target.engine, "here", tell)
    assert rows(target) == rows(source)
    assert counts.n_rows == len(metadata.sorted_tables) * (N_ROWS - 1) == count_rows(target.engine) - 1
    target.documents.runs.add(RunRow("convert", 1e9, 1.0, 1, 0))  # numbers of new rows go on


def test_what_changed_since_the_first_part_is_copied_again(pair: tuple[Store, Store]) -> None:
    source, target = pair

    def tell(table: str, _n_rows: int) -> None:
        if table == "citation":
            raise Killed

    with pytest.raises(Killed):
        copy_rows(source.engine, target.engine, "here", tell)
    with writing(source.engine) as connection:
        connection.execute(citation.update().values(confidence=0.5))
    copy_rows(source.engine, target.engine, "here", lambda *_: None)
    assert rows(target) == rows(source)


def test_a_target_that_holds_something_else_is_refused(pair: tuple[Store, Store]) -> None:
    source, target = pair
    with writing(target.engine) as connection:
        connection.execute(insert(meta), {"key": "a", "value": "b"})
    with pytest.raises(PortalError, match=r"holds a portal already \(meta"):
        copy_rows(source.engine, target.engine, "here", lambda *_: None)
    with pytest.raises(PortalError, match="holds a portal already"):
        copy_rows(target.engine, source.engine, "there", lambda *_: None)


def test_the_beginning_of_another_copy_is_refused(pair: tuple[Store, Store]) -> None:
    source, target = pair

    def tell(_table: str, _n_rows: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        copy_rows(source.engine, target.engine, "here", tell)
    with pytest.raises(PortalError, match="beginning of a copy of here, not of there"):
        copy_rows(source.engine, target.engine, "there", tell)
