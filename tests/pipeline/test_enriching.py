"""What catalogs of the world know stands beside what papers print, and nobody is asked who need not be."""

import gzip
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.cli.showing import open_app
from portico.engine.local import LocalEngine
from portico.errors import ConfigError
from portico.match.catalog_answers import lend_fields
from portico.pipeline.building import BuildSummary, build_portal
from portico.pipeline.enrichment import asking
from portico.pipeline.enrichment.enriching import run_enrich
from portico.pipeline.opening import open_for_changes, open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.runners import BuildRun
from portico.types.document import DocumentId, Span
from portico.types.enrichment import CATALOGS, CatalogAnswer
from portico.types.record import Field, Record, RecordId
from portico.types.stages import StageName
from tests.pipeline.catalog_server import FOREST_DOI, LOST_DOI, WRONG_DOI, Catalogs, serve_catalogs
from tests.pipeline.test_importing import imported, write
from tests.serve.conftest import serving

RECORDS = (
    {"id": "a", "title": "Growing decision forests", "authors": ["Ada Young", "José Nuñez"],
     "fields": {"doi": [FOREST_DOI], "year": ["1995"]}, "confidence": {"year": 0.9}},
    {"id": "b", "title": "Parsing with hidden Markov models", "authors": ["Donald Knuth"], "year": 1999},
    {"id": "c", "title": "Inducing rules top down", "authors": ["Bert Old"], "fields": {"doi": [WRONG_DOI]}},
    {"id": "d", "title": "A paper nobody knows", "authors": ["Nemo Nobody"], "fields": {"doi": [LOST_DOI]}},
)  # fmt: skip
SETTINGS = """source = []
[fetch]
contact = "builder@example.org"
allow_private = true
[enrich]
sources = [{sources}]
server = "{url}"
delay_s = 0
"""


@pytest.fixture
def catalogs() -> Iterator[Catalogs]:
    with serve_catalogs() as running:
        yield running


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("enriching") / "portal"
    imported(write(folder.parent / "records.jsonl", *RECORDS), folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path, made: Path, catalogs: Catalogs) -> Path:
    folder = tmp_path / "portal"
    shutil.copytree(made, folder)
    name_sources(folder, catalogs, *CATALOGS)
    return folder


def name_sources(folder: Path, catalogs: Catalogs, *names: str) -> None:
    listed = ", ".join(f'"{name}"' for name in names)
    (folder / "portal.toml").write_text(SETTINGS.format(sources=listed, url=catalogs.url))


def build(folder: Path, **asked: bool) -> BuildSummary:
    return build_portal(folder, BuildRequest(**asked), ProgressLines(None))  # type: ignore[arg-type]


def enriched(summary: BuildSummary) -> tuple[int, int, str]:
    (report,) = (report for report in summary.reports if report.stage == StageName.ENRICH)
    return report.n_done, report.n_failed, report.note


def enrich(folder: Path) -> tuple[int, int, str]:
    """The stage alone."""
    with open_for_changes(folder) as portal:
        report = run_enrich(portal, BuildRun(LocalEngine(1), ProgressLines(None), time.time))
    return report.n_done, report.n_failed, report.note


def values(folder: Path, title: str) -> dict[str, str]:
    with open_portal(folder) as portal:
        (paper,) = (each for each in portal.store.catalog.entities.all() if each.value("title") == title)
        return {field.name: field.value for field in paper.fields}


def test_papers_gain_what_they_lack_and_keep_what_they_print(folder: Path, catalogs: Catalogs) -> None:
    assert enriched(build(folder))[1:] == (0, "")
    forest = values(folder, "Growing decision forests")
    assert (forest["journal"], forest["volume"], forest["abstract"]) == (
        "Journal of Trees",
        "3",
        "Trees vote.",
    )
    assert (forest["year"], forest["open_access"]) == ("1995", "https://oak.example/forest.pdf")
    parser = values(folder, "Parsing with hidden Markov models")
    assert (parser["doi"], parser["abstract"]) == ("10.1000/parser", "Words are tagged.")
    # Another paper's record under its DOI, and none at all, leave a paper as it is.
    assert values(folder, "Inducing rules top down").keys() == {"title", "author", "doi"}
    assert values(folder, "A paper nobody knows").keys() == {"title", "author", "doi"}
    assert catalogs.agents == {"Portico (+builder@example.org)"}
    assert all("builder%40example.org" in path for path in catalogs.asked if "arxiv" not in path)


def test_pages_tell_from_which_catalog_a_value_is(folder: Path) -> None:
    build(folder)
    with open_portal(folder) as portal:
        (paper,) = (each for each in portal.store.catalog.entities.all() if each.value("doi") == FOREST_DOI)
    with serving(open_app(folder)) as site:
        text = site.ask(f"/paper/{paper.id}").text
    place = f'href="https://api.crossref.org/works/{FOREST_DOI}" rel="noopener noreferrer nofollow">Crossref<'
    assert place in text
    assert f'<a href="https://unpaywall.org/{FOREST_DOI}"' in text
    assert '<td dir="auto">1995</td>' in text
    assert '<td dir="auto">1996</td>' in text  # what Crossref says of the year stands beside it


def test_nothing_is_asked_twice_and_only_what_is_new_is_asked(folder: Path, catalogs: Catalogs) -> None:
    build(folder)
    n_asked = len(catalogs.asked)
    assert enrich(folder) == (0, 0, "")
    more = {"title": "One more paper on oaks", "authors": ["Eve New"]}
    imported(write(folder.parent / "more.jsonl", more), folder)
    assert enrich(folder) == (3, 0, "")
    assert {path.split("/")[1] for path in catalogs.asked[n_asked:]} == {"crossref", "openalex", "arxiv"}
    assert all("oaks" in path for path in catalogs.asked[n_asked:])


