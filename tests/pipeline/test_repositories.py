"""Other repositories are harvested over OAI-PMH: whole, resumed, and later only what has changed."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner, Result

from portico.cli.app import app
from portico.pipeline.opening import open_portal
from portico.pipeline.repositories import Repository
from portico.store.catalog.entity_changes import ChangeSpan, EntityChange

RECORD = """<record><header><identifier>oai:trees:{n}</identifier><datestamp>2020-01-0{n}</datestamp></header>
<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Growing {what} forests</dc:title><dc:creator>Young, Ada</dc:creator><dc:date>199{n}</dc:date>
<dc:identifier>https://trees.example.org/{n}</dc:identifier></oai_dc:dc></metadata></record>"""
DELETED = """<record><header status="deleted"><identifier>oai:trees:{n}</identifier>
<datestamp>2026-05-05</datestamp></header></record>"""
KINDS = ("decision", "random", "boosted", "fuzzy", "oblique")


@dataclass
class MadeRepository:
    """Two records an answer; each status in `faults` is given once before anything else is answered."""

    n_records: int = 5
    faults: list[int] = field(default_factory=list)
    expired: set[str] = field(default_factory=set)  # tokens that are refused once
    asked: list[dict[str, str]] = field(default_factory=list)
    is_endless: bool = False  # whether each answer says that another follows, by the same token
    deleted: tuple[int, ...] = ()  # the records that harvesters are told of when they come again
    padding: str = ""  # in every answer

    def answer(self, asked: dict[str, str]) -> str:
        self.asked.append(asked)
        token = asked.get("resumptionToken", "")
        if token in self.expired:
            self.expired.remove(token)
            return '<error code="badResumptionToken">expired</error>'
        if asked.get("set") == "none":
            return '<error code="noSetHierarchy">There are no sets</error>'
        if self.is_endless:
            return "<ListRecords><resumptionToken>2</resumptionToken></ListRecords>"
        if self.deleted and "from" in asked:
            return f"<ListRecords>{''.join(DELETED.format(n=n) for n in self.deleted)}</ListRecords>"
        start = int(token or 0) or (self.n_records if "from" in asked else 0)
        numbers = range(start, min(start + 2, self.n_records))
        records = [RECORD.format(n=n + 1, what=KINDS[n]) for n in numbers]
        if not records:
            return '<error code="noRecordsMatch">nothing</error>'
        more = str(start + 2) if start + 2 < self.n_records else ""
        sent = f"{self.padding}{''.join(records)}<resumptionToken>{more}</resumptionToken>"
        return f"<ListRecords>{sent}</ListRecords>"


