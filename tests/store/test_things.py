"""Things of declared kinds are kept whole, with what they are part of and what their ids became."""

import pytest

from portico.store.documents.pages import PageRow
from portico.store.opening import Store
from portico.types.document import DocumentId, Span
from portico.types.page import BodyHash
from portico.types.record import Entity, EntityId, Field, PartOf, RecordId
from tests.graphs import read_aliases


def thing(name: str, kind: str, record: str, *documents: str) -> Entity:
    fields = (Field("name", name, Span(0, 1), 0.9),)
    return Entity(
        EntityId(name), kind, (RecordId(record),), tuple(map(DocumentId, documents)), fields, RecordId(record)
    )


ACME, BOLT = thing("acme", "organisation", "c#o-0", "c", "b"), thing("bolt", "organisation", "d#o-0", "d")
ADA, BO = thing("ada", "officer", "b#p-1", "b"), thing("bo", "officer", "b#p-2", "b")
PARTS = (PartOf(ADA.id, ACME.id), PartOf(BO.id, ACME.id))


@pytest.fixture
def filled(store: Store) -> Store:
    store.catalog.things.replace((ACME, BOLT, ADA, BO), PARTS)
    return store


def test_one_page_may_tell_of_many_things(filled: Store) -> None:
    assert [each.id for each in filled.catalog.entities.held()] == ["acme", "ada", "bo", "bolt"]
    assert filled.catalog.things.counts() == {"officer": 2, "organisation": 2}


def test_parts_and_wholes_find_each_other(filled: Store) -> None:
    assert filled.catalog.things.wholes(["ada", "bolt"]) == {"ada": "acme"}  # type: ignore[list-item]
    assert filled.catalog.things.parts(ACME.id, limit=10) == ("ada", "bo")
    assert filled.catalog.things.parts(ACME.id, limit=1) == ("ada",)
    assert filled.catalog.things.n_parts([ACME.id, BOLT.id]) == {"acme": 2}
    assert tuple(filled.catalog.things.belongings()) == PARTS


def test_replacing_touches_what_changed_and_redirects_what_became_another(filled: Store) -> None:
    assert filled.catalog.things.replace((ACME, BOLT, ADA, BO), PARTS).n_written == 0
    fuller = thing("ada-young", "officer", "b#p-1", "b")
    filled.catalog.things.replace((ACME, BOLT, fuller), (PartOf(fuller.id, ACME.id),))
    assert read_aliases(filled) == {"ada": "ada-young"}
    assert filled.catalog.things.parts(ACME.id, limit=10) == ("ada-young",)


def test_the_newest_are_those_of_the_latest_pages(filled: Store) -> None:
    rows = [
        ("http://a/b", "b", 5.0),
        ("http://a/b2", "b", 9.0),
        ("http://a/c", "c", 7.0),
        ("http://d/", "d", 8.0),
    ]
    filled.documents.pages.put(PageRow(source, "web", at, body=BodyHash(body)) for source, body, at in rows)
    assert filled.catalog.things.newest("organisation", limit=5) == ("acme", "bolt")
    assert filled.catalog.things.newest("officer", limit=1) == ("ada",)
