"""The files of an index: damage is noticed, others may read them, a folder that is not ours is read too."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from portico.errors import DiskFull, PortalBusy, PortalError
from portico.index.files import (
    SCARCE_BYTES,
    explain_writing_fault,
    find_damaged_files,
    has_files,
    make_manifest,
)
from portico.index.searcher import Searcher
from portico.index.writer import list_indexed_ids, update_index, write_index
from portico.types.record import EntityId
from portico.types.search import Entry

NOBODY = 65534
ENTRIES = [
    Entry(EntityId(f"e{number}"), f"Title {number}", abstract="hidden markov models " * 20)
    for number in range(300)
]
SEARCH_AS_NOBODY = """
import os, sys
from pathlib import Path
from portico.index.searcher import Searcher
from portico.index.writer import list_indexed_ids
os.setgid({nobody})
os.setuid({nobody})
folder = Path(sys.argv[1])
searcher = Searcher(folder)
several = [Searcher(folder) for _ in range(20)]  # each leaves nothing behind, whatever its watcher does
print(searcher.search('"hidden markov"').total, len(list_indexed_ids(folder)), searcher.is_stale)
input()
print(searcher.is_stale, Searcher(folder).search("zebra").total)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_index(ENTRIES, tmp_path / "index")
    return tmp_path / "index"


def change_bytes(folder: Path, suffix: str) -> None:
    """Most of a file becomes noise of the same length."""
    (path,) = folder.glob(f"*{suffix}")
    body = bytearray(path.read_bytes())
    n_tenth = len(body) // 10
    body[n_tenth:-n_tenth] = random.Random(1).randbytes(len(body) - 2 * n_tenth)
    path.write_bytes(body)


def test_reading_changes_no_file(folder: Path) -> None:
    written = make_manifest(folder)
    assert Searcher(folder).search("markov").total == len(ENTRIES)
    assert find_damaged_files(folder, written) == ()
    assert has_files(folder, written)


def test_files_that_changed_are_named(folder: Path) -> None:
    written = make_manifest(folder)
    change_bytes(folder, ".store")
    (folder / "stray").write_bytes(b"")
    (folder / "meta.json").unlink()
    (store,) = (path.name for path in folder.glob("*.store"))
    assert set(find_damaged_files(folder, written)) == {store, "stray", "meta.json"}


@pytest.mark.parametrize("change", ["grow", "lose"])
def test_names_and_sizes_tell_maimed_files(folder: Path, change: str) -> None:
    written = make_manifest(folder)
    change_bytes(folder, ".store")
    assert has_files(folder, written)  # changed bytes are for damaged_files to find
    (path,) = folder.glob("*.idx")
    path.unlink()
    if change == "grow":
        path.write_bytes(b"")
    assert not has_files(folder, written)


def test_a_folder_that_is_gone_has_no_files(folder: Path, tmp_path: Path) -> None:
    written = make_manifest(folder)
    assert not has_files(tmp_path / "gone", written)
    assert find_damaged_files(tmp_path / "gone", written) == tuple(sorted(written))


@pytest.mark.parametrize("suffix", [".pos", ".fast"])
def test_a_damaged_index_is_an_error_of_ours(folder: Path, suffix: str) -> None:
    change_bytes(folder, suffix)
    with pytest.raises(PortalError, match="verify --repair"):
        Searcher(folder).search('"hidden markov"', sort="citations")


def test_a_damaged_index_is_not_listed(folder: Path) -> None:
    (terms,) = folder.glob("*.term")
    terms.write_bytes(b"\xff" * 10)
    with pytest.raises(PortalError, match="verify --repair"):
        list_indexed_ids(folder)


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o007, 0o660)])
def test_files_follow_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_index(ENTRIES[:1], tmp_path / "index")
        update_index(tmp_path / "index", ENTRIES[1:2])
    finally:
        os.umask(before)
    files = [path for path in (tmp_path / "index").iterdir() if path.suffix != ".lock"]
    assert {oct(path.stat().st_mode & 0o777) for path in files} == {oct(mode)}
    assert {"meta.json", ".managed.json"} <= {path.name for path in files}


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that others may enter, which pytest's own may not be."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_can_search(open_folder: Path) -> None:
    folder = open_folder / "index"
    write_index(ENTRIES, folder)
    temporary = open_folder / "temporary"
    temporary.mkdir()
    temporary.chmod(0o777)
    child = subprocess.Popen(
        [sys.executable, "-c", SEARCH_AS_NOBODY.format(nobody=NOBODY), str(folder)],
        env=os.environ | {"TMPDIR": str(temporary)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == f"{len(ENTRIES)} {len(ENTRIES)} False\n"
        update_index(folder, [Entry(EntityId("new"), "Zebra crossings")])
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "True 1\n"
    finally:
        child.stdin.close()
        assert child.wait() == 0
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "n_free", "kind"),
    [
        ("IoError: No space left on device (os error 28)", 10 * SCARCE_BYTES, DiskFull),
        ("An error occurred in a thread: 'An index writer was killed..'", SCARCE_BYTES - 1, DiskFull),
        ("An error occurred in a thread: 'An index writer was killed..'", SCARCE_BYTES, PortalError),
        ("Failed to acquire Lockfile: LockBusy.", 0, PortalBusy),
        ("Schema error", 0, PortalError),
    ],
)
def test_what_the_engine_says_when_it_cannot_write(words: str, n_free: int, kind: type[PortalError]) -> None:
    error = explain_writing_fault(words, Path("index"), n_free=n_free)
    assert type(error) is kind
    assert "index" in str(error)


@pytest.mark.parametrize("signature", ["", "0", None])
def test_what_another_version_wrote_is_not_touched(tmp_path: Path, signature: str | None) -> None:
    folder = tmp_path / "index"
    write_index([], folder)
    (folder / "version.txt").unlink()
    if signature is not None:
        (folder / "version.txt").write_text(signature)
    for use in (Searcher, list_indexed_ids, lambda folder: update_index(folder, [])):
        with pytest.raises(PortalError, match="another version of Portico; run `portico build`"):
            use(folder)
    write_index([], folder)
    assert Searcher(folder).n_entries == 0
