"""One builder at a time: a lock that the kernel gives back even after kill -9."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from portico.errors import PortalBusy
from portico.store.faults import disk_faults

LOCK_NAME = "build.lock"
INDEX_LOCK_NAME = "index.lock"

# Descriptors of locks this process holds. A forked child gets copies of them and would keep the
# portal locked after its parent was killed, so every child closes its copies at once.
_held: set[int] = set()


@contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Hold the portal for this process; PortalBusy, naming the holder, if another has it."""
    path = folder / LOCK_NAME
    with disk_faults(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    _held.add(descriptor)
    try:
        _take(descriptor, path)
        yield
    finally:
        # The file stays: removing it could take the lock from under a process that just opened it.
        _held.discard(descriptor)
        os.close(descriptor)


@contextmanager
def index_lock(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the index against a second writer: a build, or a correction. Yields whether it is held.

    Only without `wait` can it be that another writer is at work and it is not.
    """
    with disk_faults(folder):
        descriptor = os.open(folder / INDEX_LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as fault:
        holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip()
        raise PortalBusy(
            f"{path.parent}: this portal is being built by {holder or 'another process'}. "
            f"Wait until it has finished, or stop it; nothing will be lost."
        ) from fault
    with disk_faults(path):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} since {datetime.now():%Y-%m-%d %H:%M:%S}\n".encode(), 0)


def _close_copies() -> None:
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_copies)
