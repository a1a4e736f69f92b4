"""Stage 5, second half: groups the names on held papers into people."""

from collections.abc import Iterable, Iterator, Mapping

from portico.match import AUTHORS_VERSION
from portico.match.authors import find_block, identify_authors
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import (
    PLACED_GRAPH,
    BuildRun,
    CollectionStage,
    StageWork,
    fingerprint,
    read_unseen_papers,
    run_collection_stage,
)
from portico.store.database import chunks
from portico.store.opening import Store
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Signature
from portico.types.stages import StageName

PAPERS_AT_ONCE = 400
"""Papers whose topics and citations are read together."""

MOST_NAMED = 10_000
"""Maximum number of papers with possibly related names for a partial update; beyond it, all names are
assigned again."""


def run_authors(portal: Portal, run: BuildRun) -> StageReport:
    """Group names into authors after papers or topics changed; after small changes only similar names."""
    store = portal.store
    scope = fingerprint(AUTHORS_VERSION)

    def identify(meter: StageProgress) -> StageWork:
        papers = read_unseen_papers(store, StageName.AUTHORS, scope)
        n_changed = None if papers is None else _identify_some(store, papers)
        if n_changed is None:
            n_changed = _identify_all(store)
        store.catalog.unseen.mark_seen(StageName.AUTHORS, scope)
        meter.advance(n_changed)
        return StageWork(n_changed)

    stage = CollectionStage(StageName.AUTHORS, (AUTHORS_VERSION,), PLACED_GRAPH, identify)
    return run_collection_stage(stage, store, run)


def _identify_all(store: Store) -> int:
    """Regroup all names and return the number of rows that changed."""
    authors = identify_authors(
        _list_signatures(store, store.catalog.entities.held()), store.catalog.authors.places()
    )
    n_changed = store.catalog.authors.replace(authors)
    store.catalog.unseen.note(None, StageName.INDEX)
    return n_changed


def _identify_some(store: Store, papers: frozenset[EntityId]) -> int | None:
    """Regroup the names similar to those on these papers; None if all names must be regrouped.

    Names of one person share the surname and the first initial, so all other names stay as they are.
    """
    known = store.catalog.authors
    entities = store.catalog.entities.many(papers).values()
    printed = {field.value for each in entities if each.documents for field in each.all("author")}
    printed |= {byline.printed for bylines in known.of_papers(papers).values() for byline in bylines}
    blocks = {block for name in printed if (block := find_block(name)) is not None}
    before = [
        row for row in known.list_names({key for key, _ in blocks}) if find_block(row.printed) in blocks
    ]
    named = papers.union(row.paper for row in before)
    if len(named) > MOST_NAMED:
        return None
    held = [each for each in store.catalog.entities.some(sorted(named)) if each.documents]
    signatures = (each for each in _list_signatures(store, held) if find_block(each.name) in blocks)
    authors = identify_authors(signatures, {(row.paper, row.position): row.author for row in before})
    changed = known.amend(authors, before)
    if changed is None:
        return None
    store.catalog.unseen.note(changed, StageName.INDEX)
    return len(changed)


def _list_signatures(store: Store, held: Iterable[Entity]) -> Iterator[Signature]:
    for papers in chunks(held, PAPERS_AT_ONCE):
        documents = [document for paper in papers for document in paper.documents]
        places = store.contributions.corrections.places(documents)
        topics = {document: "/".join(path) for document, (_, path) in places.items()}
        cited = store.catalog.citations.cited([paper.id for paper in papers])
        for paper in papers:
            yield from _list_signatures_on(paper, topics, frozenset(cited[paper.id]))


def _list_signatures_on(
    entity: Entity, topics: Mapping[DocumentId, str], cites: frozenset[EntityId]
) -> Iterator[Signature]:
    names = [field.value for field in entity.all("author")]
    year = entity.value("year") or ""
    for position, name in enumerate(names):
        yield Signature(
            paper=entity.id,
            position=position,
            name=name,
            year=int(year) if year.isdecimal() else None,
            topic=next((topics[document] for document in entity.documents if document in topics), ""),
            emails=tuple(field.value for field in entity.all("email")),
            affiliations=tuple(field.value for field in entity.all("affiliation")),
            others=tuple(names[:position] + names[position + 1 :]),
            cites=cites,
        )
