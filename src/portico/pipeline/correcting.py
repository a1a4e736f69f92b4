"""Accepted corrections become searchable at once, without a build."""

from collections.abc import Collection

from portico.errors import PortalError
from portico.index.writer import update_index
from portico.pipeline.indexing import FILES, GENERATION, note_files
from portico.pipeline.portal import Portal
from portico.store.lock import index_lock
from portico.types.record import EntityId


def reindex(portal: Portal, names: Collection[EntityId]) -> bool:
    """Bring the entries of these papers up to date, and drop those of papers that are no more.

    False where that cannot be now: a build is writing the index, or there is none that could be written. The
    next build then makes it right, since what was accepted is part of what it compares.
    """
    done = _reindex(portal, names)
    if names and not done:
        portal.store.catalog.staleness.note_change()
    return done


def _reindex(portal: Portal, names: Collection[EntityId]) -> bool:
    store, folder = portal.store, portal.places.index
    with index_lock(portal.places.folder, wait=False) as held:
        generation = store.meta.get(GENERATION)
        if not held or not names or generation is None:
            return False
        source = portal.collection.make_entries(store, names)
        digests = source.digests()
        gone = [name for name in names if name not in digests]
        store.meta.delete(FILES)  # true again when all is written: a kill in between means a new index
        try:
            update_index(folder / generation, source.entries(digests), gone)
        except PortalError:
            return False
        store.catalog.indexed.update(
            generation, {str(name): digest for name, digest in digests.items()}, gone
        )
        note_files(store, folder, generation)
    return True
