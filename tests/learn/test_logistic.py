"""Weights of yes/no features."""

import math

import pytest

from portico.learn.logistic import BIAS, train_logistic


def test_without_penalty_the_weights_are_the_observed_log_odds() -> None:
    examples = [["rain"]] * 4 + [[]] * 4
    labels = [True, True, True, False, True, False, False, False]
    weights = train_logistic(examples, labels, penalty=1e-9)
    assert weights[BIAS] == pytest.approx(math.log(1 / 3), abs=1e-3)
    assert weights[BIAS] + weights["rain"] == pytest.approx(math.log(3), abs=1e-3)


def test_a_penalty_keeps_weights_finite_where_the_data_would_not() -> None:
    weights = train_logistic([["yes"], ["no"]], [True, False], penalty=1.0)
    assert 0 < weights["yes"] < 2
    assert weights["no"] == pytest.approx(-weights["yes"], abs=1e-4)
