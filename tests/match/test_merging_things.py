"""Records of declared kinds become the right things, in any order, and parts find their wholes."""

import random
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.match.comparing_things import parse_person
from portico.match.merging_things import MergedThings, merge_things
from portico.types.correction import Verdict
from portico.types.document import DocumentId
from portico.types.domain import SITE, Display, Form, ShownField
from portico.types.record import Entity, EntityId, Record, RecordId
from tests.directory import KINDS, ORGANISATION, record

SITES = {
    DocumentId("board"): "acme.example",
    DocumentId("team"): "acme.example",
    DocumentId("contact"): "acme.example",
    DocumentId("other"): "bolt.example",
}


def officers(*names: str, page: str = "board") -> list[Record]:
    return [record("officer", page, number, name=name) for number, name in zip(count(1), names, strict=False)]


def gathered(records: list[Record], *verdicts: Verdict) -> MergedThings:
    return merge_things(records, KINDS, SITES, verdicts)


def of_kind(found: MergedThings, kind: str) -> list[Entity]:
    return [entity for entity in found.entities if entity.kind == kind]


def names_of(found: MergedThings) -> list[str]:
    return sorted(entity.value("name") or "" for entity in of_kind(found, "officer"))


@pytest.mark.parametrize(
    ("printed", "people"),
    [
        (["J. A. Smith", "John Smith"], ["John Smith"]),
        (["John Smith", "Smith, John"], ["John Smith"]),
        (["Dr. John Smith", "John Smith, CPA", "Mr John Smith"], ["Mr John Smith"]),
        (["John A. Smith", "John B. Smith"], ["John A. Smith", "John B. Smith"]),
        (["John Smith", "Jane Smith", "J. Smith"], ["J. Smith", "Jane Smith", "John Smith"]),
        (["Ludwig van der Berg", "L. van der Berg"], ["Ludwig van der Berg"]),
        (["José Núñez", "Jose Nunez"], ["José Núñez"]),
        (["Ada Young", "Bo Young"], ["Ada Young", "Bo Young"]),
    ],
)
def test_names_of_one_site_are_compared_as_names(printed: list[str], people: list[str]) -> None:
    assert names_of(gathered(officers(*printed))) == people


def test_the_same_name_on_another_site_is_somebody_else() -> None:
    found = gathered([*officers("John Smith"), *officers("John Smith", page="other")])
    assert len(of_kind(found, "officer")) == 2
    assert len({belonging.whole for belonging in found.belongings}) == 2


def test_a_chain_of_look_alikes_makes_no_giant() -> None:
    middles = [f"John {letter}. Smith" for letter in "ABCDEFGH"]
    found = gathered(officers("John Smith", "J. Smith", *middles))
    assert max(len(entity.records) for entity in of_kind(found, "officer")) <= 2


def test_what_a_site_says_most_often_is_what_it_is() -> None:
    records = [
        record("organisation", "board", 0, name="Acme Ltd", phone="+1 555 0100"),
        record("organisation", "contact", 0, name="Acme Ltd", phone=("(+1) 555-0100", 0.7), email="a@b"),
        record("organisation", "team", 0, name=("Our team", 0.95), phone=("555 9", 0.2)),
    ]
    found = gathered(records)
    (acme,) = of_kind(found, "organisation")
    assert acme.value("name") == "Acme Ltd"
    assert [field.value for field in acme.all("phone")] == ["+1 555 0100", "555 9"]
    assert dict(acme.origins)["email"] == RecordId("contact#organisation-0")
    assert len(acme.origins) == len(acme.fields) - 1, "every field but the site names its record"
    assert acme.value("site") == "acme.example"


def test_a_role_that_says_less_than_another_is_left_out() -> None:
    records = [
        record("officer", "board", 1, name="Ada Young", role="Managing Director"),
        record("officer", "team", 1, name="A. Young", role=("Director", 0.8)),
        record("officer", "contact", 1, name="Ada Young", role=("Treasurer", 0.7)),
    ]
    (ada,) = of_kind(gathered(records), "officer")
    assert [field.value for field in ada.all("role")] == ["Managing Director", "Treasurer"]


def test_officers_belong_to_the_organisation_of_their_page_or_site() -> None:
    records = [*officers("Ada Young"), record("organisation", "contact", 0, name="Acme")]
    found = gathered(records)
    (acme,), (ada,) = of_kind(found, "organisation"), of_kind(found, "officer")
    assert [(each.part, each.whole) for each in found.belongings] == [(ada.id, acme.id)]


