"""The program inside each worker process: take an item, apply the job, send the outcome."""

import ctypes
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from portico.engine.work import ItemError, ItemOutcome, Job, SetupFailure, WorkItem
from portico.errors import InputError, PorticoError

PR_SET_PDEATHSIG = 1  # from <linux/prctl.h>


def serve_items(connection: Connection, job: Job) -> None:
    """Answers items until the other end closes; `None` asks it to stop."""
    _die_with_parent()
    # Ctrl-C reaches the whole process group; only the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        apply = job.build(job.options)
    except PorticoError as error:
        connection.recv()
        connection.send(SetupFailure(str(error)))
        return
    try:
        while (item := connection.recv()) is not None:
            connection.send(attempt(apply, item))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the parent is gone, and what it had not stored will be asked for again
    finally:
        close = getattr(apply, "close", None)
        if close is not None:
            close()


def attempt(apply: Callable[[Any], bytes], item: WorkItem) -> ItemOutcome:
    """Applies the function; whatever goes wrong becomes a flaw, since one input must not stop the rest."""
    started = time.perf_counter()
    value: bytes | None = None
    flaw: ItemError | None = None
    try:
        value = apply(item.payload)
    except InputError as error:
        flaw = ItemError(type(error).__name__, str(error), retryable=error.retryable)
    except PorticoError as error:
        flaw = ItemError(type(error).__name__, str(error), retryable=True)
    except MemoryError:
        flaw = ItemError("MemoryError", "needs more memory than there is", retryable=True)
    except Exception as error:  # noqa: BLE001 - the one place that must catch everything
        reason = f"an error we did not foresee: {type(error).__name__}: {error}"
        flaw = ItemError(type(error).__name__, reason, detail=traceback.format_exc())
    return ItemOutcome(item.subject, value, flaw, time.perf_counter() - started)


def _die_with_parent() -> None:
    """Asks the kernel to end this process with its parent, so that kill -9 leaves no one behind."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return  # not Linux: the closed pipe ends the worker after its current item
