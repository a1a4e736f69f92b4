"""A bit that changes behind the database's back is found in every table; what we write ourselves is not."""

import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert

from portico.errors import PortalError
from portico.store import match_tables, seals
from portico.store.contributions.visitors import Submission
from portico.store.database import find_integrity_faults, writing
from portico.store.documents.pages import WEB, PageRow
from portico.store.opening import Store, open_store
from portico.types.lesson import FieldMark
from portico.types.page import BodyHash, Url

URL = "sqlite:///portico.db"
TABLES = match_tables.matched.metadata.tables
N_ROWS = 40
MARKER = "a text that stands nowhere else "


def a_value(table: str, column: object, number: int) -> object:
    kind = str(getattr(column, "type", ""))
    if "BLOB" in kind:
        return f"{MARKER}{table} {number}".encode()
    if "INT" in kind:
        return number
    if "FLOAT" in kind:
        return number / 8
    if "BOOL" in kind:
        return number % 2 == 0
    return f"{MARKER}{table} {number}"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Every table has rows, and all are sealed."""
    opened = open_store(URL, tmp_path, create=True)
    with writing(opened.engine) as connection:
        for table in TABLES.values():
            if table.name in ("meta", "entity_document"):
                continue
            rows = [
                {column.name: a_value(table.name, column, number) for column in table.columns}
                for number in range(1, N_ROWS + 1)
            ]
            connection.execute(insert(table), rows)
    opened.meta.set("kept_sources", f"{MARKER}meta")
    assert seals.seal(opened.engine) >= len(TABLES) - 1
    return opened


def broken(store: Store) -> set[str]:
    return {each.table for each in seals.find_broken_seals(store.engine)}


def read_rows(database: Path) -> list[object]:
    """Everything in all tables, text as the bytes it is kept as."""
    with closing(sqlite3.connect(database)) as opened:
        opened.text_factory = bytearray
        return [opened.execute(f'SELECT * FROM "{name}"').fetchall() for name in (*TABLES, "sqlite_schema")]


def is_noticed(folder: Path) -> bool:
    """Whether opening it, SQLite's own check or the seals tell that something is wrong."""
    try:
        opened = open_store(URL, folder, read_only=True)
        found = bool(find_integrity_faults(opened.engine)) or bool(broken(opened))
        opened.close()
    except PortalError:
        return True
    return found


def test_every_flipped_bit_is_found_unless_it_means_nothing(store: Store, tmp_path: Path) -> None:
    database = tmp_path / "portico.db"
    assert not is_noticed(tmp_path)
    store.close()
    whole, rows, chance = database.read_bytes(), read_rows(database), random.Random(5)
    outcomes = Counter[str]()
    for _ in range(40):
        changed = bytearray(whole)
        changed[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        database.write_bytes(changed)
        outcomes[
            "found" if is_noticed(tmp_path) else "same" if read_rows(database) == rows else "MISSED"
        ] += 1
    assert outcomes["MISSED"] == 0
    assert outcomes["found"] > 15


def test_a_row_that_cannot_be_read_is_said_in_our_words(store: Store, tmp_path: Path) -> None:
    store.close()
    database, value = tmp_path / "portico.db", f"{MARKER}entity 7".encode()
    body = bytearray(database.read_bytes())
    header_end = body.index(value)  # before the values of a row stand their sizes
    body[header_end - 2 : header_end] = b"\xff\x7f"
    database.write_bytes(body)
    opened = open_store(URL, tmp_path, read_only=True)
    with pytest.raises(PortalError, match="Put back a copy"):
        broken(opened)
    opened.close()


def test_what_we_write_ourselves_is_no_damage(store: Store) -> None:
    store.meta.set("kept_sources", "[]")
    store.crawl.frontier.follow_anew()
    assert broken(store) == set()
    assert seals.seal(store.engine) > 0
    assert seals.seal(store.engine) == 0
    assert broken(store) == set()


def test_what_people_say_is_sealed_as_it_is_written(store: Store, tmp_path: Path) -> None:
    """Nobody can make it again, and the next build may be weeks away."""
    said = FieldMark(Url("http://a.test/"), BodyHash("b"), "title", 0, 4, "said since the last build")
    store.contributions.marks.add(said, at=1.0)
    store.contributions.submissions.add(Submission(Url("http://b.test/said-since"), whole_site=False))
    assert broken(store) == set()
    store.close()
    database = tmp_path / "portico.db"
    whole = database.read_bytes()
    for words, part in ((b"said since the last build", "mark"), (b"http://b.test/said-since", "submission")):
        assert words in whole
        database.write_bytes(whole.replace(words, words.replace(b"since", b"sinbe")))
        opened = open_store(URL, tmp_path, read_only=True)
        assert part in broken(opened)
        opened.close()


def test_what_a_build_writes_is_sealed_while_it_goes_on(store: Store, tmp_path: Path) -> None:
    """It may be killed, and a bit may change in what it had written."""
    now = 0.0
    keep_seals = seals.SealKeeper(store.engine, lambda: now)

    def is_change_found() -> bool:
        """Of the row that was just written, behind the back of the triggers as a disk changes bits."""
        store.documents.pages.put([PageRow("http://a.test/", WEB, fetched_at=now)])
        keep_seals()
        with closing(sqlite3.connect(tmp_path / "portico.db")) as opened:
            (trigger,) = opened.execute(
                "SELECT sql FROM sqlite_schema WHERE name = 'touch_page_update'"
            ).fetchone()
            opened.execute("DROP TRIGGER touch_page_update")
            opened.execute("UPDATE page SET n_bytes = n_bytes + 1 WHERE source = 'http://a.test/'")
            opened.execute(trigger)
            opened.commit()
        return broken(store) == {"page"}

    assert not is_change_found(), "nothing knows yet what was written"
    now = seals.SEAL_EVERY_S
    assert is_change_found()


def test_a_store_with_other_buckets_is_sealed_anew(store: Store, tmp_path: Path) -> None:
    with writing(store.engine) as connection:
        connection.exec_driver_sql("DROP TRIGGER touch_block_insert")
        connection.exec_driver_sql(
            "CREATE TRIGGER touch_block_insert AFTER INSERT ON block BEGIN SELECT 1; END"
        )
        connection.exec_driver_sql("DELETE FROM seal WHERE part = 'sqlite_schema'")
    assert broken(store) == set()
    opened = open_store(URL, tmp_path)
    assert seals.seal(opened.engine) >= len(TABLES) - 1
    assert seals.seal(opened.engine) == 0
    assert broken(opened) == set()
    opened.close()


def test_a_migrated_store_is_sealed_anew(tmp_path: Path) -> None:
    old = Path(__file__).parent / "data" / "version-1.sql"
    with closing(sqlite3.connect(tmp_path / "portico.db")) as database:
        database.executescript(old.read_text())
    opened = open_store(URL, tmp_path, create=True)
    assert seals.seal(opened.engine) > 0
    assert broken(opened) == set()
    opened.close()
