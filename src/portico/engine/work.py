"""The values an engine takes and returns: jobs, items, outcomes."""

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One input: `subject` names it in the store, `payload` is what the job's function takes."""

    subject: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Job:
    """Work for a pool: `build(options)` runs once in each worker and returns the function to apply.

    Both must be importable by name (they travel to other processes and other machines).
    """

    build: Callable[[Any], Callable[[Any], bytes]]
    options: Any
    item_timeout_s: float = 300.0


@dataclass(frozen=True, slots=True)
class ItemError:
    """Why an item failed, as values that can travel between processes."""

    kind: str  # the error's class
    reason: str  # for people
    detail: str = ""  # a traceback, unless the error is one of ours
    retryable: bool = False  # trying again later may help


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """The outcome of one item: bytes, or a failure."""

    subject: str
    value: bytes | None
    error: ItemError | None
    seconds: float


@dataclass(frozen=True, slots=True)
class SetupFailure:
    """A worker could not be set up at all (a model or program is missing): no item is to blame."""

    reason: str


class Engine(Protocol):
    """Applies a job to items, in any order; a bad item affects only itself."""

    @property
    def is_parallel(self) -> bool:
        """Whether several items are done at once."""

    def map(self, job: Job, items: Iterable[WorkItem]) -> Generator[ItemOutcome, None, None]:
        """The outcomes as they arrive; closing the generator cancels pending work."""


def map_in_order(engine: Engine, job: Job, payloads: Iterable[Any]) -> Iterator[bytes]:
    """Yield the results of the job for each payload, in their order, whatever the number of workers.

    For work of which every part is needed: a payload that fails in a worker is processed again in this
    process.
    """
    under_way: dict[str, Any] = {}

    def hand_out() -> Iterator[WorkItem]:
        for number, payload in enumerate(payloads):
            under_way[str(number)] = payload
            yield WorkItem(str(number), payload)

    done: dict[str, bytes] = {}
    n_given = 0
    for outcome in engine.map(job, hand_out()):
        payload = under_way.pop(outcome.subject)
        done[outcome.subject] = (
            outcome.value if outcome.value is not None else job.build(job.options)(payload)
        )
        while (found := done.pop(str(n_given), None)) is not None:
            yield found
            n_given += 1
