"""Progress as plain lines, for logs and for whoever redirects the output."""

import sys
import time
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


LINE_EVERY_S = 10.0  # how often a log hears of a stage under way


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

    def advance(self, n_done: int = 0, *, n_failed: int = 0) -> None:
        self._n_done += n_done
        self._n_failed += n_failed
        if time.monotonic() - self._spoke >= LINE_EVERY_S:
            self._spoke = time.monotonic()
            self._lines.write_line(f"{self._name:<9}{self._state()}")

    def expect(self, total: int) -> None:
        self._total = total

    def status(self, words: str) -> None:
        self._words = words

    def end(self) -> None:
        self._lines.write_line(f"{self._name:<9}{self._state()}, {time.monotonic() - self._began:.1f} s")

    def _state(self) -> str:
        handled = self._n_done + self._n_failed
        seconds = max(time.monotonic() - self._began, 1e-6)
        of_total = f"/{self._total}" if self._total else ""
        state = f"{handled}{of_total}, {handled / seconds:.1f}/s"
        if self._total and 0 < handled < self._total:
            state += f", about {(self._total - handled) * seconds / handled:.0f} s left"
        if self._n_failed:
            state += f", {self._n_failed} failed"
        return f"{state}, {self._words}" if self._words else state
