"""Stores that cannot be opened say why and what to do; the rest open."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from portico.errors import ConfigError, PortalError, PorticoError, StoreTooNew
from portico.store.database import find_integrity_faults
from portico.store.documents.pages import PageRow
from portico.store.opening import open_store, parse_store_url

URL = "sqlite:///portico.db"


def make(folder: Path) -> None:
    open_store(URL, folder, create=True).close()


def newer(folder: Path) -> None:
    make(folder)
    with sqlite3.connect(folder / "portico.db") as database:
        database.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")


def older(folder: Path) -> None:
    make(folder)
    with sqlite3.connect(folder / "portico.db") as database:
        database.execute("UPDATE meta SET value = '0' WHERE key = 'schema_version'")


def foreign(folder: Path) -> None:
    with sqlite3.connect(folder / "portico.db") as database:
        database.execute("CREATE TABLE holidays (day TEXT)")


def not_a_database(folder: Path) -> None:
    (folder / "portico.db").write_text("These are my notes about holidays. " * 100)


def damaged(folder: Path) -> None:
    store = open_store(URL, folder, create=True)
    store.documents.pages.put(PageRow(f"http://a/{n}", "web", 0.0) for n in range(2_000))
    store.close()
    data = bytearray((folder / "portico.db").read_bytes())
    data[4096 : len(data) // 2] = b"\xff" * (len(data) // 2 - 4096)
    (folder / "portico.db").write_bytes(data)


def empty(folder: Path) -> None:
    (folder / "portico.db").touch()


def a_folder(folder: Path) -> None:
    (folder / "portico.db").mkdir()


def nothing(_folder: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("prepare", "read_only", "error", "words"),
    [
        (nothing, False, PortalError, "no database yet.*portico build"),
        (nothing, True, PortalError, "no database yet.*portico build"),
        (empty, False, PortalError, "no database yet.*portico build"),
        (empty, True, PortalError, "no database yet.*portico build"),
        (newer, False, StoreTooNew, r"portico.db.*version 99.*up to \d+.*Upgrade Portico"),
        (newer, True, StoreTooNew, r"portico.db.*version 99.*up to \d+.*Upgrade Portico"),
        (older, True, PortalError, "older Portico.*portico build"),
        (foreign, False, PortalError, "not a portal's"),
        (foreign, True, PortalError, "not a portal's"),
        (not_a_database, False, PortalError, "portico.db.*not a readable database.*copy"),
        (not_a_database, True, PortalError, "portico.db.*not a readable database.*copy"),
        (damaged, False, PortalError, "portico.db.*not a readable database.*copy"),
        (a_folder, False, PortalError, "portico.db.*unable to open"),
    ],
)
def test_each_hindrance_gets_its_message(
    tmp_path: Path, prepare: Callable[[Path], None], read_only: bool, error: type[PorticoError], words: str
) -> None:
    prepare(tmp_path)
    with pytest.raises(error, match=words):
        list(open_store(URL, tmp_path, read_only=read_only).documents.pages.bodies())


@pytest.mark.parametrize("prepare", [newer, foreign, not_a_database])
def test_what_is_not_ours_is_not_touched_by_create(tmp_path: Path, prepare: Callable[[Path], None]) -> None:
    prepare(tmp_path)
    before = (tmp_path / "portico.db").read_bytes()
    with pytest.raises(PortalError):
        open_store(URL, tmp_path, create=True)
    assert (tmp_path / "portico.db").read_bytes()[100:] == before[100:]  # the header counts openings


@pytest.mark.parametrize("prepare", [nothing, empty, make])
def test_create_makes_a_store_or_takes_the_one_there_is(
    tmp_path: Path, prepare: Callable[[Path], None]
) -> None:
    prepare(tmp_path)
    store = open_store(URL, tmp_path, create=True)
    store.meta.set("a", "b")
    store.close()
    store = open_store(URL, tmp_path)
    assert store.meta.get("a") == "b"
    assert find_integrity_faults(store.engine) == ()


def test_damage_inside_is_found(tmp_path: Path) -> None:
    store = open_store(URL, tmp_path, create=True)
    store.documents.pages.put(PageRow(f"http://a/{n}", "web", 0.0) for n in range(2_000))
    store.close()
    data = bytearray((tmp_path / "portico.db").read_bytes())
    data[-40_000:-20_000] = b"\xff" * 20_000
    (tmp_path / "portico.db").write_bytes(data)
    assert find_integrity_faults(open_store(URL, tmp_path).engine)


@pytest.mark.parametrize("name", ["with space", "odd ?#%20&= name", "ünï"])
@pytest.mark.parametrize("read_only", [False, True])
def test_any_folder_name_will_do(tmp_path: Path, name: str, read_only: bool) -> None:
    make(tmp_path / name)
    assert open_store(URL, tmp_path / name, read_only=read_only).documents.pages.counts().n_bodies == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_reader_sees_what_was_committed_and_writes_nothing(tmp_path: Path) -> None:
    writer = open_store(URL, tmp_path, create=True)
    reader = open_store(URL, tmp_path, read_only=True)
    writer.meta.set("key", "value")
    assert reader.meta.get("key") == "value"
    with pytest.raises(PortalError, match="readonly"):
        reader.meta.set("key", "other")
    assert writer.meta.get("key") == "value"


def test_a_copied_portal_opens(tmp_path: Path) -> None:
    original = open_store(URL, tmp_path / "one", create=True)
    body = original.blobs.put(b"body")
    original.meta.set("key", "value")
    original.close()
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    copy = open_store(URL, tmp_path / "two")
    assert copy.meta.get("key") == "value"
    assert copy.blobs.get(body) == b"body"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap to make a disk read-only")
def test_a_portal_on_a_disk_that_cannot_be_written_can_be_read(tmp_path: Path) -> None:
    store = open_store(URL, tmp_path, create=True)
    body = store.blobs.put(b"body")
    store.meta.set("key", "value")
    store.close()
    look = (
        "import sys; from pathlib import Path; from portico.store.opening import open_store;"
        f"store = open_store({URL!r}, Path(sys.argv[1]), read_only=True);"
        "sys.stdout.write(store.meta.get('key') + store.blobs.get(sys.argv[2]).decode())"
    )
    read_only = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(tmp_path), str(tmp_path)]
    command = [*read_only, sys.executable, "-c", look, str(tmp_path), body]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "bwrap:" in done.stderr:
        pytest.skip(f"this machine does not let us make a read-only disk: {done.stderr.strip()}")
    assert done.stdout == "valuebody", done.stderr


@pytest.mark.parametrize(
    ("url", "database"),
    [
        ("sqlite:///portico.db", "portico.db"),
        ("sqlite:///data/my portal.db", "data/my portal.db"),
        ("sqlite:////srv/portico.db", "/srv/portico.db"),
        ("postgresql://ada@db.test/papers", "papers"),
        ("postgresql:///papers?host=/run/postgresql", "papers"),
    ],
)
def test_where_the_store_is(url: str, database: str) -> None:
    assert parse_store_url(url).database == database


@pytest.mark.parametrize(
    "url",
    [
        "portico.db",
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql://localhost",
        "postgresql+asyncpg://localhost/x",
        "mysql://x/y",
        "://",
        "",
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(ConfigError, match=r"sqlite:///portico\.db"):
        parse_store_url(url)
