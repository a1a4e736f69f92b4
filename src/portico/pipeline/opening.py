"""Opens a portal: to look, to build, or to teach. What it holds is chosen here, once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from portico.config.portal_paths import PortalPaths, find_portal
from portico.config.reading import read_settings
from portico.config.settings import Settings
from portico.pipeline.collections.choosing import choose_collection
from portico.pipeline.portal import Portal
from portico.pipeline.portal_domain import load_domain
from portico.store.lock import build_lock
from portico.store.opening import Store, open_store


def join_portal(places: PortalPaths, settings: Settings, store: Store) -> Portal:
    """A portal over an open store; ConfigError where its domain is not declared as it should be."""
    return Portal(places, settings, store, choose_collection(load_domain(settings.portal.domain, places)))


@contextmanager
def open_portal(path: Path) -> Iterator[Portal]:
    """For looking: reads only, also while a build is under way or the sources are elsewhere."""
    places = find_portal(path)
    settings = read_settings(places.folder, for_building=False)
    store = open_store(settings.store.url, places.folder, read_only=True)
    try:
        yield join_portal(places, settings, store)
    finally:
        store.close()


@contextmanager
def open_for_changes(path: Path) -> Iterator[Portal]:
    """For writing without a crawl (teaching, importing): held like a build, its sources need not be there."""
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
            yield join_portal(places, settings, store)
        finally:
            store.close()
