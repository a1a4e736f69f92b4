"""Whatever a portal holds, it answers the same questions: one suite, run over every kind of collection.

A third kind gets its records here, and is held to the same.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.cli.showing import open_app
from portico.engine.local import LocalEngine
from portico.errors import InputError
from portico.index.searcher import Searcher
from portico.pipeline.export import write_jsonl
from portico.pipeline.indexing import GENERATION
from portico.pipeline.opening import open_for_changes, open_portal
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.pipeline.status import read_status
from portico.serve.app import choose_served
from portico.serve.collection import ServedCollection
from portico.types.domain import CollectionName
from portico.types.page import BodyHash
from portico.types.record import Entity
from portico.types.stages import StageName
from tests.pipeline.test_importing import RECORDS as PAPERS
from tests.pipeline.test_importing import imported, write
from tests.serve.conftest import Site, serving

ACME = {"kind": "organisation", "id": "a", "fields": {"name": ["Acme Gardeners"], "place": ["Bad Ems"]}}
CHAIR = {"kind": "officer", "id": "b", "fields": {"name": ["Ada Young"], "role": ["Chair"]}}
PLAIN = ("/", "/about", "/search", "/search?q=a", "/search?q=nothing+at+all&page=1", "/submit")
FOR_PROGRAMS = (
    "/api",
    "/api/search",
    "/api/suggest?q=a",
    "/api/openapi.json",
    "/feed",
    "/sitemap.xml",
    "/robots.txt",
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of collection: how its portal is declared, two records of it, and how it counts them."""

    domain: str
    records: tuple[dict[str, Any], ...]
    words: str
    left_out: frozenset[StageName]


KINDS = {
    CollectionName.PAPERS: Kind(
        "papers", tuple(PAPERS), "2 papers, 1 more known from citations", frozenset()
    ),
    CollectionName.DECLARED: Kind(
        "organisations",
        (ACME, CHAIR),
        "1 organisation, 1 officer",
        frozenset({StageName.ENRICH, StageName.PLACE, StageName.RANKS, StageName.AUTHORS, StageName.PICTURE}),
    ),
}


def built(folder: Path, kind: Kind, *records: dict[str, Any]) -> Path:
    folder.mkdir()
    (folder / "portal.toml").write_text(f'[portal]\ntitle = "Here"\ndomain = "{kind.domain}"\n')
    assert imported(write(folder / "records.jsonl", *(records or kind.records)), folder).held == kind.words
    return folder


@pytest.fixture(scope="module", params=list(KINDS))
def name(request: pytest.FixtureRequest) -> CollectionName:
    return CollectionName(request.param)


@pytest.fixture(scope="module")
def folder(name: CollectionName, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp(name) / "portal", KINDS[name])


@pytest.fixture
def portal(folder: Path) -> Iterator[Portal]:
    with open_for_changes(folder) as opened:
        yield opened


@pytest.fixture
def served(portal: Portal) -> ServedCollection:
    return choose_served(portal.domain)


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    with serving(open_app(folder)) as running:
        yield running


def held(portal: Portal) -> list[Entity]:
    return [entity for entity in portal.store.catalog.entities.all() if entity.documents]


def test_what_a_portal_holds_is_what_its_domain_says(portal: Portal, name: CollectionName) -> None:
    assert portal.domain.collection is name
    assert portal.collection.left_out == KINDS[name].left_out


def test_records_that_are_matched_are_not_matched_again(portal: Portal) -> None:
    run = BuildRun(LocalEngine(1), ProgressLines(None), lambda: 0.0)
    again = portal.collection.match(portal, run)
    assert (again.stage, again.n_done, again.n_fresh) == (StageName.MATCH, 0, 2)


def test_the_index_holds_an_entry_of_everything(portal: Portal) -> None:
    source = portal.collection.make_entries(portal.store)
    entries = {entry.entity: entry for entry in source.entries(source.digests())}
    assert entries.keys() == {entity.id for entity in portal.store.catalog.entities.all()}
    assert all(entry.title for entry in entries.values())
    generation = portal.store.meta.get(GENERATION) or ""
    assert portal.store.catalog.indexed.digests(generation) == source.digests()
    assert Searcher(portal.places.index / generation).n_entries == len(entries)


def test_an_entry_alone_is_made_of_what_it_is_made_of_among_all(portal: Portal) -> None:
    whole = portal.collection.make_entries(portal.store)
    for entity in portal.store.catalog.entities.all():
        one = portal.collection.make_entries(portal.store, [entity.id])
        digests = one.digests()
        assert digests[entity.id] == whole.digests()[entity.id]
        assert list(one.entries([entity.id])) == list(whole.entries([entity.id]))
    assert portal.collection.make_entries(portal.store, ["gone"]).digests() == {}  # type: ignore[list-item]


