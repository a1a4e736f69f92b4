"""A child process for items that may crash or hang: takes one item at a time, and can be killed."""

import ctypes
import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from portico.engine.work import ItemError, ItemOutcome, Job, SetupFailure, WorkItem
from portico.errors import InputError, PorticoError, SetupError

# `fork` would copy our database connections and locks into the workers.
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(slots=True, eq=False)
class WorkerProcess:
    """One child process, the pipe to it, and the item it is processing."""

    process: SpawnProcess
    connection: Connection
    item: WorkItem | None = None
    since: float = 0.0
    overdue: bool = False

    @classmethod
    def start(cls, job: Job) -> "WorkerProcess":
        try:
            ours, theirs = _SPAWN.Pipe()
            process = _SPAWN.Process(target=serve_items, args=(theirs, job))
            process.start()
        except OSError as fault:
            raise SetupError(
                f"no process can be started to do the work ({fault.strerror or fault}). Allow this one more "
                "open files (`ulimit -n 1024`) and processes (`ulimit -u`), and run the same command again"
            ) from fault
        theirs.close()  # otherwise the worker's end would never be seen to close
        return cls(process, ours)

    def give(self, item: WorkItem) -> None:
        self.item, self.since = item, time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(item)  # if the worker died, collect() finds out

    def apply(self, item: WorkItem, item_timeout_s: float) -> ItemOutcome:
        """Processes one item and waits for it; afterwards `is_over` is true if the item ended the process."""
        self.give(item)
        if not self.connection.poll(item_timeout_s):
            self.kill_late()
        return self.collect() or self.death_outcome(item_timeout_s)

    @property
    def is_over(self) -> bool:
        return self.connection.closed

    def kill_late(self) -> None:
        """Kills a process whose item took too long, which closes its pipe."""
        self.overdue = True
        self.process.kill()

    def collect(self) -> ItemOutcome | None:
        """Return the outcome of the current item, or None if the worker died processing it."""
        try:
            answer: ItemOutcome | SetupFailure = self.connection.recv()
        except (EOFError, ConnectionResetError):
            return None
        if isinstance(answer, SetupFailure):
            raise SetupError(answer.reason)
        self.item = None
        return answer

    def death_outcome(self, item_timeout_s: float) -> ItemOutcome:
        assert self.item is not None
        self.process.join()
        if self.overdue:
            flaw = ItemError(
                "TimeoutError", f"took longer than {item_timeout_s:.0f} s and was stopped", retryable=True
            )
        else:
            flaw = ItemError(
                "WorkerDied", f"the process working on it died ({_describe_exit(self.process.exitcode)})"
            )
        self.connection.close()
        return ItemOutcome(self.item.subject, None, flaw, time.monotonic() - self.since)

    def stop(self) -> None:
        """Ask an idle worker to exit; kill a busy one, which happens only after an interruption."""
        if self.item is None:
            with suppress(BrokenPipeError, ConnectionResetError):
                self.connection.send(None)
        else:
            self.process.kill()
        self.connection.close()
        self.process.join()


def _describe_exit(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"signal {-exit_code}"
    return f"exit code {exit_code}"


PR_SET_PDEATHSIG = 1  # from <linux/prctl.h>


def serve_items(connection: Connection, job: Job) -> None:
    """Process items until the other end closes the connection or sends `None`."""
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
        pass  # the parent is gone; what it had not stored will be processed again
    finally:
        close = getattr(apply, "close", None)
        if close is not None:
            close()


def attempt(apply: Callable[[Any], bytes], item: WorkItem) -> ItemOutcome:
    """Applies the function; any exception becomes a failure, because one input must not stop the others."""
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
        reason = f"an unexpected error: {type(error).__name__}: {error}"
        flaw = ItemError(type(error).__name__, reason, detail=traceback.format_exc())
    return ItemOutcome(item.subject, value, flaw, time.perf_counter() - started)


def _die_with_parent() -> None:
    """Asks the kernel to end this process with its parent, so that kill -9 leaves no process behind."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return  # not Linux: the closed pipe ends the worker after its current item
