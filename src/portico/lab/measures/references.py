"""Measures the reference models on the Cora references: a fixed split and ten folds."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from portico.domains.papers import PAPERS
from portico.extract.extractor import make_reference_observer
from portico.lab.datasets.sequences import LabelledSequence, read_cora_references
from portico.lab.faithful.hmm_tagger import WordCounts
from portico.lab.faithful.hmm_tokens import (
    PAPERS_WORD_ACCURACY,
    Predictions,
    count_distant_references,
    predict_references,
)
from portico.lab.scores import LabelScores, score_labels
from portico.lab.training.taggers import REFERENCE_MEMBERS, fit_members, shorten_training

SEED = 0
N_TRAIN = 350
N_FOLDS = 10
_QUICK_TRAIN, _QUICK_TEST, _QUICK_ITERATIONS = 150, 80, 50


def measure_references(data: Path, *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """`{"350/150": {model: {"word", "whole", "f1"}}, "10-fold": {…}}`, shares between 0 and 1.

    Models are trained only on the Cora references, because the other collections contain copies of them.
    """
    shuffled = list(read_cora_references(data / "references"))
    Random(SEED).shuffle(shuffled)
    if quick:
        train, test = shuffled[:_QUICK_TRAIN], shuffled[N_TRAIN : N_TRAIN + _QUICK_TEST]
        quick_hmms = predict_references(train, test, {})
        return {
            "350/150": {"crf": evaluate_references(train, test, quick=True).as_json(), **_scored(quick_hmms)}
        }
    distant = count_distant_references(data)
    train, test = shuffled[:N_TRAIN], shuffled[N_TRAIN:]
    return {
        "350/150": {
            "crf": evaluate_references(train, test).as_json(),
            **_scored(predict_references(train, test, distant)),
        },
        "10-fold": {"crf": _folds(shuffled).as_json(), **_scored(_hmm_folds(shuffled, distant))},
        "the papers, their own references": {"hmm": {"word": PAPERS_WORD_ACCURACY}},
    }


def evaluate_references(
    train: Sequence[LabelledSequence], test: Sequence[LabelledSequence], *, quick: bool = False
) -> LabelScores:
    """Train a model and score it on the test references."""
    return score_labels(_predictions(train, test, quick=quick))


def _folds(references: Sequence[LabelledSequence]) -> LabelScores:
    pairs = []
    for train, test in _divided(references):
        pairs += _predictions(train, test, quick=False)
    return score_labels(pairs)


def _hmm_folds(references: Sequence[LabelledSequence], distant: WordCounts) -> dict[str, Predictions]:
    pairs: dict[str, Predictions] = {}
    for train, test in _divided(references):
        for name, found in predict_references(train, test, distant).items():
            pairs.setdefault(name, []).extend(found)
    return pairs


def _scored(predictions: Mapping[str, Predictions]) -> dict[str, dict[str, float]]:
    return {name: score_labels(pairs).as_json() for name, pairs in predictions.items()}


def _divided(
    references: Sequence[LabelledSequence],
) -> Iterator[tuple[list[LabelledSequence], Sequence[LabelledSequence]]]:
    for fold in range(N_FOLDS):
        train = [one for idx, one in enumerate(references) if idx % N_FOLDS != fold]
        yield train, references[fold::N_FOLDS]


def _predictions(
    train: Sequence[LabelledSequence], test: Sequence[LabelledSequence], *, quick: bool
) -> list[tuple[Sequence[str], Sequence[str]]]:
    observe = make_reference_observer(PAPERS)
    model = fit_members(
        train, observe, shorten_training(REFERENCE_MEMBERS, _QUICK_ITERATIONS) if quick else REFERENCE_MEMBERS
    )
    return [(one.labels, model.tag(observe(one.rows)).labels) for one in test]
