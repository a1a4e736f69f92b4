"""Stage 5, second half: the names on held papers to people."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from portico.match import AUTHORS_VERSION
from portico.pipeline.keys import fingerprint
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run
from portico.store.opening import Store
from portico.types.author import Signature
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId

STAGE = "authors"


def author_stage(portal: Portal, run: Run) -> StageReport:
    """Tells anew whose names they are when papers or topics changed."""
    store = portal.store
    below = (store.meta.get(stage) for stage in ("match", "classify", "place"))
    key = fingerprint(STAGE, AUTHORS_VERSION, *below)
    if store.meta.get(STAGE) == key:
        return StageReport(STAGE)
    started = run.clock()
    with run.watcher.stage(STAGE, None) as meter:
        # Imported here: matching loads arrays, which a run without work need not wait for.
        from portico.match.authors import authors_of

        found = authors_of(_signatures(store), store.authors.places())
        n_changed = store.authors.replace(found)
        store.meta.set(STAGE, key)
        meter.advance(n_changed)
    return StageReport(STAGE, n_done=n_changed, seconds=run.clock() - started)


def _signatures(store: Store) -> Iterator[Signature]:
    topics: dict[DocumentId, str] = {}
    for assignment in store.catalog.assignments():  # the most probable first
        topics.setdefault(assignment.document, "/".join(assignment.path))
    cited: dict[EntityId, set[EntityId]] = defaultdict(set)
    for citation in store.catalog.citations():
        cited[citation.citing].add(citation.cited)
    for entity in store.catalog.held():
        yield from _on(entity, topics, frozenset(cited[entity.id] - {entity.id}))


def _on(entity: Entity, topics: Mapping[DocumentId, str], cites: frozenset[EntityId]) -> Iterator[Signature]:
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
