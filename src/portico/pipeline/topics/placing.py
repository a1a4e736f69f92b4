"""After matching: assigns every document to topics, using the citation graph.

Before matching, a citation of a document is recognized only by its complete title. The graph also knows
citations in other words, duplicates of papers, and titles that people corrected.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portico.engine.work import Engine, map_in_order
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import (
    BuildRun,
    CollectionStage,
    StageWork,
    fingerprint,
    read_unseen_papers,
    run_collection_stage,
)
from portico.pipeline.topics.classifying import Labels, apply_labels
from portico.pipeline.topics.topic_suggestions import save_suggestions
from portico.pipeline.topics.topic_texts import (
    LEAST_SHARED,
    TEXTS_AT_ONCE,
    iterate_graph_sources,
    read_graph_texts,
    read_some_topic_texts,
)
from portico.pipeline.topics.topic_tree import (
    drop_hidden,
    drop_hidden_places,
    find_topic_model,
    read_labels,
    read_tree,
)
from portico.store.codec import decode
from portico.store.database import chunks
from portico.store.opening import Store
from portico.types.document import DocumentId
from portico.types.record import EntityId
from portico.types.stages import StageName
from portico.types.topic import Assignment, Topic, TopicText

if TYPE_CHECKING:
    from portico.classify.classifier import TopicModel
    from portico.pipeline.topics.place_job import PlacedTexts

VERSION = 5
"""Raised when the same model and graph would result in other places."""


def run_place(portal: Portal, run: BuildRun) -> StageReport:
    """Assign documents to topics after topics or the graph changed, using their neighbors in the graph.

    If only some papers changed, these and their neighbors are assigned again. The assignments do not enter
    the keys of topics or graph, so that a second run does nothing.
    """
    store = portal.store
    if store.meta.get(StageName.CLASSIFY) is None:
        return StageReport(StageName.PLACE)  # a domain without topics

    def place(meter: StageProgress) -> StageWork | None:
        # Imported here: arrays take a quarter of a second to load, which a run without work need not spend.
        from portico.pipeline.topics.topic_model import load_topic_model

        topics = read_tree(portal)
        model = load_topic_model(portal, topics)
        if model is None:
            return None  # lost since; `classify` learns it again when it is next due
        labels = read_labels(portal, topics)
        scope = fingerprint(VERSION, model.model_id, topics, sorted(labels.items()))
        papers = read_unseen_papers(store, StageName.PLACE, scope)
        placing = _Placing(store, model, labels, drop_hidden(topics), meter)
        n_changed = (
            _place_all(portal, placing, run.engine) if papers is None else _place_some(placing, papers)
        )
        store.catalog.unseen.mark_seen(StageName.PLACE, scope)
        return StageWork(n_changed)

    stage = CollectionStage(StageName.PLACE, (VERSION,), (StageName.CLASSIFY, StageName.MATCH), place)
    return run_collection_stage(stage, store, run)


@dataclass(frozen=True, slots=True)
class _Placing:
    """What is needed to assign documents to topics."""

    store: Store
    model: "TopicModel"
    labels: Labels
    visible: tuple[Topic, ...]
    meter: StageProgress

    def assign(self, texts: Sequence[TopicText]) -> list[Assignment]:
        """Assign documents to topics; topics given by people take precedence."""
        found = (place for places in self.model.assign_all(texts) for place in places)
        return self.correct(found, [text.document for text in texts])

    def correct(self, found: Iterable[Assignment], here: Collection[DocumentId]) -> list[Assignment]:
        """Correct assignments made elsewhere: apply topics given by people, and drop hidden topics."""
        self.meter.advance(len(here))
        return drop_hidden_places(apply_labels([*found], here, self.labels), self.visible)


def _place_all(portal: Portal, placing: _Placing, engine: Engine) -> int:
    """Assign all documents to topics; return the number of assignments that changed."""
    store, meter = placing.store, placing.meter
    n_documents = store.documents.results.n_done(StageName.EXTRACT)
    meter.expect(n_documents)
    meter.status("asking the neighbors")
    found: list[Assignment] = []
    in_graph: list[DocumentId] = []
    if engine.is_parallel and n_documents >= LEAST_SHARED:
        placed = _place_on_workers(portal, engine, placing.model.topics)
    else:
        placed = _place_here(placing)
    for some in placed:
        found += placing.correct(some.assignments, some.documents)
        in_graph += some.documents
    found += placing.assign(_read_others(store, in_graph))
    store.catalog.topics.replace_tree(placing.visible)
    changes = store.catalog.topics.replace_assignments(found)
    store.catalog.unseen.note(None, StageName.AUTHORS, StageName.INDEX)
    if store.meta.get(StageName.MATCH) is not None:
        save_suggestions(portal, in_graph, lambda documents: _read_texts(store, documents))
    return changes.n_written + changes.n_removed


def _place_here(placing: _Placing) -> Iterator["PlacedTexts"]:
    from portico.pipeline.topics.place_job import place_texts  # imported here, as above

    return (place_texts(placing.model, sources) for sources in iterate_graph_sources(placing.store))


def _place_on_workers(portal: Portal, engine: Engine, topics: tuple[Topic, ...]) -> Iterator["PlacedTexts"]:
    from portico.pipeline.topics.place_job import PlacedTexts, PlaceOptions, make_place_job  # as above

    domain = portal.settings.portal.domain if portal.domain.research_fields else ""
    job = make_place_job(PlaceOptions(find_topic_model(portal).read_bytes(), topics, domain))
    found = map_in_order(engine, job, iterate_graph_sources(portal.store))
    return (decode(PlacedTexts, value) for value in found)


def _place_some(placing: _Placing, papers: frozenset[EntityId]) -> int:
    """Assign the documents of changed papers and of their neighbors to topics.

    Suggestions for new topics are not updated.
    """
    store, meter = placing.store, placing.meter
    catalog = store.catalog
    around = (catalog.citations.cited(papers), catalog.citations.citing(papers))
    near = papers.union(*(ids for found in around for ids in found.values()))
    meter.expect(len(near))
    found: list[Assignment] = []
    documents: list[DocumentId] = []
    for chunk in chunks(sorted(near), TEXTS_AT_ONCE):
        texts = read_graph_texts(store, chunk)
        found += placing.assign(texts)
        documents += [text.document for text in texts]
    others = _read_others(store, catalog.entities.list_documents())
    found += placing.assign(others)
    documents += [text.document for text in others]
    changed = catalog.topics.amend_assignments(documents, found)
    homes = frozenset(catalog.entities.homes(changed).values())
    catalog.unseen.note(homes, StageName.AUTHORS, StageName.INDEX)
    return len(changed)


def _read_others(store: Store, in_graph: Collection[DocumentId]) -> list[TopicText]:
    """Read documents that are not in the graph: not matched yet, or found to be no papers."""
    return read_some_topic_texts(
        store, store.documents.results.digests(StageName.EXTRACT).keys() - {*in_graph}
    )


def _read_texts(store: Store, documents: Sequence[DocumentId]) -> list[TopicText]:
    """Read the texts of these documents, in the same order."""
    homes = store.catalog.entities.homes(documents)
    found = {text.document: text for text in read_graph_texts(store, sorted(set(homes.values())))}
    return [found[document] for document in documents if document in found]
