"""An older store is brought up to date step by step, whole or not at all."""

from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, inspect, select, text

from portico.errors import StoreTooNew
from portico.store import schema
from portico.store.database import writing
from portico.store.migrations import STEPS, create, migrate, read_version
from portico.store.sqlite import open_sqlite


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = open_sqlite(tmp_path / "portico.db")
    with writing(engine) as connection:
        create(connection)
    return engine


def add_color(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE topic ADD COLUMN color TEXT NOT NULL DEFAULT 'red'"))


def add_notes(connection: Connection) -> None:
    connection.execute(text("CREATE TABLE notes AS SELECT path, color FROM topic"))


def fail(connection: Connection) -> None:
    connection.execute(text("CREATE TABLE half_done (id INTEGER)"))
    raise KeyboardInterrupt


def columns(engine: Engine, table: str) -> set[str]:
    return {column["name"] for column in inspect(engine).get_columns(table)}


def test_every_version_has_its_step() -> None:
    assert len(STEPS) == schema.VERSION - 1
    for number, step in enumerate(STEPS, 1):
        assert step.__name__.startswith(f"v{number}_to_v{number + 1}_")


OLDEST = Path(__file__).parent / "data" / "version-1.sql"
"""The tables of the first store, as SQLite wrote them down."""


@pytest.fixture
def oldest(tmp_path: Path) -> Engine:
    engine = open_sqlite(tmp_path / "oldest.db")
    with writing(engine) as connection:
        for statement in OLDEST.read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
    return engine


def test_the_oldest_store_becomes_like_a_new_one(oldest: Engine, engine: Engine) -> None:
    with writing(oldest) as connection:
        assert migrate(connection) == len(STEPS)
    for table in inspect(engine).get_table_names():
        assert columns(oldest, table) == columns(engine, table), table


def test_papers_of_before_are_still_in_order_of_years(oldest: Engine) -> None:
    with writing(oldest) as connection:
        for name, year in (("a", "1999"), ("b", "NULL")):
            row = f"('{name}', 'paper', 1, '', {year}, 0, 0, 0, x'00', '')"
            connection.exec_driver_sql(f"INSERT INTO entity VALUES {row}")
        migrate(connection)
        found = connection.execute(select(schema.entity.c.id, schema.entity.c.published)).all()
    assert [tuple(row) for row in found] == [("a", 19990000), ("b", None)]


def test_documents_stay_with_their_papers(oldest: Engine) -> None:
    with writing(oldest) as connection:
        row = "('p', 'paper', 1, '', NULL, 0, 0, 0, x'00', '')"
        connection.exec_driver_sql(f"INSERT INTO entity VALUES {row}")
        connection.exec_driver_sql("INSERT INTO entity_document VALUES ('d', 'p')")
        migrate(connection)
        rows = connection.execute(select(schema.entity_document)).all()
    assert [tuple(row) for row in rows] == [("d", "p")]
    assert inspect(oldest).get_pk_constraint("entity_document")["constrained_columns"] == [
        "document",
        "entity",
    ]


def test_steps_run_in_order_and_once(engine: Engine) -> None:
    with writing(engine) as connection:
        assert migrate(connection, (*STEPS, add_color)) == 1
    with writing(engine) as connection:
        assert migrate(connection, (*STEPS, add_color, add_notes)) == 1
        assert migrate(connection, (*STEPS, add_color, add_notes)) == 0
        assert read_version(connection) == schema.VERSION + 2
    assert columns(engine, "notes") == {"path", "color"}


def test_a_step_that_fails_leaves_everything_as_it_was(engine: Engine) -> None:
    with pytest.raises(KeyboardInterrupt), writing(engine) as connection:
        migrate(connection, (*STEPS, add_color, fail))
    assert "color" not in columns(engine, "topic")
    assert not inspect(engine).has_table("half_done")
    with engine.connect() as connection:
        assert read_version(connection) == schema.VERSION


def test_a_newer_store_is_refused(engine: Engine) -> None:
    newer, known = schema.VERSION + 1, schema.VERSION
    with writing(engine) as connection:
        migrate(connection, (*STEPS, add_color))
    with (
        pytest.raises(StoreTooNew, match=f"version {newer}; this one supports up to {known}"),
        writing(engine) as connection,
    ):
        migrate(connection)
