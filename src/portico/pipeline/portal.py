"""An opened portal: its folder, what its builder wants, and its store."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from portico.config.portal_paths import PortalPaths, find_portal
from portico.config.reading import read_settings
from portico.config.settings import Settings
from portico.pipeline.portal_domain import load_domain
from portico.store.documents.pages import RECORD
from portico.store.lock import build_lock
from portico.store.opening import Store, open_store
from portico.types.domain import Domain
from portico.types.page import BodyHash


@dataclass(frozen=True, slots=True)
class Portal:
    """What every command about a portal needs."""

    places: PortalPaths
    settings: Settings
    store: Store

    @property
    def domain(self) -> Domain:
        """What the portal is about: a domain that ships, or the one its builder declares."""
        return load_domain(self.settings.portal.domain, self.places)

    def sources(self, document: str) -> tuple[str, ...]:
        """Where a document was found, the first source first; files with their whole path."""
        body = BodyHash(document)
        return tuple(
            self.located(source) for source in self.store.documents.pages.sources([body]).get(body, ())
        )

    def located(self, source: str) -> str:
        """A URL or a record's name as it is; a file, kept relative to the portal, as a whole path."""
        if is_web(source) or source.startswith(("ftp://", f"{RECORD}:")):
            return source
        # Not resolved: a link in the builder's folder is known to them by its own name.
        return os.path.abspath(self.places.folder / source)


def is_web(source: str) -> bool:
    """Sources of the web are URLs, sources of folders are paths."""
    return source.startswith(("http://", "https://"))


@contextmanager
def open_portal(path: Path) -> Iterator[Portal]:
    """For looking: reads only, also while a build is under way or the sources are elsewhere."""
    places = find_portal(path)
    settings = read_settings(places.folder, for_building=False)
    store = open_store(settings.store.url, places.folder, read_only=True)
    try:
        yield Portal(places, settings, store)
    finally:
        store.close()


@contextmanager
def open_for_teaching(path: Path) -> Iterator[Portal]:
    """For writing what the builder shows: held like a build, but its sources need not be there yet."""
    with _open_for_writing(path, for_building=False) as portal:
        yield portal


@contextmanager
def open_for_building(path: Path) -> Iterator[Portal]:
    """For writing: makes the store where there is none, and holds the portal against a second build."""
    with _open_for_writing(path, for_building=True) as portal:
        yield portal


@contextmanager
def _open_for_writing(path: Path, *, for_building: bool) -> Iterator[Portal]:
    places = find_portal(path)
    settings = read_settings(places.folder, for_building=for_building)
    with build_lock(places.folder):
        store = open_store(settings.store.url, places.folder, create=True)
        try:
            yield Portal(places, settings, store)
        finally:
            store.close()
