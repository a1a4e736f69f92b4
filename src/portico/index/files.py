"""The files of an index: listing, integrity, permissions."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

from portico.errors import DiskFull, PortalBusy, PortalError
from portico.files import replacing
from portico.index.schema import VERSION, register_tokenizer

# The engine reports causes only as text, and not even so if its writing thread has died. A segment it could
# not write is at most as large as the memory of one writer (`writer.WRITER_BYTES`).
SCARCE_BYTES = 64_000_000

# The engine is written in Rust; unexpected errors in a damaged file are raised as this class, which cannot be
# imported by name and is not an Exception.
_PANIC = "PanicException"


@contextmanager
def translate_faults(explain: Callable[[str], PortalError]) -> Iterator[None]:
    """Turn any exception of the engine into the error that `explain` derives from its message."""
    try:
        yield
    except (ValueError, OSError) as fault:
        raise explain(str(fault)) from fault
    except BaseException as fault:
        if type(fault).__name__ != _PANIC:
            raise
        raise explain(str(fault)) from fault


def explain_unreadable(folder: Path) -> Callable[[str], PortalError]:
    """For opening and searching: the files on disk are not what was written there."""

    def explain(words: str) -> PortalError:
        remedy = "run `portico verify --repair`, then `portico build`"
        if "Permission denied" in words:
            remedy = "let the owner of the portal run `portico build`, or give you the right to read it"
        return PortalError(f"{folder}: the search index cannot be read ({words}); {remedy}")

    return explain


def explain_unwritable(folder: Path) -> Callable[[str], PortalError]:
    """For writing: the disk is full, another process is writing, or something else."""

    def explain(words: str) -> PortalError:
        return explain_writing_fault(words, folder, n_free=shutil.disk_usage(folder).free)

    return explain


def explain_writing_fault(words: str, folder: Path, *, n_free: int) -> PortalError:
    """Our error for the engine's message, with `n_free` bytes left on the disk."""
    full = "os error 28" in words or "No space left" in words
    if full or ("writer was killed" in words and n_free < SCARCE_BYTES):
        return DiskFull(f"{folder}: the disk is full; free some space and run the same command again")
    if "lock" in words.lower():
        return PortalBusy(f"{folder}: another process is writing this index; wait for it to finish")
    return PortalError(f"{folder}: the index could not be written ({words})")


# The file rewritten at every change; all others are written once and never changed.
COMMITTED = "meta.json"
_REWRITTEN = (COMMITTED, ".managed.json")
_LOCK = ".lock"
_DELETED = ".del"
# Contains the `VERSION` that wrote the index; other versions read it wrongly, or not at all.
_WRITTEN_BY = "version.txt"

Manifest = Mapping[str, tuple[int, str]]
"""Size in bytes and SHA-256 of each file, by name."""


def make_manifest(folder: Path) -> Manifest:
    """Every file of the index in its current state."""
    return {path.name: (path.stat().st_size, _digest(path)) for path in _files(folder)}


def write_manifest(written: Manifest, generation: str) -> str:
    """A manifest in the form in which it is stored."""
    return json.dumps({"generation": generation, "files": dict(written)}, sort_keys=True)


def read_manifest(kept: str | None, generation: str) -> Manifest | None:
    """The files of this generation as they were written; None if that is not known (any more)."""
    known = json.loads(kept or "{}")
    if known.get("generation") != generation:
        return None
    return {name: (size, digest) for name, (size, digest) in known["files"].items()}


def bring_files(folder: Path, written: Manifest, fetch: Callable[[str, Path], None]) -> None:
    """Make the folder hold exactly these files; `fetch` writes the content with a given digest to a file.

    Files that exist already are kept. The file that lists all others is written last, so that whoever has the
    folder open, or opens it after a kill, sees either the old or the new index.
    """
    folder.mkdir(parents=True, exist_ok=True)
    here = {path.name: path for path in _files(folder)}
    for name in sorted(written, key=lambda name: (name == COMMITTED, name)):
        size, digest = written[name]
        if name in here and _is_written(here[name], size, digest):
            continue
        with replacing(folder / name) as unfinished:
            fetch(digest, unfinished)
    for name, path in here.items():
        if name not in written:
            path.unlink(missing_ok=True)
    _share(folder)


def _is_written(path: Path, size: int, digest: str) -> bool:
    """Whether a file is immutable: segments have random names, so name and size identify them; files of
    deletions do not.
    """
    if path.stat().st_size != size:
        return False
    return (path.name not in _REWRITTEN and path.suffix != _DELETED) or _digest(path) == digest


def has_files(folder: Path, written: Manifest) -> bool:
    """Whether the files have the names and sizes they were written with: cheap, but does not detect
    changed bytes.
    """
    if not folder.is_dir():
        return False
    sizes = {path.name: path.stat().st_size for path in _files(folder)}
    return sizes == {name: size for name, (size, _) in written.items()}


def find_damaged_files(folder: Path, written: Manifest) -> tuple[str, ...]:
    """Names of files that are missing, unexpected, or not byte for byte what was written."""
    now = make_manifest(folder) if folder.is_dir() else {}
    return tuple(name for name in sorted({*now, *written}) if now.get(name) != written.get(name))


def open_index(folder: Path) -> tantivy.Index:
    """The index in this folder, ready for writing, and for reading by processes that may write there."""
    _check_version(folder)
    with translate_faults(explain_unreadable(folder)):
        return register_tokenizer(tantivy.Index.open(str(folder)))


def open_to_read(folder: Path) -> tuple[tantivy.Index, bool]:
    """The index, and whether it follows later changes of its folder.

    The engine creates a lock in the folder. If that is not permitted (a read-only disk, another user's
    portal), it is given the same files in a temporary folder, which is deleted once they are open; later
    changes are then only seen by opening the index again.
    """
    _check_version(folder)
    try:
        return open_index(folder), True
    except PortalError:
        if _may_write(folder):
            raise
    with TemporaryDirectory(prefix="portico-index-") as name, translate_faults(explain_unreadable(folder)):
        links = Path(name, "links")
        _link(folder, links)
        index = register_tokenizer(tantivy.Index.open(str(links)))
        links.rename(links.with_name("opened"))  # the engine's watcher may be about to leave a lock there
        return index, False


def finish_index(folder: Path) -> None:
    """Sign what was written, and make it readable for everyone who may enter the folder."""
    if not (folder / _WRITTEN_BY).exists():
        (folder / _WRITTEN_BY).write_text(VERSION)
    _share(folder)


def _check_version(folder: Path) -> None:
    """Check the version; if there is no index at all, opening it will give the reason."""
    with translate_faults(explain_unreadable(folder)):
        signed = folder / _WRITTEN_BY
        ours = signed.is_file() and signed.read_text() == VERSION
        if not ours and (folder / COMMITTED).is_file():
            raise PortalError(
                f"{folder}: the search index was written by another version of Portico; run `portico build`, "
                "which writes a new one"
            )


def _share(folder: Path) -> None:
    """Make the files readable for everyone who may enter the folder: the engine creates some for their
    owner only.
    """
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
