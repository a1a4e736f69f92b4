"""Regression by classification on counts small enough to check by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.learn import binned_bayes
from portico.learn.binned_bayes import BinnedValue, ItemBags
from portico.learn.counts import count_columns

# Columns: 0 "paper", 1 "course", 2 "the" (shared by the place). Items 1 and 2 are worth 1, item 3 nothing.
BAGS = ItemBags(
    own=count_columns([[0], [0, 0], [1], [0]], 3),
    shared=count_columns([[2], []], 3),
    place_of=(0, 0, 0, 1),
    item_of=(1, 2, 3, 1),
)
VALUES = [0.0, 1.0, 1.0, 0.25]


@pytest.fixture(scope="module")
def trained() -> BinnedValue:
    return binned_bayes.train_binned(binned_bayes.count_bins(BAGS, VALUES, [1.0]))


@pytest.mark.parametrize(
    ("value", "bin_idx"), [(1.5, 0), (1.0, 0), (0.99, 1), (0.5, 1), (0.3, 2), (0.25, 2), (0.1, 3)]
)
def test_bins_begin_at_their_edge(value: float, bin_idx: int) -> None:
    assert binned_bayes.find_bin(value, (1.0, 0.5, 0.25)) == bin_idx


def test_an_item_has_the_words_of_all_its_sightings() -> None:
    counts = binned_bayes.count_bins(BAGS, VALUES, [1.0])
    assert counts.words.tolist() == [[4, 0, 2], [0, 1, 1]]
    assert counts.n_items == (2, 1)
    assert counts.totals == (2.0, 0.25)


def test_counts_of_two_sets_add_up() -> None:
    once = binned_bayes.count_bins(BAGS, VALUES, [1.0])
    assert (once + once).n_items == (4, 2)
    assert (once + once).words.tolist() == [[8, 0, 4], [0, 2, 2]]


def test_expected_value_lies_between_the_bins(trained: BinnedValue) -> None:
    (paper, course) = trained.likelihoods(count_columns([[0], [1]], 3))
    # Laplace: P(paper|1) = 5/9, P(paper|0) = 1/5, P(1) = 3/5, P(0) = 2/5.
    member = (3 / 5 * 5 / 9) / (3 / 5 * 5 / 9 + 2 / 5 * 1 / 5)
    assert trained.membership(paper) == pytest.approx([member, 1 - member])
    assert trained.expected(paper) == pytest.approx(member + (1 - member) * 0.25)
    assert 0.25 < trained.expected(course) < trained.expected(paper) < 1.0


def test_most_telling_word_of_each_bin(trained: BinnedValue) -> None:
    assert trained.telling(0, 1)[0][0] == 0
    assert trained.telling(1, 1)[0][0] == 1


def test_rank_tells_apart_what_floating_point_cannot(trained: BinnedValue) -> None:
    sure, surer = [-10.0, -100.0], [-10.0, -200.0]
    assert trained.expected(sure) == trained.expected(surer)
    assert trained.rank(sure) < trained.rank(surer)


pairs = st.tuples(*[st.floats(-30, 0)] * 2)


@given(pairs, pairs)
def test_rank_orders_as_expected_value(first: tuple[float, float], second: tuple[float, float]) -> None:
    model = binned_bayes.train_binned(binned_bayes.count_bins(BAGS, VALUES, [1.0]))
    gap = model.expected(first) - model.expected(second)
    if not math.isclose(gap, 0.0, abs_tol=1e-9):
        assert (model.rank(first) > model.rank(second)) == (gap > 0)
