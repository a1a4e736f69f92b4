"""Measures calibration of probabilities, and corrects it with monotone curves."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Predictions of similar probability: how many, their mean, and the share that was right."""

    n: int
    chance: float
    right: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """A curve that never falls, from the probability a model gives to the share that is right."""

    points: tuple[tuple[float, float], ...]  # predicted and observed probability; both in ascending order

    def __call__(self, chance: float) -> float:
        """Linear interpolation between points, constant beyond them."""
        if not self.points:
            return chance
        idx = bisect_right(self.points, chance, key=lambda point: point[0])
        if idx == 0:
            return self.points[0][1]
        if idx == len(self.points):
            return self.points[-1][1]
        (left, low), (right, high) = self.points[idx - 1 : idx + 1]
        return low + (high - low) * (chance - left) / (right - left)


def fit_calibration(chances: Sequence[float], right: Sequence[bool]) -> Calibration:
    """Isotonic regression (pool adjacent violators), one point a pool, each pulled towards its neighbors.

    A pool of n with k right is read as (k + 1) / (n + 2): no finite number of trials proves certainty.
    """
    pools: list[list[float]] = []  # n, sum of chances, number right
    for chance, trials in groupby(sorted(zip(chances, right, strict=True)), key=lambda pair: pair[0]):
        answers = [is_right for _, is_right in trials]  # equal chances can only be read as one
        pools.append([float(len(answers)), chance * len(answers), float(sum(answers))])
        while len(pools) > 1 and (pools[-2][2] * pools[-1][0] >= pools[-1][2] * pools[-2][0]):
            n, said, n_right = pools.pop()
            pools[-1][0] += n
            pools[-1][1] += said
            pools[-1][2] += n_right
    points: list[tuple[float, float]] = []
    for n, said, n_right in _large_enough(pools):
        share = (n_right + 1) / (n + 2)
        points.append((said / n, max(share, points[-1][1]) if points else share))
    return Calibration(tuple(points))


# Minimum trials of a pool: with fewer, the observed share is off by more than a tenth half of the time.
SMALLEST_POOL = 20


def _large_enough(pools: Sequence[Sequence[float]]) -> list[list[float]]:
    """The pools, with those that are too small merged into the next."""
    merged: list[list[float]] = []
    for pool in pools:
        if merged and merged[-1][0] < SMALLEST_POOL:
            merged[-1] = [one + other for one, other in zip(merged[-1], pool, strict=True)]
        else:
            merged.append(list(pool))
    if len(merged) > 1 and merged[-1][0] < SMALLEST_POOL:
        last = merged.pop()
        merged[-1] = [one + other for one, other in zip(merged[-1], last, strict=True)]
    return merged


def compute_reliability(
    chances: Sequence[float], right: Sequence[bool], *, n_bins: int = 15
) -> tuple[ReliabilityBin, ...]:
    """Bins of equal width that are not empty, in rising order."""
    totals = [[0, 0.0, 0] for _ in range(n_bins)]  # how many, the sum of their chances, how many right
    for chance, is_right in zip(chances, right, strict=True):
        total = totals[min(int(chance * n_bins), n_bins - 1)]
        total[0] += 1
        total[1] += chance
        total[2] += is_right
    return tuple(ReliabilityBin(int(n), said / n, n_right / n) for n, said, n_right in totals if n)


def compute_calibration_error(chances: Sequence[float], right: Sequence[bool], *, n_bins: int = 15) -> float:
    """The mean distance between the predicted probability and the share that was right, over bins of equal
    width.
    """
    if not chances:
        return 0.0
    bins = compute_reliability(chances, right, n_bins=n_bins)
    return sum(one.n * abs(one.chance - one.right) for one in bins) / len(chances)
