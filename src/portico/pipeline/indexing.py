"""Stage 6: updates the index; accepted corrections are indexed at once, without a build."""

import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from zlib import crc32

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
    read_unseen_papers,
    run_collection_stage,
)
from portico.store.opening import Store, index_lock
from portico.store.portal_view import GENERATION_KEY
from portico.types.document import DocumentId
from portico.types.record import EntityId
from portico.types.search import Entry, SearchedField
from portico.types.stages import StageName

GENERATION = GENERATION_KEY  # the folder that is being served

# Above this share of changed entries a new index is written: it is as fast, and has no deleted entries, which
# would affect the ranking until they are merged away.
REBUILD_SHARE = 0.2

SOURCES = "index_sources"
"""The key in `meta` of the result of `_digest_sources` when the index was last written."""

SOURCE_PARTS = 1024


def run_index(portal: Portal, run: BuildRun) -> StageReport:
    """Brings the index up to date: a few changes in place, many as a new generation beside the old."""
    with index_lock(portal.places.folder, wait=True, store=portal.store):
        with suppress(PortalError):  # what cannot be fetched is written anew
            bring_index(portal)
        return _index(portal, run)


def _index(portal: Portal, run: BuildRun) -> StageReport:
    store = portal.store
    generation = store.meta.get(GENERATION) or ""
    files = written_files(store, generation)
    sound = files is not None and has_files(portal.places.index / generation, files)
    if files is not None and sound and is_published(portal):
        publish_files(portal, portal.places.index / generation, files)  # for example after a new [blobs] url

    def count_fresh() -> int:
        if not store.catalog.staleness.n_changes():
            store.catalog.staleness.mark_seen(0)  # a portal from before changes were recorded
        return len(store.catalog.indexed.digests(generation))

    sources = _digest_sources(store)
    has_dates = _has_dates(store)

    def write(meter: StageProgress) -> StageWork:
        changed = _find_changed(store, sources) if sound and has_dates else None
        work = _write(portal, stage.key(store), generation if sound else "", changed, meter)
        store.meta.set(SOURCES, json.dumps(sources))
        store.catalog.unseen.mark_seen(StageName.INDEX, VERSION)
        return work

    stage = CollectionStage(
        StageName.INDEX,
        (VERSION, fingerprint(*sources)),
        (*PLACED_GRAPH, StageName.AUTHORS),
        write,
        count_fresh=count_fresh,
        is_sound=sound and has_dates,
    )
    return run_collection_stage(stage, store, run)


def _digest_sources(store: Store) -> list[str]:
    """Digest the sources of documents in buckets, so that a change affects only a few of them."""
    parts = [sha256() for _ in range(SOURCE_PARTS)]
    for row in store.documents.pages.bodies():
        parts[_find_part(row.body)].update(f"{row.body} {row.source} {row.media_type}\n".encode())
    return [part.hexdigest()[:12] for part in parts]


def _find_part(body: str) -> int:
    return crc32(body.encode()) % SOURCE_PARTS


def _find_changed(store: Store, sources: Sequence[str]) -> frozenset[EntityId] | None:
    """The papers whose entries may have changed since the last write; None if any may have."""
    noted = read_unseen_papers(store, StageName.INDEX, VERSION)
    before = json.loads(store.meta.get(SOURCES) or "[]")
    if noted is None or len(before) != len(sources):
        return None
    parts = {number for number, (one, other) in enumerate(zip(before, sources, strict=True)) if one != other}
    if len(parts) > REBUILD_SHARE * SOURCE_PARTS:
        return None
    moved = (
        [row.body for row in store.documents.pages.bodies() if _find_part(row.body) in parts] if parts else []
    )
    homes = store.catalog.entities.homes([DocumentId(body) for body in moved]).values()
    citing = store.catalog.citations.citing(noted)  # an entry names what the paper cites
    changed = noted.union(homes, *citing.values())
    counts = store.catalog.counts()
    return changed if len(changed) <= REBUILD_SHARE * (counts.n_held + counts.n_cited_only) else None


def _has_dates(store: Store) -> bool:
    """Whether changes are dated; they are not in a portal from before that was introduced."""
    return bool(store.catalog.changes.earliest()) or not store.catalog.counts().n_held


def _write(
    portal: Portal, key: str, generation: str, among: frozenset[EntityId] | None, meter: StageProgress
) -> StageWork:
    """Write the changes since the last generation, or everything as a new one, and record it in the store.

    If `among` is given, only these papers are compared.
    """
    store, folder = portal.store, portal.places.index
    n_changes = store.catalog.staleness.n_changes()
    content = portal.collection.make_entries(store, among)
    known = store.catalog.indexed.digests(generation, among) if generation else {}
    wanted = content.digests() if known or among is not None else {}
    changed = {entity: digest for entity, digest in wanted.items() if known.get(entity) != digest}
    removed = [EntityId(entity) for entity in known if entity not in wanted]
    if among is not None or (known and len(changed) + len(removed) <= REBUILD_SHARE * len(wanted)):
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
    if among is None:
        _note_visible(store, wanted, changed)
    else:
        store.catalog.changes.note(changed, removed, time.time)
    store.catalog.indexed.keep_only(generation)
    portal.places.forget_indexes(keep=generation)
    return StageWork(len(changed), n_dropped=len(removed))


def _note_visible(store: Store, wanted: Mapping[EntityId, str], changed: Iterable[EntityId]) -> None:
    """Record the date of everything that visitors now see differently; of all entries the first time."""
    listed = store.catalog.changes.listed_ids()
    shown = {name: wanted[name] for name in changed} if listed else wanted
    store.catalog.changes.note(shown, [name for name in listed if name not in wanted], time.time)


def _note_digests(found: Iterable[tuple[Entry, str]], digests: dict[EntityId, str]) -> Iterator[Entry]:
    """Pass the entries on, and record the digest of each."""
    for entry, digest in found:
        digests[entry.entity] = digest
        yield entry


def written_files(store: Store, generation: str) -> Manifest | None:
    """The files of this generation as they were written; None if unknown."""
    return read_manifest(store.meta.get(FILES), generation)


def note_files(portal: Portal, generation: str) -> None:
    """Record the current files of this generation, after publishing them if other machines serve them."""
    folder = portal.places.index / generation
    written = make_manifest(folder)
    if is_published(portal):
        publish_files(portal, folder, written)
    portal.store.meta.set(FILES, write_manifest(written, generation))
    if is_published(portal):
        forget_files(portal, written)


def _expect_changes(portal: Portal) -> None:
    """Forget the recorded files before they change, so that a kill leads to a new index.

    Files of a published index stay recorded: what is published remains the index until it is replaced.
    """
    if not is_published(portal):
        portal.store.meta.delete(FILES)


def _new_generation(
    folder: Path, key: str, entries: Iterable[Entry], declared: Sequence[SearchedField]
) -> str:
    """Write a new index beside the old one, so that neither a kill nor a reader meets half of it.

    The name is new even if a damaged index had the same key, because a running portal notices only new names.
    """
    unfinished = folder / f"unfinished-{key}"
    write_index(entries, unfinished, declared=declared)
    names = (key if number == 1 else f"{key}-{number}" for number in count(1))
    generation = next(name for name in names if not (folder / name).exists())
    os.replace(unfinished, folder / generation)
    return generation


def reindex(portal: Portal, names: Collection[EntityId]) -> bool:
    """Update the entries of these papers, and drop those of papers that no longer exist.

    Returns False if that is impossible now, because a build is writing the index or there is no intact one.
    The next build then makes up for it, because it compares accepted corrections too.
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
