"""Regression by classification: a number foreseen as the mean of bins, weighted by naive Bayes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from portico.learn.counts import Counts, Table
from portico.learn.naive_bayes import NaiveBayes, class_prior, smoothed


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Sightings of items: each has words of its own and shares those of the place where it stands.

    An item that was seen several times has the words of all its sightings.
    """

    own: Counts  # one row a sighting
    shared: Counts  # one row a place
    place_of: tuple[int, ...]  # of each sighting
    item_of: tuple[int, ...]  # of each sighting


@dataclass(frozen=True, slots=True, eq=False)
class BinCounts:
    """What training counts: words, items and values, bin by bin. Counts of several sets add up."""

    words: Table
    n_items: tuple[int, ...]
    totals: tuple[float, ...]

    def __add__(self, other: "BinCounts") -> "BinCounts":
        return BinCounts(
            self.words + other.words,
            tuple(map(sum, zip(self.n_items, other.n_items, strict=True))),
            tuple(map(sum, zip(self.totals, other.totals, strict=True))),
        )


@dataclass(frozen=True, slots=True, eq=False)
class BinnedValue:
    """A trained value function; `values` are the mean values of the bins."""

    bayes: NaiveBayes
    values: tuple[float, ...]
    word_counts: Table

    def likelihoods(self, counts: Counts) -> list[list[float]]:
        """The log likelihood of each row in each bin. Those of an item's bags add up."""
        table: list[list[float]] = np.asarray(counts @ self.bayes.log_word.T).tolist()
        return table

    def membership(self, likelihood: Sequence[float]) -> list[float]:
        """The probability of each bin, given the log likelihood of an item in each."""
        scores = [prior + one for prior, one in zip(self.bayes.log_prior.tolist(), likelihood, strict=True)]
        highest = max(scores)
        chances = [math.exp(score - highest) for score in scores]
        total = sum(chances)
        return [chance / total for chance in chances]

    def expected(self, likelihood: Sequence[float]) -> float:
        """The mean of the bins' values, weighted by membership."""
        chances = self.membership(likelihood)
        return sum(chance * value for chance, value in zip(chances, self.values, strict=True))

    def rank(self, likelihood: Sequence[float]) -> float:
        """Orders items exactly as `expected` does, but never ends in ties.

        With many words memberships are so near to 0 or 1 that expected values are equal in floating
        point. This is the logarithm of the expected value over what it lacks to the highest bin's.
        """
        scores = [prior + one for prior, one in zip(self.bayes.log_prior.tolist(), likelihood, strict=True)]
        highest = max(self.values)
        has = [score + math.log(value) for score, value in zip(scores, self.values, strict=True) if value > 0]
        lacks = [
            score + math.log(highest - value)
            for score, value in zip(scores, self.values, strict=True)
            if value < highest
        ]
        return _log_sum(has) - _log_sum(lacks) if has and lacks else 0.0

    def telling(self, bin_idx: int, n_words: int) -> list[tuple[int, float]]:
        """The columns that speak most for a bin, by weighted log odds: P(w|bin) log P(w|bin)/P(w|others)."""
        others = np.delete(self.word_counts, bin_idx, axis=0).sum(axis=0, keepdims=True)
        log_other = smoothed(others)[0]
        log_here = self.bayes.log_word[bin_idx]
        known = self.word_counts.sum(axis=0) > 0
        odds = np.where(known, np.exp(log_here) * (log_here - log_other), -np.inf)
        best = np.argsort(-odds, kind="stable")[:n_words]
        return [(int(column), float(odds[column])) for column in best]


def bin_of(value: float, edges: Sequence[float]) -> int:
    """The first bin whose lower edge a value reaches; edges fall, and the last bin has none."""
    return next((idx for idx, edge in enumerate(edges) if value >= edge), len(edges))


def count_bins(bags: Bags, values: Sequence[float], edges: Sequence[float]) -> BinCounts:
    """Count the words of all items, each in the bin of its value."""
    bins = np.array([bin_of(value, edges) for value in values], dtype=np.int64)
    n_bins = len(edges) + 1
    bin_of_sighting = bins[list(bags.item_of)]
    words = np.zeros((n_bins, bags.own.shape[1]))
    for idx in range(n_bins):
        chosen = (bin_of_sighting == idx).astype(np.float64)
        places = np.bincount(list(bags.place_of), weights=chosen, minlength=bags.shared.shape[0])
        words[idx] = bags.own.T @ chosen + bags.shared.T @ places
    seen = sorted(set(bags.item_of))
    members = [[item for item in seen if bins[item] == idx] for idx in range(n_bins)]
    return BinCounts(
        words, tuple(map(len, members)), tuple(sum(values[item] for item in items) for items in members)
    )


def train(counts: BinCounts) -> BinnedValue:
    """Naive Bayes with Laplace smoothing over the bins; words that never occurred say nothing."""
    known = counts.words.sum(axis=0) > 0
    log_word = np.zeros_like(counts.words)
    log_word[:, known] = smoothed(counts.words[:, known])
    prior = class_prior(np.diag(np.array(counts.n_items, dtype=np.float64)))
    values = tuple(
        total / n_items if n_items else 0.0
        for total, n_items in zip(counts.totals, counts.n_items, strict=True)
    )
    return BinnedValue(NaiveBayes(prior, log_word), values, counts.words)


def _log_sum(logarithms: Sequence[float]) -> float:
    """The logarithm of a sum whose terms are given by their logarithms."""
    highest = max(logarithms)
    return highest + math.log(sum(math.exp(one - highest) for one in logarithms))
