"""Naive Bayes against the formulas written out, cell by cell."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.learn.confidence import CollectionSigns, Confidence
from portico.learn.counts import count_columns
from portico.learn.naive_bayes import NaiveBayes, estimate_class_prior, train_naive_bayes

N_WORDS = 4

documents = st.lists(
    st.tuples(
        st.lists(st.integers(0, N_WORDS - 1), max_size=6),
        st.lists(st.floats(0, 1), min_size=3, max_size=3),
    ),
    min_size=1,
    max_size=6,
)


def written_out(rows: list[list[int]], labels: list[list[float]], new: list[int]) -> list[float]:
    """Equations 10 to 12 of the paper, without logarithms or arrays."""
    n_classes = len(labels[0])
    joint = []
    for label in range(n_classes):
        size = 1 + sum(weights[label] for weights in labels)
        chance = size / (n_classes + sum(map(sum, labels)))
        total = N_WORDS + sum(len(row) * weights[label] for row, weights in zip(rows, labels, strict=True))
        for word in new:
            seen = 1 + sum(
                row.count(word) * weights[label] for row, weights in zip(rows, labels, strict=True)
            )
            chance *= seen / total
        joint.append(chance)
    return [chance / sum(joint) for chance in joint]


@given(documents, st.lists(st.integers(0, N_WORDS - 1), max_size=8))
def test_posterior_is_the_formula(examples: list[tuple[list[int], list[float]]], new: list[int]) -> None:
    rows = [row for row, _ in examples]
    labels = [weights for _, weights in examples]
    model = train_naive_bayes(count_columns(rows, N_WORDS), np.array(labels))
    assert model.posterior(count_columns([new], N_WORDS))[0].tolist() == pytest.approx(
        written_out(rows, labels, new)
    )


def a_model(temper: float = np.inf) -> NaiveBayes:
    labels = np.array([[1.0, 0.0], [0.0, 1.0]])
    trained = train_naive_bayes(count_columns([[0, 0, 1], [2, 2, 3]], N_WORDS), labels)
    return NaiveBayes(trained.log_prior, trained.log_word, temper)


@pytest.mark.parametrize(("n_words", "trust"), [(0, 1.0), (1, 1.0), (4, 0.5), (100, 0.1)])
def test_long_documents_are_tempered(n_words: int, trust: float) -> None:
    row = count_columns([[0] * n_words], N_WORDS)
    plain, tempered = a_model(), a_model(temper=1.0)
    odds = plain.scores(row)[0] - plain.log_prior
    assert (tempered.scores(row)[0] - tempered.log_prior).tolist() == pytest.approx((odds * trust).tolist())


@pytest.mark.parametrize("agreement", [0.3, 0.6, 0.9])
def test_calibrated_rows_keep_their_order_and_are_never_certain(agreement: float) -> None:
    row = count_columns([[0] * 400], N_WORDS)
    model = a_model()
    three = NaiveBayes(np.log([0.4, 0.4, 0.2]), np.vstack([model.log_word, model.log_word.mean(axis=0)]))
    confidence = Confidence(CollectionSigns(agreement, 0.8, 0.0))
    calibrated = three.calibrated(row, confidence, n_classes=2)[0]
    assert calibrated.sum() == pytest.approx(1.0)
    assert calibrated.argmax() == three.posterior(row)[0].argmax() == 0
    assert 0.3 < calibrated[0] < 0.98
    _, middle = three.find_likeliest(row, n_classes=2)
    inside = three.measure_inside(row, n_classes=2)[0]
    wanted = np.clip(confidence.judge(middle)[0], 0.51 * inside, inside)
    assert calibrated[0] == pytest.approx(wanted, abs=0.01)


def test_contrast_adds_up_to_the_difference_of_the_scores() -> None:
    row = count_columns([[0, 1, 2, 2]], N_WORDS)
    model = a_model(temper=1.5)
    scores = model.scores(row)[0] - model.log_prior
    voices = model.contrast(row, 0, 1)
    assert sum(weight for _, weight in voices) == pytest.approx(scores[0] - scores[1])
    assert voices[0][0] == 2  # said twice: the loudest


@pytest.mark.parametrize(("pull", "expected"), [(0.0, [3, 1]), (1.0, [5, 3]), (1e9, [1, 1])])
def test_pull_evens_the_sizes(pull: float, expected: list[int]) -> None:
    labels = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    sizes = np.exp(estimate_class_prior(labels, smoothing=0.0, pull=pull))
    assert sizes.tolist() == pytest.approx([size / sum(expected) for size in expected], abs=1e-6)


def test_numbers_stay_finite_in_long_documents() -> None:
    posterior = a_model().posterior(count_columns([[0] * 1_000_000], N_WORDS))[0]
    assert math.isclose(posterior.sum(), 1.0)
