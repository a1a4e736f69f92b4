"""Upserts are written the same way for both databases."""

import pytest
from sqlalchemy import Dialect, Table, create_engine
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.schema import CreateTable

from portico.store import schema
from portico.store.database import chunks, upsert_statement

SQLITE: Dialect = create_engine("sqlite://").dialect
POSTGRESQL: Dialect = PGDialect()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL], ids=lambda dialect: dialect.name)
def test_the_same_upsert_for_both_databases(dialect: Dialect) -> None:
    overwrite = upsert_statement(dialect.name, schema.assignment, ("document", "topic", "probability"))
    words = " ".join(str(overwrite.compile(dialect=dialect)).split())
    assert "ON CONFLICT (document, topic) DO UPDATE SET probability = excluded.probability" in words
    keys_only = upsert_statement(dialect.name, schema.assignment, ("document", "topic"))
    assert "ON CONFLICT (document, topic) DO NOTHING" in " ".join(
        str(keys_only.compile(dialect=dialect)).split()
    )


@pytest.mark.parametrize("table", schema.metadata.sorted_tables, ids=lambda table: table.name)
def test_every_table_can_be_made_in_postgresql(table: Table) -> None:
    assert table.name in str(CreateTable(table).compile(dialect=POSTGRESQL))


@pytest.mark.parametrize(("n_items", "sizes"), [(0, []), (1, [1]), (4, [3, 1]), (6, [3, 3])])
def test_chunks(n_items: int, sizes: list[int]) -> None:
    assert [len(chunk) for chunk in chunks(range(n_items), 3)] == sizes
