"""Measure the reference model and the papers' on the Cora references: a fixed split and ten folds."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from portico.domains.papers import PAPERS
from portico.extract.extractor import reference_observer
from portico.lab.datasets import Labelled, cora_references
from portico.lab.faithful.hmm_emissions import WordCounts
from portico.lab.hmm_references import (
    PAPERS_WORD_ACCURACY,
    Predictions,
    distant_references,
    hmm_predictions,
)
from portico.lab.scores import Scores, label_scores
from portico.lab.training import REFERENCE_MEMBERS, fit, shortened

SEED = 0
N_TRAIN = 350
N_FOLDS = 10
_QUICK_TRAIN, _QUICK_TEST, _QUICK_ITERATIONS = 150, 80, 50


def measure_references(data: Path, *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """`{"350/150": {model: {"word", "whole", "f1"}}, "10-fold": {…}}`, shares between 0 and 1.

    Models are trained on the Cora references alone: the other collections hold copies of them.
    """
    shuffled = list(cora_references(data / "references"))
    Random(SEED).shuffle(shuffled)
    if quick:
        train, test = shuffled[:_QUICK_TRAIN], shuffled[N_TRAIN : N_TRAIN + _QUICK_TEST]
        quick_hmms = hmm_predictions(train, test, {})
        return {"350/150": {"crf": evaluate(train, test, quick=True).as_json(), **_scored(quick_hmms)}}
    distant = distant_references(data)
    train, test = shuffled[:N_TRAIN], shuffled[N_TRAIN:]
    return {
        "350/150": {
            "crf": evaluate(train, test).as_json(),
            **_scored(hmm_predictions(train, test, distant)),
        },
        "10-fold": {"crf": _folds(shuffled).as_json(), **_scored(_hmm_folds(shuffled, distant))},
        "the papers, their own references": {"hmm": {"word": PAPERS_WORD_ACCURACY}},
    }


def evaluate(train: Sequence[Labelled], test: Sequence[Labelled], *, quick: bool = False) -> Scores:
    """Train on one part, score on the other."""
    return label_scores(_predictions(train, test, quick=quick))


def _folds(references: Sequence[Labelled]) -> Scores:
    pairs = []
    for train, test in _divided(references):
        pairs += _predictions(train, test, quick=False)
    return label_scores(pairs)


def _hmm_folds(references: Sequence[Labelled], distant: WordCounts) -> dict[str, Predictions]:
    pairs: dict[str, Predictions] = {}
    for train, test in _divided(references):
        for name, found in hmm_predictions(train, test, distant).items():
            pairs.setdefault(name, []).extend(found)
    return pairs


def _scored(predictions: Mapping[str, Predictions]) -> dict[str, dict[str, float]]:
    return {name: label_scores(pairs).as_json() for name, pairs in predictions.items()}


def _divided(references: Sequence[Labelled]) -> Iterator[tuple[list[Labelled], Sequence[Labelled]]]:
    for fold in range(N_FOLDS):
        train = [one for idx, one in enumerate(references) if idx % N_FOLDS != fold]
        yield train, references[fold::N_FOLDS]


def _predictions(
    train: Sequence[Labelled], test: Sequence[Labelled], *, quick: bool
) -> list[tuple[Sequence[str], Sequence[str]]]:
    observe = reference_observer(PAPERS)
    model = fit(
        train, observe, shortened(REFERENCE_MEMBERS, _QUICK_ITERATIONS) if quick else REFERENCE_MEMBERS
    )
    return [(one.labels, model.tag(observe(one.rows)).labels) for one in test]
