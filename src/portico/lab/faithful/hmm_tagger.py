"""A tagger that is a hidden Markov model over words, with labeled states; can also learn from unlabeled
words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TypeAlias

import numpy as np

from portico.lab.faithful.hmm import Hmm, compute_perplexity, count_expected, train_baum_welch
from portico.lab.faithful.hmm_structure import END, START, HmmStructure
from portico.learn.counts import Table, Vector, normalize_rows

UNKNOWN = 0
"""The symbol for every word outside the vocabulary; it is never counted."""

WordCounts: TypeAlias = Mapping[str, Mapping[str, float]]
"""How often each word was seen, by label."""

# Mixture weights have converged when a round changes none of them by more than this.
_SETTLED = 1e-5
_MAX_ROUNDS = 500


@dataclass(frozen=True, slots=True, eq=False)
class Emissions:
    """For each label, a distribution over a vocabulary and the unknown word."""

    labels: tuple[str, ...]
    vocabulary: Mapping[str, int]
    table: Table
    weights: Mapping[str, float]
    """By label: the weight of labeled words relative to distant ones, if both are mixed."""

    def encode(self, words: Iterable[str]) -> list[int]:
        """The numbers of the words."""
        return [self.vocabulary.get(word, UNKNOWN) for word in words]


def estimate_labelled(labelled: WordCounts) -> Emissions:
    """The papers' L: estimated from labeled words alone."""
    vocabulary = _vocabulary(labelled)
    return Emissions(tuple(labelled), vocabulary, discount_counts(_table(labelled, labelled, vocabulary)), {})


def estimate_pooled(labelled: WordCounts, distant: WordCounts) -> Emissions:
    """The papers' L+D: labeled and distantly labeled words counted together."""
    vocabulary = _vocabulary(labelled, distant)
    counts = _table(labelled, labelled, vocabulary) + _table(labelled, distant, vocabulary)
    return Emissions(tuple(labelled), vocabulary, discount_counts(counts), {})


def estimate_mixed(labelled: WordCounts, distant: WordCounts) -> Emissions:
    """The papers' L*D: a mixture of both distributions for each label, with weights fitted by
    leave-one-out.
    """
    vocabulary = _vocabulary(labelled, distant)
    near, far = _table(labelled, labelled, vocabulary), _table(labelled, distant, vocabulary)
    near_table, far_table = discount_counts(near), discount_counts(far)
    weights = fit_mixture_weights(near, leave_one_out(near), far_table)
    known = far.sum(axis=1) > 0
    weights = np.where(known, weights, 1.0)
    names = {label: float(weights[row]) for row, label in enumerate(labelled) if known[row]}
    return Emissions(tuple(labelled), vocabulary, interpolate_rows(weights, near_table, far_table), names)


def discount_counts(counts: Table) -> Table:
    """Absolute discounting: for each row of counts, a distribution over the symbols (columns).

    Every count is reduced by the same discount, Ney's n1 / (n1 + 2 n2), with n1 words seen once and n2 seen
    twice. The share of the row's words that were seen just once, and in no other row, is the unknown word's
    share of the freed probability; the rest is divided among the words of the vocabulary that the row has not
    seen. A row without counts stays zero.
    """
    probabilities = np.zeros_like(counts)
    only_once = counts.sum(axis=0) == 1
    for row, n_seen in enumerate(counts):
        if n_seen.any():
            probabilities[row] = _discounted(n_seen, only_once)
    return probabilities


def leave_one_out(counts: Table) -> Table:
    """For each row, the maximum likelihood estimate of each word after removing one occurrence of it."""
    totals = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.maximum(counts - 1, 0) / np.maximum(totals - 1, 1))


def fit_mixture_weights(counts: Table, first: Table, second: Table) -> Vector:
    """For each row, the weight of `first` that makes the counts most probable under the mixture (EM).

    Words that neither distribution can emit are ignored; a row without other words gets the weight .5.
    """
    weights = np.full(len(counts), 0.5)
    for _ in range(_MAX_ROUNDS):
        before = weights
        share = weights[:, np.newaxis] * first
        both = share + (1 - weights)[:, np.newaxis] * second
        said = np.where(both > 0, counts, 0.0)
        owed = said * np.divide(share, both, out=np.zeros_like(both), where=both > 0)
        totals = said.sum(axis=1)
        weights = np.divide(owed.sum(axis=1), totals, out=np.full(len(counts), 0.5), where=totals > 0)
        if np.abs(weights - before).max(initial=0.0) < _SETTLED:
            break
    return weights


def interpolate_rows(weights: Vector, first: Table, second: Table) -> Table:
    """For each row, the weighted mean of two distributions."""
    return np.asarray(weights[:, np.newaxis] * first + (1 - weights)[:, np.newaxis] * second)


def _vocabulary(*sources: WordCounts) -> dict[str, int]:
    words = sorted({word for source in sources for counts in source.values() for word in counts})
    return {word: idx for idx, word in enumerate(words, UNKNOWN + 1)}


