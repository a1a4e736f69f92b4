"""Things of declared kinds through matching, indexing, export and import, without any extraction."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.errors import InputError
from portico.pipeline.catalogs.formats import CatalogFormat
from portico.pipeline.collections.declared.collection import DeclaredCollection
from portico.pipeline.collections.declared.entries import thing_entries
from portico.pipeline.collections.declared.matching import match_things, site_of
from portico.pipeline.collections.declared.records import export_things, read_thing
from portico.pipeline.importing import CatalogFile, import_records
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.store.codec import encode
from portico.store.documents.pages import PageRow
from portico.store.documents.results import Done
from portico.types.correction import CorrectionKind, Proposal, Verdict
from portico.types.page import BodyHash
from portico.types.record import EntityId
from tests.directory import KINDS, record
from tests.graphs import write_verdicts
from tests.serve.made_directory import RECORDS, SOURCES


@contextmanager
def portal_in(folder: Path) -> Iterator[Portal]:
    (folder / "portal.toml").write_text(
        '[portal]\ntitle = "Clubs"\n[[source]]\nseeds = ["http://acme.example/"]\n'
        '[fetch]\ncontact = "builder@example.org"\n'
    )
    with open_for_building(folder) as portal:
        yield portal


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    with portal_in(tmp_path) as portal:
        rows = (
            PageRow(source, "web", 1.0, body=BodyHash(body), media_type="text/html")
            for source, body in SOURCES.items()
        )
        portal.store.documents.pages.put(rows)
        for body in dict.fromkeys(SOURCES.values()):
            found = tuple(each for each in RECORDS if each.document == body)
            portal.store.documents.results.put_many("extract", [Done(body, "key", encode(found), 0.0, 0.0)])
        yield portal


def gathered(portal: Portal) -> int:
    run = BuildRun(LocalEngine(1), ProgressLines(None), lambda: 0.0)
    return match_things(portal, run, KINDS).n_done


def named(portal: Portal, name: str) -> EntityId:
    return next(each.id for each in portal.store.catalog.entities.all() if each.value("name") == name)


def test_matching_twice_does_nothing_and_a_decision_is_a_reason_to_do_it_again(portal: Portal) -> None:
    assert gathered(portal) == 37
    assert gathered(portal) == 0
    chair, treasurer = (each.id for each in RECORDS[1:3])
    write_verdicts(portal.store, [Verdict(chair, treasurer, same=True)])
    assert gathered(portal) == 36


def test_what_somebody_found_not_to_belong_stays_away(portal: Portal) -> None:
    gathered(portal)
    assert DeclaredCollection(KINDS).count_in_words(portal.store) == "4 organisations, 33 officers"
    said = Proposal(CorrectionKind.NOT_A_PAPER, named(portal, "Bo Old"), RECORDS[2].id, value=RECORDS[2].id)
    portal.store.contributions.corrections.make(said)
    gathered(portal)
    assert DeclaredCollection(KINDS).count_in_words(portal.store) == "4 organisations, 32 officers"


@pytest.mark.parametrize(
    ("source", "site"),
    [
        ("http://www.acme.example/board.html", "acme.example"),
        ("https://acme.example:8080/", "acme.example"),
        ("../pages/acme/board.html", "acme"),
    ],
)
def test_a_site_is_called_as_people_call_it(source: str, site: str) -> None:
    assert site_of(source) == site


def test_parts_are_searched_by_what_their_whole_has(portal: Portal) -> None:
    gathered(portal)
    entries = {entry.title: entry for entry in thing_entries(portal.store, KINDS, {})}
    bo = dict(entries["Bo Old"].values)
    assert bo["organisation"] == ("Acme Gardening Society",)
    assert bo["place"] == ("Bad Ems",)
    assert bo["name"] == ("Bo Old",), "and not the organisation's"
    assert entries["Bo Old"].sorted_by == "Old Bo"
    assert dict(entries["Di Tree"].values)["role"] == ("Treasurer",), "as others spell it"


def test_what_is_exported_can_be_imported_and_is_the_same(portal: Portal, tmp_path: Path) -> None:
    gathered(portal)
    exported = [*export_things(portal, KINDS)]
    ada = next(each for each in exported if each["title"] == "Ada Young")
    assert ada["part_of"] == named(portal, "Acme Gardening Society")
    assert ada["fields"]["role"] == ["Chair"]
    assert ada["confidence"]["role"] == 0.9
    assert ada["source"] == "http://www.acme.example/contact.html"
    file = tmp_path / "things.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in exported), encoding="utf-8")
    (tmp_path / "other").mkdir()
    with portal_in(tmp_path / "other") as other:
        things = replace(other, collection=DeclaredCollection(KINDS))
        catalog = CatalogFile(file, CatalogFormat.JSONL)
        report = import_records(catalog, things, ProgressLines(None), clock=lambda: 0.0)
        assert (report.n_done, report.n_failed) == (36, 0), "a site of which nothing was read needs no record"
        gathered(other)
        again = {
            each["id"]: (each["title"], each["fields"], each["part_of"])
            for each in export_things(other, KINDS)
        }
    hostile_site = {each["id"] for each in exported if each["fields"]["site"] == ["evil.example"]}
    before = {each["id"]: (each["title"], each["fields"], each["part_of"]) for each in exported}
    assert {k: v for k, v in again.items() if k not in hostile_site} == {
        k: v for k, v in before.items() if k not in hostile_site
    }


@pytest.mark.parametrize(
    ("line", "flaw"),
    [
        ([], "an object in braces"),
        ({"kind": "paper", "fields": {}}, "none of organisation, officer"),
        ({"kind": "officer"}, "has no fields"),
        ({"kind": "officer", "fields": {"name": 7}}, "name is a list of texts"),
        ({"kind": "officer", "fields": {"name": ["A"]}, "confidence": {"name": 7}}, "no probability"),
    ],
)
def test_a_line_that_is_no_thing_says_why(line: object, flaw: str) -> None:
    with pytest.raises(InputError, match=flaw):
        read_thing(line, KINDS, catalog="x")


def test_nothing_read_is_nothing_imported() -> None:
    assert read_thing({"kind": "organisation", "fields": {"site": ["a.b"]}}, KINDS, catalog="x") is None
    found = read_thing({"kind": "officer", "fields": {"name": "Ada"}, "id": 7}, KINDS, catalog="x")
    assert found is not None
    assert found.sources == ("record:x#7",)
    assert record("officer", "p", 1, name="Ada").value("name") == found.records[0].value("name")
