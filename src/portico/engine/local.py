"""A pool of processes on this machine in which a crash or a hang costs one item, not the pool.

`ProcessPoolExecutor` of the standard library gives up as a whole when one of its processes dies, and cannot
end one that hangs; files from strangers do both.
"""

import ctypes
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from portico.engine.work import ItemError, ItemOutcome, Job, SetupFailure, WorkItem
from portico.errors import InputError, PorticoError, SetupError

# `fork` would copy our database connections and locks into the workers.
_SPAWN = multiprocessing.get_context("spawn")
_POLL_S = 0.5  # how often hung workers are looked for


class LocalEngine:
    """Runs jobs in `workers` processes, started when needed and replaced when they die."""

    def __init__(self, workers: int = 0) -> None:
        self.workers = workers or os.cpu_count() or 1

    def map(self, job: Job, items: Iterable[WorkItem]) -> Generator[ItemOutcome, None, None]:
        waiting = iter(items)
        pool: list[_Worker] = []
        try:
            while True:
                self._hand_out(job, waiting, pool)
                busy = [worker for worker in pool if worker.item is not None]
                if not busy:
                    return
                for worker in _wait_for_answers(busy, job.item_timeout_s):
                    outcome = worker.collect()
                    if outcome is None:
                        pool.remove(worker)
                        outcome = worker.death_outcome(job.item_timeout_s)
                    yield outcome
        finally:
            for worker in pool:
                worker.stop()

    def _hand_out(self, job: Job, waiting: Iterator[WorkItem], pool: list["_Worker"]) -> None:
        """Gives every idle worker an item, starting workers while there are items and room."""
        idle = [worker for worker in pool if worker.item is None]
        while idle or len(pool) < self.workers:
            item = next(waiting, None)
            if item is None:
                return
            if idle:
                worker = idle.pop()
            else:
                worker = _Worker.start(job)
                pool.append(worker)
            worker.give(item)


@dataclass(slots=True, eq=False)
class _Worker:
    """One process, the pipe to it, and the item it has in hand."""

    process: SpawnProcess
    connection: Connection
    item: WorkItem | None = None
    since: float = 0.0
    overdue: bool = False

    @classmethod
    def start(cls, job: Job) -> "_Worker":
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=serve_items, args=(theirs, job))
        process.start()
        theirs.close()  # else we would never see the worker's end close
        return cls(process, ours)

    def give(self, item: WorkItem) -> None:
        self.item, self.since = item, time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(item)  # where it died, collect() finds out

    def collect(self) -> ItemOutcome | None:
        """The outcome of the item in hand, or None where the worker died over it."""
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
        """Idle workers are asked to leave; busy ones (we were interrupted) are killed."""
        if self.item is None:
            with suppress(BrokenPipeError, ConnectionResetError):
                self.connection.send(None)
        else:
            self.process.kill()
        self.connection.close()
        self.process.join()


def _wait_for_answers(busy: list[_Worker], item_timeout_s: float) -> list[_Worker]:
    """Waits for answers; kills workers whose item is overdue, which closes their pipe."""
    while True:
        answered = wait([worker.connection for worker in busy], timeout=_POLL_S)
        if answered:
            return [worker for worker in busy if worker.connection in answered]
        now = time.monotonic()
        for worker in busy:
            if now - worker.since > item_timeout_s:
                worker.overdue = True
                worker.process.kill()


def _describe_exit(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        return f"signal {-exit_code}"
    return f"exit code {exit_code}"


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
