"""McNemar's test: is one model better than another on the same words, or was it luck?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, sqrt

# Below so many words on which just one model is right, the binomial distribution itself is summed; above,
# chi-squared with Edwards' correction is as good.
_FEW = 25


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many words only one of two models has right, and how likely so uneven a pair is by chance."""

    only_first: int
    only_second: int
    p: float


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> Comparison:
    """Compares which words two models have right; two-sided."""
    pairs = list(zip(first, second, strict=True))
    only_first = sum(one and not other for one, other in pairs)
    only_second = sum(other and not one for one, other in pairs)
    return Comparison(only_first, only_second, _chance(only_first, only_second))


def _chance(only_first: int, only_second: int) -> float:
    n_uneven = only_first + only_second
    if n_uneven == 0:
        return 1.0
    if n_uneven < _FEW:
        n_tail = sum(comb(n_uneven, k) for k in range(min(only_first, only_second) + 1))
        return min(1.0, 2 * n_tail / 2.0**n_uneven)
    chi_squared = max(0, abs(only_first - only_second) - 1) ** 2 / n_uneven
    return erfc(sqrt(chi_squared / 2))
