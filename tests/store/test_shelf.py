"""Small pages share a file: they come back whole, from any process, and a cut-short file is no trouble."""

import sqlite3
from pathlib import Path

import pytest

from portico.errors import PortalError
from portico.store.documents.folder_blobs import PACKED_BYTES, PACKED_FILE, FolderBlobs
from portico.types.page import BodyHash


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    return FolderBlobs(tmp_path / "blobs")


def test_small_pages_share_a_file_and_large_ones_do_not(blobs: FolderBlobs) -> None:
    bodies = [b"<html>one", b"<html>two", b"<html>one", b"x" * (PACKED_BYTES + 1)]
    names = blobs.put_pages(bodies)
    assert [blobs.get(name) for name in names] == bodies
    assert len(list(blobs.folder.glob("??/*.zst"))) == 1
    assert list(blobs.names()) == sorted(set(names))
    assert all(blobs.has(name) and blobs.check(name) for name in names)


def test_another_reader_sees_them(blobs: FolderBlobs) -> None:
    (name,) = blobs.put_pages([b"<html>"])
    other = FolderBlobs(blobs.folder)
    assert other.get(name) == b"<html>"
    blobs.put_pages([b"<html>later"])
    assert len(list(other.names())) == 2


def test_removed_pages_are_gone_and_can_be_put_again(blobs: FolderBlobs) -> None:
    (name,) = blobs.put_pages([b"<html>"])
    blobs.remove(name)
    assert not blobs.has(name)
    with pytest.raises(PortalError, match="missing"):
        blobs.get(name)
    assert blobs.put_pages([b"<html>"]) == [name]
    assert blobs.check(name)


def test_a_damaged_page_is_noticed(blobs: FolderBlobs) -> None:
    (name,) = blobs.put_pages([b"<html>" * 100])
    blobs.close()
    with sqlite3.connect(blobs.folder / PACKED_FILE) as connection:
        connection.execute("UPDATE body SET packed = x'00'")
    assert not blobs.check(name)
    with pytest.raises(PortalError, match="damaged"):
        blobs.get(name)


def test_a_file_whose_making_was_cut_short_is_an_empty_one(blobs: FolderBlobs) -> None:
    blobs.folder.mkdir()
    (blobs.folder / PACKED_FILE).write_bytes(b"")
    assert list(blobs.names()) == []
    assert not blobs.has(BodyHash("0" * 64))
    (name,) = blobs.put_pages([b"<html>"])
    assert blobs.get(name) == b"<html>"
