"""Expectation maximization in a topic tree: initial labels, then model and labels in turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from portico.learn.confidence import TYPICAL_AGREEMENT, TYPICAL_CLEARNESS, CollectionSigns, to_odds
from portico.learn.counts import Counts, Table, Vector, count_rows_with, normalize_rows, to_presence
from portico.learn.naive_bayes import (
    NaiveBayes,
    count_class_words,
    estimate_class_prior,
    smooth_counts,
    train_naive_bayes,
)
from portico.learn.shrinkage import ROOT_SMOOTHING, Tree, fit_mixture, interpolate, smooth_dirichlet

# Reliability of a sign whose documents have no neighbors to compare with.
_DEFAULT_AGREEMENT = 0.3
_AGREEMENT_DOCUMENTS = 2.0  # weight of that default, in documents
# How fast the weight of an initial label falls with its probability: if two leaves have equal signs, hardly
# any is left. 4, 8 and 16 tie.
CLEAR_POWER = 4.0
_CLEAR = 0.8  # the least share of one class in a label that leaves hardly a doubt


def share_signs(owners: Sequence[Sequence[int]], n_classes: int) -> Table:
    """One row per sign with the classes it is evidence for; several classes share it equally."""
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
    """Probabilities of the classes from all signs in a row or near it; zeros if there are none.

    `near` holds the share of a row's neighbors that show the sign. A sign weighs its squared inverse document
    frequency, times how often the neighbors of rows that show it show signs of the same class.
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
    """The strength of all signs of each row and its neighbors, by squared rarity.

    Rows that are not `accompanied` have no neighbors: their own signs are used in place of neighbors' signs.
    """
    weights = _rarity(own) ** 2
    alone, around = np.asarray(to_presence(own) @ weights), np.asarray(near @ weights)
    has_neighbors = np.asarray(accompanied, dtype=bool)
    seen = float(alone[has_neighbors].sum())
    factor = 1.0 + (float(around[has_neighbors].sum()) / seen if seen else 0.0)
    return np.where(has_neighbors, alone + around, alone * factor)


def _rarity(own: Counts) -> Vector:
    """Inverse document frequency, kept above zero for a sign that is in every row: it may be the only one."""
    return np.asarray(np.log1p(own.shape[0] / np.maximum(count_rows_with(own), 1.0)))


def _agreement(own: Counts, neighbors: Table, owners: Table) -> Vector:
    """For each sign, the mean probability of its class among the neighbors of rows that show it."""
    agreeing = (np.asarray(own.T @ neighbors) * owners).sum(axis=1)
    asked = np.asarray(own.T @ (neighbors.sum(axis=1) > 0).astype(np.float64))
    believed = _DEFAULT_AGREEMENT * _AGREEMENT_DOCUMENTS
    return np.asarray((agreeing + believed) / (asked + _AGREEMENT_DOCUMENTS))


Learn = Callable[[Counts, Table], NaiveBayes]
"""Trains a model from documents and their (soft) labels."""


@dataclass(frozen=True, slots=True)
class LaplaceSmoothing:
    """Naive Bayes with Laplace smoothing, each class separately."""

    def __call__(self, counts: Counts, labels: Table) -> NaiveBayes:
        return train_naive_bayes(counts, labels)


@dataclass(frozen=True, slots=True)
class ShrinkageSmoothing:
    """The papers' shrinkage: mixtures along the path to the root, their weights fitted on held-out words."""

    tree: Tree
    seed: int = 0
    held_out_share: float = 0.3

    def __call__(self, counts: Counts, labels: Table) -> NaiveBayes:
        held = np.random.default_rng(self.seed).random(counts.shape[0]) < self.held_out_share
        everything = count_class_words(counts, labels)
        unseen = count_class_words(counts, labels * held[:, np.newaxis])
        mixture = fit_mixture(np.maximum(everything - unseen, 0.0), unseen, self.tree)
        return NaiveBayes(estimate_class_prior(labels), interpolate(everything, self.tree, mixture))


