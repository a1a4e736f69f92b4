"""Stage 5, between papers and people: documents are placed again, now that the citation graph is known.

Before matching, who cites a document is only known where its whole title is printed. The graph knows more:
references with other words, papers held twice, titles that people corrected. Nothing is learned again.
"""

from portico.pipeline.classifying import with_labels
from portico.pipeline.growing import keep_suggestions
from portico.pipeline.keys import fingerprint
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run
from portico.pipeline.topic_texts import graph_texts
from portico.pipeline.topic_tree import accepted_labels, tree_of

STAGE = "place"
VERSION = 1
"""Raised when the same model and graph would give other places."""


def place_stage(portal: Portal, run: Run) -> StageReport:
    """Places every document of the graph by its neighbors in it, when topics or graph changed.

    The places it finds do not enter the keys of topics or graph, so that a second run does nothing.
    """
    store = portal.store
    classified, matched = store.meta.get("classify"), store.meta.get("match")
    key = fingerprint(STAGE, VERSION, classified, matched)
    if classified is None or matched is None or store.meta.get(STAGE) == key:
        return StageReport(STAGE)
    # Imported here: arrays take half a second to load, which a run without work need not spend.
    from portico.pipeline.topic_model import kept_model

    topics = tree_of(portal, portal.domain)
    model = kept_model(portal, topics)
    if model is None:
        return StageReport(STAGE)  # lost since; `classify` learns it again when it is next due
    started = run.clock()
    texts = graph_texts(store)
    with run.watcher.stage(STAGE, len(texts)) as meter:
        meter.remark("asking the neighbors")
        here = {text.document for text in texts}
        elsewhere = [place for place in store.catalog.assignments() if place.document not in here]
        found = [place for places in model.assign_all(texts) for place in places]
        labeled = with_labels(found, here, accepted_labels(portal, topics))
        changes = store.catalog.replace_assignments(elsewhere + labeled)
        keep_suggestions(portal, texts)
        store.meta.set(STAGE, key)
        meter.advance(len(texts))
    n_changed = changes.n_written + changes.n_removed
    return StageReport(STAGE, n_done=n_changed, seconds=run.clock() - started)
