"""A portal that is empty, half built, rebuilt under its readers, or broken."""

import shutil
import socket
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from starlette.applications import Starlette

from portico.errors import PortalError
from portico.serve.app import create_app
from portico.serve.portal import CHECK_EVERY_S, About, LiveIndex, Remembered
from portico.serve.running import run_portal
from portico.store.opening import open_store
from portico.store.portal_view import GENERATION_KEY
from tests.graphs import write_graph
from tests.serve.conftest import serving, serving_folder
from tests.serve.made import (
    FOREST_PAPER,
    PAPERS,
    PARSER,
    PARSER_PAPER,
    STORE_URL,
    field,
    make_empty_portal,
    make_portal,
    paper,
    serve_index,
)


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("path", ["/", "/topics", "/about", "/healthz"])
def test_an_empty_portal_has_pages(tmp_path: Path, path: str) -> None:
    make_empty_portal(tmp_path).close()
    with serving_folder(tmp_path) as site:
        assert site.ask(path).status == 200
        assert "No papers yet" in site.ask("/").text


def test_searching_before_there_is_an_index_says_so(tmp_path: Path) -> None:
    make_empty_portal(tmp_path).close()
    with serving_folder(tmp_path) as site:
        answer = site.ask("/search?q=trees")
        assert answer.status == 503
        assert "still being built" in answer.text


def test_a_portal_without_index_can_be_browsed(tmp_path: Path) -> None:
    store = make_empty_portal(tmp_path)
    write_graph(store, PAPERS, ())
    store.close()
    with serving_folder(tmp_path) as site:
        home = site.ask("/").text
        assert "the lists on this page work already" in home
        assert ["Most cited" in home, "Newest" in home, ">Papers<" in home] == [True, True, False]
        assert site.ask("/paper/forest").status == 200


def test_a_collection_without_years_and_citations_is_listed_by_title(tmp_path: Path) -> None:
    store = make_empty_portal(tmp_path)
    write_graph(store, [paper("plain", (PARSER,), field("title", "Plain words"))], ())
    store.close()
    with serving_folder(tmp_path) as site:
        home = site.ask("/").text
        assert ["Most cited" in home, "Newest" in home, ">Papers<" in home] == [False, False, True]
        assert "Plain words" in home


def test_an_index_that_a_build_removed_answers_until_the_next_one_is_noticed(tmp_path: Path) -> None:
    clock = Clock()
    make_portal(tmp_path)
    with serving_folder(tmp_path, clock) as site, closing(open_store(STORE_URL, tmp_path)) as store:
        assert site.ask("/search?q=markov").status == 200
        old = tmp_path / "index" / (store.meta.get(GENERATION_KEY) or "")
        serve_index(store, tmp_path, "two", (FOREST_PAPER,))
        shutil.rmtree(old)
        assert "Parsing with hidden" in site.ask("/search?q=markov").text
        assert site.ask("/api/suggest?q=mark").status == 200
        clock.now += CHECK_EVERY_S
        assert "Nothing found" in site.ask("/search?q=markov").text


def test_a_new_index_is_followed_while_running(tmp_path: Path) -> None:
    clock = Clock()
    make_portal(tmp_path)
    with serving_folder(tmp_path, clock) as site:
        assert "Parsing with hidden" in site.ask("/search?q=markov").text
        store = open_store(STORE_URL, tmp_path)
        serve_index(store, tmp_path, "two", (FOREST_PAPER,))
        assert "Parsing with hidden" in site.ask("/search?q=markov").text  # asked less than a second ago
        clock.now += CHECK_EVERY_S
        assert "Nothing found" in site.ask("/search?q=markov").text
        store.meta.set(GENERATION_KEY, "never-written")
        clock.now += CHECK_EVERY_S
        assert "Growing decision forests" in site.ask("/search?q=forests").text
        store.close()


def damage(folder: Path, pattern: str) -> None:
    for path in (folder / "index").rglob(pattern):
        path.write_bytes(b"\xff" * path.stat().st_size)


def test_a_damaged_index_costs_the_search_and_nothing_else(tmp_path: Path) -> None:
    make_portal(tmp_path)
    clock = Clock()
    with serving_folder(tmp_path, clock) as site:
        damage(tmp_path, "*.pos")
        answer = site.ask("/search?q=%22hidden+markov%22")
        assert answer.status == 503
        assert "portico verify --repair" in answer.text
        assert answer.headers["Content-Security-Policy"]
        assert [site.ask(path).status for path in ("/", "/topics", "/paper/forest", "/topic/Learning")] == [
            200
        ] * 4
        health = site.ask("/healthz")
        assert (health.status, '"damaged"' in health.text) == (503, True)
        store = open_store(STORE_URL, tmp_path)
        serve_index(store, tmp_path, "two", PAPERS)
        store.close()
        clock.now += CHECK_EVERY_S
        assert site.ask("/search?q=%22hidden+markov%22").status == 200


