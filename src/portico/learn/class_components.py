"""Several mixture components per leaf, and a broad "other" class under every inner node of a tree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from portico.learn.clusters import cluster_rows, weigh_rows
from portico.learn.counts import Counts, Table
from portico.learn.shrinkage import Tree

# Minimum number of rows that belong to a leaf for dividing it: halves of fewer are chance.
LEAST_ROWS = 40
SPEAKS = 0.3  # probability from which a row belongs to a leaf


@dataclass(frozen=True, slots=True)
class ComponentTree:
    """A tree whose leaves are the classes of a model, and the node of the original tree to which each
    belongs.
    """

    tree: Tree
    owners: tuple[int, ...]

    def classes_of(self, leaf: int) -> list[int]:
        return [number for number, owner in enumerate(self.owners) if owner == leaf]


def grow_components(tree: Tree, *, components: int = 1, others: bool = False) -> ComponentTree:
    """Every leaf divided into this many components; with `others`, one more leaf under every inner node.

    An "other" leaf has no keywords. Shrunk towards its node, it starts with the words of everything below it,
    and takes the rows that are about the node but about none of its leaves. The root gets none: the last
    class of `em.DirichletSmoothing` serves for that.
    """
    parents, leaves, owners = list(tree.parents), list[int](), list[int]()
    inner = [node for node in range(1, len(parents)) if node not in tree.leaves] if others else []
    below = [leaf for leaf in tree.leaves for _ in range(components)] if components > 1 else []
    if components == 1:
        leaves, owners = list(tree.leaves), list(tree.leaves)
    for node in (*below, *inner):
        leaves.append(len(parents))
        parents.append(node)
        owners.append(node)
    return ComponentTree(Tree(tuple(parents), tuple(leaves)), tuple(owners))


def divide_labels(labels: Table, counts: Counts, tree: Tree, grown: ComponentTree) -> Table:
    """Labels of leaves as labels of classes: rows of a leaf go to the component they resemble most."""
    if grown.owners == tree.leaves:
        return labels
    table = np.zeros((labels.shape[0], len(grown.owners)))
    rows_of_all = weigh_rows(counts)
    for number, leaf in enumerate(tree.leaves):
        classes = grown.classes_of(leaf)
        rows = np.flatnonzero(labels[:, number] > SPEAKS)
        if len(classes) == 1 or len(rows) < LEAST_ROWS:
            table[:, classes[0]] = labels[:, number]
            continue
        table[:, classes] = labels[:, [number]] / len(classes)
        shares = cluster_rows(rows_of_all[rows], len(classes)).soft()
        table[rows[:, np.newaxis], classes] = labels[rows, number][:, np.newaxis] * shares
    return table


def spread_rows(leaf_rows: Table, tree: Tree, grown: ComponentTree) -> Table:
    """The data of every leaf, divided equally among its components; nothing for the other classes."""
    if grown.owners == tree.leaves:
        return leaf_rows
    table = np.zeros((len(grown.owners), leaf_rows.shape[1]))
    for number, leaf in enumerate(tree.leaves):
        classes = grown.classes_of(leaf)
        table[classes] = leaf_rows[number] / len(classes)
    return table


def gather_chances(chances: Table, owners: Sequence[int], n_nodes: int) -> Table:
    """Probabilities of the classes as probabilities of their nodes; further columns belong to no node."""
    table = np.zeros((chances.shape[0], n_nodes))
    if len(set(owners)) == len(owners):
        table[:, list(owners)] = chances[:, : len(owners)]
    else:
        for number, owner in enumerate(owners):
            table[:, owner] += chances[:, number]
    return table
