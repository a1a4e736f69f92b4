"""Distributions sum to one, and mixtures find their weights."""

from math import isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.lab.faithful.hmm_tagger import (
    UNKNOWN,
    WordCounts,
    discount_counts,
    estimate_labelled,
    estimate_mixed,
    estimate_pooled,
    fit_mixture_weights,
    leave_one_out,
)

word_counts = st.dictionaries(
    st.sampled_from(["title", "author", "note"]),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 5), min_size=1),
    min_size=1,
)


@given(word_counts, word_counts)
def test_every_label_emits_something_for_sure(labelled: WordCounts, distant: WordCounts) -> None:
    for emissions in (
        estimate_labelled(labelled),
        estimate_pooled(labelled, distant),
        estimate_mixed(labelled, distant),
    ):
        assert emissions.table.shape == (len(labelled), len(emissions.vocabulary) + 1)
        assert np.allclose(emissions.table.sum(axis=1), 1.0)
        assert (emissions.table >= 0).all()


def test_discounting_by_hand() -> None:
    # Unknown, then four words. Two words once, one twice: each gives up 2 / (2 + 2 * 1) = half a word.
    # Of the 1.5 / 4 given up, the unknown word gets 1/3: of three words only the fourth was seen once in all.
    counts = np.array([[0, 2, 1, 1, 0], [0, 0, 3, 0, 3]], dtype=float)
    given_up = 1.5 / 4
    expected = [given_up / 3, 1.5 / 4, 0.5 / 4, 0.5 / 4, given_up * 2 / 3]
    assert np.allclose(discount_counts(counts)[0], expected)
    # Nothing was seen once, so nothing is given up.
    assert np.allclose(discount_counts(counts)[1], [0, 0, 0.5, 0, 0.5])


def test_a_label_that_always_says_one_word_says_no_other() -> None:
    emissions = estimate_labelled({"abstract": {"+ABSTRACT+": 423}, "title": {"on": 2, "learning": 1}})
    row = emissions.table[emissions.labels.index("abstract")]
    assert row[emissions.vocabulary["+ABSTRACT+"]] == 1.0
    assert emissions.encode(["learning", "+ABSTRACT+", "never"])[2] == UNKNOWN


def test_leaving_one_out() -> None:
    assert np.allclose(leave_one_out(np.array([[0.0, 3.0, 1.0]])), [[0, 2 / 3, 0]])


@pytest.mark.parametrize("weight", [0.2, 0.5, 0.9])
def test_weights_of_a_mixture_are_found_again(weight: float) -> None:
    first, second = np.array([[0.7, 0.2, 0.1]]), np.array([[0.1, 0.3, 0.6]])
    counts = 1_000 * (weight * first + (1 - weight) * second)
    assert isclose(fit_mixture_weights(counts, first, second)[0], weight, abs_tol=1e-3)


def test_words_nobody_explains_have_no_say() -> None:
    first, second = np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
    assert isclose(fit_mixture_weights(np.array([[3.0, 1.0, 50.0]]), first, second)[0], 0.75, abs_tol=1e-3)
