"""Stage 6: what is known becomes searchable."""

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import log, log1p
from pathlib import Path

from portico.index.files import Manifest, has_files, manifest
from portico.index.writer import VERSION, update_index, write_index
from portico.index.writer import fingerprint as entry_fingerprint
from portico.pipeline.keys import fingerprint
from portico.pipeline.kinds import kinds_of
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run
from portico.pipeline.thing_entries import thing_entries
from portico.store.codec import decode_field
from portico.store.entities import published_on
from portico.store.lock import index_lock
from portico.store.opening import Store
from portico.types.author import AuthorId
from portico.types.document import Document, DocumentId
from portico.types.domain import Kind
from portico.types.record import Entity, EntityId
from portico.types.search import Declared, Entry
from portico.types.showing import searched_fields

STAGE = "index"
GENERATION = "index_generation"  # the folder that is being served
FILES = "index_files"  # how its files were written: a damaged index answers, but wrongly

# Above this share of changed entries a fresh index is written: it is as fast, and carries no
# deleted entries, which would still weigh in the ranking until they are merged away.
REBUILD_SHARE = 0.2

RANK_STEP = 0.1
"""Share by which a score must change for its entry to be written again: every new paper changes the scores of
all a little, and an order by them does not notice."""

Places = dict[DocumentId, tuple[float, tuple[str, ...]]]
"""The most probable topic of each document, and how probable it is."""

References = dict[EntityId, tuple[EntityId, ...]]

People = Mapping[tuple[EntityId, str], AuthorId]
"""Whose each name on a paper is, by paper and name as printed."""


def index_stage(portal: Portal, run: Run) -> StageReport:
    """Brings the index up to date: a few changes in place, many as a new generation beside the old."""
    with index_lock(portal.places.folder, wait=True):
        return _index(portal, run)


def _index(portal: Portal, run: Run) -> StageReport:
    store, folder = portal.store, portal.places.index
    below = (store.meta.get(stage) for stage in ("match", "classify", "place"))
    key = fingerprint(STAGE, VERSION, *below)
    generation = store.meta.get(GENERATION) or ""
    files = written_files(store, generation)
    sound = files is not None and has_files(folder / generation, files)
    n_changes = store.overtaking.noted()
    if store.meta.get(STAGE) == key and sound:
        if not n_changes:
            store.overtaking.seen(0)  # a portal from before changes were noted
        return StageReport(STAGE, n_fresh=len(store.indexed.digests(generation)))
    started = run.clock()
    content = _content(portal)
    wanted = content.wanted()
    known = store.indexed.digests(generation) if sound else {}
    changed = [entity for entity, digest in wanted.items() if known.get(entity) != digest]
    removed = [EntityId(entity) for entity in known if entity not in wanted]
    with run.watcher.stage(STAGE, len(changed)) as meter:
        if known and len(changed) + len(removed) <= REBUILD_SHARE * len(wanted):
            store.meta.delete(FILES)  # true again when all is written: a kill in between means a new index
            update_index(folder / generation, content.entries(changed), removed)
        else:
            generation = _new_generation(folder, key, content.entries(wanted), content.declared)
            changed = list(wanted)
        meter.advance(len(changed))
    store.indexed.update(generation, {entity: wanted[entity] for entity in changed}, removed)
    note_files(store, folder, generation)
    store.meta.set(GENERATION, generation)
    store.overtaking.seen(n_changes)
    store.meta.set(STAGE, key)
    _sweep(store, folder, generation)
    return StageReport(STAGE, n_done=len(changed), n_dropped=len(removed), seconds=run.clock() - started)


def written_files(store: Store, generation: str) -> Manifest | None:
    """The files of this generation as they were written; None where that is not known (any more)."""
    known = json.loads(store.meta.get(FILES) or "{}")
    if known.get("generation") != generation:
        return None
    return {name: (size, digest) for name, (size, digest) in known["files"].items()}


def note_files(store: Store, folder: Path, generation: str) -> None:
    """Write down how the files of this generation are now."""
    written = {"generation": generation, "files": dict(manifest(folder / generation))}
    store.meta.set(FILES, json.dumps(written, sort_keys=True))


@dataclass(frozen=True, slots=True)
class _Papers:
    """What an index of papers holds."""

    store: Store
    places: Places
    references: References
    people: People
    declared: Sequence[Declared] = ()

    def wanted(self) -> dict[EntityId, str]:
        return _wanted(self.store, self.places, self.references, self.people)

    def entries(self, wanted: Iterable[EntityId]) -> Iterator[Entry]:
        for entry in _entries(self.store, self.places, self.references, wanted):
            yield replace(entry, people=people_on(entry, self.people))


@dataclass(frozen=True, slots=True)
class _Things:
    """What an index of things of declared kinds holds: no texts, so entries are made to be compared."""

    store: Store
    kinds: Sequence[Kind]
    places: Places

    @property
    def declared(self) -> Sequence[Declared]:
        return searched_fields(self.kinds)

    def wanted(self) -> dict[EntityId, str]:
        # Another set of fields is another index: every entry of it is new.
        fields = repr(self.declared)
        entries = thing_entries(self.store, self.kinds, self.places)
        return {entry.entity: fingerprint(fields, entry_fingerprint(entry)) for entry in entries}

    def entries(self, wanted: Iterable[EntityId]) -> Iterator[Entry]:
        return thing_entries(self.store, self.kinds, self.places, frozenset(wanted))


