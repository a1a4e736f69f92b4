"""Creates and opens portals: for reading, building, or teaching. Chooses the kind of collection."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from portico.config.portal_paths import PortalPaths, find_hidden_portal, find_portal
from portico.config.reading import read_settings
from portico.config.settings import CUSTOM, DOMAINS, FolderSource, Settings
from portico.config.template import (
    InitAnswers,
    check_answers,
    format_folder_toml,
    format_portal_toml,
    format_recipe,
)
from portico.errors import ConfigError, PortalBusy, PortalError, StoreMissing
from portico.files import write_whole
from portico.pipeline.collections.declared.collection import DeclaredCollection
from portico.pipeline.collections.papers.collection import PapersCollection
from portico.pipeline.portal import Collection, Portal
from portico.pipeline.portal_domain import load_domain
from portico.pipeline.up_to_date import name_building
from portico.store.build_note import NOTE
from portico.store.opening import Store, build_lock, is_on_server, open_store, store_lock
from portico.store.seals import seal
from portico.types.declared_display import shown_kinds
from portico.types.domain import CollectionName, Domain


def join_portal(places: PortalPaths, settings: Settings, store: Store) -> Portal:
    """Make a portal from an open store; ConfigError if its domain is declared incorrectly."""
    return Portal(places, settings, store, choose_collection(load_domain(settings.portal.domain, places)))


@contextmanager
def open_portal(path: Path) -> Iterator[Portal]:
    """Opens a portal read-only, even during a build or without its sources."""
    places = find_portal(path)
    settings = read_settings(places.folder, for_building=False)
    try:
        store = open_store(settings.store.url, places.folder, blobs=settings.blobs.url, read_only=True)
    except StoreMissing:
        read_settings(places.folder)  # what would stop a build is said first
        raise
    try:
        yield join_portal(places, settings, store)
    finally:
        store.close()


@contextmanager
def open_for_changes(path: Path) -> Iterator[Portal]:
    """Opens for writing without a crawl, as for imports: locked like a build, but sources need not exist."""
    with _open_for_writing(path, for_building=False) as portal:
        yield portal


@contextmanager
def open_for_teaching(path: Path) -> Iterator[Portal]:
    """Opens without a lock for teaching, because marks may be written during a build.

    Fetches and new models, which a build must not run into, are protected by `hold_portal`.
    """
    with suppress(PortalBusy), open_for_changes(path):
        pass  # creates or upgrades the store if nobody else uses it; a running build has done so already
    places = find_portal(path)
    settings = read_settings(places.folder, for_building=False)
    store = open_store(settings.store.url, places.folder, blobs=settings.blobs.url)
    try:
        yield join_portal(places, settings, store)
    finally:
        store.close()


@contextmanager
def hold_portal(portal: Portal) -> Iterator[None]:
    """Locks an open portal against builds for a moment; PortalBusy if one is running."""
    with build_lock(portal.places.folder), store_lock(portal.store):
        portal.store.meta.delete(NOTE)
        yield


@contextmanager
def open_for_building(path: Path) -> Iterator[Portal]:
    """Opens for writing: creates the store if needed, and locks the portal against a second build."""
    with _open_for_writing(path, for_building=True) as portal:
        yield portal


@contextmanager
def open_for_crawling(path: Path) -> Iterator[Portal]:
    """Opens for crawling only: like a build, but a store on a server is shared with other crawlers."""
    places = find_portal(path)
    settings = read_settings(places.folder, for_building=True)
    if not is_on_server(settings.store.url):
        with open_for_building(path) as portal:
            yield portal
        return
    store = open_store(settings.store.url, places.folder, blobs=settings.blobs.url, create=True)
    try:
        with store_lock(store, shared=True):
            yield join_portal(places, settings, store)
    finally:
        store.close()


@contextmanager
def _open_for_writing(path: Path, *, for_building: bool) -> Iterator[Portal]:
    places = find_portal(path)
    building = name_building(places)
    settings = read_settings(places.folder, for_building=for_building)
    with build_lock(places.folder):
        store = open_store(settings.store.url, places.folder, blobs=settings.blobs.url, create=True)
        try:
            with store_lock(store):
                store.meta.set(NOTE, building)
                yield join_portal(places, settings, store)
                seal(store.engine)
        finally:
            store.close()


_COLLECTIONS: Mapping[CollectionName, Callable[[Domain], Collection]] = MappingProxyType(
    {
        CollectionName.PAPERS: lambda domain: PapersCollection(),
        CollectionName.DECLARED: lambda domain: DeclaredCollection(shown_kinds(domain)),
    }
)


def choose_collection(domain: Domain) -> Collection:
    return _COLLECTIONS[domain.collection](domain)


def make_portal(folder: Path, answers: InitAnswers) -> Path:
    """Write a commented portal.toml into a folder that has none; return its path."""
    path = PortalPaths(folder).settings
    if path.exists():
        raise ConfigError(f"{path} already exists: edit it, or name another folder")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file; name a folder for the portal")
    if answers.domain not in DOMAINS:
        raise ConfigError(f'there is no domain "{answers.domain}"; there are: {", ".join(DOMAINS)}')
    check_answers(answers)
    declared = PortalPaths(folder).domain
    if answers.domain == CUSTOM and not declared.exists():
        write_settings(declared, format_recipe(answers.recipe))
    write_settings(path, format_portal_toml(answers))
    return path


def ensure_folder_portal(path: Path) -> None:
    """Creates a portal in `.portico` for a folder of papers without one; leaves other folders alone."""
    if PortalPaths(path).settings.exists() or find_hidden_portal(path).settings.exists():
        return
    if not path.exists():
        raise ConfigError(f"{path}: there is no such folder. For a new portal: portico init {path}")
    if not path.is_dir():
        raise ConfigError(f"{path} is a file; name the folder it is in: portico build {path.parent}")
    if next(_find_papers(path), None) is None:
        kinds = ", ".join(FolderSource("").patterns)
        raise ConfigError(
            f"{path}: no documents ({kinds}) in this folder or below it, and no portal.toml. "
            f"Put papers there, or make a portal with `portico init {path}`."
        )
    title = path.resolve().name or "Papers"
    write_settings(find_hidden_portal(path).settings, format_folder_toml(title))


def _find_papers(folder: Path) -> Iterator[str]:
    endings = tuple(pattern.lstrip("*").lower() for pattern in FolderSource("").patterns)
    for _where, _names, files in os.walk(folder):
        yield from (name for name in files if name.lower().endswith(endings))


def write_settings(path: Path, text: str) -> None:
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise PortalError(
            f"{path}: cannot be written ({error.strerror}). Choose a folder you may write to."
        ) from error
