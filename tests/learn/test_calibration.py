"""Probabilities are made to mean what they say."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.learn.calibration import (
    Calibration,
    compute_calibration_error,
    compute_reliability,
    fit_calibration,
)


def boastful(n: int, seed: int) -> tuple[list[float], list[bool]]:
    """A model that says p and is right p² of the time."""
    random = Random(seed)
    chances = [random.random() for _ in range(n)]
    return chances, [random.random() < chance * chance for chance in chances]


def test_a_boastful_model_is_corrected() -> None:
    curve = fit_calibration(*boastful(4_000, 1))
    chances, right = boastful(4_000, 2)
    assert compute_calibration_error(chances, right) > 0.12
    assert compute_calibration_error([curve(chance) for chance in chances], right) < 0.03


@pytest.mark.parametrize(("said", "expected"), [(0.0, 0.2), (0.4, 0.2), (0.6, 0.5), (0.8, 0.8), (1.0, 0.8)])
def test_straight_between_points_and_flat_beyond(said: float, expected: float) -> None:
    assert Calibration(((0.4, 0.2), (0.8, 0.8)))(said) == pytest.approx(expected)


def test_without_points_it_says_what_it_was_told() -> None:
    assert fit_calibration([], [])(0.3) == 0.3


def test_equal_chances_are_read_as_one() -> None:
    curve = fit_calibration([0.9] * 100, [True, False] * 50)
    assert len(curve.points) == 1
    assert curve.points[0] == pytest.approx((0.9, 0.5))


def test_always_right_is_not_certain() -> None:
    assert fit_calibration([0.9] * 98, [True] * 98)(0.9) == pytest.approx(0.99)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=200))
def test_never_falls_and_stays_a_probability(pairs: list[tuple[float, bool]]) -> None:
    curve = fit_calibration([chance for chance, _ in pairs], [right for _, right in pairs])
    read = [curve(step / 20) for step in range(21)]
    assert read == sorted(read)
    assert all(0 <= chance <= 1 for chance in read)


def test_bins_tell_how_many_and_how_right() -> None:
    (low, high) = compute_reliability([0.1, 0.12, 0.9], [False, True, True], n_bins=2)
    assert (low.n, low.right) == (2, 0.5)
    assert low.chance == pytest.approx(0.11)
    assert (high.n, high.right) == (1, 1.0)
