"""Progress as plain lines, for logs and redirected output."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from portico.pipeline.progress import Progress, StageProgress


def make_progress(*, quiet: bool = False) -> Progress:
    """Bars where a person looks on, lines where a file does, silence where it is asked for."""
    if quiet:
        return ProgressLines(None)
    if not sys.stderr.isatty():
        return ProgressLines(sys.stderr)
    # Rich takes a tenth of a second to import, which only a terminal repays.
    from portico.cli.progress_bars import ProgressBars

    return ProgressBars()


LINE_EVERY_S = 10.0  # how often the progress of a stage is logged

# The first items say little about the rest, and slow ones end last: the time left is shown after the first
# time span, based on the speed of the last minute if that is slower than the stage's.
ESTIMATE_FROM_S, PACE_OVER_S = 5.0, 60.0


class ProgressLines:
    """One line when a stage begins and ends, and one every few seconds between; None is silent."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write_line(self, words: str) -> None:
        if self._stream is not None:
            print(words, file=self._stream, flush=True)

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[StageProgress]:
        meter = _LineMeter(self, name, total)
        yield meter
        meter.end()


class _LineMeter:
    def __init__(self, lines: ProgressLines, name: str, total: int | None) -> None:
        self._lines, self._name, self._total = lines, name, total
        self._n_done = self._n_failed = 0
        self._words = ""
        self._began = self._spoke = time.monotonic()
        self._past = deque([(self._began, 0)])  # times, and how many items were handled by then

    def advance(self, n_done: int = 0, *, n_failed: int = 0) -> None:
        self._n_done += n_done
        self._n_failed += n_failed
        self._past.append((time.monotonic(), self._n_done + self._n_failed))
        while len(self._past) > 2 and self._past[1][0] < time.monotonic() - PACE_OVER_S:
            self._past.popleft()
        if time.monotonic() - self._spoke >= LINE_EVERY_S:
            self._spoke = time.monotonic()
            self._lines.write_line(f"{self._name:<9}{self._state()}")

    def expect(self, total: int) -> None:
        self._total = total

    def status(self, words: str) -> None:
        self._words = words

    def end(self) -> None:
        self._lines.write_line(f"{self._name:<9}{self._state()}, {time.monotonic() - self._began:.1f} s")

    def _find_pace(self, handled: int, seconds: float) -> float:
        """Seconds an item takes, by the slower of the whole stage and its last minute."""
        since, before = self._past[0]
        recent = (time.monotonic() - since) / max(1, handled - before)
        return max(seconds / handled, recent)

    def _state(self) -> str:
        handled = self._n_done + self._n_failed
        seconds = max(time.monotonic() - self._began, 1e-6)
        of_total = f"/{self._total}" if self._total else ""
        state = f"{handled}{of_total}, {handled / seconds:.1f}/s"
        if self._total and 0 < handled < self._total and seconds >= ESTIMATE_FROM_S:
            state += f", about {(self._total - handled) * self._find_pace(handled, seconds):.0f} s left"
        if self._n_failed:
            state += f", {self._n_failed} failed"
        return f"{state}, {self._words}" if self._words else state
