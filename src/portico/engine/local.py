"""A process pool on this machine in which a crash or a hang costs one item, not the pool.

The standard library's `ProcessPoolExecutor` breaks as a whole when one of its processes dies, and cannot end
one that hangs; files from strangers cause both.
"""

import os
import time
from collections.abc import Generator, Iterable, Iterator
from multiprocessing.connection import wait

from portico.engine.work import ItemOutcome, Job, WorkItem
from portico.engine.worker_process import WorkerProcess

_POLL_S = 0.5  # how often hung workers are looked for


class LocalEngine:
    """Runs jobs in `workers` processes, started when needed and replaced when they die."""

    def __init__(self, workers: int = 0) -> None:
        self.workers = workers or os.cpu_count() or 1

    @property
    def is_parallel(self) -> bool:
        return self.workers > 1

    def map(self, job: Job, items: Iterable[WorkItem]) -> Generator[ItemOutcome, None, None]:
        waiting = iter(items)
        pool: list[WorkerProcess] = []
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

    def _hand_out(self, job: Job, waiting: Iterator[WorkItem], pool: list[WorkerProcess]) -> None:
        """Gives every idle worker an item, starting workers while there are items and room."""
        idle = [worker for worker in pool if worker.item is None]
        while idle or len(pool) < self.workers:
            item = next(waiting, None)
            if item is None:
                return
            if idle:
                worker = idle.pop()
            else:
                worker = WorkerProcess.start(job)
                pool.append(worker)
            worker.give(item)


def _wait_for_answers(busy: list[WorkerProcess], item_timeout_s: float) -> list[WorkerProcess]:
    """Waits for answers; kills workers whose item is overdue, which closes their pipe."""
    while True:
        answered = wait([worker.connection for worker in busy], timeout=_POLL_S)
        if answered:
            return [worker for worker in busy if worker.connection in answered]
        now = time.monotonic()
        for worker in busy:
            if now - worker.since > item_timeout_s:
                worker.kill_late()