@pytest.fixture
def made() -> Iterator[tuple[MadeRepository, str]]:
    repository = MadeRepository()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if repository.faults:
                self.send_response(repository.faults.pop(0))
                self.send_header("Retry-After", "1")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            body = (
                '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
                f"<responseDate>2026-05-04T10:00:00Z</responseDate>{repository.answer(asked)}</OAI-PMH>"
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield repository, f"http://127.0.0.1:{server.server_address[1]}/oai"
    server.shutdown()
    server.server_close()


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    folder = tmp_path / "portal"
    folder.mkdir()
    settings = "source = []\n[fetch]\nallow_private = true\ndelay_s = 0.0\ncontact = 'ada@example.org'\n"
    (folder / "portal.toml").write_text(settings)
    return folder


def import_from(address: str, portal: Path) -> Result:
    return CliRunner().invoke(app, ["import", address, str(portal), "--quiet"])


def list_changes(portal: Path) -> dict[str, EntityChange]:
    """What harvesters of this portal are told."""
    with open_portal(portal) as opened:
        found = opened.store.catalog.changes.since(ChangeSpan(), now=9e9, limit=99)
    return {each.entity: each for each in found}


def list_titles(portal: Path) -> list[str]:
    lines = CliRunner().invoke(app, ["export", "jsonl", str(portal)]).stdout.splitlines()
    return sorted(json.loads(line)["title"] for line in lines)


def test_all_records_come_in_and_later_only_what_is_new(
    made: tuple[MadeRepository, str], portal: Path
) -> None:
    repository, address = made
    repository.faults = [503]
    done = import_from(f"{address}?set=trees", portal)
    assert done.exit_code == 0, done.output
    assert list_titles(portal) == sorted(f"Growing {what} forests" for what in KINDS)
    assert repository.asked[0] == {"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": "trees"}
    assert repository.asked[1] == {"verb": "ListRecords", "resumptionToken": "2"}
    again = import_from(f"{address}?set=trees", portal)
    assert "nothing is new" in again.output
    assert repository.asked[-1]["from"] == "2026-05-04"
    assert list((portal / "harvest").rglob("*.xml")) == []


def test_what_the_repository_deletes_is_removed_and_harvesters_of_the_portal_are_told(
    made: tuple[MadeRepository, str], portal: Path
) -> None:
    repository, address = made
    assert import_from(address, portal).exit_code == 0
    before = {entity: was.removed for entity, was in list_changes(portal).items()}
    assert list(before.values()) == [False] * 5
    repository.deleted = (2, 4, 9)  # the last was never here
    again = import_from(address, portal)
    assert again.exit_code == 0
    assert "2 gone" in again.output
    assert list_titles(portal) == sorted(f"Growing {KINDS[n]} forests" for n in (0, 2, 4))
    assert sorted(each.removed for each in list_changes(portal).values()) == [False] * 3 + [True] * 2
    repository.deleted = ()
    (portal / "harvest").rename(portal / "forgotten")  # so that all are asked for again
    assert import_from(address, portal).exit_code == 0
    assert len(list_titles(portal)) == 5
    assert {entity: was.removed for entity, was in list_changes(portal).items()} == before


def test_a_record_that_another_catalog_has_too_stays_when_one_deletes_it(
    made: tuple[MadeRepository, str], portal: Path
) -> None:
    repository, address = made
    for name in ("one", "two"):  # the same records from two sets, which are catalogs of their own
        assert import_from(f"{address}?set={name}", portal).exit_code == 0
    repository.deleted = (1, 2)
    for name, n_left in (("one", 5), ("two", 3)):
        assert import_from(f"{address}?set={name}", portal).exit_code == 0
        assert len(list_titles(portal)) == n_left


def test_answers_are_imported_before_they_fill_the_disk_and_their_sum_is_limited(
    made: tuple[MadeRepository, str], portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, address = made
    repository.padding = f"<!--{'x' * 600_000}-->"
    monkeypatch.setattr("portico.pipeline.repositories.MOST_STORED", 1)
    settings = portal / "portal.toml"
    unlimited = settings.read_text()
    settings.write_text(f"{unlimited}max_harvest_megabytes = 1\n")
    done = import_from(address, portal)
    assert "raise max_harvest_megabytes" in f"{done.output}{done.exception}"
    assert len(list_titles(portal)) == 4
    settings.write_text(unlimited)
    assert import_from(address, portal).exit_code == 0
    assert len(list_titles(portal)) == 5
    assert len(repository.asked) == 3  # it went on where it had stopped
    assert list((portal / "harvest").rglob("*.xml")) == []


def test_an_answer_of_far_too_many_elements_is_refused_without_a_tree_of_them(
    made: tuple[MadeRepository, str], portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portico.pipeline.repositories.MOST_ELEMENTS", 1_000)
    made[0].padding = "<a/>" * 1_001
    done = import_from(made[1], portal)
    assert "does not answer with OAI-PMH" in f"{done.output}{done.exception}"


def test_a_repository_that_never_ends_is_left(made: tuple[MadeRepository, str], portal: Path) -> None:
    repository, address = made
    repository.is_endless = True
    done = import_from(address, portal)
    assert "asks for the same answer again" in f"{done.output}{done.exception}"
    assert len(repository.asked) == 2


def test_a_harvest_that_was_killed_goes_on_where_it_stopped(
    made: tuple[MadeRepository, str], portal: Path
) -> None:
    repository, address = made
    folder = Repository.parse(address, portal).folder
    repository.faults = [200 + 204]  # no fault that is tried again: as good as a kill before the first answer
    assert import_from(address, portal).exit_code != 0
    repository.asked.clear()
    folder.mkdir(parents=True, exist_ok=True)
    body = repository.answer({})
    (folder / f"{folder.name}.000000.xml").write_text(
        f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">{body}</OAI-PMH>'
    )
    (folder / "state.json").write_text(
        '{"token": "2", "n_answers": 1, "began": "2026-05-03T00:00:00Z", "since": ""}'
    )
    repository.expired = {"4"}
    assert import_from(address, portal).exit_code == 0
    assert [asked.get("resumptionToken") for asked in repository.asked[1:]] == ["2", "4", None, "2", "4"]
    assert len(list_titles(portal)) == 5


@pytest.mark.parametrize(
    ("query", "said"), [("?set=none", "refuses: noSetHierarchy. There are no sets"), ("#", "")]
)
def test_what_the_repository_refuses_is_said(
    made: tuple[MadeRepository, str], portal: Path, query: str, said: str
) -> None:
    done = import_from(made[1] + query, portal)
    assert said in f"{done.output} {done.exception}"
    assert (done.exit_code == 0) is (said == "")


@pytest.mark.parametrize("address", ["http://[::1", "https://", "https://ada:secret@a.org/oai"])
def test_what_is_no_url_makes_no_portal_and_shows_no_password(address: str, tmp_path: Path) -> None:
    done = import_from(address, tmp_path / "new")
    said = f"{done.output} {done.exception}"
    assert "no URL of a repository" in said
    assert "secret" not in said
    assert not (tmp_path / "new").exists()


def test_what_is_no_repository_is_said(portal: Path, made: tuple[MadeRepository, str]) -> None:
    made[0].faults = [404]
    done = import_from(made[1], portal)
    assert done.exit_code != 0
    assert "answered 404" in f"{done.output} {done.exception}"


def test_a_host_that_does_not_exist_is_named_and_an_empty_portal_has_no_topics(
    portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portico.pipeline.repositories._AGAIN_S", 0.0)
    done = import_from("http://nowhere.invalid/oai", portal)
    assert done.exit_code != 0
    assert "http://nowhere.invalid/oai" in f"{done.output} {done.exception}"
    built = CliRunner().invoke(app, ["build", str(portal)]).output
    assert "0 papers" in built
    assert "classify: by" not in built
