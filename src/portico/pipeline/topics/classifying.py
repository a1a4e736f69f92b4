"""Stage 4: trains the topic model on all documents, and assigns things of declared kinds to topics.

Papers are assigned after matching (`run_place`), because the citation graph shows best who their neighbors
are.
"""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from portico.classify import VERSION
from portico.config.settings import BOOTSTRAPPING, DEFAULT_METHOD
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import BuildRun, CollectionStage, StageWork, fingerprint, run_collection_stage
from portico.pipeline.topics.topic_texts import iterate_topic_texts, read_topic_texts
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
from portico.store.opening import Store
from portico.types.document import DocumentId
from portico.types.domain import Domain
from portico.types.stages import StageName
from portico.types.topic import Assignment, Topic, TopicText

if TYPE_CHECKING:
    from portico.classify.classifier import TopicModel

Labels = Mapping[DocumentId, tuple[str, ...]]
"""The leaves that people assigned to documents."""


def run_classify(portal: Portal, run: BuildRun) -> StageReport:
    """Train the topic model if that is due; topics that people gave to documents are taken as correct."""
    store, domain = portal.store, portal.domain
    if not has_tree(portal):
        return StageReport(StageName.CLASSIFY)  # a domain without topics
    choose_tree(portal)
    topics = read_tree(portal)
    note_renames(portal, topics)
    words = read_tree_words(portal)
    labels = read_labels(portal, topics)
    # By keywords, which identify leaves: renaming a leaf that has labels requires no new training.
    leaves = {topic.path: topic.keywords for topic in topics}
    learned = sorted((document, leaves[path]) for document, path in labels.items() if path in leaves)
    method = portal.settings.classify.method
    sources = fingerprint(
        VERSION,
        [sha256(each).hexdigest() for each in words],
        _digest_fields(domain),
        learned,
        *((method,) if method != DEFAULT_METHOD else ()),
    )

    def learn(meter: StageProgress) -> StageWork:
        # Imported here: arrays take a quarter of a second to load, which a run without work need not spend.
        from portico.pipeline.topics.topic_model import (
            is_learning_due,
            load_topic_model,
            save_topic_model,
        )

        n_documents = store.documents.results.n_done(StageName.EXTRACT)
        meter.expect(n_documents)
        model = None if is_learning_due(portal, sources, n_documents) else load_topic_model(portal, topics)
        if model is None:
            meter.status("learning the topics")
            trained = _train(portal, topics, words, read_topic_texts(store, run.engine), labels)
            model = save_topic_model(portal, trained, sources, n_documents)
        if portal.collection.keeps_first_topics:
            meter.status("placing documents")
            _place_documents(store, model, topics, labels)
        meter.advance(n_documents)
        # A shipped tree has more keywords than any portal needs, so missing ones are not reported.
        notices = model.notices if portal.settings.topics.file else ()
        choice = describe_choice(portal)  # empty before there are documents
        return StageWork(n_documents, note="; ".join((*([f"by {choice}"] if choice else []), *notices)))

    stage = CollectionStage(
        StageName.CLASSIFY,
        (sources, sorted(labels.items()), repr(topics), store.documents.results.digest_of(StageName.EXTRACT)),
        (),
        learn,
        count_fresh=lambda: store.catalog.counts().n_assigned,
    )
    return run_collection_stage(stage, store, run)


def _train(
    portal: Portal,
    topics: Sequence[Topic],
    words: Sequence[bytes],
    texts: Sequence[TopicText],
    labels: Labels,
) -> "TopicModel":
    """Train a topic model for a tree, by the method that the builder chose."""
    from portico.classify.background import read_background_for
    from portico.classify.bootstrap import PAPERS
    from portico.classify.classifier import train_topics
    from portico.pipeline.topics.tree_fit import read_shipped_company, read_shipped_fields

    if portal.settings.classify.method == BOOTSTRAPPING:  # it needs only the keywords
        return train_topics(texts, topics, labels=labels, method=PAPERS)
    known = next(filter(None, (read_background_for(each, topics) for each in words)), None)
    return train_topics(
        texts,
        topics,
        background=known,
        fields=read_shipped_fields(portal.domain),
        company=read_shipped_company(portal.domain),
        labels=labels,
    )


def _place_documents(store: Store, model: "TopicModel", topics: Sequence[Topic], labels: Labels) -> None:
    found: list[Assignment] = []
    here: set[DocumentId] = set()
    for texts in iterate_topic_texts(store):
        found += [place for places in model.assign_all(texts) for place in places]
        here |= {text.document for text in texts}
    visible = drop_hidden(topics)
    store.catalog.topics.replace_tree(visible)
    store.catalog.topics.replace_assignments(drop_hidden_places(apply_labels(found, here, labels), visible))
    store.catalog.unseen.note(None, StageName.AUTHORS, StageName.INDEX)


def _digest_fields(domain: Domain) -> str:
    """Identifies the shipped models of research fields and word vectors; empty if the domain has none."""
    names = filter(None, (domain.research_fields, domain.word_vectors))
    return " ".join(sha256((domain.models / name).read_bytes()).hexdigest() for name in names)


def apply_labels(
    assignments: list[Assignment], here: Collection[DocumentId], labels: Labels
) -> list[Assignment]:
    """Replace the assignments of labelled documents by the labels that people gave them."""
    certain = [Assignment(document, path, 1.0) for document, path in labels.items() if document in here]
    return [place for place in assignments if place.document not in labels] + certain
