"""What people correct about things of declared kinds shows at once, and parts follow their wholes."""

import pytest

from portico.store.codec import encode
from portico.store.documents.results import Done
from portico.store.opening import Store
from portico.types.correction import CorrectionKind, Proposal
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, PartOf, Record, RecordId
from tests.directory import record
from tests.graphs import read_aliases

RECORDS = (
    record("organisation", "a", 0, name="Acme"),
    record("organisation", "b", 0, name="Bolt"),
    record("officer", "a", 1, name="Ada Young"),
    record("officer", "a", 2, name="A. Young"),
    record("officer", "b", 1, name="Bo Old"),
)


def thing(name: str, *records: Record) -> Entity:
    documents = tuple(DocumentId(page) for page in sorted({each.document for each in records}))
    ids = tuple(each.id for each in records)
    return Entity(EntityId(name), records[0].kind, ids, documents, records[0].fields, ids[0])


@pytest.fixture
def filled(store: Store) -> Store:
    for page in "ab":
        found = tuple(each for each in RECORDS if each.document == page)
        store.documents.results.put_many("extract", [Done(page, "key", encode(found), 0.0, 0.0)])
    acme, bolt = thing("acme", RECORDS[0]), thing("bolt", RECORDS[1])
    ada, bo = thing("ada", RECORDS[2], RECORDS[3]), thing("bo", RECORDS[4])
    parts = (PartOf(ada.id, acme.id), PartOf(bo.id, bolt.id))
    store.catalog.things.replace((acme, bolt, ada, bo), parts)
    return store


def say(
    store: Store, wrong: CorrectionKind, entity: str, record: RecordId, *, field: str = "", value: str = ""
) -> tuple[EntityId, ...]:
    return store.contributions.corrections.make(
        Proposal(wrong, EntityId(entity), record, field=field, value=value)
    )


def test_a_field_is_corrected_and_stays_corrected(filled: Store) -> None:
    say(filled, CorrectionKind.FIELD, "ada", RECORDS[2].id, field="name", value="Ada M. Young")
    ada = filled.catalog.entities.current("ada")
    assert ada is not None
    assert ada.value("name") == "Ada M. Young"
    entities = [*filled.catalog.entities.all()]
    filled.catalog.things.replace(
        [thing("ada", RECORDS[2], RECORDS[3]), *(e for e in entities if e.id != "ada")], ()
    )
    again = filled.catalog.entities.current("ada")
    assert again is not None
    assert again.value("name") == "Ada M. Young"


def test_parts_of_one_organisation_become_parts_of_the_other(filled: Store) -> None:
    say(filled, CorrectionKind.SAME, "acme", RECORDS[0].id, value=RECORDS[1].id)
    assert filled.catalog.things.parts(EntityId("acme"), limit=9) == ("ada", "bo")
    assert read_aliases(filled) == {"bolt": "acme"}


def test_a_stranger_leaves_and_stays_part_of_the_same(filled: Store) -> None:
    rest, stranger = say(filled, CorrectionKind.DIFFERENT, "ada", RECORDS[2].id, value=RECORDS[3].id)
    assert filled.catalog.things.parts(EntityId("acme"), limit=9) == tuple(sorted((rest, stranger)))
    left = filled.catalog.entities.current(rest)
    assert left is not None
    assert left.documents == ("a",), "another record of hers is from the same page"
    assert [verdict.same for verdict in filled.contributions.corrections.verdicts()] == [False]


def test_what_does_not_belong_goes_and_others_of_its_page_stay(filled: Store) -> None:
    say(
        filled,
        CorrectionKind.NOT_A_PAPER,
        "ada",
        RECORDS[2].id,
        value="\n".join((RECORDS[2].id, RECORDS[3].id)),
    )
    assert filled.catalog.entities.current("ada") is None
    assert filled.catalog.entities.current("acme") is not None
    assert filled.catalog.things.wholes([EntityId("ada")]) == {}
