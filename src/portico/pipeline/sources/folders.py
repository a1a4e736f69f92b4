"""Folders as a source: detects new, changed and deleted files, and stores their bodies."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from portico.config.settings import FolderSource
from portico.convert.sniffing import HTML_ENDINGS, PEEK_BYTES, sniff_media_type
from portico.errors import InputError
from portico.pipeline.catalogs.formats import CATALOG_ENDINGS
from portico.pipeline.losses import LEAST_LOST
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import BuildRun
from portico.store.documents.failures import NewFailure
from portico.store.documents.pages import FILE, FileState, PageRow
from portico.store.meta import keep_unread_kinds, read_unread_kinds
from portico.store.opening import Store
from portico.types.stages import StageName

STAGE = StageName.READ
CLOSED = "ClosedFolder"

MOST_ABSENT = 0.5
"""Share of the files of a folder that may be gone at once without confirmation; people do tidy up."""

# The state of a file that cannot be opened; once it can be, it looks changed.
_UNREADABLE = FileState(-1, 0)


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """One folder source: `origin` as the builder wrote it, `root` as an absolute path."""

    origin: str
    root: Path
    patterns: tuple[str, ...]
    portal: Path  # sources are named relative to it, so that a copied portal still finds them
    max_bytes: int

    @property
    def shown(self) -> str:
        """The path as people write it: `..` in portal.toml is the folder around the portal."""
        return os.path.normpath(self.root)


@dataclass(frozen=True, slots=True)
class _Seen:
    source: str
    path: Path
    state: FileState


@dataclass(frozen=True, slots=True)
class _Found:
    """The contents of a folder; files below an unreadable folder count as neither present nor deleted."""

    files: tuple[_Seen, ...]
    closed: tuple[tuple[str, str], ...]  # what cannot or must not be opened, and why
    unread: Counter[str]  # the endings of files whose kind is not read, with how many there are

    def gone(self, known: Iterable[str]) -> list[str]:
        here = {file.source for file in self.files}
        below = tuple(f"{source}{os.sep}" for source, _why in self.closed)
        return [source for source in known if source not in here and not source.startswith(below)]


def run_read(portal: Portal, run: BuildRun) -> StageReport:
    """Read the folder sources of the portal, and what the builder has uploaded."""
    uploads = [FolderSource("uploads")] if portal.places.uploads.is_dir() else []
    folders = [
        SourceFolder(
            origin=source.folder,
            root=source.path(portal.places.folder),
            patterns=source.patterns,
            portal=portal.places.folder,
            max_bytes=portal.settings.convert.max_bytes,
        )
        for source in (*portal.settings.sources, *uploads)
        if isinstance(source, FolderSource)
    ]
    return read_folders(folders, portal.store, run)


def read_folders(folders: Iterable[SourceFolder], store: Store, run: BuildRun) -> StageReport:
    """Process added, changed and removed files; an unchanged file (by size and time) is not opened."""
    started = run.clock()
    known_origins = set(store.documents.pages.origins())
    done = failed = fresh = 0
    gone: list[str] = []
    closed: list[tuple[str, str]] = []
    notes: list[str] = []
    unread: Counter[str] = Counter()
    for folder in folders:
        known_origins.discard(folder.origin)
        known = store.documents.pages.files(folder.origin)
        found = _list_files(folder)
        due = [file for file in found.files if known.get(file.source) != file.state]
        closed += found.closed
        unread += found.unread
        absent = found.gone(known)
        if _is_doubtful(len(absent), len(known)) and not run.forget and not _may_remove(folder, absent, run):
            notes.append(
                f"{len(absent)} of the {len(known)} documents of {folder.shown} are no longer there; they are"
                " kept, in case it is not mounted or the portal was copied to another place. To remove them,"
                " build with --forget"
            )
        else:
            gone += absent
        fresh += len(found.files) - len(due)
        if due:
            with run.progress.stage(STAGE, len(due)) as meter:
                n_failed = _read_all(due, folder, store, run, meter)
            done, failed = done + len(due) - n_failed, failed + n_failed
    for origin in known_origins:  # a folder removed from portal.toml
        gone += store.documents.pages.files(origin)
    failed += _note_closed(closed, store, run)
    _forget(gone, store)
    if unread != read_unread_kinds(store.meta):  # said again only when it changes; `portico status` tells it
        keep_unread_kinds(store.meta, unread)
        notes += [describe_unread(unread)] if unread else []
    return StageReport(
        STAGE,
        n_done=done,
        n_failed=failed,
        n_fresh=fresh,
        n_dropped=len(gone),
        seconds=run.clock() - started,
        note="; ".join(notes),
    )


def _is_doubtful(n_absent: int, n_known: int) -> bool:
    """Whether so many files are gone at once that the folder may be another one than before."""
    return n_absent >= LEAST_LOST and n_absent > MOST_ABSENT * n_known


def _may_remove(folder: SourceFolder, absent: Sequence[str], run: BuildRun) -> bool:
    return run.confirm(
        f"{len(absent)} documents read from {folder.shown} are no longer there; their papers would go."
    )


def _list_files(folder: SourceFolder) -> _Found:
    """List the files that match the patterns, in a fixed order, without hidden folders and the portal."""
    own, root = folder.portal.resolve(), folder.root.resolve()
    files: list[_Seen] = []
    closed: list[tuple[str, str]] = []
    unread: Counter[str] = Counter()

    def note(error: OSError) -> None:
        why = f"this folder cannot be opened: {error.strerror or error}"
        closed.append((_name_source(Path(error.filename), folder.portal), why))

    for where, names, here in os.walk(folder.root, onerror=note):
        others: list[str] = []
        names[:] = sorted(
            name
            for name in names
            if name[0] != "." and not _is_part_of_page(name, here) and Path(where, name).resolve() != own
        )
        for name in sorted(here):
            if any(fnmatch(name.lower(), pattern.lower()) for pattern in folder.patterns):
                path = Path(where, name)
                why = _refuse_link(path, root) if path.is_symlink() else ""
                if why:
                    closed.append((_name_source(path, folder.portal), why))
                    continue
                files.append(_Seen(_name_source(path, folder.portal), path, _read_state(path)))
            else:
                others.append(name)
        if not Path(where).resolve().is_relative_to(own):
            unread += _count_unread(others, folder.patterns)
    return _Found(tuple(files), tuple(closed), unread)


def _is_part_of_page(folder: str, files: Iterable[str]) -> bool:
    """Whether a browser made the folder for a saved page, so that its files are not documents."""
    stem = folder.removesuffix("_files")
    return stem != folder and any(
        name.startswith(stem) and name.lower().endswith(HTML_ENDINGS) for name in files
    )


# Endings of what lies beside documents and holds none: parts of web pages and of TeX, pictures, programs.
_BY_PRODUCTS = {
    ".css", ".js", ".mjs", ".map", ".woff", ".woff2", ".ttf", ".otf", ".png", ".jpg", ".jpeg", ".gif",
    ".svg", ".webp", ".ico", ".bmp", ".eps", ".aux", ".log", ".out", ".toc", ".bbl", ".blg", ".sty",
    ".cls", ".bst", ".fls", ".synctex", ".db", ".ini", ".lnk", ".tmp", ".bak", ".part", ".crdownload",
    ".py", ".pyc", ".sh", ".c", ".h", ".o", ".toml", ".lock",
}  # fmt: skip
_MOST_KINDS = 6  # that the line about files of other kinds names


def _count_unread(names: Iterable[str], patterns: tuple[str, ...]) -> Counter[str]:
    """Count files by their endings that are of kinds which no folder source reads.

    Hidden files and by-products are left out, and everything where the builder chose the patterns.
    """
    if patterns != FolderSource("").patterns:
        return Counter()
    endings = (Path(name).suffix.lower() for name in names if name[0] != "." and name[-1] != "~")
    return Counter(
        os.fsencode(ending).decode("utf-8", "replace") for ending in endings if ending not in _BY_PRODUCTS
    )


def describe_unread(unread: Counter[str]) -> str:
    """Say in one line how many files are of kinds that are not read, and which of them can be imported."""
    counted = sorted(unread.items(), key=lambda each: (-each[1], each[0]))
    named = [f"{count} {ending or 'without an ending'}" for ending, count in counted]
    more = ["…"] if len(named) > _MOST_KINDS else []
    total = unread.total()
    said = "1 file is of a kind that is" if total == 1 else f"{total} files are of kinds that are"
    importable = [ending for ending, _count in counted if ending in CATALOG_ENDINGS]
    advice = f"; portico import reads {', '.join(importable)}" if importable else ""
    return f"{said} not read ({', '.join([*named[:_MOST_KINDS], *more])}){advice}"


def _note_closed(closed: list[tuple[str, str]], store: Store, run: BuildRun) -> int:
    """Record a failure for each unreadable folder as long as it is unreadable; return how many are new."""
    known = {row.subject: row.reason for row in store.documents.failures.all() if row.kind == CLOSED}
    now = dict(closed)
    store.documents.failures.clear(STAGE, known.keys() - now.keys())
    new = [source for source, why in now.items() if known.get(source) != why]
    store.documents.failures.put(
        *(NewFailure(STAGE, source, source, CLOSED, now[source], run.clock()) for source in new)
    )
    return len(new)


_NOWHERE = "this is a link to a file that does not exist"
_OUTSIDE = "this is a link out of the folder, which is not followed: name the other folder as a source, too"


def _refuse_link(path: Path, root: Path) -> str:
    """Say why a link is not followed; one out of the folder could be used to publish any file."""
    # Not `resolve`, which fails for a link to itself; that is reported when the file is read.
    target = Path(os.path.realpath(path))
    if not os.path.lexists(target):
        return _NOWHERE
    return "" if target.is_relative_to(root) else _OUTSIDE


def _name_source(path: Path, portal: Path) -> str:
    """The path relative to the portal; bytes that are not UTF-8 are escaped, so that it can be stored."""
    return os.fsencode(os.path.relpath(path, portal)).decode("utf-8", "backslashreplace")


def _read_state(path: Path) -> FileState:
    try:
        status = path.stat()
    except OSError:
        return _UNREADABLE  # reading it will report what is wrong
    return FileState(status.st_size, status.st_mtime_ns) if os.access(path, os.R_OK) else _UNREADABLE


def _read_all(
    due: list[_Seen], folder: SourceFolder, store: Store, run: BuildRun, meter: StageProgress
) -> int:
    n_failed = 0
    for file in due:
        try:
            row = _read(file, folder, store, run.clock())
            store.documents.failures.clear(STAGE, [file.source])
        except InputError as error:
            row = _make_row(file, folder, run.clock())
            reason = str(error).removeprefix(f"{file.path}: ")
            store.documents.failures.put(
                NewFailure(STAGE, file.source, file.source, type(error).__name__, reason, run.clock())
            )
            n_failed += 1
        store.documents.pages.put([row])
        run.keep_seals()
        meter.advance(int(row.body is not None), n_failed=int(row.body is None))
    return n_failed


def _read(file: _Seen, folder: SourceFolder, store: Store, now: float) -> PageRow:
    """Copy the file into the blob store; InputError if it cannot be read or is too large."""
    if file.state.n_bytes > folder.max_bytes:
        raise InputError(
            f"{file.path}: is larger than the limit ({file.state.n_bytes:,} of {folder.max_bytes:,} bytes);"
            " raise max_bytes under [convert] in portal.toml to read it"
        )
    if file.state.n_bytes == 0 and file.path.is_file():  # else all empty files would count as one document
        raise InputError(f"{file.path}: is empty (0 bytes)")
    body = store.blobs.put_file(file.path, max_bytes=folder.max_bytes, within=(folder.root,))
    # The stored copy is examined, because the file may have changed, or be an endless pipe.
    media_type = sniff_media_type(store.blobs.peek(body, PEEK_BYTES), name=file.path.name)
    return replace(_make_row(file, folder, now), body=body, media_type=media_type)


def _make_row(file: _Seen, folder: SourceFolder, now: float) -> PageRow:
    """Make the row of a file as it was found, without a body."""
    state = file.state
    return PageRow(file.source, FILE, now, folder.origin, n_bytes=state.n_bytes, mtime_ns=state.mtime_ns)


def _forget(sources: list[str], store: Store) -> None:
    """Remove files from the store; their bodies too, unless another source has the same."""
    if not sources:
        return
    rows = [store.documents.pages.get(source) for source in sources]
    bodies = {row.body for row in rows if row and row.body}
    store.documents.pages.remove(sources)
    store.documents.failures.clear(STAGE, sources)
    still_used = store.documents.pages.sources(bodies)
    for body in sorted(bodies - set(still_used)):
        store.blobs.remove(body)
