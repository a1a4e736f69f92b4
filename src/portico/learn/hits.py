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


def score_links(ends: np.ndarray, n_nodes: int, *, digits: int) -> np.ndarray:
    """Of every node how many edges come in, its authority, its hub score and its PageRank, in four columns.

    `ends` has a row for each edge, ascending, none twice. Scores count in what the average node has, and keep
    so many leading digits and no more decimals than that. As shares of 1 they would all change with every
    node that is added, and what is far below the average changes most.
    """
    links = _matrix(ends[:, 0], ends[:, 1], n_nodes)
    hubs, authorities = _hits(links)
    scores = (authorities, hubs, _pagerank(links, DAMPING))
    incoming = np.bincount(ends[:, 1], minlength=n_nodes)
    return np.column_stack((incoming, *(_rounded(n_nodes * each, digits) for each in scores)))


def hubs_and_authorities(edges: Sequence[tuple[int, int]], n_nodes: int) -> tuple[list[float], list[float]]:
    """Kleinberg's hub and authority score of every node, each summing to 1 (all 0 without edges).

    An edge that is given twice counts twice. Starting from equal scores makes the result the same
    on every machine, even where the graph has several parts of equal strength.
    """
    hubs, authorities = _hits(_adjacency(edges, n_nodes))
    return hubs.tolist(), authorities.tolist()


def pagerank(edges: Sequence[tuple[int, int]], n_nodes: int, *, damping: float = DAMPING) -> list[float]:
    """The share of time a reader who follows edges at random spends on every node; sums to 1.

    From a node without edges, and with probability 1 - damping from any, the reader goes anywhere.
    """
    return [float(share) for share in _pagerank(_adjacency(edges, n_nodes), damping)]


def _hits(links: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    n_nodes = links.shape[0]
    if not links.nnz:
        return np.zeros(n_nodes), np.zeros(n_nodes)
    transposed = links.T  # a view; its product costs no more
    hubs = np.full(n_nodes, 1.0 / n_nodes)
    for _ in range(MAX_ROUNDS):
        authorities = _share(transposed @ hubs)
        updated = _share(links @ authorities)
        change = np.abs(updated - hubs).sum()
        hubs = updated
        if change < TOLERANCE:
            break
    return hubs, _share(transposed @ hubs)


def _pagerank(links: sparse.csr_matrix, damping: float) -> np.ndarray:
    n_nodes = links.shape[0]
    if not n_nodes:
        return np.zeros(0)
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
    return rank


def _adjacency(edges: Sequence[tuple[int, int]], n_nodes: int) -> sparse.csr_matrix:
    """One stored number for every edge, so that rows are as long as nodes have edges out."""
    flat = np.fromiter(chain.from_iterable(edges), dtype=np.int32, count=2 * len(edges))
    order = np.argsort(flat[::2], kind="stable")  # a radix sort
    return _matrix(flat[::2][order], flat[1::2][order], n_nodes)


def _matrix(rows: np.ndarray, columns: np.ndarray, n_nodes: int) -> sparse.csr_matrix:
    """Of edges that ascend by their first end."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_nodes)))).astype(np.int32)
    return sparse.csr_matrix((np.ones(len(rows)), columns.astype(np.int32), starts), shape=(n_nodes, n_nodes))


def _rounded(scores: np.ndarray, digits: int) -> np.ndarray:
    """Divided by a power of ten, an integer becomes exactly the number with these digits."""
    exponents = np.floor(np.log10(scores, out=np.full(len(scores), -1.0), where=scores > 0))
    scale = 10.0 ** (digits - 1 - np.maximum(exponents, -1.0))
    return np.asarray(np.rint(scores * scale) / scale)


def _share(scores: np.ndarray) -> np.ndarray:
    total = scores.sum()
    return scores / total if total > 0 else scores
