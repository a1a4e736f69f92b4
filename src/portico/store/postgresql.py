"""The store on a PostgreSQL server: connecting, locking and checking. `sqlite.py` has the other database.

Transactions see what they would see in SQLite. A read transaction sees the store as it was at its first query
(REPEATABLE READ). Write transactions run one after the other: each first takes the store's write lock, an
advisory lock that ends with the transaction, and then sees everything committed before (READ COMMITTED).
"""

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, select, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from portico.errors import ConfigError, PortalBusy, PortalError
from portico.store.faults import translate_faults
from portico.store.schema import entity, entity_document, metadata
from portico.store.sqlite import BUSY_TIMEOUT_S, WRITES

CONNECT_TIMEOUT_S = 10

MOST_APART_S = 60.0
"""Maximum difference between the clocks of a machine and the server; synchronized ones differ by
milliseconds."""

_WRITE_LOCK, _BUILD_LOCK, _INDEX_LOCK = 1, 2, 3
_PORTICO = 0x706F7274  # distinguishes our advisory locks from those of others in this database
_NAME_LENGTH = 63  # characters that PostgreSQL keeps of an application's name

_WRITING = {WRITES: True, "isolation_level": "READ COMMITTED"}


def open_postgresql(url: URL, *, read_only: bool = False) -> Engine:
    """An engine for one database of a server, whose errors are ours; the tables are in the user's schema."""
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            isolation_level="REPEATABLE READ",
            pool_pre_ping=True,  # a server that was started again is met by new connections
            connect_args={
                "application_name": f"portico process {os.getpid()}",
                "connect_timeout": CONNECT_TIMEOUT_S,
                "options": f"-c lock_timeout={BUSY_TIMEOUT_S * 1000} -c timezone=UTC",
            },
        )
    except ModuleNotFoundError as fault:
        raise ConfigError(
            f"store url {say_url(url)}: the driver for PostgreSQL is not installed. "
            f"Install it with `pip install 'portico[cluster]'`."
        ) from fault

    def prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        connection.read_only = read_only

    translate_faults(engine, say_url(url))
    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def say_url(url: URL) -> str:
    """The URL of a database for messages: without the password, folders with slashes."""
    said = url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)
    return said.replace("%2F", "/")


def write_to_postgresql(engine: Engine) -> Engine:
    """The engine for transactions that write."""
    return engine.execution_options(**_WRITING)


@contextmanager
def hold_postgresql(
    engine: Engine, *, shared: bool = False, clock: Callable[[], float] = time.time
) -> Iterator[None]:
    """Hold the store for one builder, on whatever machine; PortalBusy, naming the holder, if another has it.

    Crawlers share it with one another. The lock belongs to a connection, so it ends with this process in any
    case. PortalError says if this machine's clock disagrees with the server's, since both write times.
    """
    take = func.pg_try_advisory_lock_shared if shared else func.pg_try_advisory_lock
    give = func.pg_advisory_unlock_shared if shared else func.pg_advisory_unlock
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if not connection.scalar(select(take(_PORTICO, _BUILD_LOCK))):
            holder = connection.scalar(_HOLDERS, {"kind": _PORTICO, "number": _BUILD_LOCK})
            raise PortalBusy(
                f"{say_url(engine.url)}: this portal is being built by {holder or 'another process'}. "
                f"Wait until it has finished, or stop it; nothing will be lost."
            )
        try:
            _compare_clocks(connection, clock)
            connection.execute(select(func.set_config("application_name", _say_process(), False)))
            yield
        finally:
            # A busy server notices some time later that a connection was closed.
            with suppress(PortalError, SQLAlchemyError):
                connection.execute(select(give(_PORTICO, _BUILD_LOCK)))
            # Closed for good: given back to the pool, it would go on holding.
            connection.invalidate()


def _compare_clocks(connection: Connection, clock: Callable[[], float]) -> None:
    before = clock()
    server = float(connection.scalar(text("SELECT extract(epoch FROM clock_timestamp())")))
    ahead_s = (before + clock()) / 2 - server
    if abs(ahead_s) > MOST_APART_S:
        said = f"{timedelta(seconds=round(abs(ahead_s)))} h {'ahead of' if ahead_s > 0 else 'behind'}"
        server_name = say_url(connection.engine.url)
        raise PortalError(
            f"the clock of this machine ({platform.node()}) is {said} that of {server_name}: "
            f"pages would be asked for too early or too late. Set both by the network (`timedatectl set-ntp "
            f"true`) and run the same command again; nothing was lost."
        )


@contextmanager
def hold_postgresql_index(engine: Engine, *, wait: bool) -> Iterator[bool]:
    """Hold the portal's index against writers on all machines; returns whether it is held, always true
    with `wait`.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if wait:
            connection.execute(select(func.set_config("lock_timeout", "0", False)))
            connection.execute(select(func.pg_advisory_lock(_PORTICO, _INDEX_LOCK)))
        elif not connection.scalar(select(func.pg_try_advisory_lock(_PORTICO, _INDEX_LOCK))):
            yield False
            return
        try:
            yield True
        finally:
            connection.invalidate()  # given back to the pool, it would go on holding


def count_holders(connection: Connection) -> int:
    """The number of processes that hold the store together."""
    return len(connection.execute(_HOLDERS, {"kind": _PORTICO, "number": _BUILD_LOCK}).all())


def find_postgresql_faults(connection: Connection) -> tuple[str, ...]:
    """Rows that refer to missing rows. Every value is read once, so that a damaged page is an error."""
    for table in metadata.sorted_tables:
        # Not count(*), which may look at an index alone, and never at long values, which are kept apart.
        connection.execute(text(f'SELECT sum(length(whole::text)) FROM "{table.name}" AS whole'))  # noqa: S608 ours
    missing = select(entity_document.c.document, entity_document.c.entity).where(
        entity_document.c.entity.not_in(select(entity.c.id))
    )
    return tuple(
        f"entity_document: row {document} names a missing {name}"
        for document, name in connection.execute(missing)
    )


def describe_postgresql_weakness(connection: Connection) -> str:
    """What the server's own checks do not find; "" where it has checksums."""
    if connection.scalar(text("SELECT current_setting('data_checksums')")) == "on":
        return ""
    return (
        "the server has no checksums, so a changed bit may pass for a value: "
        "stop it and run `pg_checksums --enable`"
    )


_HOLDERS = text(
    "SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid) "
    "WHERE locktype = 'advisory' AND granted AND classid = :kind AND objid = :number "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def _say_process() -> str:
    now = f"{datetime.now():%Y-%m-%d %H:%M:%S}"
    return f"process {os.getpid()} on {platform.node()[:20]} since {now}"[:_NAME_LENGTH]


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(WRITES, False):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_PORTICO}, {_WRITE_LOCK})")
