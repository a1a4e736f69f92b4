"""Files appear whole or not at all."""

from pathlib import Path

import pytest

from portico.files import replacing, write_whole


@pytest.mark.parametrize("before", [None, b"old"])
def test_a_file_is_written_and_nothing_is_left_beside_it(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "models" / "topics.npz"
    if before is not None:
        path.parent.mkdir()
        path.write_bytes(before)
    write_whole(path, b"new")
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == {"topics.npz": b"new"}


def test_after_an_error_the_old_file_is_there(tmp_path: Path) -> None:
    path = tmp_path / "papers.jsonl"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_half(path)
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


def write_half(path: Path) -> None:
    with replacing(path) as unfinished:
        unfinished.write_text("half of the n")
        raise KeyboardInterrupt
