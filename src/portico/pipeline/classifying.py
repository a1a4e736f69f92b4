"""Stage 4: all documents to their places in the topic tree."""

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from portico.classify import VERSION
from portico.config.topics import read_topics
from portico.domains.registry import domain_named
from portico.errors import ConfigError
from portico.pipeline.keys import fingerprint
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run
from portico.pipeline.topic_texts import topic_texts
from portico.types.document import DocumentId
from portico.types.domain import Domain
from portico.types.topic import Assignment, Topic, TopicText

STAGE = "classify"
MODEL = "topic_model"  # what the kept model was learned from, in the store
MODEL_FILE = "topics.npz"  # the model itself, in the portal's folder of models

# New documents are placed by the model there is. The tree is learned again when it changed, or when
# there are so many times more (or fewer) documents than the model was learned from.
RETRAIN_GROWTH = 1.2

Labels = Mapping[DocumentId, tuple[str, ...]]
"""Leaves that a person gave to documents."""


def classify_stage(portal: Portal, run: Run, *, labels: Labels | None = None) -> StageReport:
    """Learns the tree where that is due, then places every document; `labels` are believed.

    Without labels given, they are the topics that people corrected.
    """
    store = portal.store
    domain = domain_named(portal.settings.portal.domain)
    topics = tree_of(portal, domain)
    words = domain.topic_words.read_bytes()
    given = dict(labels) if labels is not None else accepted_labels(portal, topics)
    sources = fingerprint(VERSION, sha256(words).hexdigest(), sorted(given.items()))
    key = fingerprint(STAGE, sources, repr(topics), store.results.digest_of("extract"))
    if store.meta.get(STAGE) == key:
        return StageReport(STAGE, n_fresh=store.catalog.counts().n_assigned)
    # Imported here: arrays take half a second to load, which a run without work need not spend.
    from portico.classify.background import read
    from portico.classify.classifier import train
    from portico.classify.saving import from_bytes, to_bytes

    started = run.clock()
    texts = topic_texts(store)
    with run.watcher.stage(STAGE, len(texts)) as meter:
        content = _kept(portal, topics, sources, len(texts))
        if content is None:
            meter.remark("learning the topics")
            content = to_bytes(train(texts, topics, background=read(words), labels=given))
            _keep(portal, content, sources, len(texts))
        meter.remark("placing documents")
        model = from_bytes(content)
        assignments = [place for places in model.assign_all(texts) for place in places]
        store.catalog.replace_topics(topics)
        store.catalog.replace_assignments(_corrected(assignments, texts, given))
        store.meta.set(STAGE, key)
        meter.advance(len(texts))
    # The tree that ships has more keywords than any one portal needs: their absence is no news.
    note = "; ".join(model.notices) if portal.settings.topics.file else ""
    return StageReport(STAGE, n_done=len(texts), seconds=run.clock() - started, note=note)


def accepted_labels(portal: Portal, topics: tuple[Topic, ...]) -> dict[DocumentId, tuple[str, ...]]:
    """The topics people gave to documents, as far as the tree still has them."""
    leaves = {topic.path for topic in topics}
    labels = portal.store.corrections.labels()
    return {document: path for document, path in labels.items() if path in leaves}


def tree_of(portal: Portal, domain: Domain) -> tuple[Topic, ...]:
    """The builder's tree, or the domain's."""
    return read_topics(tree_file(portal) or domain.topics)


def tree_file(portal: Portal) -> Path | None:
    """The builder's own file of topics."""
    named = portal.settings.topics.file
    return portal.places.folder / named if named else None


def model_file(portal: Portal) -> Path:
    return portal.places.models / MODEL_FILE


def _kept(portal: Portal, topics: tuple[Topic, ...], sources: str, n_documents: int) -> bytes | None:
    """The model there is, for this tree, while it is good enough; None where it must be learned again."""
    from portico.classify.saving import from_bytes, moved, to_bytes

    state = json.loads(portal.store.meta.get(MODEL) or "{}")
    grown = n_documents / max(state.get("n_documents", 0), 1)
    if state.get("sources") != sources or not 1 / RETRAIN_GROWTH <= grown <= RETRAIN_GROWTH:
        return None
    try:
        content = model_file(portal).read_bytes()
        if sha256(content).hexdigest() != state["digest"]:
            return None
        model = moved(from_bytes(content), topics)
    except (OSError, ConfigError):
        return None  # lost or damaged: it is learned again
    return to_bytes(model) if model else None


def _keep(portal: Portal, content: bytes, sources: str, n_documents: int) -> None:
    """The file before the row that names it, so that a kill in between only means learning again."""
    path = model_file(portal)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
    state = {"sources": sources, "n_documents": n_documents, "digest": sha256(content).hexdigest()}
    portal.store.meta.set(MODEL, json.dumps(state, sort_keys=True))


def _corrected(assignments: list[Assignment], texts: list[TopicText], labels: Labels) -> list[Assignment]:
    """The places, except that a document with a label stands where the label says, for certain."""
    here = {text.document for text in texts}
    certain = [Assignment(document, path, 1.0) for document, path in labels.items() if document in here]
    return [place for place in assignments if place.document not in labels] + certain
