"""What an engine is given and what it gives back: jobs, items, outcomes."""

from collections.abc import Callable, Generator, Iterable
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
    detail: str = ""  # a traceback, where the error was not one of ours
    retryable: bool = False  # trying again later may help


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """What became of one item: bytes, or a flaw."""

    subject: str
    value: bytes | None
    error: ItemError | None
    seconds: float


@dataclass(frozen=True, slots=True)
class SetupFailure:
    """A worker could not be set up at all (a model or program is missing): no item is to blame."""

    reason: str


class Engine(Protocol):
    """Applies a job to items, in any order; one bad item costs only that item."""

    def map(self, job: Job, items: Iterable[WorkItem]) -> Generator[ItemOutcome, None, None]:
        """The outcomes as they come; closing it calls back what is under way."""
