"""First labels from signs."""

import pytest

from portico.learn.counts import Counts, count, row_scaled
from portico.learn.evidence import first_match, shared, weighted, with_default

NOTHING = count([[], [], []], 3)


def signs(*rows: list[int]) -> Counts:
    return count(rows, 3)


def test_first_match_takes_the_first_sign() -> None:
    owners = shared([[1], [0], [2]], 3)
    assert first_match(signs([2, 0], [1, 2], []), owners).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_rows_without_a_label_get_the_largest_class() -> None:
    labels = first_match(signs([0], [0], [2], []), shared([[1], [0], [2]], 3))
    assert with_default(labels)[3].tolist() == [0, 1, 0]


def test_the_rarer_sign_is_louder() -> None:
    own = signs([0, 1], [0], [0], [0], [0])
    labels = weighted(own, count([[]] * 5, 3), shared([[0], [1], [2]], 3), spread=1.0)
    assert labels[0, 1] > labels[0, 0] > 0
    assert labels[1].tolist() == [1, 0, 0]


def test_a_sign_of_two_classes_speaks_for_both() -> None:
    labels = weighted(signs([0], [], []), NOTHING, shared([[0, 2], [1], [1]], 3), spread=1.0)
    assert labels[0].tolist() == pytest.approx([0.5, 0, 0.5])


def test_neighbors_speak_where_the_row_is_silent() -> None:
    near = row_scaled(signs([1], [], []), [0.5, 1, 1])
    owners = shared([[0], [1], [2]], 3)
    assert weighted(signs([], [], [0]), near, owners, spread=1.0)[0].tolist() == [0, 1, 0]
    assert weighted(signs([], [], [0]), near, owners, spread=0.0)[0].tolist() == [0, 0, 0]


def test_a_sign_that_neighbors_contradict_is_believed_less() -> None:
    owners = shared([[0], [1], [2]], 3)
    own = signs([0, 1], [0], [1])
    agreeing = weighted(own, signs([], [0, 0], [1, 1]), owners, spread=0.0)
    contradicted = weighted(own, signs([], [2, 2], [1, 1]), owners, spread=0.0)
    assert contradicted[0, 0] < agreeing[0, 0]
