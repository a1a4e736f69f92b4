"""Pairs that share a key."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from portico.learn.candidate_pairs import pair_neighbors

KEYED = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12)), max_size=60)


def test_window_bounds_what_a_crowded_key_costs() -> None:
    assert pair_neighbors([7] * 4, [0, 1, 2, 3], window=1).tolist() == [[0, 1], [1, 2], [2, 3]]
    assert len(pair_neighbors([7] * 1000, list(range(1000)), window=10)) < 10 * 1000


def test_nothing() -> None:
    assert pair_neighbors([], [], window=3).tolist() == []
    assert pair_neighbors([1, 2], [0, 1], window=3).tolist() == []


@given(KEYED)
def test_a_wide_window_finds_every_pair_that_shares_a_key(keyed: list[tuple[int, int]]) -> None:
    found = pair_neighbors([key for key, _ in keyed], [item for _, item in keyed], window=100)
    by_key: dict[int, set[int]] = {}
    for key, item in keyed:
        by_key.setdefault(key, set()).add(item)
    pairs = {pair for items in by_key.values() for pair in combinations(sorted(items), 2)}
    assert found.tolist() == sorted(map(list, pairs))