def test_old_answers_are_asked_for_with_their_tags(folder: Path, catalogs: Catalogs) -> None:
    enrich(folder)
    text = (folder / "portal.toml").read_text()
    (folder / "portal.toml").write_text(text + "refresh_days = 0.0000001\n")
    n_asked = len(catalogs.asked)
    enrich(folder)
    assert set(catalogs.conditions) == {'"one"'}
    assert len(catalogs.asked) == 2 * n_asked
    build(folder)
    assert values(folder, "Growing decision forests")["volume"] == "3"


def test_a_source_that_is_no_longer_named_is_forgotten(folder: Path, catalogs: Catalogs) -> None:
    build(folder)
    n_asked = len(catalogs.asked)
    name_sources(folder, catalogs)
    build(folder)
    assert "journal" not in values(folder, "Growing decision forests")
    assert len(catalogs.asked) == n_asked


def test_what_a_person_typed_stays() -> None:
    header = Record(
        RecordId("x#header"),
        "header",
        DocumentId("x"),
        "",
        Span(0, 0),
        (Field("title", "Typed", Span(0, 0), 1.0),),
    )
    answer = CatalogAnswer("crossref", 0.999, (Field("title", "Told", Span(0, 0), 1.0),))
    assert lend_fields(header, [answer]) == header


@pytest.mark.parametrize(
    ("confidence", "probability", "shown"),
    [
        (0.9, 0.999, "printed"),
        (0.3, 0.999, "told"),
        (0.3, 0.9, "printed"),
        (None, 0.999, "told"),
        (None, 0.9, None),
    ],
)
def test_what_is_printed_gives_way_only_where_it_is_doubtful_and_the_answer_nearly_certain(
    confidence: float | None, probability: float, shown: str | None
) -> None:
    printed = () if confidence is None else (Field("year", "printed", Span(0, 4), confidence),)
    header = Record(RecordId("x#header"), "header", DocumentId("x"), "", Span(0, 0), printed)
    told = CatalogAnswer("crossref", probability, (Field("year", "told", Span(0, 0), 1.0, listed_on="u"),))
    assert lend_fields(header, [told]).value("year") == shown


@pytest.mark.parametrize(
    ("faults", "n_failed", "says"),
    [
        ([(503, {"Retry-After": "0"}, b"")], 0, ""),
        ([(429, {"Retry-After": "3600"}, b"")], 0, "crossref asks to come back in 3600 s; 4 papers wait"),
        ([(429, {"Retry-After": "0"}, b"")] * 12, 4, ""),
        ([(200, {}, b"<html>maintenance</html>")], 1, ""),
        ([(200, {}, b'{"message": {"items": [7, {"title": [3], "author": ["x", {"family": {}}]}]}}')], 0, ""),
        ([(400, {}, b"bad")], 1, ""),
        ([(200, {}, b"[" * 2_000_000)], 1, ""),
        ([(200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(100_000_000)))], 1, ""),
        (
            [
                (
                    200,
                    {},
                    b'{"message": {"title": ["a"], "author": [' + b'{"family": "x"},' * 200_000 + b"{}]}}",
                )
            ],
            0,
            "",
        ),
    ],
)
def test_faults_of_a_catalog_cost_nothing_else(
    folder: Path,
    catalogs: Catalogs,
    faults: list[tuple[int, dict[str, str], bytes]],
    n_failed: int,
    says: str,
) -> None:
    name_sources(folder, catalogs, "crossref")
    catalogs.faults[:] = faults
    done, failed, note = enrich(folder)
    assert (failed, note[: len(says)]) == (n_failed, says)
    assert done + failed == (0 if says else 4)
    later = enriched(build(folder, retry=True)) if failed == 1 else enrich(folder)
    assert later == (4 - done, 0, "")


def test_a_catalog_leads_us_to_no_other_host(folder: Path, catalogs: Catalogs) -> None:
    """Not even to itself by another name: what answers there has not been named by the builder."""
    name_sources(folder, catalogs, "crossref")
    elsewhere = catalogs.url.replace("127.0.0.1", "localhost") + "/led-astray"
    catalogs.faults[:] = [(302, {"Location": elsewhere}, b"")]
    assert enrich(folder)[:2] == (3, 1)
    assert not [path for path in catalogs.asked if "led-astray" in path]


def test_a_catalog_that_never_answers_is_left_alone(
    folder: Path, catalogs: Catalogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MOST_FAILURES", 2)
    name_sources(folder, catalogs, "crossref")
    catalogs.faults[:] = [(500, {}, b"")] * 100
    done, failed, note = enrich(folder)
    assert (done, failed) == (0, 1)
    assert note == "crossref does not answer (crossref answered 500); 3 papers wait for the next build"


def test_nobody_is_asked_without_sources_or_without_a_contact(folder: Path, catalogs: Catalogs) -> None:
    name_sources(folder, catalogs)
    assert enrich(folder) == (0, 0, "")
    assert catalogs.asked == []
    name_sources(folder, catalogs, "crossref")
    text = (folder / "portal.toml").read_text().replace('contact = "builder@example.org"', "")
    (folder / "portal.toml").write_text(text)
    with pytest.raises(ConfigError, match="these services ask for a contact"):
        build(folder)
