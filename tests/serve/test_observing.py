"""What operators, programs and other sites get: metrics, a log without visitors, CORS, all papers."""

import csv
import json
import logging
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from portico.serve import observing
from portico.serve.app import create_app
from portico.serve.observing import AccessLog, AnsweredRequest, SharedLogFile, hide_visitor
from portico.serve.papers import bulk
from portico.serve.portal import About
from portico.store.opening import open_store
from portico.store.sqlite_download import write_papers_file
from tests.postgresql import running_server
from tests.serve.made import STORE_URL

COMBINED = re.compile(r'^(\S+) - - \[([^\]]+)\] "(\S+) (\S+) HTTP/1\.1" (\d{3}) (\d+) "-" "([^"]*)"$')

Ask = Callable[..., TestClient]


@pytest.fixture
def opened(portal_folder: Path) -> Iterator[Ask]:
    """The portal with other settings, asked by a client of some address."""
    store = open_store(STORE_URL, portal_folder, read_only=True)

    def ask(client: str = "127.0.0.1", log: AccessLog | None = None, **about: Any) -> TestClient:
        said = replace(About("Trees"), **about)
        app = create_app(store, index_folder=portal_folder / "index", about=said, access_log=log)
        return TestClient(app, client=(client, 50_000), raise_server_exceptions=False)

    yield ask
    store.close()


def test_metrics_are_what_prometheus_reads(opened: Ask) -> None:
    site = opened(metrics=("127.0.0.1",))
    for path in ("/search?q=trees", "/search?q=words", "/paper/forest", "/paper/never", "/made-up/name"):
        site.get(path)
    answer = site.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    counted = {
        (sample.labels["page"], sample.labels["status"]): sample.value
        for sample in families["portico_requests"].samples
    }
    assert counted == {
        ("search", "200"): 2, ("paper", "200"): 1, ("paper", "404"): 1, ("other", "404"): 1,
    }  # fmt: skip
    assert families["portico_healthy"].samples[0].value == 1
    assert families["portico_searchable"].samples[0].value > 0
    assert families["portico_links_queued"].samples[0].value == 0
    done = {each.labels["stage"]: each.value for each in families["portico_documents_done"].samples}
    assert done["extract"] > 0
    buckets = [
        sample.value
        for sample in families["portico_request_seconds"].samples
        if sample.name.endswith("_bucket") and sample.labels["page"] == "search"
    ]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 2


def test_a_database_that_is_away_is_said_to_visitors_and_operators(tmp_path: Path) -> None:
    with running_server() as server, closing(open_store(server.empty_portal(), tmp_path)) as store:
        about, minutes = About("Trees", metrics=("127.0.0.1",)), count()
        app = create_app(store, index_folder=tmp_path, about=about, clock=lambda: 60.0 * next(minutes))
        site = TestClient(app, client=("127.0.0.1", 50_000), raise_server_exceptions=False)
        assert site.get("/").status_code == 200
        server.stop()
        answer = site.get("/paper/oak")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
        assert "does not answer. Nothing is lost" in answer.text
        assert site.get("/healthz").json()["status"] == "away"
        assert "portico_healthy 0" in site.get("/metrics").text
        server.start()
        assert site.get("/paper/oak").status_code == 404


@pytest.mark.parametrize(
    ("allowed", "client", "forwarded", "status"),
    [
        ((), "127.0.0.1", "", 404),
        (("127.0.0.1",), "127.0.0.1", "", 200),
        (("10.0.0.0/8",), "10.20.30.40", "", 200),
        (("127.0.0.1",), "203.0.113.9", "", 404),
        (("127.0.0.1",), "127.0.0.1", "203.0.113.9", 404),  # a visitor, through a proxy that is not trusted
        (("127.0.0.1",), "127.0.0.1", "127.0.0.1, 203.0.113.9", 404),
        (("127.0.0.1", "10.0.0.0/8"), "127.0.0.1", "10.1.1.1", 200),
        (("::1",), "::1", "", 200),
        (("127.0.0.1",), "testclient", "", 404),
    ],
)
def test_metrics_are_for_those_networks_alone(
    opened: Ask, allowed: tuple[str, ...], client: str, forwarded: str, status: int
) -> None:
    site = opened(client=client, metrics=allowed)
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert site.get("/metrics", headers=headers).status_code == status


