"""What became visible, changed or went is dated so that whoever asks for the changes since loses none."""

import pytest

from portico.store.catalog.entity_changes import SETTLES_AFTER_S, ChangeSpan, EntityChange
from portico.store.opening import Store
from portico.types.document import DocumentId
from portico.types.record import EntityId
from portico.types.topic import Assignment
from tests.graphs import write_graph
from tests.store.test_catalog import entity

A, B, STUB = EntityId("a"), EntityId("b"), EntityId("stub")
EVERYTHING = ChangeSpan()
LATER = 1e9
Change = tuple[str, float, bool]


@pytest.fixture
def noted(store: Store) -> Store:
    """Two papers and one that is only cited, shown at 100."""
    papers = [entity("a", "r1", documents="d"), entity("b", "r2", documents="e"), entity("stub", "r3")]
    write_graph(store, papers, ())
    store.catalog.changes.note({A: "1", B: "1", STUB: "1"}, (), lambda: 100.0)
    return store


def list_changes(store: Store, span: ChangeSpan = EVERYTHING, now: float = LATER) -> list[Change]:
    found = store.catalog.changes.since(span, now=now, limit=10)
    return [(each.entity, each.changed_at - SETTLES_AFTER_S, each.removed) for each in found]


def test_what_is_held_is_dated_once(noted: Store) -> None:
    assert list_changes(noted) == [("a", 100.0, False), ("b", 100.0, False)]
    noted.catalog.changes.note({A: "1", B: "2"}, (), lambda: 200.0)
    assert list_changes(noted) == [("a", 100.0, False), ("b", 200.0, False)]
    assert noted.catalog.changes.added_at([A, B]) == {A: 102.0, B: 102.0}


def test_what_is_gone_stays_listed_as_gone_and_may_come_back(noted: Store) -> None:
    noted.catalog.changes.note({}, [B, EntityId("never")], lambda: 200.0)
    noted.catalog.changes.note({}, [B], lambda: 300.0)
    assert list_changes(noted) == [("a", 100.0, False), ("b", 200.0, True)]
    assert noted.catalog.changes.listed_ids() == {A}
    assert noted.catalog.changes.latest(limit=5) == (A,)
    noted.catalog.changes.note({B: "1"}, (), lambda: 400.0)
    assert list_changes(noted)[-1] == ("b", 400.0, False)


def test_a_paper_whose_file_is_gone_is_gone_for_harvesters(noted: Store) -> None:
    write_graph(noted, [entity("a", "r1"), entity("b", "r2", documents="e")], ())
    noted.catalog.changes.note({A: "2"}, (), lambda: 200.0)
    assert noted.catalog.changes.get(A) == EntityChange(A, 202.0, True)


def test_nothing_is_dated_before_it_could_be_seen(noted: Store) -> None:
    """Somebody asks while the change is being written, and asks again for all since then."""
    asked_at = 101.0
    assert list_changes(noted, now=asked_at) == []
    assert len(list_changes(noted, ChangeSpan(low=asked_at), now=103.0)) == 2


def test_pages_of_changes_follow_on_each_other(noted: Store) -> None:
    changes, after, seen = noted.catalog.changes, None, []
    while found := changes.since(EVERYTHING, now=LATER, after=after, limit=1):
        seen += [each.entity for each in found]
        after = (found[-1].changed_at, found[-1].entity)
    assert seen == [A, B]


@pytest.mark.parametrize(
    ("span", "found"),
    [
        (ChangeSpan(low=102.0), ["a", "b"]),
        (ChangeSpan(low=102.5), []),
        (ChangeSpan(high=101.0), []),
        (ChangeSpan(topics=("X",)), ["b"]),
        (ChangeSpan(topics=("X", "Y")), ["a", "b"]),
        (ChangeSpan(topics=()), []),
    ],
)
def test_changes_by_time_and_topic(noted: Store, span: ChangeSpan, found: list[str]) -> None:
    noted.catalog.topics.replace_assignments(
        [Assignment(DocumentId("d"), ("Y",), 0.9), Assignment(DocumentId("e"), ("X",), 0.9)]
    )
    assert [name for name, _, _ in list_changes(noted, span)] == found
