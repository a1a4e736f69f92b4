"""Detects rows that belong to none of the classes, by how rarely similar rows show signs of any class.

A single row without a sign proves little: most such rows are inside, and just do not use the keyword. But
words that occur mostly in rows without signs, and groups of rows with few signs, are evidence. So every row
is judged by the signs of similar rows, never by its own: what is learned on one half of the rows is applied
to the other half.
"""

from dataclasses import dataclass

import numpy as np

from portico.learn.clusters import cluster_rows, weigh_rows
from portico.learn.counts import Counts, Table, Vector, measure_lengths

LEAST_ROWS = 200  # with fewer rows, too few are similar to a row to judge by
N_CLUSTERS, ROWS_A_CLUSTER = 60, 20  # 60 and 150 tried on Cora-70 and arXiv-53: 60 finds more

# The share of rows least similar to those with signs, which initialize a two-class model of outside and
# inside that is trained twice. 8 % and 15 % tried: 15 % finds a little more if a fifth of all rows is
# outside.
SEED_SHARE = 0.15
SMOOTHING_WORDS = 500.0  # how strongly both classes are smoothed towards all words
# How strongly a word's mean number of signs is smoothed towards that of all words, in mean words.
WORD_TRUST = 2.0

# Outside begins where rows show fewer signs, on average over a window of the ranking, than the mean of
# the upper half less DROP times its variance over its mean: signs vary more where rows have few of them.
# 2.8 to 4 tried on mixtures of Cora-70 and arXiv-53: with 3.9 nothing, or next to nothing, is called
# outside where nothing is, and about three quarters are found where a fifth is from another field.
DROP = 3.9
LEAST_LIMIT = 0.25  # rows with a quarter of the usual signs are outside, however much signs vary
WINDOW_SHARE = 0.03
SLOPE = 1.0  # slope of the probability at the threshold, per unit of the tempered log ratio


@dataclass(frozen=True, slots=True, eq=False)
class OutsideModel:
    """The evidence of each column for being outside, and the threshold."""

    log_ratio: Vector
    threshold: float

    def chances(self, counts: Counts) -> Vector:
        """The probability that each row is outside."""
        distance = SLOPE * (_tempered(counts, self.log_ratio) - self.threshold)
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(distance, -50.0, 50.0))))

    def left_over(self, counts: Counts, chances: Table) -> Table:
        """The probabilities of the classes, reduced by the probability that a row is in none of them."""
        return np.asarray(chances * (1.0 - self.chances(counts))[:, np.newaxis])


def find_outside(counts: Counts, signs: Vector) -> OutsideModel | None:
    """The model that separates rows outside all classes; None if no part of the rows stands out.

    `signs` is the strength of all classes' signs in each row.
    """
    if counts.shape[0] < LEAST_ROWS or not signs.any():
        return None
    signs = np.sqrt(signs)
    rows = weigh_rows(counts)
    groups = cluster_rows(rows, min(N_CLUSTERS, counts.shape[0] // ROWS_A_CLUSTER)).soft()
    first = np.arange(counts.shape[0]) % 2 == 0
    models, ranking = [], np.empty(counts.shape[0])
    for known in (first, ~first):
        ratio = _log_ratio(counts, _lack(rows, groups, signs, known), known)
        models.append(ratio)
        ranking[~known] = _tempered(counts, ratio)[~known]
    threshold = _threshold(ranking, signs)
    return None if threshold is None else OutsideModel(np.asarray(sum(models) / len(models)), threshold)


def _lack(rows: Counts, groups: np.ndarray, signs: Vector, known: np.ndarray) -> Vector:
    """How few signs are shown by the known rows that share words, and a group, with each row."""
    seen, shown = known.astype(np.float64), signs * known
    mean = shown.sum() / seen.sum()
    word_weight = np.asarray(rows.T @ seen)
    trust = WORD_TRUST * word_weight.mean()
    of_words = (np.asarray(rows.T @ shown) + trust * mean) / (word_weight + trust)
    by_words = np.asarray(rows @ of_words) / np.maximum(np.asarray(rows.sum(axis=1)).ravel(), 1e-9)
    of_groups = (groups.T @ shown + mean) / (groups.T @ seen + 1.0)
    return -_standard(by_words) - _standard(groups @ of_groups)


def _log_ratio(counts: Counts, lack: Vector, known: np.ndarray) -> Vector:
    """Two-class naive Bayes from the rows that lack most, learned again from what it calls outside."""
    ratio = np.zeros(counts.shape[1])
    for _ in range(2):
        outside = (lack > np.quantile(lack[known], 1.0 - SEED_SHARE)) & known
        out, inside = (np.asarray(counts.T @ part.astype(np.float64)) for part in (outside, known & ~outside))
        every = (out + inside + 0.1) / (out + inside + 0.1).sum()
        ratio = np.log(_drawn(out, every) / _drawn(inside, every))
        lack = _tempered(counts, ratio)
    return ratio


def _threshold(ranking: Vector, signs: Vector) -> float | None:
    order = np.argsort(-ranking, kind="stable")
    shown = signs[order]
    upper = shown[len(shown) // 2 :]
    if not upper.any():
        return None
    window = max(int(WINDOW_SHARE * len(shown)), 10)
    sums = np.concatenate(([0.0], np.cumsum(shown[: len(shown) // 2])))
    means = (sums[window:] - sums[:-window]) / window
    limit = max(upper.mean() - DROP * upper.var() / upper.mean(), LEAST_LIMIT * upper.mean())
    if means[0] >= limit:
        return None
    above = np.flatnonzero(means >= limit)
    end = int(above[0]) if len(above) else len(means)
    return float(ranking[order[end]])


def _drawn(words: Vector, every: Vector) -> Vector:
    return np.asarray((words + SMOOTHING_WORDS * every) / (words.sum() + SMOOTHING_WORDS))


def _tempered(counts: Counts, ratio: Vector) -> Vector:
    return np.asarray(np.asarray(counts @ ratio) / np.sqrt(np.maximum(measure_lengths(counts), 1.0)))


def _standard(values: Vector) -> Vector:
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-9))
