"""The store in one SQLite file: connecting, transactions, checks. `postgresql.py` has the other database."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from portico.errors import PortalError
from portico.store.faults import make_database_error, translate_faults

BUSY_TIMEOUT_S = 30
"""How long a writer waits for another: far longer than the longest transaction takes."""

CACHED_KB = 8000
"""The cache of a connection that writes; SQLite's default is 2,000. A crawl looks up links all over their
table: with this cache, which is four times as large, 4,593 pages take 4.6 s instead of 5.4 s."""

WRITES = "portico_writes"
"""The execution option of connections whose transactions write."""


def open_sqlite(path: Path, *, read_only: bool = False, durable: bool = False) -> Engine:
    """An engine for one SQLite file in WAL mode, whose errors are ours.

    Every commit survives the end of the process; with `durable` it also survives a power failure.
    """
    engine = create_engine(_sqlite_url(path, read_only=read_only))

    def prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        _prepare_sqlite(connection, read_only=read_only, durable=durable)

    translate_faults(engine, path)
    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def write_to_sqlite(engine: Engine) -> Engine:
    """The engine for transactions that write."""
    return engine.execution_options(**{WRITES: True})


def find_sqlite_faults(connection: Connection) -> tuple[str, ...]:
    """The faults that SQLite finds in its pages, indexes and foreign keys."""
    found = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check"))]
    strays = connection.execute(text("PRAGMA foreign_key_check")).all()
    lost = (f"{row[0]}: row {row[1]} names a missing {row[2]}" for row in strays)
    return (*(line for line in found if line != "ok"), *lost)


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database as it is at one moment, whoever writes to it meanwhile; an existing copy is
    replaced.
    """
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        unfinished.unlink(missing_ok=True)
        with (
            closing(sqlite3.connect(f"file:{quote(str(source))}?mode=ro", uri=True)) as opened,
            closing(sqlite3.connect(unfinished)) as copy,
        ):
            opened.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_S * 1000}")
            opened.backup(copy)
        for beside in ("-wal", "-shm"):  # of the copy that was here before
            target.with_name(target.name + beside).unlink(missing_ok=True)
        os.replace(unfinished, target)
    except sqlite3.Error as fault:
        error = make_database_error(fault, target)
        raise error or PortalError(f"{source}: cannot be copied to {target} ({fault})") from fault
    finally:
        unfinished.unlink(missing_ok=True)


def _sqlite_url(path: Path, *, read_only: bool) -> URL:
    if not read_only:
        return URL.create("sqlite", database=str(path))
    # A reader joins the write-ahead log, which needs files beside the database; on a medium that
    # cannot be written (and so cannot change) the log is left out.
    log = path.with_name(path.name + "-wal")
    frozen = {"immutable": "1"} if not os.access(path.parent, os.W_OK) and not log.exists() else {}
    query = {"mode": "ro", "uri": "true"} | frozen
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query=query)


def _prepare_sqlite(connection: DBAPIConnection, *, read_only: bool, durable: bool) -> None:
    # Transactions are begun by `_begin_sqlite`: Python's own way leaves table changes outside of them.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_S * 1000}")
    cursor.execute("PRAGMA foreign_keys = ON")
    if not read_only:
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute(f"PRAGMA cache_size = -{CACHED_KB}")
        cursor.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # Who writes takes the write lock at once: a transaction that reads first and writes later could
    # otherwise fail, without waiting, when another process wrote in between.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
