"""Fits and measures the calibration of field probabilities, on records the models were not trained on."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from portico.domains.papers import PAPERS
from portico.extract.calibrations import write_calibrations
from portico.extract.extractor import make_header_observer, make_reference_observer
from portico.extract.fields import FieldReader
from portico.extract.tagger import Tagged, Tagger
from portico.lab.datasets import grobid
from portico.lab.datasets.sequences import LabelledSequence, read_cora_headers, read_cora_references
from portico.lab.plots import Chart, draw_svg
from portico.lab.training.taggers import (
    SHIPPED_HEADER_OPTIONS,
    SHIPPED_REFERENCE_MEMBERS,
    drop_unlabelled,
    fit_headers,
    fit_members,
    make_header_tagger,
)
from portico.learn.calibration import (
    Calibration,
    compute_calibration_error,
    compute_reliability,
    fit_calibration,
)

DRAWN = ("title", "author", "year")
"""Fields with a reliability diagram."""

# Parts that records are divided into, each labeled by models trained on the others.
N_FOLDS = 3
# Parts of the headers that are labeled: 1,100 headers are enough for curves, and each part takes minutes.
LABELLED_PARTS = 2
# With fewer fields than this, no curve is fitted: their probabilities stay as the models give them.
FEWEST_TRIALS = 60


@dataclass(frozen=True, slots=True)
class CalibrationTrial:
    """One field extracted from a held-out record: its probability by the models, and whether it was
    right.
    """

    record: int
    chance: float
    is_right: bool


Trials = Mapping[str, Sequence[CalibrationTrial]]
"""Trials by field name."""


def collect_trials(kind: str, pairs: Iterable[tuple[LabelledSequence, Tagged]]) -> Trials:
    """Fields read from predicted labels; a field is right if the true labels give the same value."""
    read = FieldReader(PAPERS.kind(kind))
    trials: dict[str, list[CalibrationTrial]] = defaultdict(list)
    for record, (truth, given) in enumerate(pairs):
        sure = Tagged(truth.rows, truth.labels, (1.0,) * len(truth.labels))
        wanted = {(field.name, field.value) for field in read(sure, ())}
        for field in read(given, ()):
            trials[field.name].append(
                CalibrationTrial(record, field.confidence, (field.name, field.value) in wanted)
            )
    return trials


def fit_curves(trials: Trials) -> dict[str, Calibration]:
    """A calibration curve for every field that occurred often enough."""
    return {name: _fit(found) for name, found in trials.items() if len(found) >= FEWEST_TRIALS}


def measure_calibration(trials: Trials) -> dict[str, dict[str, Any]]:
    """For each field, the number, the share right, and the expected calibration error before and after
    calibration.

    Each half of the records is calibrated by the other half. "bins" and "raw bins" are points of a
    reliability plot.
    """
    figures: dict[str, dict[str, Any]] = {}
    for name, found in sorted(trials.items()):
        if len(found) < FEWEST_TRIALS:
            continue
        raw, calibrated = [trial.chance for trial in found], cross_calibrate(found)
        right = [trial.is_right for trial in found]
        figures[name] = {
            "n": len(found),
            "right": round(sum(right) / len(right), 4),
            "ece_raw": round(compute_calibration_error(raw, right), 4),
            "ece": round(compute_calibration_error(calibrated, right), 4),
            "bins": _points(calibrated, right),
            "raw bins": _points(raw, right),
        }
    return figures


def measure_stated_calibration(trials: Trials) -> dict[str, dict[str, Any]]:
    """The same for probabilities that are already calibrated."""
    figures: dict[str, dict[str, Any]] = {}
    for name, found in sorted(trials.items()):
        if not found:
            continue
        said, right = [trial.chance for trial in found], [trial.is_right for trial in found]
        figures[name] = {
            "n": len(found),
            "right": round(sum(right) / len(right), 4),
            "ece": round(compute_calibration_error(said, right), 4),
            "bins": _points(said, right),
        }
    return figures


def drop_bins(figures: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The figures without the points of plots, for printing."""
    return {
        field: {name: value for name, value in found.items() if not name.endswith("bins")}
        for field, found in figures.items()
    }


def cross_calibrate(trials: Sequence[CalibrationTrial]) -> list[float]:
    """Calibrated probabilities: each half of the records uses the curve fitted on the other half."""
    halves = [_fit([trial for trial in trials if trial.record % 2 == half]) for half in (0, 1)]
    return [halves[1 - trial.record % 2](trial.chance) for trial in trials]


def write_reliability(figures: Mapping[str, Mapping[str, Any]], folder: Path) -> Path:
    """Draw how often fields are right against their probabilities, raw and calibrated."""
    lines: dict[str, Sequence[tuple[float, float]]] = {"as it should be": [(0.0, 0.0), (1.0, 1.0)]}
    for name in DRAWN:
        if name in figures:
            if "raw bins" in figures[name]:
                lines[f"{name}, as the models say"] = figures[name]["raw bins"]
            lines[f"{name}, calibrated"] = figures[name]["bins"]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "calibration.svg"
    chart = Chart("Are probabilities what they say?", "probability given", "share right", lines)
    path.write_text(draw_svg(chart), encoding="utf-8")
    return path


def train_calibrations(data: Path, out: Path) -> None:
    """Fit the shipped calibration curves and write them to a file.

    They are fitted on parts of Cora's and GROBID's headers (the latter with layout) and of Cora's references,
    each labeled by models trained on the other parts in the same way as the shipped models.
    """
    headers = collect_trials("header", _held_out_headers(data / "headers"))
    references = collect_trials("reference", _held_out_references(read_cora_references(data / "references")))
    write_calibrations({"header": fit_curves(headers), "reference": fit_curves(references)}, out)


def _held_out_headers(folder: Path) -> Iterator[tuple[LabelledSequence, Tagged]]:
    cora = drop_unlabelled([*read_cora_headers(folder, "train"), *read_cora_headers(folder, "test")])
    sets = (cora, grobid.read_grobid_headers(folder / "grobid"))
    observe = make_header_observer(PAPERS)
    for fold in range(LABELLED_PARTS):
        others = [one for headers in sets for idx, one in enumerate(headers) if idx % N_FOLDS != fold]
        tag = make_header_tagger(fit_headers(others, observe, SHIPPED_HEADER_OPTIONS), observe)
        for headers in sets:
            for one in headers[fold::N_FOLDS]:
                yield one, tag(one.rows)


def _held_out_references(references: Sequence[LabelledSequence]) -> Iterator[tuple[LabelledSequence, Tagged]]:
    observe = make_reference_observer(PAPERS)
    for fold in range(N_FOLDS):
        others = [one for idx, one in enumerate(references) if idx % N_FOLDS != fold]
        tag = Tagger(fit_members(others, observe, SHIPPED_REFERENCE_MEMBERS), observe)
        for one in references[fold::N_FOLDS]:
            yield one, tag(one.rows)


def _points(chances: Sequence[float], right: Sequence[bool]) -> list[tuple[float, float]]:
    return [(round(one.chance, 4), round(one.right, 4)) for one in compute_reliability(chances, right)]


def _fit(trials: Sequence[CalibrationTrial]) -> Calibration:
    return fit_calibration([trial.chance for trial in trials], [trial.is_right for trial in trials])
