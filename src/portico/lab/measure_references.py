"""Measure the reference model on the Cora references: a fixed split and ten folds."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from portico.lab.datasets import Labelled, cora_references
from portico.lab.scores import Scores, label_scores
from portico.lab.training import REFERENCE_OPTIONS, fit, reference_observer

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
        fixed = evaluate(shuffled[:_QUICK_TRAIN], shuffled[N_TRAIN : N_TRAIN + _QUICK_TEST], quick=True)
        return {"350/150": {"crf": fixed.as_json()}}
    fixed = evaluate(shuffled[:N_TRAIN], shuffled[N_TRAIN:])
    return {"350/150": {"crf": fixed.as_json()}, "10-fold": {"crf": _folds(shuffled).as_json()}}


def evaluate(train: Sequence[Labelled], test: Sequence[Labelled], *, quick: bool = False) -> Scores:
    """Train on one part, score on the other."""
    return label_scores(_predictions(train, test, quick=quick))


def _folds(references: Sequence[Labelled]) -> Scores:
    pairs = []
    for fold in range(N_FOLDS):
        train = [one for idx, one in enumerate(references) if idx % N_FOLDS != fold]
        pairs += _predictions(train, references[fold::N_FOLDS], quick=False)
    return label_scores(pairs)


def _predictions(
    train: Sequence[Labelled], test: Sequence[Labelled], *, quick: bool
) -> list[tuple[Sequence[str], Sequence[str]]]:
    observe = reference_observer()
    options = replace(REFERENCE_OPTIONS, max_iterations=_QUICK_ITERATIONS) if quick else REFERENCE_OPTIONS
    model = fit(train, observe, options)
    return [(one.labels, model.tag(observe(one.rows)).labels) for one in test]
