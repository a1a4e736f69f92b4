"""Runs inside a Dask worker: processes batches of items in child processes that can be killed."""

import multiprocessing
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from threading import Lock

from distributed import get_worker

from portico.engine.work import ItemOutcome, Job, SetupFailure, WorkItem
from portico.engine.worker_process import WorkerProcess
from portico.errors import SetupError

PACKAGE = "portico"

ABANDONED_S = 600.0
"""How long a process may be without work before it is stopped; an active run hands out items far more
often."""


@dataclass(frozen=True, slots=True)
class Installation:
    """What client and workers must have in common: the versions of Portico and Python."""

    portico: str
    python: str

    def __str__(self) -> str:
        return f"Portico {self.portico} on Python {self.python}"


def read_installation() -> Installation:
    return Installation(metadata.version(PACKAGE), shorten_python(platform.python_version()))


def shorten_python(version: str) -> str:
    """Shorten `3.11.4` to `3.11`: patch releases are compatible with each other."""
    return ".".join(version.split(".")[:2])


@dataclass(frozen=True, slots=True)
class Batch:
    """Items sent together, because sending small ones costs more than processing them."""

    sender: Installation
    run: str  # one call of an engine's `map`
    items: tuple[WorkItem, ...]


class ProcessPool:
    """The child processes of one Dask worker, kept between batches so that models are loaded once per run."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: dict[str, list[WorkerProcess]] = {}
        self._busy: dict[str, list[WorkerProcess]] = {}
        self._ended: set[str] = set()

    @contextmanager
    def borrow(self, run: str, job: Job) -> Iterator[WorkerProcess]:
        """A process of this run for one item, reusing an idle one if possible."""
        with self._lock:
            idle = self._idle.get(run)
            if not idle:
                self._stop_abandoned()
            process = idle.pop() if idle else WorkerProcess.start(job)
            self._busy.setdefault(run, []).append(process)
        try:
            yield process
        finally:
            with self._lock:
                self._busy[run].remove(process)
                if process.item is None and run not in self._ended:
                    self._idle.setdefault(run, []).append(process)
                elif not process.is_over:
                    process.stop()

    def _stop_abandoned(self) -> None:
        """Ends processes of builds that were killed and so never reported their end."""
        now = time.monotonic()
        for processes in self._idle.values():
            for process in [each for each in processes if now - each.since > ABANDONED_S]:
                processes.remove(process)
                process.stop()

    def has_ended(self, run: str) -> bool:
        return run in self._ended

    def end(self, run: str) -> None:
        """Ends the processes of a run; an item being processed is abandoned."""
        with self._lock:
            self._ended.add(run)
            for process in self._idle.pop(run, []):
                process.stop()
            for process in self._busy.get(run, []):
                process.process.kill()


_POOL = ProcessPool()


def run_batch(batch: Batch, job: Job) -> tuple[ItemOutcome, ...] | SetupFailure:
    """Apply the job to each item; return SetupFailure if this worker cannot do it."""
    own = read_installation()
    if own != batch.sender:
        return SetupFailure(_name_worker(f"runs {own}; the build {batch.sender}: {SAME_VERSION}."))
    # Dask's nanny makes its workers daemons, which may not have children, so that none is left behind; our
    # children end with their parent by themselves.
    multiprocessing.current_process().daemon = False
    outcomes: list[ItemOutcome] = []
    try:
        for item in batch.items:
            if _POOL.has_ended(batch.run):
                break  # nobody waits for the rest
            with _POOL.borrow(batch.run, job) as process:
                outcomes.append(process.apply(item, job.item_timeout_s))
    except SetupError as error:
        return SetupFailure(_name_worker(f"cannot do this: {error}"))
    return tuple(outcomes)


def _name_worker(words: str) -> str:
    return f"the worker {get_worker().address} {words}"


SAME_VERSION = "install the same on both and start the worker again"


def end_run(run: str) -> None:
    """Ends the child processes that this Dask worker keeps for a run."""
    _POOL.end(run)