def test_what_is_exported_is_imported_and_exported_the_same(
    portal: Portal, name: CollectionName, tmp_path: Path
) -> None:
    told = list(portal.collection.export(portal, cited=True))
    assert [each["id"] for each in told] == sorted(each["id"] for each in told)
    assert {"id", "title", "source", "sources", "fields", "confidence", "topics"} <= told[0].keys()
    assert write_jsonl(portal, tmp_path / "out.jsonl", cited=True) == len(told)
    assert list(map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())) == told
    with open_portal(built(tmp_path / "other", KINDS[name], *told)) as other:
        again = list(other.collection.export(other, cited=True))
    assert [each["title"] for each in again] == [each["title"] for each in told]


@pytest.mark.parametrize("line", [[], "a title", {}, {"kind": "planet"}, 7, None])
def test_what_is_no_record_is_refused_in_words(portal: Portal, line: object) -> None:
    with pytest.raises(InputError, match=r"\w+ \w+"):
        portal.collection.read_record(line, catalog="c")


def test_everything_is_explained_by_itself_and_by_its_document(portal: Portal) -> None:
    for entity in held(portal):
        sections = list(portal.collection.explain(portal, entity))
        assert entity.id in sections[0].heading
        assert {"Fields", "Where it was found"} <= {section.heading for section in sections}
        assert list(portal.collection.explain_document(portal, BodyHash(entity.documents[0])))


def test_things_are_found_by_part_of_what_they_are_called(portal: Portal) -> None:
    for each in portal.collection.export(portal, cited=False):
        found = portal.collection.find_titled(portal, each["title"][2:9], limit=3)
        assert (each["id"], each["title"]) in found


def test_counts_are_told_in_numbers_and_in_words(portal: Portal, name: CollectionName) -> None:
    counted = portal.collection.count(portal.store)
    assert counted.items() <= read_status(portal).items()
    assert portal.collection.count_in_words(portal.store) == KINDS[name].words
    assert portal.collection.describe_counts(counted).startswith(KINDS[name].words)


def test_every_page_answers(site: Site) -> None:
    for path in (*PLAIN, *FOR_PROGRAMS, "/healthz", "/builder/sign-in"):
        assert site.ask(path).status == 200, path
    assert site.ask("/search?page=99").status == 404


def test_everything_held_has_a_page_a_form_and_json(
    site: Site, portal: Portal, served: ServedCollection
) -> None:
    naming = served.holding.naming
    listed = site.ask("/search?q=").body.decode()
    sitemap, feed = site.ask("/sitemap.xml").body.decode(), site.ask("/feed").body.decode()
    for entity in held(portal):
        url = naming.url(entity.id)
        page = site.ask(url).body.decode()
        assert naming.title(entity) in page
        assert f'href="{url}"' in listed
        assert url in sitemap
        assert url in feed
        assert naming.title(entity) in site.ask(f"{url}/wrong").body.decode()
        assert json.loads(site.ask(f"/api{url}").body)["id"] == entity.id
        assert site.ask(url.upper().replace(naming.path.upper(), naming.path)).headers["location"] == url
    missing = site.ask(f"{naming.path}nobody")
    assert (missing.status, served.unknown in missing.body.decode()) == (404, True)


def test_programs_get_what_people_see(site: Site, portal: Portal, served: ServedCollection) -> None:
    answer = json.loads(site.ask("/api/search?q=").body)
    assert {"query", "total", "page", "next", "notice", "suggestion", "facets"} <= answer.keys()
    found = {each["id"] for key in ("papers", "results") for each in answer.get(key, ())}
    assert {entity.id for entity in held(portal)} <= found
    described = json.loads(site.ask("/api/openapi.json").body)
    assert {"/api/search", "/api/suggest", f"/api{served.holding.naming.path}{{id}}"} <= described[
        "paths"
    ].keys()
    assert json.loads(site.ask("/healthz").body)[served.counted_as] == len(held(portal))


def test_what_is_typed_back_as_it_was_is_no_correction(portal: Portal, served: ServedCollection) -> None:
    sheet = served.sheet
    for entity in held(portal):
        values = sheet.values(entity)
        assert {name: sheet.typed(name, value) for name, value in values.items()} == values
        assert any(values.values())
        assert set(sheet.documents_removed(entity)) <= set(entity.documents)


def test_plain_files_hold_everything(portal: Portal, served: ServedCollection, tmp_path: Path) -> None:
    n_written = served.write_static_index(held(portal), portal.store.catalog.things, tmp_path / "data")
    assert n_written == len(held(portal))
    assert json.loads((tmp_path / "data" / "index.json").read_text())["papers"] == n_written
