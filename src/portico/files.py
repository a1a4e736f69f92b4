"""Writes files atomically: a kill at any moment leaves either the old file or the new one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Writes the file atomically, creating its folder if needed; readers see the old file or the new one."""
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


def write_model(path: Path, content: bytes) -> None:
    """Write a trained model of a portal, and its digest into a file beside the folder of models.

    The new digest is listed before the file is written, and the old one struck out after it: whenever this is
    killed, the file has one of those that are listed.
    """
    known = [(found, name) for found, name in _read_sums(path.parent) if name == path.name]
    others = [(found, name) for found, name in _read_sums(path.parent) if name != path.name]
    new = (sha256(content).hexdigest(), path.name)
    _write_sums(path.parent, [*others, *known, new])
    write_whole(path, content)
    _write_sums(path.parent, [*others, new])


def find_damaged_models(folder: Path) -> tuple[str, ...]:
    """Names of models that are missing or differ from what was written."""
    expected: dict[str, set[str]] = {}
    for digest, name in _read_sums(folder):
        expected.setdefault(name, set()).add(digest)
    return tuple(name for name, digests in sorted(expected.items()) if _digest(folder / name) not in digests)


def forget_model(path: Path) -> None:
    """Removes a damaged model, so that it is learned again or the shipped one is used."""
    path.unlink(missing_ok=True)
    _write_sums(
        path.parent, [(digest, name) for digest, name in _read_sums(path.parent) if name != path.name]
    )


def _digest(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _sums(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.sha256")


def _read_sums(folder: Path) -> list[tuple[str, str]]:
    """Checksums as `sha256sum` writes them."""
    try:
        lines = _sums(folder).read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [(digest, name) for digest, _, name in (line.partition("  ") for line in lines) if name]


def _write_sums(folder: Path, sums: list[tuple[str, str]]) -> None:
    write_whole(_sums(folder), "".join(f"{digest}  {name}\n" for digest, name in sums).encode())
