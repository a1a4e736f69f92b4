"""Runs jobs on a Dask cluster, with the same outcomes as on one machine even if workers die."""

import json
import logging
import platform
import secrets
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from itertools import islice
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import dask
from distributed import Client, Future, KilledWorker
from distributed.client import ClosedClientError

from portico.engine.dask_worker import (
    PACKAGE,
    SAME_VERSION,
    Batch,
    Installation,
    end_run,
    read_installation,
    run_batch,
    shorten_python,
)
from portico.engine.work import ItemError, ItemOutcome, Job, SetupFailure, WorkItem
from portico.errors import SetupError

CONNECT_S = 5.0  # a scheduler on the same network answers in milliseconds
LOST_S = 120.0  # how long a scheduler may be away or without workers; restarting them takes time
_CLOSE_S = 1.0
_POLL_S = 0.5
_COUNT_S = 2.0  # how often threads are counted: workers join and leave

IN_FLIGHT = 2  # batches per thread: one being processed and one being sent
BATCH_WORK_S = 0.5  # target duration of a batch: a hundred times Dask's overhead for one
MAX_BATCH = 64  # items per batch, all of which are repeated if its worker is lost
LARGE_JOB = 100_000  # bytes from which a job is sent once per worker instead of with each batch
MAX_LOSSES = 3  # how often an item may be lost with its worker, not counting Dask's own retries

# What Dask raises for a lost connection: CommClosedError, a closed client, futures that nobody keeps.
_LOST = (OSError, RuntimeError, CancelledError, ClosedClientError)


class _SchedulerGone(SetupError):
    """The scheduler has disappeared since the last call."""


class DaskEngine:
    """Runs jobs on the workers of a Dask scheduler, given as `tcp://host:8786` or a scheduler file."""

    def __init__(self, scheduler: str, *, patience_s: float = LOST_S) -> None:
        self.scheduler = scheduler
        self.patience_s = patience_s
        self._client: Client | None = None

    @property
    def is_parallel(self) -> bool:
        return True

    def connect(self) -> Client:
        """Return the connection to the scheduler.

        Raises SetupError if no scheduler answers or a worker has another version of Portico or Python.
        """
        if self._client is None:
            try:
                self._client = self._open()
            except _SchedulerGone:
                return self.reconnect()
        return self._client

    def _open(self) -> Client:
        # Its own log would repeat our message, with a traceback.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})
        client = _open_client(self.scheduler)
        try:
            _check_workers(client)
        except _LOST as error:
            _close(client)
            raise _SchedulerGone(f"{self.scheduler} answered and went away again ({error}).") from error
        except BaseException:
            client.close()
            raise
        return client

    def reconnect(self) -> Client:
        """Connects again after the scheduler disappeared, as soon as one is reachable."""
        self.close()
        deadline = time.monotonic() + self.patience_s
        while True:
            try:
                self._client = self._open()
                return self._client
            except SetupError as error:
                if time.monotonic() > deadline:
                    raise SetupError(
                        f"the scheduler went away and did not return. {error} {_KEPT}"
                    ) from error
            time.sleep(_POLL_S)

    def map(self, job: Job, items: Iterable[WorkItem]) -> Generator[ItemOutcome, None, None]:
        waiting = iter(items)
        first = next(waiting, None)
        if first is None:
            return
        run = _Run(self, job, first, waiting)
        try:
            while run.hand_out():
                yield from run.collect()
        finally:
            run.end()

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            _close(client)


@dataclass(slots=True, eq=False)
class _Submission:
    """A batch that is under way."""

    batch: Batch
    n_losses: int
    future: Future


