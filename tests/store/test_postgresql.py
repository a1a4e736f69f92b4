"""A store on PostgreSQL: what the server refuses is said, one writes at a time, words are in one order."""

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import insert, select, text

from portico.errors import (
    ConfigError,
    DiskFull,
    PortalBusy,
    PortalError,
    PorticoError,
    StoreAway,
    StoreTooNew,
)
from portico.store.bulk import execute_many, execute_tuples, prepare_reader
from portico.store.database import describe_weakness, find_integrity_faults, upsert, writing
from portico.store.documents.pages import PageRow
from portico.store.faults import make_database_error
from portico.store.opening import Store, open_store, store_lock
from portico.store.postgresql import hold_postgresql
from portico.store.schema import entity_document, kinship, meta
from tests.postgresql import PostgresServer, running_server


@pytest.fixture
def url(postgresql: PostgresServer) -> str:
    return postgresql.empty_portal()


@pytest.fixture
def opened(url: str, tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(url, tmp_path)) as store:
        yield store


def newer(server: PostgresServer) -> str:
    url = server.empty_portal()
    server.run("UPDATE meta SET value = '99' WHERE key = 'schema_version'", database="emptied")
    return url


def foreign(server: PostgresServer) -> str:
    server.run("DROP TABLE IF EXISTS holidays", "CREATE TABLE holidays (day TEXT)")
    return server.url("postgres")


def forbidden(server: PostgresServer) -> str:
    server.run("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    return server.url("template1", user="guest")


@pytest.mark.parametrize(
    ("prepare", "error", "words"),
    [
        (newer, StoreTooNew, r"^postgresql://portico@/emptied\S*: .*version 99.*Upgrade Portico"),
        (foreign, PortalError, "a database, but not a portal's"),
        (lambda server: server.url("absent"), PortalError, '"absent" does not exist.*createdb'),
        (lambda server: server.url("postgres", user="nobody2"), PortalError, "role.*createuser"),
        (forbidden, PortalError, "permission denied for schema public.*GRANT ALL ON SCHEMA"),
        (lambda _: "postgresql://a:secret@127.0.0.1:1/x", StoreAway, "refused.*Check that the server runs"),
    ],
)
def test_each_hindrance_gets_its_message(
    postgresql: PostgresServer,
    tmp_path: Path,
    prepare: Callable[[PostgresServer], str],
    error: type[PorticoError],
    words: str,
) -> None:
    address = prepare(postgresql)
    with pytest.raises(error, match=words) as caught:
        open_store(address, tmp_path, create=True)
    assert "secret" not in str(caught.value)


def test_without_the_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        ConfigError, match=r"postgresql://ada:\*+@db\.test/x.*pip install 'portico\[cluster\]'"
    ):
        open_store("postgresql://ada:secret@db.test/x", tmp_path)


@pytest.mark.parametrize(
    ("state", "error", "words"),
    [
        ("53100", DiskFull, "the disk is full.*run the same command again"),
        ("53300", PortalError, "too few connections"),
        ("57P01", StoreAway, "What was finished is safe"),
        ("55P03", PortalBusy, "another process"),
        ("XX001", PortalError, "put back a backup"),
        ("25006", PortalError, "may only read"),
    ],
)
def test_what_the_server_says(state: str, error: type[PortalError], words: str) -> None:
    fault = psycopg.errors.lookup(state)("the server's own words")
    made = make_database_error(fault, "postgresql://db.test/x")
    assert type(made) is error
    with pytest.raises(error, match=rf"postgresql://db\.test/x.*{words}"):
        raise made


def test_our_own_mistakes_are_no_faults_of_the_server() -> None:
    assert make_database_error(psycopg.errors.UndefinedColumn("no such column"), "x") is None


def test_a_second_builder_is_told_who_and_since_when(opened: Store, url: str, tmp_path: Path) -> None:
    with closing(open_store(url, tmp_path / "other machine")) as other:
        busy = pytest.raises(PortalBusy, match=r"built by process \d+ on \S+ since \d{4}-")
        with store_lock(opened), busy, store_lock(other):
            pass
        with store_lock(other):
            pass


@pytest.mark.parametrize(("ahead_s", "words"), [(7_260.0, "2:01:00 h ahead of"), (-90.0, "0:01:30 h behind")])
def test_clocks_that_disagree_are_said_before_anything_is_written(
    opened: Store, ahead_s: float, words: str
) -> None:
    with (
        pytest.raises(PortalError, match=f"{words} that of postgresql://"),
        hold_postgresql(opened.engine, clock=lambda: time.time() + ahead_s),
    ):
        raise AssertionError("it must not be held")
    with hold_postgresql(opened.engine, clock=lambda: time.time() + 5):  # and nobody holds it
        pass