def test_a_site_without_a_contact_page_still_has_its_organisation() -> None:
    found = gathered(officers("Ada Young"))
    (silent,) = of_kind(found, "organisation")
    assert (silent.value("name"), silent.value("site"), silent.documents) == (
        None,
        "acme.example",
        ("board",),
    )
    spoken = gathered([*officers("Ada Young"), record("organisation", "contact", 0, name="Acme")])
    assert of_kind(spoken, "organisation")[0].id == silent.id, "its id stays when it comes to speak"


def test_ids_stay_when_others_come() -> None:
    before = {entity.id for entity in gathered(officers("John Smith")).entities}
    after = {entity.id for entity in gathered(officers("Jane Smith", "John Smith", "Ada Young")).entities}
    assert before <= after


def test_a_record_that_names_nobody_is_a_thing_of_its_own() -> None:
    records = [record("officer", "board", 1, role="Chair"), record("officer", "board", 2, role="Chair")]
    assert len(of_kind(gathered(records), "officer")) == 2


def test_verdicts_join_and_part() -> None:
    ann, bob, twin = officers("Ann Old", "Bob New", "Ann Old")
    joined = gathered([ann, bob], Verdict(ann.id, bob.id, same=True))
    assert len(of_kind(joined, "officer")) == 1
    parted = gathered([ann, twin], Verdict(ann.id, twin.id, same=False))
    assert len(of_kind(parted, "officer")) == 2
    assert len({entity.id for entity in parted.entities}) == len(parted.entities)


def test_two_sites_joined_by_hand_are_one_with_everything_they_say() -> None:
    records = [
        record("organisation", "board", 0, name="Acme"),
        record("organisation", "contact", 0, phone="1"),
        record("organisation", "other", 0, name="Bolt"),
    ]
    found = gathered(records, Verdict(records[0].id, records[2].id, same=True))
    (one,) = of_kind(found, "organisation")
    assert len(one.records) == 3


def test_names_are_compared_without_titles_and_degrees() -> None:
    assert parse_person("Prof. Dr. Ada B. Young, M.B.A., CPA") == parse_person("Ada B. Young")
    assert parse_person("van Dyke, John").surname == "van Dyke"


NAMES = st.sampled_from(
    ["J. Smith", "John Smith", "Jane Smith", "J. A. Smith", "Smith, B.", "Li Wu", "L. Wu", ""]
)


@given(st.lists(st.tuples(NAMES, st.sampled_from(["board", "team", "other"])), max_size=12), st.randoms())
def test_the_order_of_records_does_not_show(drawn: list[tuple[str, str]], chance: random.Random) -> None:
    records = [
        record("officer", page, number, name=name) if name else record("officer", page, number, role="Chair")
        for number, (name, page) in enumerate(drawn)
    ]
    shuffled = records[:]
    chance.shuffle(shuffled)
    found = gathered(records)
    assert found == gathered(shuffled)
    told = [name for entity in of_kind(found, "officer") for name in entity.records]
    assert sorted(told) == sorted(each.id for each in records), "every record speaks of exactly one thing"
    known = {EntityId(entity.id) for entity in found.entities}
    assert all({each.part, each.whole} <= known for each in found.belongings)


def test_several_people_in_one_field_stay_and_each_is_named_once() -> None:
    shown = Display("course", "courses", "code", fields=(ShownField("instructor", "Taught by", Form.NAME),))
    course = replace(ORGANISATION, name="course", display=shown, rules=(), identity=("code", SITE))
    records = [
        record("course", "board", 1, code="CS 1", instructor="Ada Young"),
        record("course", "team", 1, code="cs 1", instructor="A. Young"),
        record("course", "contact", 1, code="CS 1", instructor="Bo Old"),
    ]
    (found,) = merge_things(records, (course,), SITES).entities
    assert sorted(field.value for field in found.all("instructor")) == ["Ada Young", "Bo Old"]


COURSE = replace(
    ORGANISATION,
    name="course",
    display=Display("course", "courses", "title"),
    rules=(),
    identity=("code", "term", SITE),
)


@pytest.mark.parametrize(
    ("told", "n_courses"),
    [
        ([{"code": "CS 1", "term": "Fall 1996"}, {"code": "cs-1"}], 1),
        ([{"code": "CS 1", "term": "Fall 1996"}, {"code": "CS 1", "term": "Fall 1997"}], 2),
        ([{"code": "CS 1", "term": "Fall 1996"}, {"title": "Logic", "term": "Fall 1996"}], 2),
        ([{"title": "Logic", "term": "Fall 1996"}, {"title": "Logic"}], 1),
        ([{"term": "Fall 1996"}, {"term": "Fall 1996"}], 2),
    ],
)
def test_the_first_identifying_value_must_be_alike(told: list[dict[str, str]], n_courses: int) -> None:
    pages = ("board", "team")
    records = [record("course", page, 1, **values) for page, values in zip(pages, told, strict=True)]
    assert len(merge_things(records, (COURSE,), SITES).entities) == n_courses
