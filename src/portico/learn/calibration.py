"""Whether probabilities mean what they say."""

from collections.abc import Sequence


def expected_calibration_error(chances: Sequence[float], right: Sequence[bool], *, n_bins: int = 15) -> float:
    """How far, on average, the chance given is from the share that was right, in bins of equal width."""
    if not chances:
        return 0.0
    totals = [[0, 0.0, 0] for _ in range(n_bins)]  # how many, the sum of their chances, how many right
    for chance, is_right in zip(chances, right, strict=True):
        total = totals[min(int(chance * n_bins), n_bins - 1)]
        total[0] += 1
        total[1] += chance
        total[2] += is_right
    return sum(abs(given - n_right) for _, given, n_right in totals) / len(chances)
