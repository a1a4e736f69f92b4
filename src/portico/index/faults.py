"""What the search engine complains about, said as our own errors: the only place that does."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from portico.errors import DiskFull, PortalBusy, PortalError

# The engine tells causes only in its words, and not even there when its writing thread has died. A
# segment it could not write is at most as large as the memory of one writer (`writer.WRITER_BYTES`).
SCARCE_BYTES = 64_000_000

# The engine is written in Rust; what it did not foresee in a damaged file arrives as this class,
# which has no name to import and is no Exception.
_PANIC = "PanicException"


@contextmanager
def engine_faults(explain: Callable[[str], PortalError]) -> Iterator[None]:
    """Let whatever the engine raises come out as the error that `explain` makes of its words."""
    try:
        yield
    except (ValueError, OSError) as fault:
        raise explain(str(fault)) from fault
    except BaseException as fault:
        if type(fault).__name__ != _PANIC:
            raise
        raise explain(str(fault)) from fault


def unreadable(folder: Path) -> Callable[[str], PortalError]:
    """For opening and searching: what is on disk is not what was written there."""

    def explain(words: str) -> PortalError:
        remedy = "run `portico verify --repair`, then `portico build`"
        if "Permission denied" in words:
            remedy = "let the owner of the portal run `portico build`, or give you the right to read it"
        return PortalError(f"{folder}: the search index cannot be read ({words}); {remedy}")

    return explain


def unwritable(folder: Path) -> Callable[[str], PortalError]:
    """For writing: the disk is full, another process is writing, or something else."""

    def explain(words: str) -> PortalError:
        return writing_error(words, folder, n_free=shutil.disk_usage(folder).free)

    return explain


def writing_error(words: str, folder: Path, *, n_free: int) -> PortalError:
    """The error of ours that says what the engine's words mean, with `n_free` bytes left on the disk."""
    full = "os error 28" in words or "No space left" in words
    if full or ("writer was killed" in words and n_free < SCARCE_BYTES):
        return DiskFull(f"{folder}: the disk is full; free some space and run the same command again")
    if "lock" in words.lower():
        return PortalBusy(f"{folder}: another process is writing this index; wait for it to finish")
    return PortalError(f"{folder}: the index could not be written ({words})")
