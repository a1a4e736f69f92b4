"""Stage 5, second half: the names on held papers to people."""

from collections.abc import Iterator, Mapping

from portico.match import AUTHORS_VERSION
from portico.match.authors import identify_authors
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import PLACED_GRAPH, BuildRun, CollectionStage, StageWork, run_collection_stage
from portico.store.database import chunks
from portico.store.opening import Store
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Signature
from portico.types.stages import StageName

PAPERS_AT_ONCE = 400
"""Papers whose topics and citations are read together."""


def run_authors(portal: Portal, run: BuildRun) -> StageReport:
    """Tells anew whose names they are when papers or topics changed."""
    store = portal.store

    def identify(meter: StageProgress) -> StageWork:
        n_changed = store.catalog.authors.replace(
            identify_authors(_list_signatures(store), store.catalog.authors.places())
        )
        meter.advance(n_changed)
        return StageWork(n_changed)

    stage = CollectionStage(StageName.AUTHORS, (AUTHORS_VERSION,), PLACED_GRAPH, identify)
    return run_collection_stage(stage, store, run)


def _list_signatures(store: Store) -> Iterator[Signature]:
    for papers in chunks(store.catalog.entities.held(), PAPERS_AT_ONCE):
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
