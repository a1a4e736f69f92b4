"""First labels from signs."""

import pytest

from portico.learn.counts import Counts, count_columns, scale_rows
from portico.learn.em import fill_with_largest, label_by_all_signs, label_by_first_sign, share_signs

NOTHING = count_columns([[], [], []], 3)


def signs(*rows: list[int]) -> Counts:
    return count_columns(rows, 3)


def test_first_match_takes_the_first_sign() -> None:
    owners = share_signs([[1], [0], [2]], 3)
    assert label_by_first_sign(signs([2, 0], [1, 2], []), owners).tolist() == [
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
    ]


def test_rows_without_a_label_get_the_largest_class() -> None:
    labels = label_by_first_sign(signs([0], [0], [2], []), share_signs([[1], [0], [2]], 3))
    assert fill_with_largest(labels)[3].tolist() == [0, 1, 0]


def test_the_rarer_sign_is_louder() -> None:
    own = signs([0, 1], [0], [0], [0], [0])
    labels = label_by_all_signs(own, count_columns([[]] * 5, 3), share_signs([[0], [1], [2]], 3), spread=1.0)
    assert labels[0, 1] > labels[0, 0] > 0
    assert labels[1].tolist() == [1, 0, 0]


def test_a_sign_of_two_classes_speaks_for_both() -> None:
    labels = label_by_all_signs(signs([0], [], []), NOTHING, share_signs([[0, 2], [1], [1]], 3), spread=1.0)
    assert labels[0].tolist() == pytest.approx([0.5, 0, 0.5])


def test_neighbors_speak_where_the_row_is_silent() -> None:
    near = scale_rows(signs([1], [], []), [0.5, 1, 1])
    owners = share_signs([[0], [1], [2]], 3)
    assert label_by_all_signs(signs([], [], [0]), near, owners, spread=1.0)[0].tolist() == [0, 1, 0]
    assert label_by_all_signs(signs([], [], [0]), near, owners, spread=0.0)[0].tolist() == [0, 0, 0]


def test_a_sign_that_neighbors_contradict_is_believed_less() -> None:
    owners = share_signs([[0], [1], [2]], 3)
    own = signs([0, 1], [0], [1])
    agreeing = label_by_all_signs(own, signs([], [0, 0], [1, 1]), owners, spread=0.0)
    contradicted = label_by_all_signs(own, signs([], [2, 2], [1, 1]), owners, spread=0.0)
    assert contradicted[0, 0] < agreeing[0, 0]
