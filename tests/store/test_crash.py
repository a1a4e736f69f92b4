"""Kill the writer at any moment: the store opens, is sound, and holds only whole batches."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from portico.store.codec import decode
from portico.store.database import find_integrity_faults
from portico.store.opening import Store, open_store
from tests.store import writing_child
from tests.store.writing_child import BATCH, write_all

# Batches after which the writer is killed, one life after the other; the kill itself falls wherever
# the writer has got to by then.
LIVES = (1, 7, 2, 11)
N_BATCHES = 40


def writer(folder: Path, name: str, n_batches: int = N_BATCHES) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", writing_child.__name__, str(folder), name, str(n_batches)]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)


def check_whole(store: Store) -> None:
    """Nothing is half there: no row, no batch, no body."""
    assert find_integrity_faults(store.engine) == ()
    batches = Counter(subject[:7] for subject in store.documents.results.keys("convert"))
    assert set(batches.values()) <= {BATCH}
    failures = list(store.documents.failures.all())
    assert len(failures) == len(batches)
    assert all(
        decode(tuple[str, ...], payload) for _, _, payload in store.documents.results.payloads("convert")
    )
    assert all(store.blobs.check(name) for name in store.blobs.names())
    assert all(store.blobs.has(row.body) for row in store.documents.pages.bodies())


def content(store: Store) -> tuple[object, ...]:
    return (
        list(store.documents.pages.bodies()),
        list(store.documents.results.payloads("convert")),
        list(store.documents.failures.all()),
        list(store.blobs.names()),
    )


def test_killed_again_and_again_the_store_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    for n_batches in LIVES:
        process = writer(tmp_path / "killed", "x")
        assert process.stdout is not None
        for _ in range(n_batches):
            assert process.stdout.readline()
        process.kill()
        process.communicate()
        onlooker = open_store("sqlite:///portico.db", tmp_path / "killed", read_only=True)
        assert onlooker.documents.pages.counts().n_web >= n_batches * BATCH
        onlooker.close()
        store = open_store("sqlite:///portico.db", tmp_path / "killed")
        store.blobs.sweep()
        check_whole(store)
        store.close()
    for folder in ("killed", "undisturbed"):
        write_all(tmp_path / folder, "x", N_BATCHES)
    killed, undisturbed = (
        open_store("sqlite:///portico.db", tmp_path / folder) for folder in ("killed", "undisturbed")
    )
    check_whole(killed)
    assert content(killed) == content(undisturbed)
    assert killed.documents.results.counts()["convert"].n_done == N_BATCHES * (BATCH - 1)


def test_two_processes_write_while_a_third_reads(tmp_path: Path) -> None:
    open_store("sqlite:///portico.db", tmp_path, create=True).close()
    reader = open_store("sqlite:///portico.db", tmp_path, read_only=True)
    writers = [writer(tmp_path, name) for name in ("x", "y")]
    assert writers[0].stdout is not None
    for number, _ in enumerate(writers[0].stdout):
        batches = Counter(subject[:7] for subject in reader.documents.results.keys("convert"))
        assert set(batches.values()) <= {BATCH}
        assert len(batches) > number
    for process in writers:
        process.communicate()
    assert [process.returncode for process in writers] == [0, 0]
    assert len(reader.documents.results.keys("convert")) == 2 * N_BATCHES * BATCH
    check_whole(reader)
