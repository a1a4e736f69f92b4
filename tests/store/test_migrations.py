"""An older store is brought up to date step by step, whole or not at all."""

from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, inspect, text

from portico.errors import StoreTooNew
from portico.store import schema
from portico.store.dialect import sqlite_engine, writing
from portico.store.migrations import STEPS, create, migrate, read_version


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = sqlite_engine(tmp_path / "portico.db")
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


def test_steps_run_in_order_and_once(engine: Engine) -> None:
    with writing(engine) as connection:
        assert migrate(connection, (add_color,)) == 1
    with writing(engine) as connection:
        assert migrate(connection, (add_color, add_notes)) == 1
        assert migrate(connection, (add_color, add_notes)) == 0
        assert read_version(connection) == 3
    assert columns(engine, "notes") == {"path", "color"}


def test_a_step_that_fails_leaves_everything_as_it_was(engine: Engine) -> None:
    with pytest.raises(KeyboardInterrupt), writing(engine) as connection:
        migrate(connection, (add_color, fail))
    assert "color" not in columns(engine, "topic")
    assert not inspect(engine).has_table("half_done")
    with engine.connect() as connection:
        assert read_version(connection) == 1


def test_a_newer_store_is_refused(engine: Engine) -> None:
    with writing(engine) as connection:
        migrate(connection, (add_color,))
    with (
        pytest.raises(StoreTooNew, match="version 2, and this one knows only up to 1"),
        writing(engine) as connection,
    ):
        migrate(connection, ())
