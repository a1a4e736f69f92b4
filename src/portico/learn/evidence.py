"""First labels from signs: which sign was seen where, and which class each sign speaks for."""

from collections.abc import Sequence

import numpy as np

from portico.learn.counts import Counts, Table, Vector, count_rows_with, normalize_rows, to_presence

# How far a sign is believed whose documents have no neighbors to ask.
_DEFAULT_AGREEMENT = 0.3
_AGREEMENT_DOCUMENTS = 2.0  # how many documents that default counts for


def share_signs(owners: Sequence[Sequence[int]], n_classes: int) -> Table:
    """One row a sign with the classes it speaks for; several classes share its voice."""
    table = np.zeros((len(owners), n_classes))
    for sign, classes in enumerate(owners):
        table[sign, list(classes)] = 1.0 / len(classes)
    return table


def label_by_first_sign(seen: Counts, owners: Table) -> Table:
    """One class a row, the one of the first sign (column) seen in it; zeros where there is none."""
    labels = np.zeros((seen.shape[0], owners.shape[1]))
    for row in range(seen.shape[0]):
        signs = seen.indices[seen.indptr[row] : seen.indptr[row + 1]]
        if len(signs):
            labels[row, owners[signs.min()].argmax()] = 1.0
    return labels


def fill_with_largest(labels: Table) -> Table:
    """The labels, with the largest class for rows that have none."""
    default = np.zeros(labels.shape[1])
    default[labels.sum(axis=0).argmax()] = 1.0
    return np.where(labels.sum(axis=1, keepdims=True) > 0, labels, default)


def label_by_all_signs(own: Counts, near: Counts, owners: Table, *, spread: float) -> Table:
    """Probabilities of the classes by every sign seen in a row or near it; zeros where there is none.

    `near` holds the share of a row's neighbors that show the sign. A sign weighs its squared inverse
    document frequency, times how far the neighbors of the rows that show it speak for its class too.
    """
    own = to_presence(own)
    weights = _rarity(own) ** 2
    if near.nnz:
        weights = weights * _agreement(
            own, normalize_rows(np.asarray(near @ (weights[:, np.newaxis] * owners))), owners
        )
    voices = weights[:, np.newaxis] * owners
    return normalize_rows(np.asarray(own @ voices) + spread * np.asarray(near @ voices))


def measure_strength(own: Counts, near: Counts, accompanied: Sequence[bool]) -> Vector:
    """How much of any class's signs each row shows, itself and near it, by squared rarity.

    Rows that are not `accompanied` have no neighbors: their own signs stand for those they could have.
    """
    weights = _rarity(own) ** 2
    alone, around = np.asarray(to_presence(own) @ weights), np.asarray(near @ weights)
    has_neighbors = np.asarray(accompanied, dtype=bool)
    seen = float(alone[has_neighbors].sum())
    factor = 1.0 + (float(around[has_neighbors].sum()) / seen if seen else 0.0)
    return np.where(has_neighbors, alone + around, alone * factor)


def _rarity(own: Counts) -> Vector:
    """Inverse document frequency, still above zero for a sign that is everywhere: it may be all there is."""
    return np.asarray(np.log1p(own.shape[0] / np.maximum(count_rows_with(own), 1.0)))


def _agreement(own: Counts, neighbors: Table, owners: Table) -> Vector:
    """For each sign the mean probability its class has among the neighbors of the rows that show it."""
    agreeing = (np.asarray(own.T @ neighbors) * owners).sum(axis=1)
    asked = np.asarray(own.T @ (neighbors.sum(axis=1) > 0).astype(np.float64))
    believed = _DEFAULT_AGREEMENT * _AGREEMENT_DOCUMENTS
    return np.asarray((agreeing + believed) / (asked + _AGREEMENT_DOCUMENTS))
