"""Between papers and people: every document to its place in the topic tree, by the citation graph.

Before matching, who cites a document is only known where its whole title is printed. The graph knows more:
references with other words, papers held twice, titles that people corrected.
"""

from portico.pipeline.classifying import with_labels
from portico.pipeline.growing import keep_suggestions
from portico.pipeline.portal import Portal
from portico.pipeline.progress import Meter, StageReport
from portico.pipeline.run import Run
from portico.pipeline.runners import CollectionStage, Work, run_collection_stage
from portico.pipeline.topic_texts import graph_texts, topic_texts
from portico.pipeline.topic_tree import accepted_labels, tree_of
from portico.store.opening import Store
from portico.types.stages import StageName
from portico.types.topic import TopicText

VERSION = 1
"""Raised when the same model and graph would give other places."""


def place_stage(portal: Portal, run: Run) -> StageReport:
    """Places every document when topics or graph changed, by its neighbors as far as there is a graph.

    The places it finds do not enter the keys of topics or graph, so that a second run does nothing.
    """
    store = portal.store
    if store.meta.get(StageName.CLASSIFY) is None:
        return StageReport(StageName.PLACE)  # a domain without topics

    def place(meter: Meter) -> Work | None:
        # Imported here: arrays take half a second to load, which a run without work need not spend.
        from portico.pipeline.topic_model import kept_model

        topics = tree_of(portal, portal.domain)
        model = kept_model(portal, topics)
        if model is None:
            return None  # lost since; `classify` learns it again when it is next due
        in_graph = graph_texts(store)
        texts = in_graph + _others(store, in_graph)
        meter.expect(len(texts))
        meter.remark("asking the neighbors")
        found = [place for places in model.assign_all(texts) for place in places]
        labels = accepted_labels(portal, topics)
        store.catalog.topics.replace_tree(topics)
        changes = store.catalog.topics.replace_assignments(
            with_labels(found, {text.document for text in texts}, labels)
        )
        if store.meta.get(StageName.MATCH) is not None:
            keep_suggestions(portal, in_graph)
        meter.advance(len(texts))
        return Work(changes.n_written + changes.n_removed)

    stage = CollectionStage(StageName.PLACE, (VERSION,), (StageName.CLASSIFY, StageName.MATCH), place)
    return run_collection_stage(stage, store, run)


def _others(store: Store, in_graph: list[TopicText]) -> list[TopicText]:
    """Documents that are not in the graph: not matched yet, or found to be no papers."""
    here = {text.document for text in in_graph}
    if store.documents.results.digests(StageName.EXTRACT).keys() <= here:
        return []
    return [text for text in topic_texts(store) if text.document not in here]
