"""Between papers and people: every document to its place in the topic tree, by the citation graph.

Before matching, who cites a document is only known where its whole title is printed. The graph knows more:
references with other words, papers held twice, titles that people corrected.
"""

from collections.abc import Collection, Sequence

from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import BuildRun, CollectionStage, StageWork, run_collection_stage
from portico.pipeline.topics.classifying import apply_labels
from portico.pipeline.topics.topic_suggestions import save_suggestions
from portico.pipeline.topics.topic_texts import (
    iterate_graph_texts,
    read_graph_texts,
    read_some_topic_texts,
)
from portico.pipeline.topics.topic_tree import drop_hidden, drop_hidden_places, read_labels, read_tree
from portico.store.opening import Store
from portico.types.document import DocumentId
from portico.types.stages import StageName
from portico.types.topic import Assignment, TopicText

VERSION = 5
"""Raised when the same model and graph would give other places."""


def run_place(portal: Portal, run: BuildRun) -> StageReport:
    """Places every document when topics or graph changed, by its neighbors as far as there is a graph.

    The places it finds do not enter the keys of topics or graph, so that a second run does nothing.
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
        meter.expect(store.documents.results.n_done(StageName.EXTRACT))
        meter.status("asking the neighbors")
        found: list[Assignment] = []
        in_graph: list[DocumentId] = []
        for texts in iterate_graph_texts(store):
            found += [place for places in model.assign_all(texts) for place in places]
            in_graph += [text.document for text in texts]
            meter.advance(len(texts))
        others = _read_others(store, in_graph)
        found += [place for places in model.assign_all(others) for place in places]
        meter.advance(len(others))
        labels = read_labels(portal, topics)
        visible = drop_hidden(topics)
        store.catalog.topics.replace_tree(visible)
        here = {*in_graph, *(text.document for text in others)}
        changes = store.catalog.topics.replace_assignments(
            drop_hidden_places(apply_labels(found, here, labels), visible)
        )
        if store.meta.get(StageName.MATCH) is not None:
            save_suggestions(portal, in_graph, lambda documents: _read_texts(store, documents))
        return StageWork(changes.n_written + changes.n_removed)

    stage = CollectionStage(StageName.PLACE, (VERSION,), (StageName.CLASSIFY, StageName.MATCH), place)
    return run_collection_stage(stage, store, run)


def _read_others(store: Store, in_graph: Collection[DocumentId]) -> list[TopicText]:
    """Documents that are not in the graph: not matched yet, or found to be no papers."""
    return read_some_topic_texts(
        store, store.documents.results.digests(StageName.EXTRACT).keys() - {*in_graph}
    )


def _read_texts(store: Store, documents: Sequence[DocumentId]) -> list[TopicText]:
    """The texts of these documents, in that order."""
    homes = store.catalog.entities.homes(documents)
    papers = store.catalog.entities.many(set(homes.values()))
    found = {text.document: text for text in read_graph_texts(store, tuple(papers.values()))}
    return [found[document] for document in documents if document in found]
