"""Backup and restore: consistent copies of a whole portal, even while it is built and served.

The order of copying keeps a copy consistent. First the index is locked, so that neither a build nor a
correction changes it; then the database is copied as of one moment, then the files of the index. The bodies
named in the copied database follow, which are safe to copy last because a body is always stored before the
row that names it. What an earlier copy in the same place already has is not copied again.
"""

import os
import shutil
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from portico.config.portal_paths import PortalPaths, find_portal
from portico.errors import ConfigError, PortalError
from portico.files import find_damaged_models, write_whole
from portico.pipeline.indexing import GENERATION
from portico.pipeline.opening import open_portal
from portico.pipeline.portal import Portal
from portico.pipeline.verify import verify_portal
from portico.store.database import chunks
from portico.store.documents.blobs import Blobs
from portico.store.documents.folder_blobs import PACKED_BYTES
from portico.store.documents.pages import CATALOGUED
from portico.store.faults import disk_faults
from portico.store.opening import POSTGRESQL, build_lock, index_lock, open_store, parse_store_url
from portico.store.sqlite import copy_sqlite
from portico.types.page import BodyHash

_MARK = "backup.txt"
"""The file that marks a folder as a backup and not a portal in use: only backups are overwritten."""

_TRIES = 3  # in case models change while they are copied
_BODIES_AT_ONCE = 32
_LEFT_OUT = (_MARK, "damage.txt", "build.lock", "index.lock")


@dataclass(frozen=True, slots=True)
class CopySummary:
    """What a copy contains."""

    folder: Path
    n_bodies: int
    n_new: int  # bodies that were not there before
    n_bytes: int

    def __str__(self) -> str:
        size = f"{self.n_bytes / 1e6:,.1f} MB"
        return f"{self.folder}: {self.n_bodies} bodies, {self.n_new} of them new, {size} in all; verified."


def back_up(path: Path, folder: Path) -> CopySummary:
    """Copies a portal to a folder that is empty, new, or an earlier copy, and verifies the copy."""
    _require_copy(folder)
    with open_portal(path) as portal, disk_faults(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / _MARK, f"copy of {portal.places.folder.resolve()}, unfinished\n".encode())
        _copy_moment(portal, PortalPaths(folder))
        _copy_models(portal.places.models, folder)
        n_bodies, n_new = _copy_bodies(portal, folder)
        when = f"{datetime.now():%Y-%m-%d %H:%M}"
        write_whole(folder / _MARK, f"copy of {portal.places.folder.resolve()}, {when}\n".encode())
    _prove(folder)
    with disk_faults(folder):
        n_bytes = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
    return CopySummary(folder, n_bodies, n_new, n_bytes)


def restore(copy: Path, path: Path, *, replace: bool) -> CopySummary:
    """Makes a portal from a copy; with `replace` an existing portal is kept beside it under another name."""
    if not (copy / _MARK).is_file():
        raise ConfigError(f"{copy}: is not a copy that `portico backup` made; name the folder it wrote")
    if path.exists() and any(path.iterdir()) and not replace:
        raise ConfigError(
            f"{path}: already exists. Name an empty or new folder, or add --replace: "
            "the existing folder is then kept beside it."
        )
    _prove(copy)
    unfinished = path.with_name(f".{path.name}.restoring")
    with disk_faults(path.parent):
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(
            copy, unfinished, ignore=lambda _, names: [each for each in names if each in _LEFT_OUT]
        )
        _put_in_place(unfinished, path)
    report = verify_portal(path)
    if report.open_faults:
        raise PortalError(f"{path}: {report.open_faults} faults after restoring: the disk is not sound")
    n_bodies = _count_bodies(path)
    return CopySummary(
        path, n_bodies, n_bodies, sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
    )


def _require_copy(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file; name a folder for the copy")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise ConfigError(
            f"{folder}: holds other things; name a folder that is empty, not there yet, or an earlier copy"
        )


