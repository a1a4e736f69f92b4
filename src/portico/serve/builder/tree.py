"""The builder's page of the topic tree, with the actions on every node."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException

from portico.errors import PorticoError
from portico.serve.contributions.forms import Form, clean_line
from portico.serve.contributions.writable_portal import WritablePortal
from portico.types.topic import Topic, TreeChange

LONGEST_PATH = 400  # characters


@dataclass(frozen=True, slots=True)
class NodeLine:
    """One node of the tree, as the builder edits it."""

    path: str
    name: str
    depth: int
    is_leaf: bool
    is_hidden: bool  # together with everything below it
    keywords: str


def list_nodes(writable: WritablePortal) -> tuple[NodeLine, ...]:
    """Every node of the tree file, parents before children; empty if the file cannot be read."""
    try:
        topics = writable.read_tree()
    except PorticoError:
        return ()
    found: dict[tuple[str, ...], list[Topic]] = {}
    for topic in topics:
        for depth in range(1, len(topic.path) + 1):
            found.setdefault(topic.path[:depth], []).append(topic)
    return tuple(
        NodeLine(
            path="/".join(path),
            name=path[-1],
            depth=len(path),
            is_leaf=below[0].path == path,
            is_hidden=all(topic.hidden for topic in below),
            keywords=", ".join(below[0].keywords) if below[0].path == path else "",
        )
        for path, below in sorted(found.items(), key=lambda node: _order(node[0], found))
    )


def _order(path: tuple[str, ...], found: Mapping[tuple[str, ...], object]) -> tuple[int, ...]:
    """A sort key that keeps nodes in the order of the file, with parents before children."""
    places = {node: place for place, node in enumerate(found)}
    return tuple(places[path[:depth]] for depth in range(1, len(path) + 1))


def change_node(writable: WritablePortal, form: Form) -> None:
    """Change a node of the tree as the form says. Papers are reassigned in the next build."""
    if writable.change_tree is None:
        raise HTTPException(404, "The topic tree can only be changed where the portal is built.")
    path = _split(form.get("topic", ""))
    target = _split(clean_line(form.get("target", ""), LONGEST_PATH))
    kind = form.get("decision", "")
    if kind not in ("move", "merge", "hide", "show", "split") or not path:
        raise HTTPException(400, "Say which topic to change, and how.")
    if kind in ("move", "merge") and not all(target or ("",)):
        raise HTTPException(400, "Write the path from the top of the tree, with / between the names.")
    try:
        writable.change_tree(TreeChange(kind, path, target))
    except PorticoError as fault:
        raise HTTPException(400, f"The tree could not be changed: {fault}") from fault


def _split(path: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in path.split("/")) if path.strip() else ()
