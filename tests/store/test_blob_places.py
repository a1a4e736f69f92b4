"""Bodies are the same wherever they are kept: a folder, a shared folder, an object store."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from portico.errors import ConfigError, DiskFull, FetchError, PortalError, SetupError
from portico.store.documents.blobs import Blobs, open_blobs
from portico.store.documents.folder_blobs import ABANDONED_S, PACKED_FILE
from portico.types.page import BodyHash

BODIES = [b"", b"a page", b"page " * 10_000, os.urandom(200_000)]
NONE = BodyHash("0" * 64)


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that speaks S3, with one bucket."""
    server = pytest.importorskip("moto.server", reason="needs moto")
    s3fs = pytest.importorskip("s3fs", reason="needs the extra `cluster`")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        s3fs.S3FileSystem().mkdir("bodies")
        yield "s3://bodies/portal"
    running.stop()


@pytest.fixture(params=["folder", "shared folder", "memory", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    match request.param:
        case "folder":
            return open_blobs(str(tmp_path / "blobs"))
        case "shared folder":
            return open_blobs(f"file://{tmp_path}/blobs")
        case "memory":
            pytest.importorskip("fsspec", reason="needs the extra `cluster`")
            return open_blobs(f"memory://{tmp_path}")
    return open_blobs(f"{request.getfixturevalue('s3')}{tmp_path}")


def test_bodies_come_back_and_go(blobs: Blobs, tmp_path: Path) -> None:
    names = [*blobs.put_pages(BODIES[:2]), *blobs.put_documents(BODIES[2:])]
    assert names == [sha256(body).hexdigest() for body in BODIES]
    again = open_blobs(blobs.location)  # as a worker opens them
    again.require()
    assert [again.get(name) for name in names] == BODIES
    assert [again.peek(name, 100) for name in names] == [body[:100] for body in BODIES]
    assert list(blobs.names()) == sorted(names)
    assert all(blobs.has(name) and blobs.check(name) for name in names)
    blobs.remove(names[0])
    blobs.remove(names[0])
    assert not again.has(names[0])
    assert not again.check(names[0])
    assert blobs.sweep() == 0
    blobs.close()


def test_a_file_is_kept_as_a_body(blobs: Blobs, tmp_path: Path) -> None:
    file = tmp_path / "paper.pdf"
    file.write_bytes(BODIES[3])
    name = blobs.put_file(file, max_bytes=1_000_000)
    assert (name, blobs.get(name)) == (blobs.put(BODIES[3]), BODIES[3])
    with pytest.raises(FetchError, match="larger than the limit"):
        blobs.put_file(file, max_bytes=100)


def test_what_is_missing_is_said(blobs: Blobs) -> None:
    blobs.put(b"another")
    with pytest.raises(PortalError, match=r"this body is missing. Run `portico verify --repair`"):
        blobs.get(NONE)


def test_in_a_shared_folder_every_body_is_a_file_and_others_writers_are_left_alone(tmp_path: Path) -> None:
    blobs = open_blobs(f"file://{tmp_path}")
    blobs.put_pages([b"one", b"two"])
    assert not (tmp_path / PACKED_FILE).exists()
    for name, age_s in ((".part-1-new", 60.0), (".part-1-old", ABANDONED_S + 60.0)):
        path = tmp_path / name
        path.touch()
        written = path.stat().st_mtime - age_s
        os.utime(path, (written, written))
    assert blobs.sweep() == 1
    assert [path.name for path in tmp_path.glob(".part-*")] == [".part-1-new"]


def test_a_folder_that_this_machine_does_not_see_is_said_once(tmp_path: Path) -> None:
    with pytest.raises(
        SetupError, match=r"elsewhere: there is no such folder on this machine.*\[blobs\] url"
    ):
        open_blobs(f"file://{tmp_path}/elsewhere").require()


def test_a_bucket_that_is_not_there_is_said(s3: str) -> None:
    with pytest.raises(
        PortalError, match=r"s3://nobody/x: the object store cannot be used .*nothing is lost"
    ):
        open_blobs("s3://nobody/x").put(b"body")


def test_a_full_object_store_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = pytest.importorskip("fsspec.implementations.memory", reason="needs the extra `cluster`")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(5, "XMinioStorageFull: Storage backend has reached its minimum free drive threshold.")

    monkeypatch.setattr(memory.MemoryFileSystem, "pipe_file", refuse)
    with pytest.raises(
        DiskFull, match=r"memory://full: the object store is full .*make room and run the same"
    ):
        open_blobs("memory://full").put(b"body")


def test_an_address_that_nobody_serves_is_a_mistake_of_the_settings() -> None:
    pytest.importorskip("fsspec", reason="needs the extra `cluster`")
    with pytest.raises(ConfigError, match=r"\[blobs\] url = 'gopher://x/y'"):
        open_blobs("gopher://x/y")