class _Run:
    """One call of `map`: the work under way on the cluster, and the work still to be sent."""

    def __init__(self, engine: DaskEngine, job: Job, first: WorkItem, waiting: Iterator[WorkItem]) -> None:
        self._engine = engine
        self._client = engine.connect()
        self._job = job
        self._waiting = waiting
        self._id = secrets.token_hex(8)
        self._sender = read_installation()
        self._again: list[tuple[tuple[WorkItem, ...], int]] = [((first,), 0)]  # with their numbers of losses
        self._under_way: dict[str, _Submission] = {}
        self._done: SimpleQueue[str] = SimpleQueue()
        self._n_submitted = 0
        self._item_s = BATCH_WORK_S  # estimated duration of one item
        self._n_threads = 0
        self._counted_at = self._had_workers_at = time.monotonic()
        self._sent_job: Job | Future | None = None

    def hand_out(self) -> bool:
        """Sends work until the cluster is full; False if no work is left."""
        if self._client.status != "running":  # Dask would try for a while by itself, and then close it
            self._start_over()
        self._count_threads()
        while len(self._under_way) < max(1, self._n_threads * IN_FLIGHT):
            items, n_losses = self._next_items()
            if not items:
                break
            self._submit(items, n_losses)
        return bool(self._under_way)

    def _next_items(self) -> tuple[tuple[WorkItem, ...], int]:
        if self._again:
            return self._again.pop()
        size = max(1, min(MAX_BATCH, int(BATCH_WORK_S / max(self._item_s, 1e-6))))
        return tuple(islice(self._waiting, size)), 0

    def _submit(self, items: tuple[WorkItem, ...], n_losses: int) -> None:
        batch = Batch(self._sender, self._id, items)
        self._n_submitted += 1
        key = f"{PACKAGE}-{self._id}-{self._n_submitted}"
        try:
            future = self._client.submit(run_batch, batch, self._send_job(), key=key, pure=False)
        except _LOST:
            self._again.append((items, n_losses))
            self._start_over()
            return
        self._under_way[key] = _Submission(batch, n_losses, future)
        future.add_done_callback(lambda done: self._done.put(done.key))

    def _send_job(self) -> Job | Future:
        """Return the job itself or, if it is large, a future for its copy on every worker."""
        if self._sent_job is None:
            is_large = len(ForkingPickler.dumps(self._job)) > LARGE_JOB
            self._sent_job = (
                self._client.scatter(self._job, broadcast=True, hash=False) if is_large else self._job
            )
        return self._sent_job

    def collect(self) -> Iterator[ItemOutcome]:
        """Yield the outcomes of finished batches, or nothing if none finishes within a short wait."""
        finished = self._finished()
        for idx, submission in enumerate(finished):
            try:
                answer = submission.future.result(timeout=self._engine.patience_s)
            except KilledWorker as error:
                yield from self._lose(submission, str(error.last_worker.address))
            except ModuleNotFoundError as error:
                raise SetupError(
                    f"a worker has no Portico, or another one ({error}): {SAME_VERSION}."
                ) from error
            except (*_LOST, TimeoutError):
                # A scheduler that dies ends all batches at once, so those after this one are lost as well.
                self._again += [(each.batch.items, each.n_losses) for each in finished[idx:]]
                self._start_over()
                return
            else:
                yield from self._accept(submission, answer)

    def _finished(self) -> list[_Submission]:
        keys: list[str] = []
        with suppress(Empty):
            keys.append(self._done.get(timeout=_POLL_S))
            while True:
                keys.append(self._done.get_nowait())
        found = (self._under_way.pop(key, None) for key in keys)
        return [submission for submission in found if submission is not None]

    def _accept(self, submission: _Submission, answer: Any) -> Iterator[ItemOutcome]:
        if isinstance(answer, SetupFailure):
            raise SetupError(answer.reason)
        for outcome in answer:
            # The estimate favors recent items: a stage begins with loading, and items differ.
            self._item_s += (outcome.seconds - self._item_s) / 8
            yield outcome

    def _lose(self, submission: _Submission, worker: str) -> Iterator[ItemOutcome]:
        """Handles a batch that killed several workers: tries its items one by one, and fails the culprit."""
        items, n_losses = submission.batch.items, submission.n_losses + 1
        if len(items) > 1 or n_losses < MAX_LOSSES:
            self._again.extend(((item,), n_losses) for item in items)
            return
        reason = f"its worker died {MAX_LOSSES} times and more, the last time {worker}"
        yield ItemOutcome(items[0].subject, None, ItemError("WorkerLost", reason, retryable=True), 0.0)

    def _start_over(self) -> None:
        """Reschedule everything that was under way, over a new connection to the scheduler."""
        self._again += [(each.batch.items, each.n_losses) for each in self._under_way.values()]
        self._under_way.clear()
        self._sent_job = None
        self._client = self._engine.reconnect()

    def _count_threads(self) -> None:
        now = time.monotonic()
        if self._n_threads and now - self._counted_at < _COUNT_S:
            return
        try:
            self._n_threads = sum(self._client.nthreads().values())
        except _LOST:
            self._start_over()
            return
        self._counted_at = now
        if self._n_threads:
            self._had_workers_at = now
        elif now - self._had_workers_at > self._engine.patience_s:
            scheduler, patience_s = self._engine.scheduler, self._engine.patience_s
            raise SetupError(
                f"the scheduler {scheduler} has had no worker for {patience_s:.0f} s. "
                f"Start one: dask worker {scheduler}. {_KEPT}"
            )

    def end(self) -> None:
        """Cancels pending work and ends the workers' child processes."""
        with suppress(*_LOST, TimeoutError):
            if self._under_way:
                self._client.cancel([each.future for each in self._under_way.values()])
            self._client.run(end_run, self._id, on_error="ignore")


_KEPT = "What was finished is kept: run the same command again."


def _close(client: Client) -> None:
    with suppress(*_LOST):
        client.close(timeout=_CLOSE_S)


def _open_client(scheduler: str) -> Client:
    address = scheduler if "://" in scheduler else _read_scheduler_file(Path(scheduler))
    try:
        return Client(address, timeout=CONNECT_S, set_as_default=False, name=PACKAGE)
    except (OSError, ValueError) as error:
        raise SetupError(
            f"no Dask scheduler answers at {address} (asked for {CONNECT_S:.0f} s). "
            f"Start one with `dask scheduler`, or correct [engine] scheduler in portal.toml."
        ) from error


def _read_scheduler_file(path: Path) -> str:
    try:
        return str(json.loads(path.read_text())["address"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(
            f"{path}: is no file of a Dask scheduler ({error}). Start one with "
            f"`dask scheduler --scheduler-file {path}`, or correct [engine] scheduler in portal.toml."
        ) from error


def _check_workers(client: Client) -> None:
    """Compare the versions of every worker with ours; SetupError names a mismatch.

    Only functions of the standard library are run, because a worker may lack Portico.
    """
    own = read_installation()
    versions = client.run(metadata.version, PACKAGE, on_error="return")
    pythons = client.run(platform.python_version, on_error="return")
    for worker, version in sorted(versions.items()):
        if isinstance(version, Exception):
            raise SetupError(
                f"the worker {worker} has no Portico ({version}); here is {own}: {SAME_VERSION}."
            )
        found = Installation(str(version), shorten_python(str(pythons.get(worker, own.python))))
        if found != own:
            raise SetupError(f"the worker {worker} runs {found}; here is {own}: {SAME_VERSION}.")
