"""Weights of yes/no features."""

import math

import pytest

from portico.errors import ConfigError
from portico.learn.logistic import BIAS, HashedLogistic, from_bytes, hash_rows, train_hashed, train_logistic


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


ROWS = [[("paper", 1.0)], [("course", 1.0)], [("paper", 0.7), ("new", 0.7)]]


@pytest.fixture(scope="module")
def model() -> HashedLogistic:
    return train_hashed([hash_rows(ROWS[:2])], [[0.9, 0.2]], [[500.0, 500.0]], penalty=0.01)


def test_soft_labels_become_chances(model: HashedLogistic) -> None:
    paper, course, unseen = model.log_odds(hash_rows([*ROWS[:2], [("other", 1.0)]]))
    assert paper == pytest.approx(2.197, abs=0.01)  # log odds of 0.9
    assert course == pytest.approx(-1.386, abs=0.01)
    assert unseen == pytest.approx(model.bias)


def test_one_row_is_foreseen_as_in_a_table(model: HashedLogistic) -> None:
    assert [model.log_odds_of(row) for row in ROWS] == pytest.approx(model.log_odds(hash_rows(ROWS)))


def test_importance_counts() -> None:
    both = train_hashed([hash_rows([ROWS[0], ROWS[0]])], [[1.0, 0.0]], [[3.0, 1.0]], penalty=0.001)
    assert both.log_odds(hash_rows([ROWS[0]]))[0] == pytest.approx(1.0986, abs=0.01)  # log 3


def test_written_and_read_again_it_foresees_the_same(model: HashedLogistic) -> None:
    again = from_bytes(model.to_bytes())
    assert again.log_odds(hash_rows(ROWS)) == pytest.approx(model.log_odds(hash_rows(ROWS)), abs=2e-3)
    assert again.to_bytes() == model.to_bytes()


@pytest.mark.parametrize("body", [b"", b"no model", b"PK\x03\x04 not really"])
def test_other_files_are_refused(body: bytes) -> None:
    with pytest.raises(ConfigError, match="train it again"):
        from_bytes(body)
