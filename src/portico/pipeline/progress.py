"""What a long run tells whoever watches: stages begin, advance, fail an item, end."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol


class Meter(Protocol):
    """One stage under way."""

    def advance(self, n_done: int = 0, *, n_failed: int = 0) -> None: ...

    def expect(self, total: int) -> None:
        """The number of items, where it is only known, or changes, on the way."""

    def remark(self, words: str) -> None:
        """A short state beside the bar: what is being waited for."""


class Watcher(Protocol):
    """Somebody who wants to see progress: a terminal, a log."""

    def stage(self, name: str, total: int | None) -> AbstractContextManager[Meter]: ...

    def say(self, words: str) -> None: ...


@dataclass(frozen=True, slots=True)
class StageReport:
    """How one stage of a run went; `n_fresh` were finished before and needed no work."""

    stage: str
    n_done: int = 0
    n_failed: int = 0
    n_fresh: int = 0
    n_dropped: int = 0  # results of inputs that are gone
    seconds: float = 0.0
    note: str = ""  # what the builder should know
    fruitless: bool = False  # the stage had a job to do and nothing came of it

    @property
    def worked(self) -> bool:
        return bool(self.n_done or self.n_failed or self.n_dropped)

    def words(self) -> str:
        """`113 done, 4 failed, 2 gone in 12.3 s`"""
        counts = ((self.n_done, "done"), (self.n_failed, "failed"), (self.n_dropped, "gone"))
        said = ", ".join(f"{count} {word}" for count, word in counts if count)
        return f"{said} in {self.seconds:.1f} s"


def counted(count: int, thing: str) -> str:
    """`1 paper`, `2 papers`"""
    return f"{count} {thing}{'' if count == 1 else 's'}"


Clock = Callable[[], float]
"""Seconds since the epoch; passed in so that stages never ask for the time themselves."""
