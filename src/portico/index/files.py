"""The files of an index: which there are, whether they are as they were written, and who may read them."""

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

from portico.errors import PortalError
from portico.index.faults import engine_faults, unreadable
from portico.index.schema import VERSION, with_words

# Written anew at every change, by name; everything else is written once and never changed.
COMMITTED = "meta.json"
_REWRITTEN = (COMMITTED, ".managed.json")
_LOCK = ".lock"
# Says which `VERSION` wrote the index: what another one wrote is read wrongly, or not at all.
_WRITTEN_BY = "version.txt"

Manifest = Mapping[str, tuple[int, str]]
"""Size in bytes and SHA-256 of each file, by name."""


def manifest(folder: Path) -> Manifest:
    """Every file of the index as it is now."""
    return {path.name: (path.stat().st_size, _digest(path)) for path in _files(folder)}


def has_files(folder: Path, written: Manifest) -> bool:
    """Whether the files have the names and sizes they were written with: cheap, but sees no changed bytes."""
    if not folder.is_dir():
        return False
    sizes = {path.name: path.stat().st_size for path in _files(folder)}
    return sizes == {name: size for name, (size, _) in written.items()}


def damaged_files(folder: Path, written: Manifest) -> tuple[str, ...]:
    """Names of files that are missing, strange, or not byte for byte what was written."""
    now = manifest(folder) if folder.is_dir() else {}
    return tuple(name for name in sorted({*now, *written}) if now.get(name) != written.get(name))


def open_index(folder: Path) -> tantivy.Index:
    """The index in that folder, ready for writing, and for reading by whoever may write there."""
    _check_version(folder)
    with engine_faults(unreadable(folder)):
        return with_words(tantivy.Index.open(str(folder)))


def open_to_read(folder: Path) -> tuple[tantivy.Index, bool]:
    """The index, and whether it follows later changes of its folder.

    The engine wants to leave a lock in the folder. Where it may not (a read-only disk, another
    user's portal) it is shown the same files from a folder of our own, which is gone again once they
    are open; what is written afterwards is then seen only by opening again.
    """
    _check_version(folder)
    try:
        return open_index(folder), True
    except PortalError:
        if _may_write(folder):
            raise
    with TemporaryDirectory(prefix="portico-index-") as name, engine_faults(unreadable(folder)):
        links = Path(name, "links")
        _link(folder, links)
        index = with_words(tantivy.Index.open(str(links)))
        links.rename(links.with_name("opened"))  # the engine's watcher may be about to leave a lock there
        return index, False


def finish(folder: Path) -> None:
    """Sign what was written, and let whoever may enter the folder read it."""
    if not (folder / _WRITTEN_BY).exists():
        (folder / _WRITTEN_BY).write_text(VERSION)
    _share(folder)


def _check_version(folder: Path) -> None:
    """Where there is no index at all, opening it will say so."""
    with engine_faults(unreadable(folder)):
        signed = folder / _WRITTEN_BY
        ours = signed.is_file() and signed.read_text() == VERSION
        if not ours and (folder / COMMITTED).is_file():
            raise PortalError(
                f"{folder}: the search index was written by another version of Portico; run `portico build`, "
                "which writes a new one"
            )


def _share(folder: Path) -> None:
    """Let whoever may enter the folder read its files: the engine makes some for their owner alone."""
    mode = folder.stat().st_mode & 0o666  # the folder's own mode follows the umask
    for path in _files(folder):
        path.chmod(mode)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.suffix != _LOCK)


def _link(folder: Path, links: Path) -> None:
    links.mkdir()
    for path in _files(folder):
        if path.name in _REWRITTEN:
            shutil.copyfile(path, links / path.name)
        else:
            (links / path.name).symlink_to(path.resolve())


def _may_write(folder: Path) -> bool:
    return not folder.is_dir() or os.access(folder, os.W_OK)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
