"""Rows that belong to no class, found by the company their words keep."""

import random

import numpy as np
import pytest

from portico.learn.clusters import cluster_rows, weigh_rows
from portico.learn.counts import count_columns
from portico.learn.outsiders import find_outside

N_INSIDE, N_WORDS = 800, 400


def a_mixture(n_outside: int) -> tuple[list[list[int]], np.ndarray]:
    """Rows of four inside kinds and one outside kind; two in three inside rows show a sign."""
    rng = random.Random(3)
    rows, signs = [], []
    for number in range(N_INSIDE + n_outside):
        kind = number % 4 if number < N_INSIDE else 4
        rows.append(
            [kind * 60 + rng.randrange(60) for _ in range(12)] + [300 + rng.randrange(100) for _ in range(6)]
        )
        signs.append(float(rng.random() < (0.02 if kind == 4 else 0.67)) * 9.0)
    order = list(range(len(rows)))
    rng.shuffle(order)
    return [rows[idx] for idx in order], np.array([signs[idx] for idx in order])


def is_outside(row: list[int]) -> bool:
    return 240 <= row[0] < 300


def test_a_fifth_from_outside_is_recognized() -> None:
    rows, signs = a_mixture(200)
    counts = count_columns(rows, N_WORDS)
    found = find_outside(counts, signs)
    assert found is not None
    called = found.chances(counts) > 0.5
    truth = np.array([is_outside(row) for row in rows])
    assert called[truth].mean() >= 0.7
    assert called[~truth].mean() <= 0.05


def test_nothing_is_outside_where_nothing_stands_apart() -> None:
    rows, signs = a_mixture(0)
    counts = count_columns(rows, N_WORDS)
    found = find_outside(counts, signs)
    assert found is None or (found.chances(counts) > 0.5).mean() <= 0.05


@pytest.mark.parametrize("n_rows", [0, 1, 50])
def test_few_rows_are_not_judged(n_rows: int) -> None:
    rows, signs = a_mixture(0)
    assert find_outside(count_columns(rows[:n_rows], N_WORDS), signs[:n_rows]) is None


def test_rows_without_any_sign_are_not_judged() -> None:
    rows, signs = a_mixture(50)
    assert find_outside(count_columns(rows, N_WORDS), np.zeros_like(signs)) is None


def test_clusters_gather_rows_of_a_kind_and_know_their_columns() -> None:
    rows, _ = a_mixture(200)
    table = weigh_rows(count_columns(rows, N_WORDS))
    groups = cluster_rows(table, 12)
    assert groups.hard() == cluster_rows(table, 12).hard()
    kinds: dict[int, list[int]] = {}
    for row, number in zip(rows, groups.hard(), strict=True):
        kinds.setdefault(number, []).append(row[0] // 60)
    pure = sum(max(map(members.count, set(members))) for members in kinds.values())
    assert pure >= 0.9 * len(rows)
