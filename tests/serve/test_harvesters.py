"""Real harvesters and feed readers, of other people, against a portal that changes."""

from collections.abc import Iterator
from pathlib import Path
from time import sleep, time

import feedparser
import pytest
from oaipmh_scythe import Scythe
from oaipmh_scythe.models import Header, Set
from sickle import Sickle

from portico.store.catalog.entity_changes import SETTLES_AFTER_S
from portico.store.opening import Store, open_store
from portico.types.record import EntityId
from tests.serve.conftest import Site, serving_folder
from tests.serve.made import PAPERS, STORE_URL, make_portal

HELD = {f"oai:portico.invalid:{each.id}" for each in PAPERS if each.documents}
GONE = EntityId("parser")
LEARNING = {"oai:portico.invalid:forest", "oai:portico.invalid:hostile"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("harvested")
    make_portal(folder)
    return folder


@pytest.fixture(scope="module")
def harvested(folder: Path) -> Iterator[Site]:
    with serving_folder(folder) as site:
        yield site


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    store = open_store(STORE_URL, folder)
    yield store
    store.close()


def test_sickle_harvests_everything(harvested: Site) -> None:
    sickle = Sickle(f"{harvested.url}/oai")
    assert sickle.Identify().deletedRecord == "persistent"
    records = {each.header.identifier: each for each in sickle.ListRecords(metadataPrefix="oai_dc")}
    assert set(records) == HELD
    forest = records["oai:portico.invalid:forest"]
    assert forest.metadata["title"] == ["Growing decision forests"]
    assert forest.metadata["creator"] == ["Ada Young", "José Nuñez"]


def test_scythe_harvests_by_topic(harvested: Site) -> None:
    with Scythe(f"{harvested.url}/oai") as scythe:
        sets = {each.setSpec: each.setName for each in scythe.list_sets() if isinstance(each, Set)}
        assert sets["Learning:Trees"] == "Learning / Trees"
        assert sets["Language_Speech:Parsing"] == "Language & Speech / Parsing"
        found = {
            each.identifier for each in scythe.list_identifiers(set_="Learning") if isinstance(each, Header)
        }
    assert found == LEARNING


def test_a_harvest_of_what_changed_since_gets_all_of_it(harvested: Site, store: Store) -> None:
    """Also what became visible while the last harvest was on its way, and what is gone."""
    sickle = Sickle(f"{harvested.url}/oai")
    last = "2001-01-01"
    with pytest.raises(Exception, match="Nothing changed"):
        sickle.ListRecords(metadataPrefix="oai_dc", **{"from": last})
    now = 1_000_000_000.0  # September 2001
    store.catalog.changes.note({EntityId("forest"): "changed"}, [GONE], lambda: now)
    found = {
        each.header.identifier: each.deleted
        for each in sickle.ListRecords(metadataPrefix="oai_dc", **{"from": last})
    }
    assert found == {"oai:portico.invalid:forest": False, f"oai:portico.invalid:{GONE}": True}


def test_feeds_have_names_pages_and_dates(harvested: Site, store: Store) -> None:
    feed = feedparser.parse(harvested.ask("/feed").body)
    assert not feed.bozo
    assert feed.feed.title == "New papers – Trees & Words"
    assert {each.published_parsed.tm_year for each in feed.entries} == {2000}
    assert feedparser.parse(harvested.ask("/feed?q=trees&author=Ada+Young").body).feed.title == (
        "trees, author: Ada Young – Trees & Words"
    )
    past_the_end = feedparser.parse(harvested.ask("/feed?page=99").body)
    assert (past_the_end.bozo, past_the_end.entries) == (False, [])


def test_a_change_is_not_shown_before_it_is_settled(harvested: Site, store: Store) -> None:
    store.catalog.changes.note({EntityId("forest"): "changed again"}, (), time)
    before = harvested.ask("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&from=2010-01-01").text
    sleep(SETTLES_AFTER_S + 0.1)
    after = harvested.ask("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&from=2010-01-01").text
    assert "noRecordsMatch" in before
    assert "oai:portico.invalid:forest" in after
