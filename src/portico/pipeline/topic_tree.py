"""The builder's topic tree, what people said about places in it, and where its trained model is kept."""

from pathlib import Path

from portico.config.topics import read_topics
from portico.pipeline.portal import Portal
from portico.types.document import DocumentId
from portico.types.domain import Domain
from portico.types.topic import Topic

MODEL_FILE = "topics.npz"  # in the portal's folder of models


def accepted_labels(portal: Portal, topics: tuple[Topic, ...]) -> dict[DocumentId, tuple[str, ...]]:
    """The topics people gave to documents, as far as the tree still has them.

    An inner node is a place too; only leaves are learned from.
    """
    nodes = {topic.path[:depth] for topic in topics for depth in range(1, len(topic.path) + 1)}
    labels = portal.store.corrections.labels()
    return {document: path for document, path in labels.items() if path in nodes}


def tree_of(portal: Portal, domain: Domain) -> tuple[Topic, ...]:
    """The builder's tree, or the domain's."""
    return read_topics(tree_file(portal) or domain.topics)


def tree_file(portal: Portal) -> Path | None:
    """The builder's own file of topics."""
    named = portal.settings.topics.file
    return portal.places.folder / named if named else None


def model_file(portal: Portal) -> Path:
    return portal.places.models / MODEL_FILE