@dataclass(frozen=True, slots=True, eq=False)
class DirichletSmoothing:
    """Each node shrunk towards its parent by a fixed number of words; long documents tempered.

    `known` are word counts of the classes known beforehand, one row per class, added to the observed counts.
    The model has one more class, the last: "elsewhere", with the words of all documents and the prior of an
    average class, so that a document without evidence for any class goes to none, even if there is only one.
    A word that is `vetoed` for a class (class and column) is no stronger evidence for it than for elsewhere.
    """

    tree: Tree
    known: Table
    strength: float
    temper: float
    pull: float
    vetoed: tuple[tuple[int, int], ...] = ()

    def __call__(self, counts: Counts, labels: Table) -> NaiveBayes:
        inside = labels[:, : len(self.known)]
        class_counts = count_class_words(counts, inside) + self.known
        words = smooth_dirichlet(class_counts, self.tree, strength=self.strength)
        all_words = np.asarray(counts.sum(axis=0))[np.newaxis] + self.known.sum(axis=0)
        everywhere = smooth_counts(all_words, ROOT_SMOOTHING)
        if self.vetoed:
            classes, columns = map(list, zip(*self.vetoed, strict=True))
            words[classes, columns] = np.minimum(words[classes, columns], everywhere[0, columns])
        chance = 1.0 / (len(self.known) + 1)
        prior = estimate_class_prior(inside, pull=self.pull) + np.log1p(-chance)
        return NaiveBayes(
            np.append(prior, np.log(chance)),
            np.vstack([words, everywhere]),
            self.temper,
        )


def run_em(
    counts: Counts,
    labels: Table,
    learn: Learn,
    *,
    rounds: int,
    kept: float = 0.0,
    given: Sequence[tuple[int, int]] = (),
) -> tuple[NaiveBayes, Table]:
    """The model after `rounds` rounds over all rows, and the labels it was last learned from.

    The first model is learned from `labels` as given; with no rounds it is the result. Of a first label that
    is certain, the share `kept` stays in every round; of doubtful ones much less. Rows whose class is `given`
    keep it wholly.
    """
    first = labels
    model = learn(counts, labels)
    for _ in range(rounds):
        labels = model.posterior(counts)
        labels = hold_given(_mix_labels(labels, first, kept) if kept else labels, given)
        model = learn(counts, labels)
    return model, labels


def _mix_labels(labels: Table, first: Table, kept: float) -> Table:
    """The labels with a share of the first ones, by how clear these are; a class elsewhere stays as it is."""
    inside = labels[:, : first.shape[1]]
    shares = kept * first.max(axis=1, keepdims=True) ** CLEAR_POWER
    mixed = (1.0 - shares) * inside + shares * first * inside.sum(axis=1, keepdims=True)
    return np.hstack([mixed, labels[:, first.shape[1] :]])


def hold_given(labels: Table, given: Sequence[tuple[int, int]]) -> Table:
    """The labels, with the given classes set to certain."""
    if not given:
        return labels
    rows, classes = map(list, zip(*given, strict=True))
    certain = labels.copy()
    certain[rows] = 0.0
    certain[rows, classes] = 1.0
    return certain


def gather_signs(model: NaiveBayes, counts: Counts, first: Table, leaves: Sequence[int]) -> CollectionSigns:
    """What rows show of how well a model classifies them, beside naive Bayes from their first labels alone.

    `leaves` has the column of `first` that each class of the model is of, -1 for none.
    """
    best, middle = model.find_likeliest(counts, n_classes=len(leaves))
    found = np.asarray(leaves, dtype=np.intp)[best]
    kept = np.flatnonzero(found >= 0)
    if not len(kept):
        return CollectionSigns(TYPICAL_AGREEMENT, 0.0, 0.0, clear=TYPICAL_CLEARNESS)
    plain = train_naive_bayes(counts, first).scores(counts).argmax(axis=1)
    return CollectionSigns(
        agreement=float((plain == found)[kept].mean()),
        documents=float(np.log(len(best) / first.shape[1])),
        mean_odds=float(to_odds(middle[kept]).mean()),
        clear=_measure_clearness(first),
    )


def _measure_clearness(first: Table) -> float:
    """The share of labeled rows that have a clear label; with few rows, nearer to one half."""
    largest = first.max(axis=1)
    return float(((largest > _CLEAR).sum() + 0.5) / ((largest > 0).sum() + 1.0))


def count_given_words(counts: Counts, given: Sequence[tuple[int, int]], n_classes: int) -> Table:
    """How often each class uses each word in the rows whose class is given."""
    return count_class_words(counts, hold_given(np.zeros((counts.shape[0], n_classes)), given))


def select_labeled_rows(counts: Counts, labels: Table) -> tuple[Counts, Table]:
    """Only the rows that have a label."""
    kept = np.flatnonzero(labels.sum(axis=1) > 0)
    return counts[kept], labels[kept]
