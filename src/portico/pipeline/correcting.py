"""Accepted corrections become searchable at once, without a build."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from portico.errors import PortalError
from portico.index.writer import update_index
from portico.pipeline.indexing import FILES, GENERATION, People, body_of, entry_of, note_files, people_on
from portico.pipeline.kinds import kinds_of
from portico.pipeline.portal import Portal
from portico.pipeline.thing_entries import thing_entries
from portico.store.lock import index_lock
from portico.types.record import Entity, EntityId
from portico.types.search import Entry

MOST_PARTS = 2_000
"""Parts that are brought up to date at once with their whole; the next build does the rest."""

CORRECTED = "corrected"
"""Stands for the digest of an entry written here: the next build compares, and writes it once more."""


def reindex(portal: Portal, names: Collection[EntityId]) -> bool:
    """Bring the entries of these papers up to date, and drop those of papers that are no more.

    False where that cannot be now: a build is writing the index, or there is none that could be written. The
    next build then makes it right, since what was accepted is part of what it compares.
    """
    done = _reindex(portal, names)
    if names and not done:
        portal.store.overtaking.note()
    return done


def _reindex(portal: Portal, names: Collection[EntityId]) -> bool:
    store, folder = portal.store, portal.places.index
    with index_lock(portal.places.folder, wait=False) as held:
        generation = store.meta.get(GENERATION)
        if not held or not names or generation is None:
            return False
        if kinds_of(portal):  # parts are found by what their whole is called
            names = {*names, *(part for name in names for part in store.things.parts(name, limit=MOST_PARTS))}
        papers = store.view.entities(names)
        gone = [name for name in names if name not in papers]
        store.meta.delete(FILES)  # true again when all is written: a kill in between means a new index
        try:
            update_index(folder / generation, _entries(portal, papers), gone)
        except PortalError:
            return False
        store.indexed.update(generation, dict.fromkeys(papers, CORRECTED), gone)
        note_files(store, folder, generation)
    return True


def _entries(portal: Portal, papers: Mapping[EntityId, Entity]) -> Iterator[Entry]:
    store, kinds = portal.store, kinds_of(portal)
    if kinds:
        places = store.corrections.places([name for paper in papers.values() for name in paper.documents])
        yield from thing_entries(store, kinds, places, papers.keys())
        return
    catalogued = store.pages.catalogued()
    for paper in papers.values():
        documents = [document for document in paper.documents if document not in catalogued]
        places = store.corrections.places(paper.documents)
        entry = entry_of(paper, places, body_of(store, documents))
        sources = store.view.sources(paper.documents)
        source, media_type = (sources[0].name, sources[0].media_type) if sources else ("", "")
        cites = store.corrections.cites(paper.id)
        people = people_on(entry, _people(portal, paper.id))
        yield replace(entry, cites=cites, source=source, media_type=media_type, people=people)


def _people(portal: Portal, paper: EntityId) -> People:
    bylines = portal.store.authors.of_papers([paper]).get(paper, ())
    return {(paper, each.printed): each.author for each in bylines}
