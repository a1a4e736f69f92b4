"""A real PostgreSQL for the tests: Debian's, in a temporary folder, as a user who is not root."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from portico.store import schema
from portico.store.opening import open_store

USER = "portico"
_PORTAL = "emptied"

# Connections that a test left open go first; numbers of new rows begin with 1 again.
_EMPTY = (
    (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    ),
    *(f'DELETE FROM "{table.name}"' for table in reversed(schema.metadata.sorted_tables)),
    "DELETE FROM host_claim",
    f"INSERT INTO meta VALUES ('schema_version', '{schema.VERSION}')",
    "SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S'",
)

# Nothing here outlives the machine, so nothing need reach the disk.
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "64MB",
}


@dataclass(frozen=True)
class PostgresServer:
    """A running server; its folder is also where its socket is."""

    programs: Path
    folder: Path
    numbers: Iterator[int] = field(default_factory=count)

    def url(self, database: str, user: str = USER) -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def run(self, *statements: str, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def make_database(self) -> str:
        """A new database; its url."""
        name = f"portal_{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name)

    def empty_portal(self) -> str:
        """The url of a database with the tables of a new portal: one for all tests, emptied for each.

        To make a database takes a tenth of a second and a thousand files.
        """
        self.run(*_EMPTY, database=_PORTAL)
        return self.url(_PORTAL)

    def start(self) -> None:
        settings = {**_SETTINGS, "unix_socket_directories": str(self.folder)}
        options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
        self._control("start", "-l", str(self.folder / "log"), "-o", options)

    def stop(self, mode: str = "immediate") -> None:
        self._control("stop", "-m", mode)

    def _control(self, verb: str, *options: str) -> None:
        command: list[str | Path] = [
            self.programs / "pg_ctl",
            "-w",
            "-s",
            "-D",
            self.folder / "data",
            verb,
            *options,
        ]
        subprocess.run(command, check=True, **run_as_other())


def run_as_other() -> dict[str, Any]:
    """How to run what refuses to run as root."""
    return {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}


def find_programs() -> Path:
    """The folder of PostgreSQL's programs; of several versions the latest."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    if (elsewhere := shutil.which("initdb")) is not None:
        return Path(elsewhere).resolve().parent
    pytest.skip("no PostgreSQL: install Debian's package postgresql (scripts/setup test)")


@contextmanager
def running_server(*more: str) -> Iterator[PostgresServer]:
    """A server of its own; `more` are options of initdb."""
    # A short path: the name of a socket has at most 107 characters. The order of words is English, so that
    # it shows where the store does not ask for its own.
    server = PostgresServer(find_programs(), Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp")))
    try:
        if os.getuid() == 0:
            shutil.chown(server.folder, "nobody", "nogroup")
        how = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en"]
        where: list[str | Path] = [server.programs / "initdb", "-D", server.folder / "data"]
        subprocess.run(
            [*where, "-U", USER, "-A", "trust", "-N", *how, *more],
            check=True,
            stdout=subprocess.DEVNULL,
            **run_as_other(),
        )
        server.start()
        try:
            server.run(f"CREATE DATABASE {_PORTAL}")
            open_store(server.url(_PORTAL), server.folder, create=True).close()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(server.folder, ignore_errors=True)
