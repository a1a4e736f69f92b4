"""How sure a classifier may be of documents without labels."""

import math
from dataclasses import replace

import numpy as np
import pytest

from portico.learn.confidence import (
    CollectionSigns,
    Confidence,
    ConfidenceTrial,
    ConfidenceWeights,
    fit_confidence,
)
from portico.learn.counts import count_columns
from portico.learn.em import DirichletSmoothing, gather_signs, run_em
from portico.learn.naive_bayes import NaiveBayes
from portico.learn.shrinkage import Tree

SIGNS = CollectionSigns(agreement=0.7, documents=1.0, mean_odds=0.0, clear=0.9)
WEIGHTS = ConfidenceWeights(
    agreement=3.0,
    documents=0.2,
    known=0.0,
    clear=1.0,
    nearness=2.0,
    odds=0.4,
    odds_by_documents=0.1,
    constant=-3.0,
)


def make_trial(rng: np.random.Generator) -> ConfidenceTrial:
    agreement, documents, clear = rng.random(3).tolist()
    signs = CollectionSigns(agreement, documents, float(rng.normal()), clear=clear)
    middle, near = rng.uniform(0.02, 0.98, 400), rng.uniform(-0.5, 0.9, 400)
    right = rng.random(400) < Confidence(signs, WEIGHTS).judge(middle, near)
    return ConfidenceTrial(signs, tuple(middle.tolist()), tuple(near.tolist()), tuple(right.tolist()))


def test_weights_are_found_by_which_confidence_is_true_on_other_collections() -> None:
    rng = np.random.default_rng(0)
    found = fit_confidence([make_trial(rng) for _ in range(40)])
    for trial in (make_trial(rng) for _ in range(10)):
        said = Confidence(trial.signs, found).judge(trial.middle, trial.nearness)
        assert said.mean() == pytest.approx(np.mean(trial.right), abs=0.1)
        truly = Confidence(trial.signs, WEIGHTS).judge(trial.middle, trial.nearness)
        assert np.abs(said - truly).max() < 0.1


def test_the_clearer_document_is_surer_and_the_collection_that_agrees() -> None:
    doubtful, clear = Confidence(SIGNS, WEIGHTS).judge(np.array([0.3, 0.8]))
    assert doubtful < clear
    for less in ({"agreement": 0.3}, {"clear": 0.2}):
        torn = replace(SIGNS, **less)
        assert Confidence(torn, WEIGHTS).judge(np.array([0.8]))[0] < clear


def test_the_document_near_the_words_of_its_class_is_surer_and_an_unknown_one_typical() -> None:
    far, unknown, near = Confidence(SIGNS, WEIGHTS).judge([0.5] * 3, [0.0, math.nan, 0.6])
    assert far < unknown < near
    assert Confidence(SIGNS, WEIGHTS).judge([0.5])[0] == pytest.approx(unknown)


def test_signs_say_how_far_first_labels_and_words_agree() -> None:
    counts = count_columns([[0, 0], [0, 0, 1], [1, 1], [1, 1]], 2)
    words = NaiveBayes(np.log([0.5, 0.5]), np.log([[0.9, 0.1], [0.1, 0.9]]))
    first = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    agreeing = gather_signs(words, counts, first, (0, 1))
    assert agreeing.agreement == 1.0
    torn = gather_signs(words, counts, first[:, ::-1], (0, 1))
    assert torn.agreement < 0.5
    assert agreeing.documents == pytest.approx(math.log(2))
    assert agreeing.clear > gather_signs(words, counts, 0.5 + 0.0 * first, (0, 1)).clear


def test_nothing_is_known_of_no_documents() -> None:
    words = NaiveBayes(np.log([0.5, 0.5]), np.log([[0.9, 0.1], [0.1, 0.9]]))
    signs = gather_signs(words, count_columns([], 2), np.zeros((0, 2)), (0, 1))
    assert 0.0 < Confidence(signs).judge(np.array([0.5]))[0] < 1.0


@pytest.mark.parametrize(("kept", "stays"), [(0.0, False), (0.9, True)])
def test_clear_first_labels_stay_as_far_as_they_are_kept(kept: float, stays: bool) -> None:
    # The last row speaks like the first class, and is labeled with the second.
    counts = count_columns([[0] * 9, [0] * 9, [0] * 9, [1] * 9, [0] * 9], 2)
    labels = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    learn = DirichletSmoothing(
        Tree((0, 0, 0), (1, 2)), np.zeros((2, 2)), strength=1.0, temper=float("inf"), pull=0.0
    )
    _, last = run_em(counts, labels, learn, rounds=3, kept=kept)
    assert (last[4, 1] > 0.5) == stays
