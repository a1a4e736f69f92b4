"""Publishes the index of a portal for several machines, and fetches it where it is needed.

If `[blobs] url` names a place that all machines can reach, every file of the index is stored there under its
digest, and the store records which files form the current index. A machine fetches only those it lacks:
segments of an index are never changed, so after a correction only new ones are transferred.
"""

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from portico.errors import PortalError
from portico.index.files import Manifest, bring_files, has_files, read_manifest
from portico.pipeline.portal import Portal
from portico.store.documents.blobs import Blobs, open_blobs
from portico.store.opening import index_lock
from portico.store.portal_view import GENERATION_KEY
from portico.types.page import BodyHash

FILES = "index_files"
"""The key in `meta` of the manifest of the index files, because a damaged index returns wrong results without
an error."""

_log = logging.getLogger(__name__)


def is_published(portal: Portal) -> bool:
    """Whether other machines may serve this portal too."""
    return bool(portal.settings.blobs.url)


@contextmanager
def _open_shelf(portal: Portal) -> Iterator[Blobs]:
    shelf = open_blobs(f"{portal.store.blobs.location}/index")
    try:
        yield shelf
    finally:
        shelf.close()


def publish_files(portal: Portal, folder: Path, written: Manifest) -> None:
    """Publish the files of an index for other machines; files published before are left as they are."""
    with _open_shelf(portal) as shelf:
        for name, (_, digest) in written.items():
            if not shelf.has(BodyHash(digest)):
                shelf.put_file(folder / name, max_bytes=sys.maxsize)


def forget_files(portal: Portal, written: Manifest) -> None:
    """Remove published files of earlier indexes; a reader fetching one of them has to start again."""
    current = {digest for _, digest in written.values()}
    with _open_shelf(portal) as shelf:
        for name in [name for name in shelf.names() if name not in current]:
            shelf.remove(name)


def bring_index(portal: Portal) -> str | None:
    """Fetch the index that the store names, if it is not in this folder; return its name.

    Returns None if there is no such index, or it is being written. The caller must hold the lock of the
    folder's index.
    """
    generation = portal.store.meta.get(GENERATION_KEY)
    if generation is None or not is_published(portal):
        return generation
    written = read_manifest(portal.store.meta.get(FILES), generation)
    if written is None:
        return None
    folder = portal.places.index / generation
    if not has_files(folder, written):
        with _open_shelf(portal) as shelf:
            bring_files(folder, written, lambda digest, path: _fetch(shelf, digest, path))
    return generation


def _fetch(shelf: Blobs, digest: str, path: Path) -> None:
    _, pieces = shelf.stream(BodyHash(digest))
    with path.open("wb") as file:
        file.writelines(pieces)


class IndexFollower:
    """Tells which index to serve, and fetches new ones in the background; only the first is waited for."""

    def __init__(self, portal: Portal) -> None:
        self._portal = portal
        self._served: str | None = None
        self._files: str | None = None  # the store's list of files when they were last fetched
        self._fault = ""
        self._thread: threading.Thread | None = None

    def __call__(self) -> str | None:
        meta = self._portal.store.meta
        if not is_published(self._portal):
            return meta.get(GENERATION_KEY)
        if self._served is None:
            self._bring()
        elif meta.get(FILES) != self._files and not (self._thread and self._thread.is_alive()):
            self._thread = threading.Thread(target=self._bring, daemon=True)
            self._thread.start()
        return self._served

    def _bring(self) -> None:
        folder, meta = self._portal.places.folder, self._portal.store.meta
        try:
            files = meta.get(FILES)
            with index_lock(folder, wait=False) as held:
                # If another process is writing the index in this folder, it is here.
                name = bring_index(self._portal) if held else self._find_here()
            if name is not None:
                self._served, self._files, self._fault = name, files, ""
                self._forget_others(name)
        except PortalError as error:
            if str(error) != self._fault:
                _log.error(
                    "The published index cannot be fetched; trying again: %s "
                    "If this continues, run `portico build` where the portal is built.",
                    error,
                )
            self._fault = str(error)

    def _find_here(self) -> str | None:
        name = self._portal.store.meta.get(GENERATION_KEY)
        return name if name is not None and (self._portal.places.index / name).is_dir() else None

    def _forget_others(self, name: str) -> None:
        """Remove earlier copies on a machine that only serves; builds remove theirs themselves."""
        if not self._portal.places.is_built_here:
            self._portal.places.forget_indexes(keep=name)