def _copy_moment(portal: Portal, copy: PortalPaths) -> None:
    """Copies the database at one point in time, with the index it names and the builder's files."""
    named = parse_store_url(portal.settings.store.url)
    source, folder = portal.places.folder / str(named.database), portal.places.folder.resolve()
    if named.get_backend_name() == POSTGRESQL:
        raise ConfigError(
            f"the store of {portal.places.folder} is on a server: copy it with `pg_dump`, and the folder "
            "with any other means"
        )
    if folder not in source.resolve().parents:
        raise ConfigError(
            f"{source}: the store is outside of the portal's folder; copy it with its own means "
            "(`sqlite3 FILE '.backup COPY'`) and the folder with any other"
        )
    target = copy.folder / source.resolve().relative_to(folder)
    with _held_index(portal):
        copy_sqlite(source, target)
        generation = portal.store.meta.get(GENERATION)
        shutil.rmtree(copy.index, ignore_errors=True)
        if generation is not None and (portal.places.index / generation).is_dir():
            shutil.copytree(portal.places.index / generation, copy.index / generation)
    for each in portal.places.folder.iterdir():
        if each.is_file() and each.suffix in (".toml", ".md"):
            shutil.copyfile(each, copy.folder / each.name)
    if portal.places.theme.is_dir():
        shutil.rmtree(copy.theme, ignore_errors=True)
        shutil.copytree(portal.places.theme, copy.theme)


def _held_index(portal: Portal) -> AbstractContextManager[object]:
    folder = portal.places.folder
    return index_lock(folder, wait=True) if os.access(folder, os.W_OK) else nullcontext()


def _copy_models(models: Path, folder: Path) -> None:
    if not models.is_dir():
        return
    for _ in range(_TRIES):
        shutil.copytree(models, folder / models.name, dirs_exist_ok=True)
        sums = models.with_name(f"{models.name}.sha256")
        if sums.is_file():
            shutil.copyfile(sums, folder / sums.name)
        if not find_damaged_models(folder / models.name):
            return


def _copy_bodies(portal: Portal, folder: Path) -> tuple[int, int]:
    """Copies the bodies named in the copied database; returns how many there are, and how many were new."""
    if portal.settings.blobs.url:
        return 0, 0  # shared storage is not part of the copy
    copied = open_store(portal.settings.store.url, folder, create=True)
    try:
        rows = copied.documents.pages.bodies()
        names = [row.body for row in rows if row.media_type != CATALOGUED]
        known = frozenset(copied.blobs.names())
        new = [name for name in names if name not in known]
        for some in chunks(new, _BODIES_AT_ONCE):
            _put_bodies(copied.blobs, [portal.store.blobs.get(name) for name in some])
        for stray in known.difference(names):
            copied.blobs.remove(stray)
        return len(names), len(new)
    finally:
        copied.close()


def _put_bodies(blobs: Blobs, bodies: list[bytes]) -> None:
    blobs.put_pages([body for body in bodies if len(body) <= PACKED_BYTES])
    blobs.put_documents([body for body in bodies if len(body) > PACKED_BYTES])


def _count_bodies(path: Path) -> int:
    with open_portal(path) as portal:
        names: set[BodyHash] = {row.body for row in portal.store.documents.pages.bodies()}
        return len(names)


def _prove(copy: Path) -> None:
    report = verify_portal(copy)
    if report.open_faults:
        words = "\n".join(report.lines())
        raise PortalError(f"{copy}: the copy is not whole:\n{words}")


def _put_in_place(unfinished: Path, path: Path) -> None:
    if path.exists() and any(path.iterdir()):
        with build_lock(find_portal(path).folder):  # no build may run while the folder moves
            os.replace(path, path.with_name(f"{path.name}.replaced-{datetime.now():%Y%m%d-%H%M%S}"))
    elif path.exists():
        path.rmdir()
    os.replace(unfinished, path)
