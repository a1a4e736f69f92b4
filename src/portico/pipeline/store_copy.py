"""Copies a portal's database to another, for example from SQLite to PostgreSQL."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from portico.config.portal_paths import find_portal
from portico.config.reading import read_settings
from portico.errors import ConfigError
from portico.pipeline.progress import Progress
from portico.store.copying import CopyCounts, copy_rows, count_rows
from portico.store.opening import Store, build_lock, open_store, store_lock
from portico.store.postgresql import say_url

STAGE = "copy"


def copy_portal_store(source: str, target: str, progress: Progress) -> CopyCounts:
    """Copy between two portal folders or database URLs; both are locked against builds meanwhile."""
    with ExitStack() as held:
        original = held.enter_context(_open_held(source, create=False))
        copy = held.enter_context(_open_held(target, create=True))
        if original.engine.url == copy.engine.url:
            raise ConfigError(f"{source} and {target} are one and the same database")
        meter = held.enter_context(progress.stage(STAGE, count_rows(original.engine)))

        def tell(table: str, n_rows: int) -> None:
            meter.status(table)
            meter.advance(n_rows)

        return copy_rows(original.engine, copy.engine, say_url(original.engine.url), tell)


@contextmanager
def _open_held(place: str, *, create: bool) -> Iterator[Store]:
    with ExitStack() as held:
        if "://" in place:
            store = open_store(place, Path.cwd(), create=create)
        else:
            places = find_portal(Path(place).resolve())
            held.enter_context(build_lock(places.folder))
            settings = read_settings(places.folder, for_building=False)
            store = open_store(settings.store.url, places.folder, blobs=settings.blobs.url, create=create)
        held.callback(store.close)
        held.enter_context(store_lock(store))
        yield store
