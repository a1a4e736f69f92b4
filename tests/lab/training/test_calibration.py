"""What probabilities of fields mean is learned from records with true labels."""

from pathlib import Path

import pytest

from portico.extract.tagger import Tagged
from portico.extract.words import Row, split_words
from portico.lab.datasets.sequences import LabelledSequence
from portico.lab.training.calibration import (
    CalibrationTrial,
    collect_trials,
    cross_calibrate,
    drop_bins,
    fit_curves,
    measure_calibration,
    write_reliability,
)
from portico.types.document import Span

REFERENCE = "A. Bell. Radio Nets. 1999."
TRUE = ("author", "author", "title", "title", "date")


def given(labels: tuple[str, ...], chance: float) -> tuple[LabelledSequence, Tagged]:
    rows = (Row(split_words(REFERENCE, Span(0, len(REFERENCE)))),)
    return LabelledSequence("r", rows, TRUE), Tagged(rows, labels, (chance,) * len(labels))


def test_a_field_is_right_when_the_true_labels_give_its_value() -> None:
    wrong = ("author", "author", "title", "journal", "date")
    trials = collect_trials("reference", [given(TRUE, 0.9), given(wrong, 0.7)])
    assert trials["title"] == [
        CalibrationTrial(0, 0.9, is_right=True),
        CalibrationTrial(1, 0.7, is_right=False),
    ]
    assert [trial.is_right for trial in trials["year"]] == [True, True]


@pytest.fixture
def boastful() -> dict[str, list[CalibrationTrial]]:
    """Ninety in a hundred is said, three in four are right; of pages too little is known."""
    return {
        "title": [CalibrationTrial(idx, 0.9, is_right=idx // 2 % 4 != 0) for idx in range(400)],
        "pages": [CalibrationTrial(0, 0.9, is_right=True)],
    }


def test_each_half_is_calibrated_by_the_other(boastful: dict[str, list[CalibrationTrial]]) -> None:
    assert cross_calibrate(boastful["title"]) == pytest.approx([0.75] * 400, abs=0.01)
    figures = measure_calibration(boastful)
    assert set(figures) == {"title"}
    assert figures["title"]["ece_raw"] == pytest.approx(0.15)
    assert figures["title"]["ece"] < 0.01
    assert set(drop_bins(figures)["title"]) == {"n", "right", "ece_raw", "ece"}


def test_curves_of_fields_that_are_known_well_enough(boastful: dict[str, list[CalibrationTrial]]) -> None:
    curves = fit_curves(boastful)
    assert set(curves) == {"title"}
    assert curves["title"](0.9) == pytest.approx(0.75, abs=0.01)


def test_reliability_is_drawn(boastful: dict[str, list[CalibrationTrial]], tmp_path: Path) -> None:
    path = write_reliability(measure_calibration(boastful), tmp_path / "plots")
    drawn = path.read_text(encoding="utf-8")
    assert "title, calibrated" in drawn
    assert drawn.startswith("<svg")
