"""Stage 4: all documents to a model of the topic tree, and things of declared kinds to their places in it.

Papers are placed after matching, by the citation graph (`run_place`): it tells best who their neighbors are.
"""

from collections.abc import Collection, Mapping
from hashlib import sha256

from portico.classify import VERSION
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import BuildRun, CollectionStage, StageWork, fingerprint, run_collection_stage
from portico.pipeline.topics.topic_texts import read_topic_texts
from portico.pipeline.topics.topic_tree import (
    drop_hidden,
    drop_hidden_places,
    has_tree,
    note_renames,
    read_labels,
    read_tree,
)
from portico.pipeline.topics.tree_choice import (
    choose_tree,
    describe_choice,
    read_tree_words,
)
from portico.types.document import DocumentId
from portico.types.domain import Domain
from portico.types.stages import StageName
from portico.types.topic import Assignment

Labels = Mapping[DocumentId, tuple[str, ...]]
"""Leaves that a person gave to documents."""


def run_classify(portal: Portal, run: BuildRun) -> StageReport:
    """Learns the tree where that is due; topics that people gave to documents are believed."""
    store, domain = portal.store, portal.domain
    if not has_tree(portal):
        return StageReport(StageName.CLASSIFY)  # a domain without topics
    choose_tree(portal)
    topics = read_tree(portal)
    note_renames(portal, topics)
    words = read_tree_words(portal)
    labels = read_labels(portal, topics)
    # By keywords, as leaves are known: a leaf that is renamed with labels in it need not be learned again.
    leaves = {topic.path: topic.keywords for topic in topics}
    learned = sorted((document, leaves[path]) for document, path in labels.items() if path in leaves)
    sources = fingerprint(
        VERSION, [sha256(each).hexdigest() for each in words], _digest_fields(domain), learned
    )

    def learn(meter: StageProgress) -> StageWork:
        # Imported here: arrays take a quarter of a second to load, which a run without work need not spend.
        from portico.classify.background import read_background_for
        from portico.classify.classifier import train_topics
        from portico.pipeline.topics.topic_model import (
            is_learning_due,
            load_topic_model,
            save_topic_model,
        )
        from portico.pipeline.topics.tree_fit import read_shipped_fields

        texts = read_topic_texts(store)
        meter.expect(len(texts))
        model = None if is_learning_due(portal, sources, len(texts)) else load_topic_model(portal, topics)
        if model is None:
            meter.status("learning the topics")
            known = next(filter(None, (read_background_for(each, topics) for each in words)), None)
            fields = read_shipped_fields(domain)
            trained = train_topics(texts, topics, background=known, fields=fields, labels=labels)
            model = save_topic_model(portal, trained, sources, len(texts))
        if portal.collection.keeps_first_topics:
            meter.status("placing documents")
            found = [place for places in model.assign_all(texts) for place in places]
            visible = drop_hidden(topics)
            store.catalog.topics.replace_tree(visible)
            store.catalog.topics.replace_assignments(
                drop_hidden_places(apply_labels(found, {text.document for text in texts}, labels), visible)
            )
        meter.advance(len(texts))
        # The tree that ships has more keywords than any one portal needs: their absence is no news.
        notices = model.notices if portal.settings.topics.file else ()
        return StageWork(len(texts), note="; ".join((f"by {describe_choice(portal)}", *notices)))

    stage = CollectionStage(
        StageName.CLASSIFY,
        (sources, sorted(labels.items()), repr(topics), store.documents.results.digest_of(StageName.EXTRACT)),
        (),
        learn,
        count_fresh=lambda: store.catalog.counts().n_assigned,
    )
    return run_collection_stage(stage, store, run)


def _digest_fields(domain: Domain) -> str:
    """What names the model of the fields of research that ships; empty where a domain has none."""
    name = domain.research_fields
    return sha256((domain.models / name).read_bytes()).hexdigest() if name else ""


def apply_labels(
    assignments: list[Assignment], here: Collection[DocumentId], labels: Labels
) -> list[Assignment]:
    """The places, except that a document with a label stands where the label says, for certain."""
    certain = [Assignment(document, path, 1.0) for document, path in labels.items() if document in here]
    return [place for place in assignments if place.document not in labels] + certain
