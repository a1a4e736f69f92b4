"""Stage 6: what is known becomes searchable; an accepted correction at once, without a build."""

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from portico.errors import PortalError
from portico.index.files import Manifest, has_files, make_manifest, read_manifest, write_manifest
from portico.index.writer import VERSION, update_index, write_index
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.published_index import FILES, bring_index, forget_files, is_published, publish_files
from portico.pipeline.runners import (
    PLACED_GRAPH,
    BuildRun,
    CollectionStage,
    StageWork,
    fingerprint,
    run_collection_stage,
)
from portico.store.opening import Store, index_lock
from portico.store.portal_view import GENERATION_KEY
from portico.types.record import EntityId
from portico.types.search import Entry, SearchedField
from portico.types.stages import StageName

GENERATION = GENERATION_KEY  # the folder that is being served

# Above this share of changed entries a fresh index is written: it is as fast, and carries no
# deleted entries, which would still weigh in the ranking until they are merged away.
REBUILD_SHARE = 0.2


def run_index(portal: Portal, run: BuildRun) -> StageReport:
    """Brings the index up to date: a few changes in place, many as a new generation beside the old."""
    with index_lock(portal.places.folder, wait=True, store=portal.store):
        with suppress(PortalError):  # what cannot be brought here is written anew
            bring_index(portal)
        return _index(portal, run)


def _index(portal: Portal, run: BuildRun) -> StageReport:
    store = portal.store
    generation = store.meta.get(GENERATION) or ""
    files = written_files(store, generation)
    sound = files is not None and has_files(portal.places.index / generation, files)
    if files is not None and sound and is_published(portal):
        publish_files(portal, portal.places.index / generation, files)  # as after a new [blobs] url

    def count_fresh() -> int:
        if not store.catalog.staleness.n_changes():
            store.catalog.staleness.mark_seen(0)  # a portal from before changes were noted
        return len(store.catalog.indexed.digests(generation))

    found = fingerprint(
        *(f"{row.body} {row.source} {row.media_type}" for row in store.documents.pages.bodies())
    )
    stage = CollectionStage(
        StageName.INDEX,
        (VERSION, found),
        (*PLACED_GRAPH, StageName.AUTHORS),
        lambda meter: _write(portal, stage.key(store), generation if sound else "", meter),
        count_fresh=count_fresh,
        is_sound=sound and _has_dates(store),
    )
    return run_collection_stage(stage, store, run)


def _has_dates(store: Store) -> bool:
    """Not so in a portal from before changes were dated."""
    return bool(store.catalog.changes.earliest()) or not store.catalog.counts().n_held


def _write(portal: Portal, key: str, generation: str, meter: StageProgress) -> StageWork:
    """Write what differs from the last generation, or all as a new one, and name that in the store."""
    store, folder = portal.store, portal.places.index
    n_changes = store.catalog.staleness.n_changes()
    content = portal.collection.make_entries(store)
    known = store.catalog.indexed.digests(generation) if generation else {}
    wanted = content.digests() if known else {}
    changed = {entity: digest for entity, digest in wanted.items() if known.get(entity) != digest}
    removed = [EntityId(entity) for entity in known if entity not in wanted]
    if known and len(changed) + len(removed) <= REBUILD_SHARE * len(wanted):
        meter.expect(len(changed))
        _expect_changes(portal)
        update_index(folder / generation, content.entries(changed), removed)
    else:
        wanted = changed = {}
        entries = _note_digests(content.all(), wanted)
        generation = _new_generation(folder, key, entries, content.declared)
    meter.advance(len(changed))
    store.catalog.indexed.update(generation, changed, removed)
    note_files(portal, generation)
    store.meta.set(GENERATION, generation)
    store.catalog.staleness.mark_seen(n_changes)
    _note_visible(store, wanted, changed)
    store.catalog.indexed.keep_only(generation)
    portal.places.forget_indexes(keep=generation)
    return StageWork(len(changed), n_dropped=len(removed))


def _note_visible(store: Store, wanted: Mapping[EntityId, str], changed: Iterable[EntityId]) -> None:
    """Date what visitors see differently from now on; all of it where nothing was ever dated."""
    listed = store.catalog.changes.listed_ids()
    shown = {name: wanted[name] for name in changed} if listed else wanted
    store.catalog.changes.note(shown, [name for name in listed if name not in wanted], time.time)


def _note_digests(found: Iterable[tuple[Entry, str]], digests: dict[EntityId, str]) -> Iterator[Entry]:
    """The entries; what each is known by is noted as it is taken."""
    for entry, digest in found:
        digests[entry.entity] = digest
        yield entry


def written_files(store: Store, generation: str) -> Manifest | None:
    """The files of this generation as they were written; None where that is not known (any more)."""
    return read_manifest(store.meta.get(FILES), generation)


def note_files(portal: Portal, generation: str) -> None:
    """Write down how the files of this generation are now; what other machines serve is published first."""
    folder = portal.places.index / generation
    written = make_manifest(folder)
    if is_published(portal):
        publish_files(portal, folder, written)
    portal.store.meta.set(FILES, write_manifest(written, generation))
    if is_published(portal):
        forget_files(portal, written)


def _expect_changes(portal: Portal) -> None:
    """The files are about to change: until they are noted again, a kill means a new index.

    Where they are published it does not: then what is published stays the index until it is replaced.
    """
    if not is_published(portal):
        portal.store.meta.delete(FILES)


def _new_generation(
    folder: Path, key: str, entries: Iterable[Entry], declared: Sequence[SearchedField]
) -> str:
    """Writes beside the old index under another name, so that a kill or a reader never sees half of it.

    The name is new even where a damaged index had the same key: a running portal follows names.
    """
    unfinished = folder / f"unfinished-{key}"
    write_index(entries, unfinished, declared=declared)
    names = (key if number == 1 else f"{key}-{number}" for number in count(1))
    generation = next(name for name in names if not (folder / name).exists())
    os.replace(unfinished, folder / generation)
    return generation


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
    with index_lock(portal.places.folder, wait=False, store=store) as held:
        generation = bring_index(portal) if held else None
        if not names or generation is None:
            return False
        source = portal.collection.make_entries(store, names)
        digests = source.digests()
        gone = [name for name in names if name not in digests]
        _expect_changes(portal)
        try:
            update_index(folder / generation, source.entries(digests), gone)
        except PortalError:
            return False
        store.catalog.indexed.update(generation, digests, gone)
        note_files(portal, generation)
        store.catalog.changes.note(digests, gone, time.time)
    return True
