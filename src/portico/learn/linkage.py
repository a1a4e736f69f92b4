"""Fellegi-Sunter record linkage: weights of agreement levels, learned without labels by EM.

A pair of records is described by named levels such as `year:same`, at most one per field (the part before the
colon). Among matching pairs a level has probability m, among non-matching pairs probability u; its weight is
log(m / u), and weights add up to log odds. EM estimates both tables and the share of matching pairs from
unlabeled pairs alone (Winkler 1988).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Scores = np.ndarray
"""A matrix with a row and a column for each item."""


def group_by_average_link(scores: Scores, sizes: Sequence[int]) -> list[int]:
    """The group number of every item, numbered by first member.

    `scores[i, j]` (symmetric) is the log odds that items i and j match. The most similar groups are merged
    first, as long as their mean score is above 0. `sizes` is the number of equal things an item represents.
    Ties go to the first item, so that the result is always the same.
    """
    n_items = len(sizes)
    table = np.array(scores, dtype=np.float64).reshape(n_items, n_items)
    np.fill_diagonal(table, -np.inf)
    weight = np.asarray(sizes, dtype=np.float64).copy()
    home = np.arange(n_items)
    for _ in range(n_items - 1):
        one, other = divmod(int(table.argmax()), n_items)
        if not table[one, other] > 0:
            break
        joined = (table[one] * weight[one] + table[other] * weight[other]) / (weight[one] + weight[other])
        table[one], table[:, one] = joined, joined
        table[other], table[:, other] = -np.inf, -np.inf
        table[one, one] = -np.inf
        weight[one] += weight[other]
        home[home == other] = one
    numbers = {group: number for number, group in enumerate(dict.fromkeys(home.tolist()))}
    return [numbers[group] for group in home.tolist()]


Levels = tuple[str, ...]

MAX_ROUNDS = 100
SETTLED = 1e-6
"""EM has converged if the share of pairs changes by less than this in a round."""


@dataclass(frozen=True, slots=True)
class Linkage:
    """A fitted model: `same[level]` is m, `other[level]` is u, `share` is the share of matching pairs."""

    share: float
    same: Mapping[str, float]
    other: Mapping[str, float]

    def weights(self) -> dict[str, float]:
        """What each level adds to the log-odds."""
        return {level: math.log(self.same[level] / self.other[level]) for level in self.same}

    @property
    def prior(self) -> float:
        """The log odds of a pair about which nothing is known."""
        return math.log(self.share / (1 - self.share))


def fit_linkage(pairs: Mapping[Levels, float], start: Linkage, *, strength: float) -> Linkage:
    """The model that maximizes the likelihood of these pairs (levels, and the weight of each).

    EM begins at `start`, which is also a prior worth `strength` pairs of either kind: with few pairs the
    result stays near it, and no level ever gets the probability 0. Levels unknown to `start` have no effect.
    """
    known = sorted(start.same)
    patterns = list(pairs)
    counts = np.array([pairs[levels] for levels in patterns])
    table = np.array([[level in levels for level in known] for levels in patterns], dtype=np.float64)
    table = table.reshape(len(patterns), len(known))
    fields = _fields(known)
    model = start
    for _ in range(MAX_ROUNDS):
        weights = model.weights()
        odds = model.prior + table @ np.array([weights[level] for level in known])
        belief = 1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))
        same, other = (counts * belief) @ table, (counts * (1 - belief)) @ table
        share = float(counts @ belief + strength * start.share) / float(counts.sum() + strength)
        updated = Linkage(
            share,
            _normalized(known, same, start.same, strength, fields),
            _normalized(known, other, start.other, strength, fields),
        )
        settled = abs(updated.share - model.share) < SETTLED
        model = updated
        if settled:
            break
    return model


def count_patterns(groups: Iterable[Sequence[Levels]]) -> dict[Levels, float]:
    """The weight of each pattern, with all pairs of a group together weighing as much as one pair.

    Pairs of a group of n things are not independent: otherwise one large group would dominate.
    """
    found: dict[Levels, float] = defaultdict(float)
    for group in groups:
        for levels in group:
            found[levels] += 1.0 / len(group)
    return dict(found)


def _fields(levels: Sequence[str]) -> list[str]:
    return [level.partition(":")[0] for level in levels]


def _normalized(
    levels: Sequence[str],
    counts: np.ndarray,
    start: Mapping[str, float],
    strength: float,
    fields: Sequence[str],
) -> dict[str, float]:
    raised = {
        level: float(count) + strength * start[level] for level, count in zip(levels, counts, strict=True)
    }
    totals: dict[str, float] = defaultdict(float)
    for level, name in zip(levels, fields, strict=True):
        totals[name] += raised[level]
    return {level: raised[level] / totals[name] for level, name in zip(levels, fields, strict=True)}
