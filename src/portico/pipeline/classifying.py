"""Stage 4: all documents to their places in the topic tree."""

from collections.abc import Collection, Mapping
from hashlib import sha256

from portico.classify import VERSION
from portico.pipeline.keys import fingerprint
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run
from portico.pipeline.topic_texts import topic_texts
from portico.pipeline.topic_tree import accepted_labels, has_tree, note_renames, tree_of
from portico.types.document import DocumentId
from portico.types.topic import Assignment

STAGE = "classify"

Labels = Mapping[DocumentId, tuple[str, ...]]
"""Leaves that a person gave to documents."""


def classify_stage(portal: Portal, run: Run, *, labels: Labels | None = None) -> StageReport:
    """Learns the tree where that is due, then places every document; `labels` are believed.

    Without labels given, they are the topics that people corrected.
    """
    store = portal.store
    domain = portal.domain
    if not has_tree(portal, domain):
        return StageReport(STAGE)  # a domain without topics
    topics = tree_of(portal, domain)
    note_renames(portal, topics)
    words = domain.topic_words.read_bytes() if domain.topic_words.is_file() else b""
    given = dict(labels) if labels is not None else accepted_labels(portal, topics)
    # By keywords, as leaves are known: a leaf that is renamed with labels in it need not be learned again.
    leaves = {topic.path: topic.keywords for topic in topics}
    learned = sorted((document, leaves[path]) for document, path in given.items() if path in leaves)
    sources = fingerprint(VERSION, sha256(words).hexdigest(), learned)
    key = fingerprint(STAGE, sources, sorted(given.items()), repr(topics), store.results.digest_of("extract"))
    if store.meta.get(STAGE) == key:
        return StageReport(STAGE, n_fresh=store.catalog.counts().n_assigned)
    # Imported here: arrays take half a second to load, which a run without work need not spend.
    from portico.classify.background import read_for
    from portico.classify.classifier import train
    from portico.pipeline.topic_model import is_due, keep_model, kept_model

    started = run.clock()
    texts = topic_texts(store)
    with run.watcher.stage(STAGE, len(texts)) as meter:
        model = None if is_due(portal, sources, len(texts)) else kept_model(portal, topics)
        if model is None:
            meter.remark("learning the topics")
            known = read_for(words, topics) if words else None
            trained = train(texts, topics, background=known, labels=given)
            model = keep_model(portal, trained, sources, len(texts))
        meter.remark("placing documents")
        assignments = [place for places in model.assign_all(texts) for place in places]
        here = {text.document for text in texts}
        store.catalog.replace_topics(topics)
        store.catalog.replace_assignments(with_labels(assignments, here, given))
        store.meta.set(STAGE, key)
        meter.advance(len(texts))
    # The tree that ships has more keywords than any one portal needs: their absence is no news.
    note = "; ".join(model.notices) if portal.settings.topics.file else ""
    return StageReport(STAGE, n_done=len(texts), seconds=run.clock() - started, note=note)


def with_labels(
    assignments: list[Assignment], here: Collection[DocumentId], labels: Labels
) -> list[Assignment]:
    """The places, except that a document with a label stands where the label says, for certain."""
    certain = [Assignment(document, path, 1.0) for document, path in labels.items() if document in here]
    return [place for place in assignments if place.document not in labels] + certain
