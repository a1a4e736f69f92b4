"""Rows in files come back as they went in, in their order or sorted, however few fit into memory."""

import random
from pathlib import Path

import pytest

from portico.spilling import RowFile, RowShelf, open_spill_folder, sort_rows

ROWS = [(f"title {number * 7919 % 1009}", number, None, b"\0", ("é\udcff", 0.1)) for number in range(1_000)]


@pytest.mark.parametrize("at_once", [1, 7, 999, 1_000, 5_000])
def test_rows_are_sorted(tmp_path: Path, at_once: int) -> None:
    rows = ROWS if at_once > 1 else ROWS[:20]
    shuffled = random.Random(1).sample(rows, len(rows))
    assert list(sort_rows(shuffled, tmp_path, at_once=at_once)) == sorted(rows)
    assert not list(tmp_path.iterdir())


def test_nothing_is_sorted(tmp_path: Path) -> None:
    assert list(sort_rows([], tmp_path, at_once=3)) == []


def test_rows_are_read_in_their_order_or_by_number(tmp_path: Path) -> None:
    file, shelf = RowFile(tmp_path / "file"), RowShelf(tmp_path / "shelf")
    assert list(file) == []
    for row in ROWS:
        file.add(row)
        shelf.add(row)
    assert list(file) == ROWS == list(file)
    assert list(shelf.read([998, 0, 5])) == [ROWS[998], ROWS[0], ROWS[5]]
    assert len(shelf) == len(ROWS)
    shelf.close()


def test_a_folder_that_a_kill_left_is_emptied(tmp_path: Path) -> None:
    (tmp_path / "spill").mkdir()
    (tmp_path / "spill" / "run-0").write_bytes(b"half")
    with open_spill_folder(tmp_path / "spill") as folder:
        assert not list(folder.iterdir())
    assert not folder.exists()
