"""Progress bars for a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from portico.pipeline.progress import StageProgress


class ProgressBars:
    """A bar for each stage with rate and time left; it stays on the screen when the stage ends."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[StageProgress]:
        columns = (
            TextColumn("{task.description:<9}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[words]}", style="dim"),
        )
        with Progress(*columns, console=self._console) as progress:
            yield _BarMeter(progress, progress.add_task(name, total=total, rate="", words=""))


class _BarMeter:
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task
        self._n_failed = 0
        self._words = ""

    def advance(self, n_done: int = 0, *, n_failed: int = 0) -> None:
        self._n_failed += n_failed
        self._progress.update(self._task, advance=n_done + n_failed)
        speed = self._progress.tasks[0].speed
        self._progress.update(self._task, rate=f"{speed:.1f}/s" if speed else "", words=self._state())

    def expect(self, total: int) -> None:
        self._progress.update(self._task, total=total)

    def status(self, words: str) -> None:
        self._words = words
        self._progress.update(self._task, words=self._state())

    def _state(self) -> str:
        failed = f"{self._n_failed} failed" if self._n_failed else ""
        return ", ".join(part for part in (failed, self._words) if part)