def _content(portal: Portal) -> _Papers | _Things:
    kinds, places = kinds_of(portal), _places(portal.store)
    if kinds:
        return _Things(portal.store, kinds, places)
    return _Papers(portal.store, places, _references(portal.store), portal.store.authors.by_name())


def _new_generation(folder: Path, key: str, entries: Iterable[Entry], declared: Sequence[Declared]) -> str:
    """Writes beside the old index under another name, so that a kill or a reader never sees half of it.

    The name is new even where a damaged index had the same key: a running portal follows names.
    """
    unfinished = folder / f"unfinished-{key}"
    write_index(entries, unfinished, declared=declared)
    names = (key if number == 1 else f"{key}-{number}" for number in count(1))
    generation = next(name for name in names if not (folder / name).exists())
    os.replace(unfinished, folder / generation)
    return generation


def _sweep(store: Store, folder: Path, generation: str) -> None:
    """Removes generations nobody is served from; readers keep files they have open."""
    store.indexed.keep_only(generation)
    for path in folder.iterdir():
        if path.name != generation:
            shutil.rmtree(path, ignore_errors=True)


def _places(store: Store) -> Places:
    places: Places = {}
    for assignment in store.catalog.assignments():  # the most probable first
        places.setdefault(assignment.document, (assignment.probability, assignment.path))
    return places


def _references(store: Store) -> References:
    cited: dict[EntityId, set[EntityId]] = defaultdict(set)
    for citation in store.catalog.citations():
        cited[citation.citing].add(citation.cited)
    return {citing: tuple(sorted(found - {citing})) for citing, found in cited.items()}


def _wanted(store: Store, places: Places, references: References, people: People) -> dict[EntityId, str]:
    """What the index should hold: a digest of everything an entry is made of, without making it."""
    converted = store.results.digests("convert")
    named: dict[EntityId, list[tuple[str, AuthorId]]] = defaultdict(list)
    for (paper, printed), person in people.items():
        named[paper].append((printed, person))
    wanted: dict[EntityId, str] = {}
    for each in store.catalog.outlines():
        texts = [converted.get(document, "") for document in each.documents]
        topics = [places.get(document) for document in each.documents]
        ranks = (each.n_citations, _noticeable(each.authority), _noticeable(each.hub))
        cited, authors = references.get(each.id), sorted(named.get(each.id, ()))
        wanted[each.id] = fingerprint(VERSION, each.digest, ranks, texts, topics, cited, authors)
    return wanted


def _noticeable(score: float) -> int | None:
    """The step of `RANK_STEP` that a score stands on."""
    return round(log(score) / log1p(RANK_STEP)) if score > 0 else None


def _entries(
    store: Store, places: Places, references: References, wanted: Iterable[EntityId]
) -> Iterator[Entry]:
    catalogued = store.pages.catalogued()  # their text is their fields, which are indexed anyway
    found: dict[str, tuple[str, str]] = {
        row.body: (row.source, row.media_type) for row in store.pages.bodies()
    }
    for entity in store.catalog.some(sorted(wanted)):
        documents = [document for document in entity.documents if document not in catalogued]
        entry = entry_of(entity, places, body_of(store, documents))
        source, media_type = found.get(entity.documents[0], ("", "")) if entity.documents else ("", "")
        cites = references.get(entity.id, ())
        yield replace(entry, cites=cites, source=source, media_type=media_type)


def people_on(entry: Entry, people: People) -> tuple[str, ...]:
    """Whose each author's name is; nothing where none of them is known."""
    known = tuple(people.get((entry.entity, name), "") for name in entry.authors)
    return known if any(known) else ()


def body_of(store: Store, documents: Sequence[DocumentId]) -> str:
    """The text of the first of these documents that has one."""
    for document in documents:
        payload = store.results.get("convert", document)
        if payload is not None:
            return str(decode_field(Document, payload, "text"))
    return ""


def entry_of(entity: Entity, places: Places, body: str) -> Entry:
    """The searchable side of an entity."""
    year = entity.value("year") or ""
    found = [places[document] for document in entity.documents if document in places]
    best = min(found, key=lambda place: (-place[0], "/".join(place[1])), default=None)
    return Entry(
        entity=entity.id,
        title=entity.value("title") or "",
        authors=tuple(field.value for field in entity.all("author")),
        abstract=entity.value("abstract") or "",
        venue=entity.value("venue") or "",
        year=int(year) if year.isdecimal() else None,
        body=body,
        topics=(best[1],) if best else (),  # one place, as in the tree: its numbers are those of the facets
        n_citations=entity.n_citations,
        authority=entity.authority,
        hub=entity.hub,
        held=bool(entity.documents),
        published=published_on(entity),
    )
