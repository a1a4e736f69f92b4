"""What the disk and the database complain about, said as our own errors: the only place that does."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from portico.errors import DiskFull, PortalBusy, PortalError

_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT)

# SQLite says FULL when write() says ENOSPC; its shared-memory file and a spent quota come as
# errors of input and output instead.
_SQLITE_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE)
_SQLITE_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SQLITE_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SQLITE_REFUSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM)
_PRIMARY = 0xFF  # the low byte of an extended SQLite code is its family


@contextmanager
def disk_faults(place: Path) -> Iterator[None]:
    """Let errors of the file system come out as DiskFull or PortalError naming `place`."""
    try:
        yield
    except OSError as fault:
        raise make_disk_error(fault, place) from fault


def make_disk_error(fault: OSError, place: Path) -> PortalError:
    """The error of ours that says what `fault` means for the portal."""
    if fault.errno in _FULL_ERRNOS:
        return DiskFull(_full(place))
    return PortalError(f"{place}: {fault.strerror or fault}. Check that the folder exists and is writable.")


def make_database_error(fault: BaseException, place: Path) -> PortalError | None:
    """The error of ours that says what a driver's error means; None where it is our own mistake."""
    code = getattr(fault, "sqlite_errorcode", None)
    if not isinstance(code, int):
        return None
    return _sqlite_error(code, str(fault), place)


def _sqlite_error(code: int, message: str, place: Path) -> PortalError | None:
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


def _full(place: Path) -> str:
    return (
        f"{place}: the disk is full. What was finished is safe: make room and run the same command again; "
        f"it goes on where it stopped."
    )
