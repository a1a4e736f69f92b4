"""Where in a tree a document settles, given the probabilities of the leaves."""

from dataclasses import dataclass

import numpy as np

from portico.learn.counts import Table
from portico.learn.shrinkage import Tree


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least probability with which a document is placed in a leaf, and at an inner node."""

    leaf: float
    inner: float


def settle(leaf_chances: Table, tree: Tree, thresholds: Thresholds) -> list[list[tuple[int, float]]]:
    """For each row the nodes it belongs to, likeliest first.

    All leaves that reach their threshold; where none does, the deepest inner node that reaches its own
    (the likelier of two of the same depth); where none does, nothing. The root is no place.
    """
    leaves = np.asarray(tree.leaves)
    places: list[list[tuple[int, float]]] = [[] for _ in range(len(leaf_chances))]
    rows, columns = np.nonzero(leaf_chances >= thresholds.leaf)
    found = leaf_chances[rows, columns]
    order = np.lexsort((columns, -found, rows))
    for row, column, chance in zip(
        rows[order].tolist(), columns[order].tolist(), found[order].tolist(), strict=True
    ):
        places[row].append((int(leaves[column]), chance))
    undecided = [row for row, nodes in enumerate(places) if not nodes]
    if undecided:
        _settle_inside(places, undecided, leaf_chances, tree, thresholds.inner)
    return places


def _settle_inside(
    places: list[list[tuple[int, float]]], undecided: list[int], leaf_chances: Table, tree: Tree, least: float
) -> None:
    inner = [node for node in range(1, len(tree.parents)) if node not in tree.leaves]
    if not inner:
        return
    depths = np.array([len(tree.above(node)) for node in inner])
    chances = tree.add_up(leaf_chances[undecided].T)[inner]  # one row an inner node
    merits = np.where(chances >= least, depths[:, np.newaxis] + chances, 0.0)
    best = merits.argmax(axis=0)
    for position, row in enumerate(undecided):
        if merits[best[position], position] > 0:
            places[row].append((inner[best[position]], float(chances[best[position], position])))