def test_a_damaged_store_is_called_so_and_by_whom_it_is_mended(tmp_path: Path) -> None:
    make_portal(tmp_path)
    path = tmp_path / "portico.db"
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page_size = database.execute("PRAGMA page_size").fetchone()[0]
        (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entity'").fetchone()
    database.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * page_size)
        file.write(b"\xff" * page_size)
    with serving_folder(tmp_path) as site:
        for asked in ("/", "/paper/forest"):
            answer = site.ask(asked)
            assert (answer.status, "portico verify --repair" in answer.text) == (503, True), asked
        health = site.ask("/healthz")
        assert (health.status, '"damaged"' in health.text) == (503, True)


def test_an_index_that_cannot_be_opened_is_called_damaged(tmp_path: Path) -> None:
    make_portal(tmp_path)
    damage(tmp_path, "meta.json")
    with serving_folder(tmp_path) as site:
        answer = site.ask("/search?q=trees")
        assert answer.status == 503
        assert "portico verify --repair" in answer.text
        assert "search index is damaged" in site.ask("/").text


def test_hits_that_left_the_store_are_left_out_once_that_was_noted(tmp_path: Path) -> None:
    make_portal(tmp_path)
    store, clock = open_store(STORE_URL, tmp_path), Clock()
    store.catalog.staleness.mark_seen(store.catalog.staleness.n_changes())
    write_graph(store, [PARSER_PAPER], ())
    with serving_folder(tmp_path, clock) as site:
        assert "Growing decision forests" in site.ask("/search?q=trees").text, "the index alone is asked"
        store.catalog.staleness.note_change()
        clock.now += 2 * CHECK_EVERY_S
        answer = site.ask("/search?q=trees")
        assert answer.status == 200
        assert "Growing decision forests" not in answer.text
        store.close()


def test_the_index_is_asked_for_at_most_once_a_second(tmp_path: Path) -> None:
    clock, asked = Clock(), []
    live = LiveIndex(tmp_path, lambda: asked.append(clock.now), clock=clock)
    for clock.now in (0.0, 0.2, 0.9, 1.0, 1.5, 2.5):
        assert live.current() is None
    assert asked == [0.0, 1.0, 2.5]


def test_what_is_remembered_is_made_again_when_old() -> None:
    clock, made = Clock(), iter(range(10))
    remembered = Remembered(lambda: next(made), max_age_s=5, clock=clock)
    values = []
    for clock.now in (0.0, 4.0, 5.0, 5.1, 6.0):
        values.append(remembered.get())
    assert values == [0, 0, 0, 1, 1]


def test_what_takes_long_to_make_is_kept_longer() -> None:
    clock = Clock()

    def make() -> float:
        clock.now += 2.0
        return clock.now

    remembered = Remembered(make, max_age_s=5, clock=clock)
    assert remembered.get() == 2.0
    clock.now = 41.0
    assert remembered.get() == 2.0
    clock.now = 43.0
    assert remembered.get() == 45.0


def test_an_error_gets_a_page_too(tmp_path: Path) -> None:
    make_portal(tmp_path)
    store = open_store(STORE_URL, tmp_path)
    app = create_app(store, index_folder=tmp_path / "index", about=About("T"))
    with store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE citation")
    with serving(app) as site:
        answer = site.ask("/paper/forest")
        assert answer.status == 500
        assert "Something broke" in answer.text
        assert "citation" not in answer.text
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    store.close()


def test_a_taken_port_is_named_with_a_way_out(tmp_path: Path) -> None:
    with serving(Starlette()) as site, socket.socket() as neighbor:
        with suppress(OSError):  # then somebody else has it, which is as good
            neighbor.bind(("127.0.0.1", site.port + 1))
        with pytest.raises(PortalError, match=f"port {site.port} is in use: try --port ") as refused:
            run_portal(Starlette(), port=site.port, announce=pytest.fail)
        offered = int(str(refused.value).rpartition(" ")[2])
        assert offered not in {site.port, site.port + 1}
        with socket.socket() as free:
            free.bind(("127.0.0.1", offered))


@pytest.mark.parametrize(
    ("host", "port"), [("203.0.113.7", 8000), ("no.such.host.invalid", 8000), ("127.0.0.1", 99999)]
)
def test_addresses_that_cannot_be_served_are_named(host: str, port: int) -> None:
    with pytest.raises(PortalError, match="try --"):
        run_portal(Starlette(), host=host, port=port, announce=pytest.fail)
