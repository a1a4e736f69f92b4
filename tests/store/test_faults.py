"""A full disk and other refusals come out as our errors, and what was committed stays."""

import errno
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError

from portico.errors import DiskFull, PortalBusy, PortalError
from portico.store import schema
from portico.store.database import writing
from portico.store.documents.pages import PageRow
from portico.store.faults import disk_faults, make_database_error, make_disk_error
from portico.store.opening import Store, open_store
from portico.store.sqlite import open_sqlite

PLACE = Path("/portal/portico.db")

# Fills a disk of a few hundred kilobytes from the inside: first the bodies, then the database.
FILL = """
import os, sys
from pathlib import Path
from portico.errors import DiskFull
from portico.store.documents.folder_blobs import FolderBlobs
from portico.store.database import find_integrity_faults
from portico.store.opening import open_store
from portico.store.documents.pages import PageRow

folder = Path(sys.argv[1])
store = open_store("sqlite:///portico.db", folder, create=True)
kept = []
try:
    while True:
        if sys.argv[2] == "bodies":
            kept.append(store.blobs.put(os.urandom(20_000)))
        else:
            store.documents.pages.put([PageRow(f"http://{len(kept)}/", "web", 0.0, etag="x" * 20_000)])
            kept.append(store.documents.pages.get(f"http://{len(kept)}/"))
except DiskFull as error:
    print(error)
assert kept
if sys.argv[2] == "bodies":
    assert sorted(store.blobs.names()) == sorted(kept)
    assert all(store.blobs.check(name) for name in kept)
    assert not list((folder / "blobs").glob(".*"))
else:
    assert [store.documents.pages.get(row.source) for row in kept] == kept
    assert find_integrity_faults(store.engine) == ()
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap to make a small disk")
@pytest.mark.parametrize("what", ["bodies", "rows"])
def test_a_disk_that_fills_up(tmp_path: Path, what: str) -> None:
    small_disk = ["bwrap", "--dev-bind", "/", "/", "--size", "600000", "--tmpfs", str(tmp_path)]
    command = [*small_disk, sys.executable, "-c", FILL, str(tmp_path), what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "bwrap:" in done.stderr:
        pytest.skip(f"this machine does not let us make a small disk: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert f"{tmp_path}" in done.stdout
    assert "the disk is full" in done.stdout
    assert "run the same command again" in done.stdout


@pytest.mark.parametrize("store_url", ["sqlite:///portico.db"])
def test_a_database_that_may_not_grow(store: Store) -> None:
    rows = [{"key": str(number), "value": "x" * 5_000} for number in range(50)]
    with store.engine.connect() as connection:
        connection.execute(text("PRAGMA max_page_count = 1"))  # SQLite takes it as: no more than now
        with pytest.raises(DiskFull, match=r"portico\.db: the disk is full"):
            connection.execute(insert(schema.meta), rows)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), DiskFull),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), DiskFull),
        (PermissionError(errno.EACCES, "Permission denied"), PortalError),
        (OSError("no number"), PortalError),
    ],
)
def test_what_the_disk_says(fault: OSError, error: type[PortalError]) -> None:
    assert type(make_disk_error(fault, PLACE)) is error
    with pytest.raises(error, match=r"/portal/portico\.db: ") as caught, disk_faults(PLACE):
        raise fault
    assert caught.value.__cause__ is fault


def test_our_own_mistakes_are_no_faults_of_the_database() -> None:
    assert make_database_error(RuntimeError("our own mistake"), PLACE) is None


def test_a_writer_that_waits_too_long_is_told(tmp_path: Path) -> None:
    store = open_store("sqlite:///portico.db", tmp_path, create=True)
    hurried = open_sqlite(tmp_path / "portico.db")
    with writing(store.engine), hurried.connect() as connection:
        connection.execute(text("PRAGMA busy_timeout = 0"))
        connection.rollback()
        with pytest.raises(PortalBusy, match="another process"):
            connection.execute(text("DELETE FROM page"))


def test_an_error_inside_a_transaction_undoes_all_of_it(store: Store) -> None:
    broken = PageRow("http://b/", "web", None)  # type: ignore[arg-type]
    with pytest.raises(IntegrityError, match=r"(?i)not.null"):
        store.documents.pages.put([PageRow("http://a/", "web", 0.0), broken])
    assert store.documents.pages.counts().n_web == 0
