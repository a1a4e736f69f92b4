"""Hidden Markov models against brute force, and Baum-Welch against its promise."""

from itertools import pairwise, product
from math import exp, isclose, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.lab.faithful import hmm
from portico.lab.faithful.hmm import Hmm, compute_perplexity, count_expected, train_baum_welch
from portico.learn.counts import normalize_rows

N_SYMBOLS = 4


def random_model(seed: int, *, n_states: int = 3, sparse: bool = False) -> Hmm:
    rng = np.random.default_rng(seed)
    leaving = rng.random((n_states, n_states + 1))
    if sparse:
        leaving[:, :-1] *= rng.random((n_states, n_states)) < 0.6  # every state may still be the last
    leaving = normalize_rows(leaving)
    return Hmm(
        start=normalize_rows(rng.random((1, n_states)))[0],
        transitions=leaving[:, :-1],
        end=leaving[:, -1],
        emissions=normalize_rows(rng.random((2, N_SYMBOLS))),
        rows=np.array([0, 1, 1, 0][:n_states]),
    )


def probability(model: Hmm, symbols: list[int], path: tuple[int, ...]) -> float:
    steps = [model.transitions[one, other] for one, other in pairwise(path)]
    emitted = [
        model.emissions[model.rows[state], symbol] for state, symbol in zip(path, symbols, strict=True)
    ]
    return float(np.prod([model.start[path[0]], *steps, model.end[path[-1]], *emitted]))


def all_paths(model: Hmm, symbols: list[int]) -> list[tuple[int, ...]]:
    return list(product(range(model.n_states), repeat=len(symbols)))


models = st.builds(random_model, st.integers(0, 10_000), sparse=st.booleans())
sequences = st.lists(st.lists(st.integers(0, N_SYMBOLS - 1), min_size=1, max_size=5), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(models, sequences)
def test_viterbi_finds_the_best_of_all_paths(model: Hmm, observed: list[list[int]]) -> None:
    for symbols, path in zip(observed, model.decode(observed), strict=True):
        best = max(probability(model, symbols, one) for one in all_paths(model, symbols))
        assert len(path) == len(symbols)
        assert isclose(probability(model, symbols, path), best, rel_tol=1e-9)


@settings(max_examples=60, deadline=None)
@given(models, sequences)
def test_likelihood_is_the_sum_over_all_paths(model: Hmm, observed: list[list[int]]) -> None:
    for symbols, found in zip(observed, model.log_likelihoods(observed), strict=True):
        total = sum(probability(model, symbols, one) for one in all_paths(model, symbols))
        assert isclose(exp(found), total, rel_tol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.builds(random_model, st.integers(0, 10_000)), sequences)
def test_expected_counts_are_those_of_all_paths(model: Hmm, observed: list[list[int]]) -> None:
    transitions = np.zeros((3, 3))
    emissions = np.zeros((3, N_SYMBOLS))
    for symbols in observed:
        paths = all_paths(model, symbols)
        weights = np.array([probability(model, symbols, path) for path in paths])
        for path, weight in zip(paths, weights / weights.sum(), strict=True):
            for one, other in pairwise(path):
                transitions[one, other] += weight
            for state, symbol in zip(path, symbols, strict=True):
                emissions[state, symbol] += weight
    expected = count_expected(model, observed)
    assert np.allclose(expected.transitions, transitions)
    assert np.allclose(expected.emissions, emissions)
    assert isclose(expected.start.sum(), len(observed))
    assert isclose(expected.end.sum(), len(observed))


@settings(max_examples=40, deadline=None)
@given(models, sequences)
def test_baum_welch_never_lowers_the_likelihood(model: Hmm, observed: list[list[int]]) -> None:
    fitted, likelihoods = train_baum_welch(model, observed, max_rounds=6, tolerance=0.0)
    for before, after in pairwise(likelihoods):
        assert after >= before - 1e-9
    assert np.allclose(fitted.transitions.sum(axis=1) + fitted.end, 1.0)
    assert np.allclose(fitted.emissions.sum(axis=1), 1.0)


def test_batches_do_not_mix_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model(7)
    observed = [[0], [1, 2, 3, 0, 1], [], [2, 2], [3, 1, 0]]
    together = model.decode(observed)
    monkeypatch.setattr(hmm, "BATCH_SIZE", 1)
    assert model.decode(observed) == together
    assert together[2] == ()


def test_long_sequences_do_not_underflow() -> None:
    (value,) = random_model(3).log_likelihoods([[0, 1, 2, 3] * 2_000])
    assert -1e6 < value < -1_000


def test_what_no_path_emits_goes_word_by_word_to_the_likeliest_state() -> None:
    model = Hmm(
        start=np.array([1.0, 0.0]),
        transitions=np.array([[0.0, 0.5], [0.0, 0.0]]),
        end=np.array([0.5, 1.0]),
        emissions=np.array([[0.9, 0.1], [0.2, 0.8]]),
        rows=np.array([0, 1]),
    )
    assert model.decode([[0, 1, 0]]) == [(0, 1, 0)]
    assert model.log_likelihoods([[0, 1, 0]]) == [-np.inf]


def test_perplexity_of_equally_likely_symbols() -> None:
    model = Hmm(
        start=np.array([1.0]),
        transitions=np.array([[0.5]]),
        end=np.array([0.5]),
        emissions=np.full((1, N_SYMBOLS), 0.25),
        rows=np.array([0]),
    )
    # Each of three symbols costs a quarter, each of the three steps after one a half.
    assert isclose(compute_perplexity(model, [[0, 1, 2]]), exp(log(4) + log(2)))
