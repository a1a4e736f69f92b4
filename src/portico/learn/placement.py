"""Where in a tree a document settles, given the probabilities of its nodes."""

from dataclasses import dataclass

import numpy as np

from portico.learn.counts import Table
from portico.learn.shrinkage import Tree


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least probability with which a document is placed at a node of its own, and at one above."""

    leaf: float
    inner: float


def settle(node_chances: Table, tree: Tree, thresholds: Thresholds) -> list[list[tuple[int, float]]]:
    """For each row the nodes it belongs to, likeliest first.

    `node_chances` has one column a node: the chance of a leaf, or of being at an inner node and in none of
    its leaves. All nodes that reach the first threshold; where none does, the deepest inner node that
    reaches the second with all that is under it (the likelier of two of the same depth); where none does,
    nothing. The root is no place.
    """
    places: list[list[tuple[int, float]]] = [[] for _ in range(len(node_chances))]
    rows, nodes = np.nonzero(node_chances >= thresholds.leaf)
    found = node_chances[rows, nodes]
    order = np.lexsort((nodes, -found, rows))
    for row, node, chance in zip(
        rows[order].tolist(), nodes[order].tolist(), found[order].tolist(), strict=True
    ):
        places[row].append((node, chance))
    undecided = [row for row, nodes_found in enumerate(places) if not nodes_found]
    if undecided:
        _settle_inside(places, undecided, node_chances, tree, thresholds.inner)
    return places


def _settle_inside(
    places: list[list[tuple[int, float]]], undecided: list[int], node_chances: Table, tree: Tree, least: float
) -> None:
    inner = [node for node in range(1, len(tree.parents)) if node not in tree.leaves]
    if not inner:
        return
    depths = np.array([len(tree.above(node)) for node in inner])
    chances = tree.passed_up(node_chances[undecided].T)[inner]  # one row an inner node
    merits = np.where(chances >= least, depths[:, np.newaxis] + chances, 0.0)
    best = merits.argmax(axis=0)
    for position, row in enumerate(undecided):
        if merits[best[position], position] > 0:
            places[row].append((inner[best[position]], float(chances[best[position], position])))
