"""One SQL layer: upserts, statements prepared for the driver, and who may speak to the driver at all."""

from pathlib import Path

import pytest
from sqlalchemy import Dialect, Table, bindparam, create_engine, insert, select, update
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.schema import CreateTable

import portico.store
from portico.store import match_tables, schema
from portico.store.bulk import prepare
from portico.store.database import chunks, upsert_statement

SQLITE: Dialect = create_engine("sqlite://").dialect
POSTGRESQL: Dialect = PGDialect()  # type: ignore[no-untyped-call]


def test_an_upsert_overwrites_all_but_the_key() -> None:
    overwrite = upsert_statement("sqlite", schema.assignment, ("document", "topic", "probability"))
    words = " ".join(str(overwrite.compile(dialect=SQLITE)).split())
    assert "ON CONFLICT (document, topic) DO UPDATE SET probability = excluded.probability" in words
    keys_only = upsert_statement("sqlite", schema.assignment, ("document", "topic"))
    assert "DO NOTHING" in str(keys_only.compile(dialect=SQLITE))


@pytest.mark.parametrize(
    ("statement", "names", "values"),
    [
        (insert(match_tables.likeness), ("one", "other", "odds"), (1, 2, 0.5)),
        (
            update(schema.link).where(schema.link.c.id == bindparam("of_id")).values(depth=bindparam("new")),
            ("new", "of_id"),
            (3, 7),
        ),
        (
            select(schema.link.c.id).where(schema.link.c.host == bindparam("of_host")).limit(bindparam("n")),
            ("of_host", "n"),
            ("a.test", 5),
        ),
    ],
    ids=["insert", "update", "select"],
)
def test_a_prepared_statement_binds_as_its_driver_wants(
    statement: object, names: tuple[str, ...], values: tuple[object, ...]
) -> None:
    given = dict(zip(names, values, strict=True))
    positional = prepare(statement, SQLITE, names)
    assert positional.text.count("?") == len(positional.names)
    all_given = positional.fixed | given
    assert positional.bound([all_given[name] for name in positional.names])[: len(values)] == values
    named = prepare(statement, POSTGRESQL, names)
    assert all(f"%({name})s" in named.text for name in named.names)
    assert given.items() <= named.bound([(named.fixed | given)[name] for name in named.names]).items()


@pytest.mark.parametrize("table", schema.metadata.sorted_tables, ids=lambda table: table.name)
def test_every_table_can_be_made_in_postgresql(table: Table) -> None:
    assert table.name in str(CreateTable(table).compile(dialect=POSTGRESQL))


def test_only_the_fast_path_hands_sql_to_the_driver() -> None:
    """Migrations, seals and the making of connections besides: these are written for one database each."""
    folder = Path(portico.store.__file__).parent
    direct = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "exec_driver_sql" in path.read_text() or ".cursor(" in path.read_text()
    }
    assert direct == {"bulk.py", "migrations.py", "postgresql.py", "seals.py", "sqlite.py"}


@pytest.mark.parametrize(("n_items", "sizes"), [(0, []), (1, [1]), (4, [3, 1]), (6, [3, 3])])
def test_chunks(n_items: int, sizes: list[int]) -> None:
    assert [len(chunk) for chunk in chunks(range(n_items), 3)] == sizes
