"""The topic tree as it stands, with counts, and what could grow in it."""

from collections import Counter
from collections.abc import Iterator

from portico.errors import ConfigError
from portico.pipeline.portal import Portal
from portico.pipeline.topic_texts import topic_texts
from portico.text.nearest import nearest
from portico.types.topic import TopicText

OTHER = "other"
"""The node of all documents without a place."""


def tree_lines(portal: Portal) -> Iterator[str]:
    """Every node, with the number of documents whose likeliest place is there or below it."""
    places = _places(portal)
    if not places and not portal.store.catalog.topics():
        raise ConfigError("nothing is classified yet; run `portico build` for this portal first")
    below = Counter(path[:depth] for path in places.values() for depth in range(1, len(path) + 1))
    for topic in portal.store.catalog.topics():
        indent = "  " * (len(topic.path) - 1)
        yield f"{indent}{topic.name:<{max(60 - len(indent), 1)}}{below[topic.path]:>7}"
    n_documents = len(topic_texts(portal.store))
    yield f"{'(no place)':<60}{n_documents - len(places):>7}"


def suggestions(portal: Portal, node: str, n_topics: int) -> Iterator[str]:
    """New leaves under a node, as topics to paste; `other` is the node of documents without a place.

    An empty node means the whole collection: a tree from scratch.
    """
    # Imported here: arrays take half a second to load.
    from portico.classify.suggesting import suggest

    above, texts = _documents_at(portal, node)
    found = suggest(texts, n_topics=n_topics)
    if not found:
        raise ConfigError(f'"{node or "the portal"}" has {len(texts)} documents: too few to suggest topics')
    if any(topic.path == above and topic.keywords for topic in portal.store.catalog.topics()):
        yield f'# Take the topic "{node}" itself out: it becomes a node with these below it.\n'
    yield from (each.toml(above) for each in found)


def _documents_at(portal: Portal, node: str) -> tuple[tuple[str, ...], list[TopicText]]:
    texts, places = topic_texts(portal.store), _places(portal)
    if not node:
        return (), texts
    if node == OTHER:
        return (), [text for text in texts if text.document not in places]
    path = tuple(node.split("/"))
    names = {"/".join(topic.path) for topic in portal.store.catalog.topics()}
    if node not in names:
        hint = nearest(node, sorted(names))
        raise ConfigError(f'there is no topic "{node}"{f"; did you mean {hint}?" if hint else ""}')
    return path, [text for text in texts if places.get(text.document, ())[: len(path)] == path]


def _places(portal: Portal) -> dict[str, tuple[str, ...]]:
    """The likeliest place of every document that has one."""
    places: dict[str, tuple[str, ...]] = {}
    for assignment in portal.store.catalog.assignments():
        places.setdefault(assignment.document, assignment.path)
    return places
