"""Folders as a source: which files are new, changed or gone, and their bodies into the store."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from portico.config.settings import FolderSource
from portico.convert.sniff import PEEK_BYTES, sniff
from portico.errors import InputError
from portico.pipeline.portal import Portal
from portico.pipeline.progress import Meter, StageReport
from portico.pipeline.run import Run
from portico.store.failures import NewFailure
from portico.store.opening import Store
from portico.store.pages import FILE, FileState, PageRow

STAGE = "read"


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder source: `origin` as the builder wrote it, `root` where that is now."""

    origin: str
    root: Path
    patterns: tuple[str, ...]
    portal: Path  # sources are named relative to it, so that a copied portal still finds them
    max_bytes: int


@dataclass(frozen=True, slots=True)
class _Seen:
    source: str
    path: Path
    state: FileState


def read_stage(portal: Portal, run: Run) -> StageReport:
    """Reads the folder sources of the portal."""
    folders = [
        Folder(
            origin=source.folder,
            root=source.path(portal.places.folder),
            patterns=source.patterns,
            portal=portal.places.folder,
            max_bytes=portal.settings.convert.max_bytes,
        )
        for source in portal.settings.sources
        if isinstance(source, FolderSource)
    ]
    return read_folders(folders, portal.store, run)


def read_folders(folders: Iterable[Folder], store: Store, run: Run) -> StageReport:
    """Notices added, changed and removed files; an unchanged file (size and time) is not opened."""
    started = run.clock()
    known_origins = set(store.pages.origins())
    done = failed = fresh = 0
    gone: list[str] = []
    for folder in folders:
        known_origins.discard(folder.origin)
        known = store.pages.files(folder.origin)
        seen = {file.source: file for file in _files(folder)}
        due = [file for file in seen.values() if known.get(file.source) != file.state]
        gone += [source for source in known if source not in seen]
        fresh += len(seen) - len(due)
        if due:
            with run.watcher.stage(STAGE, len(due)) as meter:
                n_failed = _read_all(due, folder, store, run, meter)
            done, failed = done + len(due) - n_failed, failed + n_failed
    for origin in known_origins:  # a folder that left portal.toml
        gone += store.pages.files(origin)
    _forget(gone, store)
    return StageReport(STAGE, done, failed, fresh, len(gone), run.clock() - started)


def _files(folder: Folder) -> Iterator[_Seen]:
    """Every file that fits the patterns, in a fixed order, but for hidden folders and the portal itself."""
    own = folder.portal.resolve()
    for where, names, files in os.walk(folder.root):
        here = Path(where)
        names[:] = sorted(
            name for name in names if not name.startswith(".") and (here / name).resolve() != own
        )
        for name in sorted(files):
            if any(fnmatch(name.lower(), pattern.lower()) for pattern in folder.patterns):
                path = here / name
                yield _Seen(_source(path, folder.portal), path, _state(path))


def _source(path: Path, portal: Path) -> str:
    """The path from the portal; a name that is not UTF-8 is shown with escapes, so it can be stored."""
    return os.fsencode(os.path.relpath(path, portal)).decode("utf-8", "backslashreplace")


def _state(path: Path) -> FileState:
    try:
        status = path.stat()
    except OSError:
        return FileState(-1, 0)  # reading it will say what is wrong
    return FileState(status.st_size, status.st_mtime_ns)


def _read_all(due: list[_Seen], folder: Folder, store: Store, run: Run, meter: Meter) -> int:
    n_failed = 0
    for file in due:
        try:
            row = _read(file, folder, store, run.clock())
            store.failures.clear(STAGE, [file.source])
        except InputError as error:
            row = _row(file, folder, run.clock())
            store.failures.put(
                NewFailure(STAGE, file.source, file.source, type(error).__name__, str(error), run.clock())
            )
            n_failed += 1
        store.pages.put([row])
        meter.advance(int(row.body is not None), n_failed=int(row.body is None))
    return n_failed


def _read(file: _Seen, folder: Folder, store: Store, now: float) -> PageRow:
    """Copies the file into the blob store; InputError where it cannot be read or is too large."""
    if file.state.n_bytes > folder.max_bytes:
        raise InputError(
            f"{file.path}: is larger than the limit ({file.state.n_bytes:,} of {folder.max_bytes:,} bytes);"
            " raise max_bytes under [convert] in portal.toml to read it"
        )
    body = store.blobs.put_file(file.path, max_bytes=folder.max_bytes)
    with file.path.open("rb") as stream:
        media_type = sniff(stream.read(PEEK_BYTES), name=file.path.name)
    return replace(_row(file, folder, now), body=body, media_type=media_type)


def _row(file: _Seen, folder: Folder, now: float) -> PageRow:
    """The file as it was found, without a body."""
    state = file.state
    return PageRow(file.source, FILE, now, folder.origin, n_bytes=state.n_bytes, mtime_ns=state.mtime_ns)


def _forget(sources: list[str], store: Store) -> None:
    """Removed files leave; their bodies too, unless another source has the same."""
    if not sources:
        return
    rows = [store.pages.get(source) for source in sources]
    bodies = {row.body for row in rows if row and row.body}
    store.pages.remove(sources)
    store.failures.clear(STAGE, sources)
    still_used = store.pages.sources(bodies)
    for body in sorted(bodies - set(still_used)):
        store.blobs.remove(body)
