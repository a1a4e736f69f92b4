"""A topic of a portal of declared kinds: its place in the tree, over the list of what stands there."""

from dataclasses import dataclass

from portico.serve.describe import LinkedText
from portico.serve.links import topic_url
from portico.serve.pages import Branch, branches
from portico.serve.portal import Portal


@dataclass(frozen=True, slots=True)
class Place:
    """A node of the topic tree, what is above it and what is below."""

    name: str
    path: str
    trail: tuple[LinkedText, ...]
    branches: tuple[Branch, ...]


def place(portal: Portal, path: str) -> Place | None:
    """None where the tree has no such node."""
    names, tree = tuple(path.split("/")), portal.overview.get().tree
    if names not in {node.path for node in tree}:
        return None
    depth = len(names)
    below = [node for node in tree if len(node.path) > depth and node.path[:depth] == names]
    return Place(
        name=names[-1],
        path=path,
        trail=tuple(LinkedText(names[end - 1], topic_url(names[:end])) for end in range(1, depth)),
        branches=branches(below, depth=depth + 1),
    )
