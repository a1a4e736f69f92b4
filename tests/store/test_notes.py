"""Small facts, runs, and what the index holds."""

from portico.store.documents.results import RunRow
from portico.store.opening import Store


def test_facts_are_set_overwritten_and_deleted(store: Store) -> None:
    assert store.meta.get("match") is None
    store.meta.set("match", "one")
    store.meta.set("match", "two")
    assert store.meta.get("match") == "two"
    store.meta.delete("match")
    store.meta.delete("match")
    assert store.meta.get("match") is None


def test_the_last_run_of_each_stage(store: Store) -> None:
    runs = [
        RunRow("crawl", 1.0, 2.0, 3, 0),
        RunRow("convert", 3.0, 9.0, 5, 1),
        RunRow("crawl", 20.0, 0.5, 1, 1),
    ]
    for row in runs:
        store.documents.runs.add(row)
    assert store.documents.runs.last() == {"crawl": runs[2], "convert": runs[1]}


def test_what_each_generation_of_the_index_holds(store: Store) -> None:
    store.catalog.indexed.update("g1", {"a": "1", "b": "2", "c": "3"})
    store.catalog.indexed.update("g1", {"a": "9"}, ["b", "absent"])
    store.catalog.indexed.update("g2", {"a": "1"})
    assert store.catalog.indexed.digests("g1") == {"a": "9", "c": "3"}
    store.catalog.indexed.keep_only("g2")
    assert store.catalog.indexed.digests("g1") == {}
    assert store.catalog.indexed.digests("g2") == {"a": "1"}
