"""Splitting lists of references is measured on sections that the model was not trained on."""

import json
from pathlib import Path

import pytest

from portico.extract.splitting import BEGIN
from portico.lab.datasets.grobid import read_reference_sections
from portico.lab.measures.sections import measure_splitting
from portico.lab.scores import score_labels

FLOORS = json.loads((Path(__file__).parents[3] / "gates" / "floors.json").read_text(encoding="utf-8"))


@pytest.mark.data
def test_splitting(labelled_data: Path) -> None:
    """A few dozen sections teach enough to do better than to begin a reference on every line."""
    data = labelled_data / "data"
    found = measure_splitting(data, quick=True)["crf"]
    assert found["begin_f1"] >= FLOORS["splitting.begin_f1.quick"]
    sections = read_reference_sections(data / "references" / "grobid")
    everywhere = score_labels((section.labels, [BEGIN] * len(section.labels)) for section in sections)
    assert found["begin_f1"] > dict(everywhere.by_label)[BEGIN]
