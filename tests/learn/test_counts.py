"""Tables of counts."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.learn.calibration import compute_calibration_error
from portico.learn.counts import (
    combine_tables,
    count_columns,
    from_cells,
    list_cells,
    move_cells,
    prune_table,
    sum_rows,
    to_dense,
)


@given(st.lists(st.lists(st.integers(-1, 5), max_size=8), max_size=6))
def test_count_counts(rows: list[list[int]]) -> None:
    table = to_dense(count_columns(rows, 6))
    assert table.shape == (len(rows), 6)
    for row, found in zip(rows, table.tolist(), strict=True):
        expected = Counter(column for column in row if column >= 0)
        assert found == [expected[column] for column in range(6)]


def test_combine_weighs() -> None:
    table = combine_tables([(1.0, count_columns([[0, 1]], 2)), (0.5, count_columns([[1, 1]], 2))])
    assert to_dense(table).tolist() == [[1.0, 2.0]]
    assert sum_rows(table) == [3.0]


def test_moved_drops_what_has_no_place() -> None:
    table = from_cells([0, 0, 1], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2))
    assert to_dense(move_cells(table, rows=[1, -1], columns=[2, 0], shape=(2, 3))).tolist() == [
        [0, 0, 0],
        [2, 0, 1],
    ]
    assert list(list_cells(table)) == [(0, 0, 1.0), (0, 1, 2.0), (1, 1, 3.0)]


def test_pruned_keeps_what_is_large() -> None:
    kept, table = prune_table(
        to_dense(from_cells([0, 0, 1], [0, 1, 1], [0.4, 9.6, 0.3], (2, 3))), least_column=5, least_cell=1
    )
    assert kept == [1]
    assert to_dense(table).tolist() == [[10.0], [0.0]]


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
    assert compute_calibration_error(chances, right) == pytest.approx(expected)