def test_writers_follow_one_another_and_readers_see_one_moment(opened: Store) -> None:
    """What two would read and write again at once is counted twice, not once."""

    def count_up() -> None:
        for _ in range(20):
            with writing(opened.engine) as connection:
                before = connection.scalar(select(meta.c.value).where(meta.c.key == "n")) or "0"
                upsert(connection, meta, [{"key": "n", "value": str(int(before) + 1)}])

    threads = [threading.Thread(target=count_up) for _ in range(3)]
    with opened.engine.connect() as reader:
        assert reader.scalar(select(meta.c.value).where(meta.c.key == "n")) is None
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert reader.scalar(select(meta.c.value).where(meta.c.key == "n")) is None
    assert opened.meta.get("n") == "60"


def test_a_reader_writes_nothing(url: str, opened: Store, tmp_path: Path) -> None:
    with closing(open_store(url, tmp_path, read_only=True)) as reader:
        with pytest.raises(PortalError, match="read-only"):
            reader.meta.set("key", "value")
        opened.meta.set("key", "value")
        assert reader.meta.get("key") == "value"


def test_words_are_in_the_order_of_their_bytes(store: Store) -> None:
    """The server of the tests puts words in English order by itself: a, B, é, z."""
    names = ["B", "a", "z", "é", "~", "a b", "A-b", "ab"]
    store.documents.pages.put([PageRow(name, "web", 0.0, body=None) for name in names])
    answers = [answer.url for answer in store.crawl.history.answers()]
    assert answers == sorted(names, key=lambda name: name.encode())


def test_of_rows_with_one_key_the_last_counts(store: Store) -> None:
    with writing(store.engine) as connection:
        upsert(connection, meta, [{"key": "a", "value": str(number)} for number in range(3)])
    assert store.meta.get("a") == "2"


def test_rows_that_name_what_is_missing_are_found(opened: Store) -> None:
    assert find_integrity_faults(opened.engine) == ()
    with writing(opened.engine) as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        execute_many(connection, insert(entity_document), [{"document": "d", "entity": "lost"}])
    assert find_integrity_faults(opened.engine) == ("entity_document: row d names a missing lost",)


def test_damage_in_what_no_query_has_asked_for_is_found(opened: Store, tmp_path: Path) -> None:
    """A long value lies apart from its row, which can be counted without it."""
    assert "pg_checksums --enable" in describe_weakness(opened.engine)
    with running_server("--data-checksums") as server:
        url = server.empty_portal()
        with closing(open_store(url, tmp_path)) as store:
            assert describe_weakness(store.engine) == ""
            store.meta.set("long", random.Random(1).randbytes(20_000).hex())
            assert find_integrity_faults(store.engine) == ()
            with store.engine.connect() as connection:
                place = connection.scalar(
                    text("SELECT pg_relation_filepath(reltoastrelid) FROM pg_class WHERE relname = 'meta'")
                )
        server.stop("fast")
        kept = server.folder / "data" / str(place)
        body = bytearray(kept.read_bytes())
        body[-100] ^= 1
        kept.write_bytes(body)
        server.start()
        with closing(open_store(url, tmp_path)) as store:
            (fault,) = find_integrity_faults(store.engine)
            assert "damaged: put back a backup" in fault


def test_a_server_that_goes_away_in_the_middle_is_met_again(tmp_path: Path) -> None:
    """Whatever was being asked: it is said, nothing is half there, and the same store goes on afterwards."""
    with running_server() as server, closing(open_store(server.empty_portal(), tmp_path)) as store:
        engine = store.engine
        store.meta.set("before", "kept")

        def copy() -> None:
            with writing(engine) as connection:
                server.stop()
                execute_tuples(connection, insert(kinship), ("family", "odds", "link"), [(1, 0.5, 2)])

        def ask() -> None:
            with engine.connect() as connection:
                read = prepare_reader(connection, select(meta.c.key), ())
                server.stop()
                read()

        def write() -> None:
            with writing(engine) as connection:
                upsert(connection, meta, [{"key": "lost", "value": "x"}])
                server.stop()

        for act in (copy, ask, write):
            with pytest.raises(StoreAway, match=r"^postgresql://portico@/emptied.*What was finished is safe"):
                act()
            with pytest.raises(StoreAway, match="when the server is there again, run the same command"):
                store.meta.get("before")
            server.start()
            assert store.meta.get("before") == "kept"
            assert store.meta.get("lost") is None
