"""Clustering of rows: spherical k-means over weighted counts, and hierarchical clustering of few rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.linalg import svds

from portico.learn.counts import Counts, Table, count_rows_with

ROUNDS = 6  # after six rounds fewer than one row in fifty changes its cluster on Cora-70 and arXiv-53
LEAST_FREQUENCY = 3  # a column in fewer rows connects rows by chance
# How sharply rows are assigned to their nearest cluster: similarities differ by about a twentieth.
SHARPNESS = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """The center of every cluster, one row each, and the similarity of every data row to each center."""

    centers: Table
    similarity: Table

    def hard(self) -> list[int]:
        """The nearest cluster of every row."""
        return [int(each) for each in self.similarity.argmax(axis=1)]

    def soft(self) -> Table:
        """The degree to which every row belongs to each cluster; rows sum to one."""
        shares = np.exp(SHARPNESS * (self.similarity - self.similarity.max(axis=1, keepdims=True)))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def weigh_rows(counts: Counts) -> Counts:
    """Damped counts, with rare columns weighted up, and every row scaled to length one."""
    frequency = count_rows_with(counts)
    rarity = np.log(max(counts.shape[0], 1) / np.maximum(frequency, 1.0))
    rarity[frequency < min(LEAST_FREQUENCY, counts.shape[0] / 4)] = 0.0
    data = np.log1p(counts.data) * rarity[counts.indices]
    table = sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
    norms = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1.0 / np.maximum(norms, 1e-9)) @ table)


def cluster_rows(rows: Counts, n_clusters: int, *, seed: int = 0) -> Clusters:
    """The rows (see `weigh_rows`) in at most `n_clusters` groups; the same seed gives the same groups."""
    n_rows = rows.shape[0]
    chance = np.random.default_rng(seed)
    chosen = np.sort(chance.choice(n_rows, min(n_clusters, n_rows), replace=False))
    centers = _directions(np.asarray(rows[chosen].toarray()))
    for _ in range(ROUNDS):
        nearest = np.asarray(rows @ centers.T).argmax(axis=1)
        members = sparse.csr_array(
            (np.ones(n_rows), (nearest, np.arange(n_rows))), shape=(len(centers), n_rows)
        )
        centers = _directions(np.asarray((members @ rows).toarray()))
    return Clusters(centers, np.asarray(rows @ centers.T))


def reduce_rows(rows: Counts, n_dimensions: int) -> Table:
    """The rows (see `weigh_rows`) in few dimensions, in which words that occur together count as one.

    This finds groups of a few dozen rows that share too few words to be found from counts.
    """
    n_dimensions = min(n_dimensions, *(size - 1 for size in rows.shape))
    if n_dimensions < 1 or not rows.data.any():
        return _directions(np.asarray(rows.toarray()))
    left, strengths, _ = svds(rows, k=n_dimensions, v0=np.ones(min(rows.shape)), solver="arpack")
    # Rounded, so that the last digits, which depend on how the work was shared out, decide nothing.
    return np.asarray(_directions(np.asarray(left * strengths)).round(6))


def join_spaces(first: Table, second: Table) -> Table:
    """Rows described in two ways, weighted equally."""
    return np.hstack([first, second])


def group_rows(rows: Table, n_groups: int) -> list[int]:
    """The group number of every row, at most this many groups, by Ward's method, which makes groups of
    similar size.

    Time and memory grow with the square of the number of rows.
    """
    if len(rows) < 2:
        return [0] * len(rows)
    found = fcluster(linkage(rows, "ward"), n_groups, criterion="maxclust")
    return _settled(rows, [int(each) - 1 for each in found])


def average_groups(rows: Table, groups: Sequence[int], n_groups: int) -> Table:
    """The mean direction of the rows of every group; rows without a group (below 0) are ignored."""
    means = np.zeros((n_groups, rows.shape[1]))
    for row, group in zip(rows, groups, strict=True):
        if group >= 0:
            means[group] += row
    return _directions(means)


def _settled(rows: Table, groups: Sequence[int]) -> list[int]:
    """Every row in the group with the nearest mean, which hierarchical clustering does not guarantee."""
    current = np.asarray(groups)
    for _ in range(ROUNDS):
        means = average_groups(rows, current.tolist(), int(current.max()) + 1)
        current = np.asarray(rows @ means.T).argmax(axis=1)
    return [int(each) for each in current]


def _directions(table: Table) -> Table:
    return np.asarray(table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9))
