"""A build request, and the interface through which a build reports its progress."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from portico.types.stages import StageName


class StageProgress(Protocol):
    """One stage under way."""

    def advance(self, n_done: int = 0, *, n_failed: int = 0) -> None: ...

    def expect(self, total: int) -> None:
        """Set the number of items, which may become known only later, or change."""

    def status(self, words: str) -> None:
        """Show a short status beside the bar, such as what is being waited for."""


class Progress(Protocol):
    """The interface for displaying progress: a terminal, a log."""

    def stage(self, name: str, total: int | None) -> AbstractContextManager[StageProgress]: ...


Confirm = Callable[[str], bool]
"""Asks the builder whether to continue; the text says what would happen."""


def refuse(question: str) -> bool:
    """Answer no, for use when nobody can be asked."""
    return False


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """The builder's request; no stages means all of them."""

    stages: tuple[StageName, ...] = ()
    retry: bool = False
    forget: bool = False
    refresh: bool = False
    workers: int = 0
    confirm: Confirm = refuse


@dataclass(frozen=True, slots=True)
class StageReport:
    """The result of one stage of a run; `n_fresh` items were up to date and needed no work."""

    stage: str
    n_done: int = 0
    n_failed: int = 0
    n_set_aside: int = 0  # read, and not what the portal collects
    n_fresh: int = 0
    n_dropped: int = 0  # results of inputs that are gone
    seconds: float = 0.0
    note: str = ""  # what the builder should know
    nothing_found: bool = False  # the stage had something to do but no result
    is_finished: bool = True  # False if something is left for the next build

    @property
    def worked(self) -> bool:
        return bool(self.n_done or self.n_failed or self.n_set_aside or self.n_dropped)

    def words(self) -> str:
        """Describe the result: `113 done, 9 set aside, 4 failed, 2 gone in 12.3 s`"""
        counts = (
            (self.n_done, "done"),
            (self.n_set_aside, "set aside"),
            (self.n_failed, "failed"),
            (self.n_dropped, "gone"),
        )
        said = ", ".join(f"{count} {word}" for count, word in counts if count)
        return f"{said} in {self.seconds:.1f} s"


def sum_reports(reports: Sequence[StageReport]) -> StageReport:
    """One report of a stage that ran several times; at least one is needed."""
    first = reports[0]
    return replace(
        first,
        **{
            name: sum(getattr(each, name) for each in reports)
            for name in ("n_done", "n_failed", "n_set_aside", "n_fresh", "n_dropped", "seconds")
        },
        note="; ".join(dict.fromkeys(each.note for each in reports if each.note)),
        nothing_found=all(each.nothing_found for each in reports),
    )


def count_things(count: int, thing: str) -> str:
    """Format a count: `1 paper`, `2 papers`"""
    return f"{count} {thing}{'' if count == 1 else 's'}"


Clock = Callable[[], float]
"""Returns seconds since the epoch; passed in so that stages never read the clock themselves."""
