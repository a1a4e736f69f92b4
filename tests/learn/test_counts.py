"""Tables of counts."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.learn.calibration import expected_calibration_error
from portico.learn.counts import cells, combine, count, dense, from_cells, moved, pruned, row_sums


@given(st.lists(st.lists(st.integers(-1, 5), max_size=8), max_size=6))
def test_count_counts(rows: list[list[int]]) -> None:
    table = dense(count(rows, 6))
    assert table.shape == (len(rows), 6)
    for row, found in zip(rows, table.tolist(), strict=True):
        expected = Counter(column for column in row if column >= 0)
        assert found == [expected[column] for column in range(6)]


def test_combine_weighs() -> None:
    table = combine([(1.0, count([[0, 1]], 2)), (0.5, count([[1, 1]], 2))])
    assert dense(table).tolist() == [[1.0, 2.0]]
    assert row_sums(table) == [3.0]


def test_moved_drops_what_has_no_place() -> None:
    table = from_cells([0, 0, 1], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2))
    assert dense(moved(table, rows=[1, -1], columns=[2, 0], shape=(2, 3))).tolist() == [[0, 0, 0], [2, 0, 1]]
    assert list(cells(table)) == [(0, 0, 1.0), (0, 1, 2.0), (1, 1, 3.0)]


def test_pruned_keeps_what_is_large() -> None:
    kept, table = pruned(
        dense(from_cells([0, 0, 1], [0, 1, 1], [0.4, 9.6, 0.3], (2, 3))), least_column=5, least_cell=1
    )
    assert kept == [1]
    assert dense(table).tolist() == [[10.0], [0.0]]


@pytest.mark.parametrize(
    ("chances", "right", "expected"),
    [
        ([], [], 0.0),
        ([1.0, 1.0], [True, True], 0.0),
        ([1.0, 1.0], [True, False], 0.5),
        ([0.5, 0.5], [True, False], 0.0),
        ([0.9, 0.1], [False, False], 0.5),
    ],
)
def test_calibration_error(chances: list[float], right: list[bool], expected: float) -> None:
    assert expected_calibration_error(chances, right) == pytest.approx(expected)
