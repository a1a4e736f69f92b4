"""Hubs and authorities, and PageRank, of a directed graph given as pairs of node numbers."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from scipy import sparse

MAX_ROUNDS = 1000
TOLERANCE = 1e-10
"""Sum of absolute changes in a round below which the scores are taken as final."""

DAMPING = 0.85
"""Share of PageRank that follows edges (Brin and Page 1998)."""


def hubs_and_authorities(edges: Sequence[tuple[int, int]], n_nodes: int) -> tuple[list[float], list[float]]:
    """Kleinberg's hub and authority score of every node, each summing to 1 (all 0 without edges).

    An edge that is given twice counts twice. Starting from equal scores makes the result the same
    on every machine, even where the graph has several parts of equal strength.
    """
    if not edges:
        return [0.0] * n_nodes, [0.0] * n_nodes
    links = _adjacency(edges, n_nodes)
    transposed = links.T  # a view; its product costs no more
    hubs = np.full(n_nodes, 1.0 / n_nodes)
    for _ in range(MAX_ROUNDS):
        authorities = _share(transposed @ hubs)
        updated = _share(links @ authorities)
        change = np.abs(updated - hubs).sum()
        hubs = updated
        if change < TOLERANCE:
            break
    return hubs.tolist(), _share(transposed @ hubs).tolist()


def pagerank(edges: Sequence[tuple[int, int]], n_nodes: int, *, damping: float = DAMPING) -> list[float]:
    """The share of time a reader who follows edges at random spends on every node; sums to 1.

    From a node without edges, and with probability 1 - damping from any, the reader goes anywhere.
    """
    if not n_nodes:
        return []
    links = _adjacency(edges, n_nodes)
    out = np.diff(links.indptr)
    steps, stuck = links.T, out == 0
    scale = np.divide(1.0, out, out=np.zeros(n_nodes), where=~stuck)
    rank = np.full(n_nodes, 1.0 / n_nodes)
    for _ in range(MAX_ROUNDS):
        lost = rank[stuck].sum()
        updated = damping * (steps @ (rank * scale) + lost / n_nodes) + (1 - damping) / n_nodes
        change = np.abs(updated - rank).sum()
        rank = updated
        if change < TOLERANCE:
            break
    return rank.tolist()


def _adjacency(edges: Sequence[tuple[int, int]], n_nodes: int) -> sparse.csr_matrix:
    """One stored number for every edge, so that rows are as long as nodes have edges out."""
    flat = np.fromiter(chain.from_iterable(edges), dtype=np.int32, count=2 * len(edges))
    sources, targets = flat[::2], flat[1::2]
    starts = np.concatenate(([0], np.cumsum(np.bincount(sources, minlength=n_nodes)))).astype(np.int32)
    order = np.argsort(sources, kind="stable")  # a radix sort
    return sparse.csr_matrix((np.ones(len(edges)), targets[order], starts), shape=(n_nodes, n_nodes))


def _share(scores: np.ndarray) -> np.ndarray:
    total = scores.sum()
    return scores / total if total > 0 else scores
