"""Topics, places, entities and citations; what changed is written, and old names lead on."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portico.store.catalog.catalog import CatalogCounts
from portico.store.database import Changes, find_integrity_faults
from portico.store.opening import Store
from portico.types.document import DocumentId, Span
from portico.types.record import Citation, Entity, EntityId, Field, RecordId
from portico.types.topic import Assignment, Topic
from tests.graphs import read_aliases, write_graph


def entity(id_: str, *records: str, documents: str = "", title: str = "T") -> Entity:
    return Entity(
        EntityId(id_),
        "paper",
        tuple(RecordId(record) for record in records),
        tuple(DocumentId(document) for document in documents),
        (Field("title", title, Span(0, 1), 0.9), Field("year", "in 1999", Span(0, 1), 0.9)),
        RecordId(records[0]),
    )


def cites(citing: str, cited: str, record: str) -> Citation:
    return Citation(EntityId(citing), EntityId(cited), RecordId(record), 0.75)


def test_the_graph_comes_back(store: Store) -> None:
    entities = [entity("b", "r2", documents="de"), entity("a", "r1", "r3"), entity("c", "r4", documents="f")]
    citations = [cites("c", "a", "r3"), cites("b", "a", "r1")]
    assert write_graph(store, entities, citations) == Changes(8, 0)
    assert list(store.catalog.entities.all()) == sorted(entities, key=lambda each: each.id)
    assert list(store.catalog.citations.all()) == sorted(citations, key=lambda each: each.record)
    assert store.catalog.counts() == CatalogCounts(2, 1, 2, 0, 0)
    assert store.catalog.entities.current("b") == entities[0]
    assert store.catalog.entities.current("x") is None
    assert find_integrity_faults(store.engine) == ()


def test_only_what_changed_is_written(store: Store) -> None:
    entities = [entity(f"e{n:04}", f"r{n}", documents=chr(9000 + n)) for n in range(600)]
    citations = [cites("e0000", f"e{n:04}", f"r{n}") for n in range(1, 600)]
    write_graph(store, entities, citations)
    digests = store.catalog.entities.digests()
    assert write_graph(store, reversed(entities), reversed(citations)) == Changes(0, 0)
    entities[5] = replace(entities[5], kind="report")
    citations[7] = replace(citations[7], confidence=0.5)
    assert write_graph(store, entities, citations[1:]) == Changes(2, 1)
    changed = {id_ for id_, digest in store.catalog.entities.digests().items() if digests[id_] != digest}
    assert changed == {"e0005"}


def test_ranks_are_written_without_the_rest(store: Store) -> None:
    entities = [entity("a", "r1"), entity("b", "r2")]
    write_graph(store, entities, ())
    digests = store.catalog.entities.digests()
    entities[1] = replace(entities[1], n_citations=9, authority=0.25, hub=0.5, pagerank=0.125)
    assert write_graph(store, entities, ()) == Changes(1, 0)
    assert store.catalog.entities.current("b") == entities[1]
    assert (
        list(store.catalog.entities.all())
        == list(store.view.entities.many([EntityId("a"), EntityId("b")]).values())
        == entities
    )
    assert store.catalog.entities.digests() == digests


@pytest.mark.parametrize(
    ("then", "now", "aliases"),
    [
        # two become one: both old names lead there
        ([entity("a", "r1"), entity("b", "r2")], [entity("c", "r1", "r2")], {"a": "c", "b": "c"}),
        ([entity("a", "r1"), entity("b", "r2")], [entity("a", "r1", "r2")], {"b": "a"}),
        # one becomes two: the name goes with the record its fields were taken from
        ([entity("a", "r2", "r1", "r3")], [entity("b", "r1", "r3"), entity("c", "r2")], {"a": "c"}),
        # ... and if that is gone, with the first record that is left
        ([entity("a", "r9", "r1", "r3")], [entity("b", "r3"), entity("c", "r1")], {"a": "c"}),
        # all its records are gone: nothing to lead to
        ([entity("a", "r1")], [entity("b", "r2")], {}),
        ([entity("a", "r1")], [], {}),
    ],
)
def test_names_that_vanish_lead_to_what_they_became(
    store: Store, then: list[Entity], now: list[Entity], aliases: dict[str, str]
) -> None:
    write_graph(store, then, [])
    write_graph(store, now, [])
    assert read_aliases(store) == aliases
    for old, new in aliases.items():
        found = store.catalog.entities.current(old)
        assert found is not None
        assert found.id == new


def test_chains_collapse_and_returning_names_are_freed(store: Store) -> None:
    for id_ in "abc":
        write_graph(store, [entity(id_, "r1")], [])
    assert read_aliases(store) == {"a": "c", "b": "c"}
    write_graph(store, [entity("b", "r1")], [])
    assert read_aliases(store) == {"a": "b", "c": "b"}
    write_graph(store, [], [])
    assert read_aliases(store) == {}


graphs = st.lists(st.lists(st.sampled_from("rstuvw"), unique=True, min_size=1), max_size=4).map(
    lambda groups: [
        entity(f"{records[0]}{len(records)}", *records, documents=records[0])
        for number, records in enumerate(groups)
        if not any(set(records) & set(earlier) for earlier in groups[:number])
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(history=st.lists(graphs, max_size=4))
def test_after_any_history_the_graph_is_the_last_one_and_no_name_leads_astray(
    store: Store, history: list[list[Entity]]
) -> None:
    for entities in ([], *history):
        write_graph(store, entities, [])
    last = {each.id: each for each in (history[-1] if history else [])}
    assert {each.id: each for each in store.catalog.entities.all()} == last
    aliases = read_aliases(store)
    assert set(aliases.values()) <= set(last)
    assert not set(aliases) & set(last)
    assert find_integrity_faults(store.engine) == ()


def test_two_entities_of_one_id_change_nothing(store: Store) -> None:
    write_graph(store, [entity("a", "r1")], [])
    with pytest.raises(ValueError, match="same id"):
        write_graph(store, [entity("b", "r1"), entity("b", "r2")], [])
    assert [each.id for each in store.catalog.entities.all()] == ["a"]


def test_a_document_that_moves_to_another_entity(store: Store) -> None:
    write_graph(store, [entity("a", "r1", documents="d"), entity("b", "r2", documents="e")], [])
    write_graph(store, [entity("b", "r2", "r1", documents="de")], [])
    assert store.catalog.counts().n_held == 1
    assert find_integrity_faults(store.engine) == ()


def test_topics_keep_the_builders_order_and_get_inner_nodes(store: Store) -> None:
    tree = [Topic(("Z", "b"), ("one", "two words")), Topic(("Z", "a", "x"), ()), Topic(("A",), ("three",))]
    assert store.catalog.topics.replace_tree(tree) == Changes(5, 0)
    assert store.catalog.topics.all() == (Topic(("Z",), ()), tree[0], Topic(("Z", "a"), ()), tree[1], tree[2])
    assert store.catalog.topics.replace_tree(tree) == Changes(0, 0)
    assert store.catalog.topics.replace_tree(tree[:2]) == Changes(0, 1)


def test_places_come_back_the_most_probable_first(store: Store) -> None:
    places = [
        Assignment(DocumentId("d"), ("A", "b"), 0.25),
        Assignment(DocumentId("d"), ("A",), 0.75),
        Assignment(DocumentId("c"), ("B",), 1.0),
    ]
    store.catalog.topics.replace_assignments(places)
    assert list(store.catalog.topics.assignments()) == [places[2], places[1], places[0]]
    assert store.catalog.topics.replace_assignments(places) == Changes(0, 0)
    assert store.catalog.topics.replace_assignments(places[:1]) == Changes(0, 2)
    assert store.catalog.counts().n_assigned == 1


@pytest.mark.parametrize(
    ("deeds", "unseen"),
    [
        ("", True),  # nobody ever said that the index has everything
        ("seen", False),
        ("note", True),
        ("note seen", False),
        ("note seen note", True),
        ("read note seen", True),  # changed while it was being indexed
        ("read note seen read seen", False),
    ],
)
def test_the_index_is_overtaken(store: Store, deeds: str, unseen: bool) -> None:
    read: int | None = None
    for deed in deeds.split():
        if deed == "note":
            store.catalog.staleness.note_change()
        elif deed == "read":
            read = store.catalog.staleness.n_changes()
        else:
            store.catalog.staleness.mark_seen(store.catalog.staleness.n_changes() if read is None else read)
            read = None
    assert store.catalog.staleness.is_stale() is unseen
