"""Files that appear whole or not at all, so that a kill at any moment leaves the old one or the new."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write the file, and its folder where there is none; readers meanwhile find the old file or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as unfinished:
        unfinished.write_bytes(content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its place at the end; after an error it is removed."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
