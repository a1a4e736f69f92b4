"""Rows that do not fit into memory: written to temporary files, read back in order, in parts, or sorted.

The files are for one run of one process: a folder that a kill left behind is of no use and thrown away.
"""

import heapq
import marshal
import os
import shutil
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any

SpilledRow = tuple[Any, ...]
"""Numbers, text, bytes, None, and tuples or lists of these."""

_ROWS_AT_ONCE = 200


@contextmanager
def open_spill_folder(folder: Path) -> Iterator[Path]:
    """An empty folder under this name, removed in the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def pack_rows(rows: Any) -> bytes:
    """Rows, or tuples and lists of them, as bytes for another process of the same Python."""
    return marshal.dumps(rows)


def unpack_rows(packed: bytes) -> Any:
    """The inverse of `pack_rows`; only for bytes from our own build or its workers."""
    return marshal.loads(packed)  # noqa: S302 ours


class RowFile:
    """Rows in a file, read in insertion order, any number of times."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._waiting: list[SpilledRow] = []

    def add(self, row: SpilledRow) -> None:
        self._waiting.append(row)
        if len(self._waiting) >= _ROWS_AT_ONCE:
            self._flush()

    def __iter__(self) -> Iterator[SpilledRow]:
        self._flush()
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            while size := file.read(8):
                yield from marshal.loads(file.read(int.from_bytes(size)))  # noqa: S302 our own temporary file

    def remove(self) -> None:
        self._waiting.clear()
        self._path.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._waiting:
            block = marshal.dumps(self._waiting)
            with self._path.open("ab") as file:  # opened anew: hundreds of parts need no hundreds of handles
                file.write(len(block).to_bytes(8) + block)
            self._waiting.clear()


class RowShelf:
    """Rows in a file, read by number."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._starts = array("Q", [0])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, row: SpilledRow) -> None:
        block = marshal.dumps(row)
        self._file.write(block)
        self._starts.append(self._starts[-1] + len(block))

    def read(self, numbers: Iterable[int]) -> Iterator[SpilledRow]:
        self._file.flush()
        handle = self._file.fileno()
        for number in numbers:
            start, stop = self._starts[number], self._starts[number + 1]
            yield marshal.loads(os.pread(handle, stop - start, start))  # noqa: S302 our own temporary file

    def close(self) -> None:
        self._file.close()


def sort_rows(rows: Iterable[SpilledRow], folder: Path, *, at_once: int) -> Iterator[SpilledRow]:
    """The rows in ascending order, with at most `at_once` of them in memory; `folder` is used for nothing
    else.
    """
    source = iter(rows)
    first = sorted(islice(source, at_once))
    if len(first) < at_once:
        yield from first
        return
    runs: list[RowFile] = []
    for number in count():
        run = first if number == 0 else sorted(islice(source, at_once))
        if not run:
            break
        runs.append(RowFile(folder / f"run-{number}"))
        for row in run:
            runs[-1].add(row)
        first = []
    yield from heapq.merge(*runs)
    for each in runs:
        each.remove()
