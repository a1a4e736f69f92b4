"""Translates errors of disk and database to our own."""

import errno
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from portico.errors import DiskFull, PortalBusy, PortalError, StoreAway

_NO_HANDLES = (errno.EMFILE, errno.ENFILE)
_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT)

# SQLite reports FULL if write() fails with ENOSPC; for its shared-memory file, and for an exceeded quota, it
# reports I/O errors.
_SQLITE_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE)
_SQLITE_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SQLITE_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SQLITE_REFUSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
_NO_TEXT = "Could not decode to UTF-8"  # message of the driver, which has no code for it
_PRIMARY = 0xFF  # the low byte of an extended SQLite code is its family


@contextmanager
def disk_faults(place: Path) -> Iterator[None]:
    """Translate errors of the file system to DiskFull or PortalError naming `place`."""
    try:
        yield
    except OSError as fault:
        raise make_disk_error(fault, place) from fault


def make_disk_error(fault: OSError, place: Path) -> PortalError:
    """Our error for an error of the file system."""
    if fault.errno in _FULL_ERRNOS:
        return DiskFull(_full(place))
    if fault.errno in _NO_HANDLES:
        return PortalError(
            f"{place}: this process may not open more files. Allow it more (`ulimit -n 1024`) and run the "
            f"same command again; nothing was lost."
        )
    if fault.errno == errno.EROFS:
        return PortalError(
            f"{place}: is on a file system that is mounted read-only. It can be served from there; to build, "
            f"mount it for writing, or `portico backup` it to another place."
        )
    return PortalError(f"{place}: {fault.strerror or fault}. Check that the folder exists and is writable.")


def translate_faults(engine: Engine, place: Path | str) -> None:
    """Translate errors of the database driver to our own, naming `place`."""

    def translate(context: ExceptionContext) -> None:
        error = make_database_error(context.original_exception, place)
        if error is not None:
            raise error from context.original_exception

    event.listen(engine, "handle_error", translate)


def make_database_error(fault: BaseException, place: Path | str) -> PortalError | None:
    """Our error for a driver's error; None if it is a mistake of our own."""
    if str(fault).startswith(_NO_TEXT):
        return PortalError(
            f"{place}: holds damaged text ({fault}). Run `portico verify --repair`, then `portico build`."
        )
    code = getattr(fault, "sqlite_errorcode", None)
    if isinstance(code, int):
        return _sqlite_error(code, str(fault), place)
    if hasattr(fault, "sqlstate"):
        return _postgresql_error(fault, place)
    return None


def _sqlite_error(code: int, message: str, place: Path | str) -> PortalError | None:
    family = code & _PRIMARY
    if code in _SQLITE_FULL or family == sqlite3.SQLITE_FULL:
        return DiskFull(_full(place))
    if family in _SQLITE_DAMAGED:
        return PortalError(
            f"{place}: is not a readable database ({message}). Put back a copy of the portal's folder, "
            f"or move this file away and run `portico build` to make it anew."
        )
    if family in _SQLITE_LOCKED:
        return PortalBusy(
            f"{place}: another process has been writing for too long. Try again when it is done."
        )
    if family in _SQLITE_REFUSED or family == sqlite3.SQLITE_IOERR:
        return PortalError(
            f"{place}: {message}. Check that the disk is sound and that you may write to the portal's folder."
        )
    return None


def _postgresql_error(fault: BaseException, place: Path | str) -> PortalError | None:
    if getattr(fault, "sqlstate", None) == _FAILED_BEFORE and fault.__context__ is not None:
        return make_database_error(fault.__context__, place)  # a question after the one that failed
    state = getattr(fault, "sqlstate", None) or ""
    told = getattr(getattr(fault, "diag", None), "message_primary", None)  # without the statement
    message = " ".join((told or str(fault)).split())
    if state in _POSTGRESQL_FULL:
        return DiskFull(_full(f"{place} ({message})"))
    for states, advice in _POSTGRESQL_ADVICE.items():
        if state.startswith(states):
            kind = StoreAway if advice == _GONE else PortalError
            return kind(f"{place}: {message.rstrip('.?')}. {advice}")
    if state in _POSTGRESQL_LOCKED:
        return PortalBusy(
            f"{place}: another process has been writing for too long. Try again when it is done."
        )
    if not state and type(fault).__name__ == "OperationalError":
        advice = _advise_connecting(message)
        kind = StoreAway if advice.endswith(_GONE) else PortalError
        return kind(f"{place}: {message.rstrip('.?')}. {advice}")
    return None


_FAILED_BEFORE = "25P02"
_POSTGRESQL_FULL = ("53100",)
_POSTGRESQL_LOCKED = ("55P03", "40P01", "40001")
_GONE = "What was finished is safe: when the server is there again, run the same command; it goes on."
_POSTGRESQL_ADVICE: Mapping[tuple[str, ...], str] = MappingProxyType(
    {
        ("42501",): "Give this user the right to make and change tables: "
        "`ALTER DATABASE … OWNER TO …`, or `GRANT ALL ON SCHEMA public TO …` and on the tables there.",
        ("25006",): "This server or user may only read: name one that may write under [store] url.",
        ("53",): f"The server has too little memory or too few connections for this. {_GONE}",
        ("08", "57P"): _GONE,
        ("XX001", "XX002", "58"): "The server's disk or files are damaged: put back a backup.",
    }
)
"""Advice by the class of PostgreSQL's error code, from appendix A of its manual."""


_LOST = ("server closed the connection", "connection is lost", "database system is")


def _advise_connecting(message: str) -> str:
    """What to do if no connection could be made, or one was lost; the server sends no code then."""
    if "password authentication failed" in message or "no password supplied" in message:
        return "Put the password into the file that PGPASSFILE names, or into PGPASSWORD."
    if "does not exist" in message and "database" in message:
        return "Make the database with `createdb`, or correct [store] url in portal.toml."
    if "role" in message and "does not exist" in message:
        return "Make the user with `createuser`, or correct [store] url in portal.toml."
    if "no pg_hba.conf entry" in message or "not permitted to log in" in message:
        return "Let this user in (pg_hba.conf on the server, ALTER ROLE … LOGIN)."
    if any(words in message for words in _LOST):
        return _GONE
    return f"Check that the server runs and that [store] url names it. {_GONE}"


def _full(place: Path | str) -> str:
    return (
        f"{place}: the disk is full. What was finished is safe: make room and run the same command again; "
        f"it goes on where it stopped."
    )
