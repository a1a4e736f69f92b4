"""Hand results to the frontier a batch at a time, in a thread, while the crawl goes on."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from portico.crawl.hosts import Clock
from portico.types.frontier import FetchOutcome, FrontierChange
from portico.types.page import Url

# A result is in the store after about this long or this many others: what a kill -9 costs. Each batch
# costs a wait for the disk and a new look at the queues of its hosts.
COMMIT_EVERY_S = 0.5
COMMIT_EVERY_N = 250

Commit = Callable[[Sequence[FetchOutcome], Mapping[str, float]], FrontierChange]
Committed = Callable[[Sequence[FetchOutcome], FrontierChange], None]


class Batches:
    """Results on their way to the store; one batch is being written while the next is collected."""

    def __init__(self, commit: Commit, clock: Clock, committed: Committed) -> None:
        self._commit = commit
        self._clock = clock
        self._committed = committed
        self._outcomes: list[FetchOutcome] = []
        self._writing: asyncio.Task[None] | None = None
        self._being_written: list[FetchOutcome] = []
        self._due = 0.0

    def add(self, outcome: FetchOutcome) -> None:
        if not self._outcomes:
            self._due = self._clock() + COMMIT_EVERY_S
        self._outcomes.append(outcome)

    @property
    def empty(self) -> bool:
        """Whether every result is in the store."""
        return not self._outcomes and self._writing is None

    def due(self, *, idle: bool) -> float | None:
        """When the next batch should be written, None if there is none or another is under way."""
        if not self._outcomes or self._writing is not None:
            return None
        return 0.0 if idle or len(self._outcomes) >= COMMIT_EVERY_N else self._due

    def start(self, asked: Mapping[str, float], done: Callable[[], None]) -> None:
        """Begin to write what was collected; `done` is called when it is in the store."""
        self._being_written, self._outcomes = self._outcomes, []
        self._writing = asyncio.create_task(self._write(self._being_written, dict(asked)))
        self._writing.add_done_callback(lambda _task: done())

    async def collect(self) -> None:
        """Take notice of a finished write; raises what went wrong with it."""
        if self._writing is not None and self._writing.done():
            task, self._writing = self._writing, None
            await task

    async def finish(self, asked: Mapping[str, float]) -> None:
        """Write everything that is left."""
        if self._writing is not None:
            await asyncio.wait([self._writing])
            await self.collect()
        if self._outcomes:
            await self._write(self._outcomes, dict(asked))
            self._outcomes = []

    def redirect_of(self, url: Url) -> Url | None:
        """Where an address redirects, if that is known but not yet in the store."""
        for outcome in (*self._being_written, *self._outcomes):
            if outcome.link.url == url and outcome.obtained is not None:
                return outcome.obtained.final
        return None

    async def _write(self, outcomes: Sequence[FetchOutcome], asked: Mapping[str, float]) -> None:
        change = await asyncio.to_thread(self._commit, outcomes, asked)
        self._being_written = []
        self._committed(outcomes, change)