@contextmanager
def logged(place: Path) -> Iterator[AccessLog]:
    handler = SharedLogFile(place)
    yield AccessLog(handler, now=lambda: 0.0)
    handler.close()


def test_the_log_has_no_visitors_and_no_searches(opened: Ask, tmp_path: Path) -> None:
    place = tmp_path / "logs" / "access.log"
    with logged(place) as log:
        site = opened(client="203.0.113.77", log=log)
        site.get("/search?q=private+illness", headers={"User-Agent": 'Mozilla "quoted"\\'})
        site.get("/paper/never")
        site.get("/a%22b%0d%0aGET /forged")
    lines = place.read_text().splitlines()
    found = [match.groups() for line in lines if (match := COMBINED.match(line))]
    assert len(found) == len(lines) == 3
    assert {each[0] for each in found} == {"203.0.113.0"}
    assert [(each[2], each[4]) for each in found] == [("GET", "200"), ("GET", "404"), ("GET", "404")]
    assert "illness" not in place.read_text()
    assert found[0][1] == "01/Jan/1970:00:00:00 +0000"


@pytest.mark.parametrize(
    ("client", "shown"),
    [("203.0.113.77", "203.0.113.0"), ("2001:db8:1:2::3", "2001:db8:1::"), ("", "-"), ("unix", "-")],
)
def test_addresses_become_networks(client: str, shown: str) -> None:
    assert hide_visitor(client) == shown