def _table(labels: Iterable[str], source: WordCounts, vocabulary: Mapping[str, int]) -> Table:
    names = list(labels)
    table = np.zeros((len(names), len(vocabulary) + 1))
    for row, label in enumerate(names):
        counts = source.get(label, {})
        table[row, [vocabulary[word] for word in counts]] = list(counts.values())
    return table


def _discounted(n_seen: Vector, only_once: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Vector:
    n_once, n_twice = np.count_nonzero(n_seen == 1), np.count_nonzero(n_seen == 2)
    discount = n_once / (n_once + 2 * n_twice) if n_once else 0.0
    seen = n_seen > 0
    unseen = ~seen
    unseen[UNKNOWN] = False
    mass = discount * np.count_nonzero(seen) / n_seen.sum()
    surprising = np.count_nonzero(seen & only_once) / np.count_nonzero(seen) if unseen.any() else 1.0
    probabilities = np.where(seen, n_seen - discount, 0.0) / n_seen.sum()
    probabilities[unseen] = mass * (1 - surprising) / max(1, np.count_nonzero(unseen))
    probabilities[UNKNOWN] = mass * surprising
    return np.asarray(probabilities)


Words: TypeAlias = Sequence[str]

# The papers give no number of rounds of Baum-Welch; it stops earlier if the likelihood hardly rises.
# On our unlabeled headers, the error increases with the number of rounds (one, three and ten).
MAX_ROUNDS = 10
# BW-varied fits its mixture weights on every tenth unlabelled sequence, as in the papers.
HELD_OUT = 10


@dataclass(frozen=True, slots=True, eq=False)
class HmmTagger:
    """A hidden Markov model with the labels of its states and the emissions of the labels."""

    labels: tuple[str, ...]
    emissions: Emissions
    model: Hmm

    def tag(self, sequences: Sequence[Words]) -> list[tuple[str, ...]]:
        """A label for each word of each sequence, along the most probable path."""
        paths = self.model.decode(self._encoded(sequences))
        return [tuple(self.labels[state] for state in path) for path in paths]

    def n_impossible(self, sequences: Sequence[Words]) -> int:
        """How many sequences the model cannot emit."""
        return sum(not isfinite(value) for value in self.model.log_likelihoods(self._encoded(sequences)))

    def perplexity(self, sequences: Sequence[Words]) -> float:
        """The perplexity of the sequences that the model can emit, summed over all paths."""
        return compute_perplexity(self.model, self._encoded(sequences))

    def refitted(self, unlabelled: Sequence[Words]) -> "HmmTagger":
        """BW-uniform: Baum-Welch, after which each state's new and old emissions are mixed half and half."""
        fitted, _ = train_baum_welch(self.model, self._encoded(unlabelled), max_rounds=MAX_ROUNDS)
        return replace(self, model=self._mixed(fitted, np.full(fitted.n_states, 0.5)))

    def refitted_varied(self, unlabelled: Sequence[Words]) -> "HmmTagger":
        """BW-varied: like BW-uniform, on most sequences; the weight of each state is fitted on the
        others.
        """
        sequences = self._encoded(unlabelled)
        training = [one for idx, one in enumerate(sequences) if idx % HELD_OUT]
        fitted, _ = train_baum_welch(self.model, training, max_rounds=MAX_ROUNDS)
        halves = self._mixed(fitted, np.full(fitted.n_states, 0.5))
        expected = count_expected(halves, sequences[::HELD_OUT]).emissions
        weights = fit_mixture_weights(expected, fitted.emissions, self.model.emissions[self.model.rows])
        return replace(self, model=self._mixed(fitted, weights))

    def _mixed(self, fitted: Hmm, weights: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Hmm:
        before = self.model.emissions[self.model.rows]
        return replace(fitted, emissions=interpolate_rows(weights, fitted.emissions, before))

    def _encoded(self, sequences: Sequence[Words]) -> list[list[int]]:
        return [self.emissions.encode(words) for words in sequences]


def make_tagger(structure: HmmStructure, emissions: Emissions) -> HmmTagger:
    """A tagger with transition probabilities from the counts, whose states emit the words of their
    labels.
    """
    n_states = len(structure.labels)
    leaving = np.zeros((n_states, n_states + 1))
    start = np.zeros((1, n_states))
    for (source, target), n_taken in structure.counts.items():
        if source == START:
            start[0, target] = n_taken
        else:
            leaving[source, n_states if target == END else target] = n_taken
    leaving = normalize_rows(leaving)
    row = {label: idx for idx, label in enumerate(emissions.labels)}
    model = Hmm(
        start=normalize_rows(start)[0],
        transitions=leaving[:, :-1],
        end=leaving[:, -1],
        emissions=emissions.table,
        rows=np.array([row[label] for label in structure.labels], dtype=np.int64),
    )
    return HmmTagger(structure.labels, emissions, model)
