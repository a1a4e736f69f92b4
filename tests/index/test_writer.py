"""What is on disk after writing, updating and being killed."""

from dataclasses import replace
from pathlib import Path

import pytest

from portico.errors import PortalBusy, PortalError
from portico.index.files import open_index
from portico.index.searcher import Searcher
from portico.index.writer import fingerprint_entry, list_indexed_ids, update_index, write_index
from portico.types.record import EntityId
from portico.types.search import Entry


def entry(number: int, title: str = "A title") -> Entry:
    return Entry(EntityId(f"e{number}"), title, topics=(("A", "B"), ("A", "C")))


def test_ids_can_be_listed(tmp_path: Path) -> None:
    entries = [entry(number) for number in range(300)]
    reported: list[int] = []
    assert write_index(entries, tmp_path / "index", progress=reported.append) == 300
    assert list_indexed_ids(tmp_path / "index") == {one.entity for one in entries}
    assert reported == [200, 300]


def test_writing_again_replaces_what_a_killed_run_left(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    folder.mkdir()
    (folder / "half-written.store").write_bytes(b"rubbish")
    write_index([entry(1)], folder)
    write_index([entry(2)], folder)
    assert list_indexed_ids(folder) == {"e2"}
    assert not (folder / "half-written.store").exists()


def test_updating_twice_is_updating_once(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_index([entry(1), entry(2), entry(3)], folder)
    for _ in range(2):
        update_index(folder, [entry(2, "Another title"), entry(4)], [EntityId("e1"), EntityId("never")])
    assert list_indexed_ids(folder) == {"e2", "e3", "e4"}
    assert Searcher(folder).search("another").total == 1


def test_an_empty_index_is_an_index(tmp_path: Path) -> None:
    assert write_index([], tmp_path / "index") == 0
    assert list_indexed_ids(tmp_path / "index") == frozenset()
    assert Searcher(tmp_path / "index").search("anything").total == 0


def test_a_fingerprint_follows_every_field() -> None:
    one = entry(1)
    changed = [
        replace(one, title="B"),
        replace(one, authors=("A",)),
        replace(one, year=1999),
        replace(one, topics=(("A", "B"),)),
        replace(one, n_citations=1),
        replace(one, held=False),
    ]
    assert len({fingerprint_entry(other) for other in [one, *changed]}) == len(changed) + 1


def test_two_writers_do_not_meet(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_index([entry(1)], folder)
    writer = open_index(folder).writer(15_000_000, 1)
    with pytest.raises(PortalBusy, match="another process"):
        update_index(folder, [entry(2)])
    writer.rollback()


def test_a_folder_that_is_no_index_is_named(tmp_path: Path) -> None:
    with pytest.raises(PortalError, match=str(tmp_path)):
        list_indexed_ids(tmp_path)


def test_odd_text_can_be_written(tmp_path: Path) -> None:
    odd = Entry(
        EntityId("odd"),
        "\x00 \u202e \U0001f600 " + "x" * 100_000,
        ("\ud800",),
        "ß\ufffd\udfff",
        body="\ud83d",
        year=-5,
    )
    write_index([odd], tmp_path / "index")
    assert list_indexed_ids(tmp_path / "index") == {"odd"}


def test_words_cut_at_line_ends_are_found_whole(tmp_path: Path) -> None:
    write_index([Entry(EntityId("cut"), "A title", body="statis-\ntical relational")], tmp_path / "index")
    (hit,) = Searcher(tmp_path / "index").search("statistical").hits
    assert hit.snippet == "statistical relational"