def test_a_large_log_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As two processes would: both go on in the new file, and no line is lost."""
    monkeypatch.setattr(observing, "_LOG_BYTES", 2_000)
    monkeypatch.setattr(observing, "_LOOKED_AT_EVERY", 4)
    place = tmp_path / "logs" / "access.log"
    request = AnsweredRequest("10.0.0.1", "GET", "/", 200, 10, 0.1, "agent")
    with logged(place) as one, logged(place) as other:
        for _ in range(30):
            one.add(request)
            other.add(request)
    kept = [path for path in place.parent.iterdir() if not path.name.endswith(".lock")]
    assert len(kept) > 1
    assert sum(len(path.read_text().splitlines()) for path in kept) == 60


def test_where_the_log_goes(tmp_path: Path) -> None:
    assert AccessLog.open("off", tmp_path) is None
    assert AccessLog.open("stdout", tmp_path) is not None
    assert not (tmp_path / "logs").exists()
    opened = AccessLog.open("file", tmp_path)
    assert opened is not None
    assert (tmp_path / "logs" / "access.log").exists()
    logging.shutdown()


OTHER = {"Origin": "https://www.example.org"}


def test_pages_of_other_sites_are_kept_out_unless_the_builder_wants_them(opened: Ask) -> None:
    assert "access-control-allow-origin" not in opened().get("/api/topics", headers=OTHER).headers
    answer = opened(cors=("*",)).get("/api/topics", headers=OTHER)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "access-control-allow-credentials" not in answer.headers


def test_only_named_sites_may_read_and_only_what_is_for_programs(opened: Ask) -> None:
    site = opened(cors=("https://www.example.org",))
    for path in ("/api/search?q=trees", "/oai?verb=Identify", "/feed", "/paper/forest.bib"):
        said = site.get(path, headers=OTHER).headers
        assert (said["access-control-allow-origin"], "Origin" in said["vary"]) == (OTHER["Origin"], True)
        refused = site.get(path, headers={"Origin": "https://evil.example"}).headers
        assert "access-control-allow-origin" not in refused
        assert "Origin" in refused["vary"]
    for path in ("/", "/search?q=trees", "/paper/forest", "/builder"):
        assert "access-control-allow-origin" not in site.get(path, headers=OTHER).headers


def test_a_browser_may_ask_first(opened: Ask) -> None:
    asked = opened(cors=("*",)).options(
        "/api/search", headers={**OTHER, "Access-Control-Request-Method": "GET"}
    )
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"


def test_every_paper_is_had_by_cursor_and_as_a_file(opened: Ask) -> None:
    site = opened()
    one_by_one: list[dict[str, object]] = []
    after = ""
    while True:
        page = site.get("/api/papers", params={"limit": 1, "after": after}).json()
        one_by_one += page["papers"]
        if page["after"] is None:
            break
        after = page["after"]
    assert len(one_by_one) > 2
    assert site.get("/api/papers").json()["papers"] == one_by_one
    lines = site.get("/download/papers.jsonl")
    assert [json.loads(line) for line in lines.text.splitlines()] == one_by_one
    assert 'filename="papers.jsonl"' in lines.headers["content-disposition"]
    for wrong in ("limit=0", "limit=many", "limit=%EF%BC%91", f"limit={'9' * 5000}", "after=%ED%A0%80"):
        assert site.get(f"/api/papers?{wrong}").status_code == 200


def test_the_sqlite_file_has_papers_with_all_around_them(opened: Ask, tmp_path: Path) -> None:
    answer = opened().get("/download/papers.sqlite")
    assert answer.headers["content-type"] == "application/vnd.sqlite3"
    (tmp_path / "papers.sqlite").write_bytes(answer.content)
    database = sqlite3.connect(tmp_path / "papers.sqlite")
    found = database.execute(
        "SELECT id, year FROM papers WHERE rowid IN (SELECT rowid FROM papers_fts('grow'))"
    )
    assert found.fetchall() == [("forest", 1996)]
    for table, rows in (
        ("authors", [("forest", 1, "Ada Young"), ("forest", 2, "José Nuñez")]),
        ("topics", [("forest", "Learning/Trees")]),
        ("cites", [("forest", "cited"), ("forest", "untitled")]),
    ):
        assert database.execute(f"SELECT * FROM {table}").fetchall()[: len(rows)] == rows
    database.close()


def test_the_sqlite_file_is_made_once_for_all_who_ask_for_it(
    opened: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []

    def write_and_count(path: Path, papers: Iterable[Mapping[str, Any]]) -> None:
        made.append(path)
        write_papers_file(path, papers)

    monkeypatch.setattr(bulk, "write_papers_file", write_and_count)
    site = opened()
    bodies = {site.get("/download/papers.sqlite").content for _ in range(3)}
    assert (len(made), len(bodies)) == (1, 1)
    assert not made[0].exists(), "what was made would fill the disk"


def test_a_sqlite_file_that_cannot_be_made_says_so(
    opened: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    answer = opened().get("/download/papers.sqlite")
    assert (answer.status_code, "cannot be made now" in answer.text) == (503, True)


def test_the_parquet_file_has_a_row_for_each_paper(opened: Ask) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow writes Parquet; it is not installed here")
    from pyarrow import BufferReader, parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]

    answer = opened().get("/download/papers.parquet")
    rows = {row["id"]: row for row in parquet.read_table(BufferReader(answer.content)).to_pylist()}
    assert rows.keys() == {paper["id"] for paper in opened().get("/api/papers").json()["papers"]}
    forest = rows["forest"]
    assert (forest["authors"], forest["year"]) == (["Ada Young", "José Nuñez"], 1996)
    assert (forest["topics"], forest["cites"][:1]) == (["Learning/Trees"], ["cited"])


def test_without_pyarrow_no_page_offers_a_parquet_file(opened: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "find_spec", lambda name: None)
    site = opened()
    assert site.get("/download/papers.parquet").status_code == 404
    assert "Parquet" not in site.get("/api").text


def test_nobody_has_many_files_made_at_once(opened: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MOST_BY_ONE", 1)
    site = opened()
    for _ in range(2):  # a place is free again once the file was sent
        assert site.get("/download/papers.csv").status_code == 200
    monkeypatch.setattr(bulk, "MOST_BY_ONE", 0)
    answer = site.get("/download/papers.jsonl")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")


def test_the_table_opens_without_formulas(opened: Ask) -> None:
    rows = [*csv.DictReader(opened().get("/download/papers.csv").text.splitlines())]
    forest = next(row for row in rows if row["id"] == "forest")
    assert (forest["authors"], forest["year"]) == ("Ada Young; José Nuñez", "1996")
    assert not [cell for row in rows for cell in row.values() if cell[:1] in "=@" and cell]
