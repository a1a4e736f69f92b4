"""What the builder decided by hand about records."""

from pathlib import Path

from portico.store.opening import open_store
from portico.types.record import Entity, EntityId, RecordId
from portico.types.verdict import Verdict

ONE, OTHER = RecordId("b#ref-1"), RecordId("a#header")


def test_the_latest_word_on_a_pair_counts_in_either_order(tmp_path: Path) -> None:
    store = open_store("sqlite:///portico.db", tmp_path, create=True)
    store.people.verdicts.put([Verdict(ONE, OTHER, True, "Ann", 1.0)])
    store.people.verdicts.put([Verdict(OTHER, ONE, False, "Bob", 2.0)])
    assert store.people.verdicts.all() == (Verdict(OTHER, ONE, False, "Bob", 2.0),)
    store.people.verdicts.withdraw(ONE, OTHER)
    assert store.people.verdicts.all() == ()
    store.close()


def test_papers_are_joined_and_parted_by_their_records(tmp_path: Path) -> None:
    store = open_store("sqlite:///portico.db", tmp_path, create=True)
    paper = Entity(EntityId("x"), "paper", (OTHER, ONE), (), (), OTHER)
    second = Entity(EntityId("y"), "paper", (RecordId("c#ref-3"),), (), (), RecordId("c#ref-3"))
    assert store.people.verdicts.join(paper, second, who="Ann", at=1.0).same
    parted = store.people.verdicts.part(paper, ONE, who="Ann", at=2.0)
    assert (parted.one, parted.other, parted.same) == (OTHER, ONE, False)
    assert len(store.people.verdicts.all()) == 2
    store.close()
