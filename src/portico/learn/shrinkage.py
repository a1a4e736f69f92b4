"""Word probabilities smoothed along a tree (shrinkage), and placement of documents in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from portico.learn.counts import Table, Vector

# Additional occurrences of every word at the root, so that nothing is impossible.
ROOT_SMOOTHING = 0.1

# Number of updates of the mixture weights. The likelihood has one maximum; after 20 the weights change by <
# .01.
_WEIGHT_ROUNDS = 20

# Below a top node decided by other means, signs are weighed against this many unseen ones, and a leaf with
# fewer than two signs gets only this share of its weight: one sign is not enough.
UNSEEN_SIGNS, DOUBT_SIGNS = 0.3, 1.0
ENOUGH_SIGNS, SHARE_OF_FEW_SIGNS = 2.0, 0.4


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes by number: `parents[node]` is smaller than `node`; node 0 is the root and its own parent."""

    parents: tuple[int, ...]
    leaves: tuple[int, ...]

    @classmethod
    def of_paths(cls, paths: Sequence[tuple[str, ...]]) -> tuple["Tree", tuple[tuple[str, ...], ...]]:
        """The tree whose leaves are at `paths`, in that order, and the path of every node."""
        nodes: dict[tuple[str, ...], int] = {(): 0}
        parents = [0]
        for path in paths:
            for depth in range(1, len(path) + 1):
                if path[:depth] not in nodes:
                    parents.append(nodes[path[: depth - 1]])
                    nodes[path[:depth]] = len(nodes)
        return cls(tuple(parents), tuple(nodes[path] for path in paths)), tuple(nodes)

    def above(self, leaf: int) -> tuple[int, ...]:
        """The leaf itself and every node above it, up to the root."""
        path = [leaf]
        while path[-1] != 0:
            path.append(self.parents[path[-1]])
        return tuple(path)

    def add_up(self, leaf_rows: Table) -> Table:
        """One row a node: the sum of the rows of the leaves at or under it."""
        table = np.zeros((len(self.parents), leaf_rows.shape[1]))
        table[list(self.leaves)] = leaf_rows
        return self.passed_up(table)

    def passed_up(self, node_rows: Table) -> Table:
        """One row a node: the sum of its own row and of those of all nodes under it."""
        table = node_rows.copy()
        for node in range(len(self.parents) - 1, 0, -1):
            table[self.parents[node]] += table[node]
        return table


def smooth_dirichlet(leaf_counts: Table, tree: Tree, *, strength: float) -> Table:
    """Log word probabilities of the leaves, each node shrunk towards its parent by `strength` words."""
    counts = tree.add_up(leaf_counts)
    chances = np.empty_like(counts)
    chances[0] = (counts[0] + ROOT_SMOOTHING) / (counts[0].sum() + ROOT_SMOOTHING * counts.shape[1])
    for node in range(1, len(counts)):
        above = chances[tree.parents[node]]
        chances[node] = (counts[node] + strength * above) / (counts[node].sum() + strength)
    return np.asarray(np.log(chances[list(tree.leaves)]))


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """For each leaf the weights of itself, the nodes above it, and the uniform distribution, in order."""

    weights: tuple[Vector, ...]


def fit_mixture(leaf_counts: Table, held_out: Table, tree: Tree) -> Mixture:
    """Weights that maximize the likelihood of the held-out words of each leaf, by EM from equal weights.

    `held_out` counts words of documents that `leaf_counts` does not contain: on the same words the leaf
    itself would get all the weight.
    """
    estimates = _likeliest(tree.add_up(leaf_counts))
    found = []
    for idx, leaf in enumerate(tree.leaves):
        layers = _layers(estimates, tree, leaf)
        weights = np.full(len(layers), 1.0 / len(layers))
        for _ in range(_WEIGHT_ROUNDS):
            weights = _reweighted(weights, layers, held_out[idx])
        found.append(weights)
    return Mixture(tuple(found))


