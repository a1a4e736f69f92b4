"""The builder's topic tree, corrections of topics, and the location of its trained model."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from portico.config.topics import read_topics
from portico.pipeline.portal import Portal
from portico.pipeline.topics.tree_choice import find_tree
from portico.types.document import DocumentId
from portico.types.topic import Assignment, Topic

MODEL_FILE = "topics.npz"  # in the portal's folder of models
RENAMED = "topics_renamed"  # in the store: pairs of an old and a newer path

Place = tuple[str, ...]


def read_labels(portal: Portal, topics: tuple[Topic, ...]) -> dict[DocumentId, tuple[str, ...]]:
    """The topics that people gave to documents, under their current names, if the tree still has them.

    An inner node may be given too, but only leaves are learned from.
    """
    nodes = _list_nodes(topics)
    renamed = _read_renames(portal)
    labels = {
        document: _find_name_today(path, nodes, renamed)
        for document, path in portal.store.contributions.corrections.labels().items()
    }
    return {document: path for document, path in labels.items() if path in nodes}


def note_renames(portal: Portal, topics: Sequence[Topic]) -> None:
    """Record which nodes have been renamed since documents were last assigned to topics.

    A leaf is recognized by its keywords. Topics that people gave to documents apply under the new name.
    """
    nodes = _list_nodes(topics)
    today = {topic.keywords: topic.path for topic in topics if topic.keywords}
    renamed = _read_renames(portal)
    for old in portal.store.catalog.topics.all():
        new = today.get(old.keywords)
        if new is None or old.path in nodes:
            continue
        renamed[old.path] = new
        if len(old.path) == len(new):  # the nodes above it may have been renamed too
            pairs = ((old.path[:depth], new[:depth]) for depth in range(1, len(new)))
            renamed |= {before: after for before, after in pairs if before not in nodes}
    rows = sorted(("/".join(old), "/".join(new)) for old, new in renamed.items())
    if rows:
        portal.store.meta.set(RENAMED, json.dumps(rows, ensure_ascii=False))


def read_tree(portal: Portal) -> tuple[Topic, ...]:
    """The builder's tree, or a shipped one."""
    return read_topics(find_tree(portal))


def drop_hidden(topics: Sequence[Topic]) -> tuple[Topic, ...]:
    """The leaves that visitors see."""
    return tuple(topic for topic in topics if not topic.hidden)


def drop_hidden_places(found: Sequence[Assignment], visible: Sequence[Topic]) -> list[Assignment]:
    """Drop assignments to nodes without a visible leaf: documents of hidden topics have no topic."""
    nodes = _list_nodes(visible)
    return [place for place in found if place.path in nodes]


def has_tree(portal: Portal) -> bool:
    """Whether there are topics, of the builder or of the domain."""
    return bool(portal.settings.topics.file) or portal.domain.topics.is_file()


def find_topic_model(portal: Portal) -> Path:
    return portal.places.models / MODEL_FILE


def _list_nodes(topics: Sequence[Topic]) -> set[Place]:
    return {topic.path[:depth] for topic in topics for depth in range(1, len(topic.path) + 1)}


def _read_renames(portal: Portal) -> dict[Place, Place]:
    rows = json.loads(portal.store.meta.get(RENAMED) or "[]")
    return {tuple(old.split("/")): tuple(new.split("/")) for old, new in rows}


def _find_name_today(path: Place, nodes: Collection[Place], renamed: Mapping[Place, Place]) -> Place:
    """The current name of a node after renamings; its last one if the node is gone."""
    seen = {path}
    while path not in nodes and renamed.get(path, path) not in seen:
        path = renamed[path]
        seen.add(path)
    return path
