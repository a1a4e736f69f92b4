"""A name stands for exactly one content, whole or not there at all."""

import os
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.errors import FetchError, PortalError
from portico.store.documents.folder_blobs import FolderBlobs
from portico.types.page import BodyHash

LIMIT = 10_000_000


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    return FolderBlobs(tmp_path / "blobs")


@pytest.mark.parametrize("body", [b"", b"x", b"hello " * 10_000, os.urandom(300_000)], ids=len)
def test_bodies_come_back_from_bytes_and_from_files(blobs: FolderBlobs, tmp_path: Path, body: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(body)
    name = blobs.put_file(file, max_bytes=LIMIT)
    assert name == sha256(body).hexdigest() == blobs.put(body)
    assert blobs.get(name) == body
    assert blobs.has(name)
    assert blobs.check(name)
    assert list(blobs.names()) == [name]


@given(body=st.binary(max_size=2_000))
def test_any_body_comes_back(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    blobs = FolderBlobs(tmp_path_factory.getbasetemp() / "any")
    assert blobs.get(blobs.put(body)) == body


def test_text_is_compressed_and_noise_hardly_grows(blobs: FolderBlobs) -> None:
    def size(body: bytes) -> int:
        name = blobs.put(body)
        return (blobs.folder / name[:2] / f"{name}.zst").stat().st_size

    assert size(b"the same words again. " * 5_000) < 1_000
    assert size(os.urandom(1_000_000)) < 1_000_100


def test_a_file_over_the_limit_leaves_nothing(blobs: FolderBlobs, tmp_path: Path) -> None:
    file = tmp_path / "large.pdf"
    with file.open("wb") as stream:
        stream.truncate(5_000_000)  # a hole: no disk is used
    with pytest.raises(FetchError, match=r"large\.pdf.*1,000,000"):
        blobs.put_file(file, max_bytes=1_000_000)
    assert [path for path in blobs.folder.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", ["missing.pdf", ".", "pipe.pdf"])
def test_a_file_that_cannot_be_read_is_one_bad_input(blobs: FolderBlobs, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe.pdf")
    with pytest.raises(FetchError, match=f"{name}: cannot be read"):
        blobs.put_file(tmp_path / name, max_bytes=LIMIT)
    assert list(blobs.names()) == []


@pytest.mark.parametrize("link", ["the file", "a folder above it"])
def test_a_link_that_appears_after_a_file_was_judged_is_not_followed(
    blobs: FolderBlobs, tmp_path: Path, link: str
) -> None:
    papers, secret = tmp_path / "papers", tmp_path / "home" / "a.pdf"
    for file in (papers / "deep" / "a.pdf", secret):
        file.parent.mkdir(parents=True)
        file.write_bytes(b"a")
    asked = papers / "deep" / "a.pdf"
    assert blobs.put_file(asked, max_bytes=LIMIT, within=(papers,))
    asked.unlink()
    if link == "the file":
        asked.symlink_to(secret)
    else:
        asked.parent.rmdir()
        asked.parent.symlink_to(secret.parent)
    with pytest.raises(FetchError, match="a link led out of the folder"):
        blobs.put_file(asked, max_bytes=LIMIT, within=(papers,))
    assert blobs.put_file(asked, max_bytes=LIMIT, within=(papers, tmp_path / "home"))


def test_what_is_missing_or_damaged_is_said(blobs: FolderBlobs) -> None:
    whole = blobs.put(b"body " * 1_000)
    damaged = blobs.put(b"other " * 1_000)
    cut = blobs.put(os.urandom(5_000))
    for name, keep in ((damaged, slice(1, None)), (cut, slice(-100))):
        path = blobs.folder / name[:2] / f"{name}.zst"
        path.write_bytes(path.read_bytes()[keep])
        assert not blobs.check(name)
        with pytest.raises(PortalError, match=r"damaged.*verify --repair"):
            blobs.get(name)
    missing = BodyHash("0" * 64)
    assert not blobs.check(missing)
    with pytest.raises(PortalError, match=r"missing.*verify --repair"):
        blobs.get(missing)
    assert blobs.check(whole)


def test_removing_and_putting_again(blobs: FolderBlobs) -> None:
    name = blobs.put(b"body")
    blobs.remove(name)
    blobs.remove(name)
    assert not blobs.has(name)
    assert list(blobs.names()) == []
    assert blobs.put(b"body") == name
    assert blobs.has(name)


def test_names_ignores_what_is_not_a_body(blobs: FolderBlobs) -> None:
    name = blobs.put(b"body")
    (blobs.folder / name[:2] / "notes.zst").write_bytes(b"")
    (blobs.folder / "README").write_text("hello")
    assert list(blobs.names()) == [name]


def test_sweep_removes_only_leftovers(blobs: FolderBlobs) -> None:
    name = blobs.put(b"body")
    (blobs.folder / ".part-1234-abcd").write_bytes(b"half a bo")
    assert blobs.sweep() == 1
    assert blobs.sweep() == 0
    assert blobs.get(name) == b"body"


def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("in the way")
    with pytest.raises(PortalError, match="blobs"):
        FolderBlobs(tmp_path / "blobs").put(b"body")