def interpolate(leaf_counts: Table, tree: Tree, mixture: Mixture) -> Table:
    """Log word probabilities of the leaves, as mixtures of the maximum likelihood estimates along their
    paths.
    """
    estimates = _likeliest(tree.add_up(leaf_counts))
    rows = [
        weights @ _layers(estimates, tree, leaf)
        for leaf, weights in zip(tree.leaves, mixture.weights, strict=True)
    ]
    return np.asarray(np.log(np.maximum(rows, np.finfo(np.float64).tiny)))


def _likeliest(counts: Table) -> Table:
    """Each row's relative frequencies; uniform if nothing was counted."""
    sums = counts.sum(axis=1, keepdims=True)
    uniform = np.full_like(counts, 1.0 / counts.shape[1])
    return np.asarray(np.divide(counts, sums, out=uniform, where=sums > 0))


def _layers(estimates: Table, tree: Tree, leaf: int) -> Table:
    n_words = estimates.shape[1]
    return np.vstack([estimates[list(tree.above(leaf))], np.full((1, n_words), 1.0 / n_words)])


def _reweighted(weights: Vector, layers: Table, occurrences: Vector) -> Vector:
    shares = weights[:, np.newaxis] * layers
    shares /= shares.sum(axis=0)
    totals = shares @ occurrences
    return totals / totals.sum() if totals.sum() > 0 else weights


@dataclass(frozen=True, slots=True)
class PlacementThresholds:
    """The least probability with which a document is placed at a node of its own, and at one above."""

    leaf: float
    inner: float


def settle_rows(
    node_chances: Table, tree: Tree, thresholds: PlacementThresholds
) -> list[list[tuple[int, float]]]:
    """For each row the nodes it belongs to, the most likely first.

    `node_chances` has one column per node: the probability of a leaf, or of being at an inner node and in
    none of its leaves. The result is all leaves that reach the first threshold; if none does, the deepest
    inner node that reaches the second together with everything below it (the more likely of two of the same
    depth); if none does, nothing. The root is never returned.
    """
    places: list[list[tuple[int, float]]] = [[] for _ in range(len(node_chances))]
    is_leaf = np.isin(np.arange(node_chances.shape[1]), tree.leaves)
    rows, nodes = np.nonzero((node_chances >= thresholds.leaf) & is_leaf)
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


@dataclass(frozen=True, slots=True, eq=False)
class TopChances:
    """What is known of the tops from elsewhere: one column a class, and the top (a node) of each; 0: none."""

    chances: Table
    tops: tuple[int, ...]


def reweigh_tops(node_chances: Table, tree: Tree, known: TopChances, signs: Table) -> Table:
    """The chances of the nodes when those of the tops are decided elsewhere.

    `signs` counts what speaks for each node in each row. A leaf has what it has of the chances and of the
    signs under its top, on average, and the less the fewer signs there are; what is left stays at the top.
    """
    table = np.zeros_like(node_chances)
    above = np.zeros(len(tree.parents), dtype=np.int64)  # the top of every node
    for node in range(1, len(tree.parents)):
        above[node] = node if tree.parents[node] == 0 else above[tree.parents[node]]
    for top in sorted(set(known.tops) - {0}):
        wanted = known.chances[:, np.equal(known.tops, top)].sum(axis=1)
        under = np.flatnonzero(above == top)
        n_signs = signs[:, under].sum(axis=1)
        trust = wanted * (n_signs + UNSEEN_SIGNS) / (n_signs + DOUBT_SIGNS)
        shares = (_to_shares(node_chances[:, under]) + _to_shares(signs[:, under])) / 2.0
        is_enough = np.where(signs[:, under] >= ENOUGH_SIGNS, 1.0, SHARE_OF_FEW_SIGNS)
        found = shares * trust[:, np.newaxis] * is_enough
        table[:, under] = found
        table[:, top] += wanted - found.sum(axis=1)
    return table


def _to_shares(rows: Table) -> Table:
    """Each row divided by its sum; zeros for a row without any."""
    sums = rows.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(rows, sums, out=np.zeros_like(rows), where=sums > 1e-12))
