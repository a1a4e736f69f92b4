"""Quality does not fall: a quick measure of each model stays above the floors written down."""

import json
from pathlib import Path

import pytest

from portico.lab.measures.headers import measure_headers
from portico.lab.measures.paths import PARTIAL, measure_paths, summarize_figures
from portico.lab.measures.references import measure_references
from portico.lab.measures.spider import SpiderStudy, measure_spider

FLOORS = json.loads((Path(__file__).parents[2] / "gates" / "floors.json").read_text(encoding="utf-8"))

pytestmark = [pytest.mark.data, pytest.mark.slow]


def test_headers(labelled_data: Path) -> None:
    figures = measure_headers(labelled_data / "data", quick=True)
    assert 1 - figures["A"]["crf"] >= FLOORS["headers.A.word.quick"]
    assert figures["B"]["crf"]["word"] >= FLOORS["headers.B.word.quick"]
    assert figures["B"]["crf"]["whole"] >= FLOORS["headers.B.whole.quick"]


def test_references(labelled_data: Path) -> None:
    figures = measure_references(labelled_data / "data", quick=True)["350/150"]["crf"]
    assert figures["word"] >= FLOORS["references.350/150.word.quick"]
    assert figures["whole"] >= FLOORS["references.350/150.whole.quick"]


def test_spider(labelled_data: Path) -> None:
    means = measure_spider(labelled_data / "web", SpiderStudy(quick=True)).figures["mean"]
    for level in ("0.25", "0.75"):
        saved = 1 - means["default"][level] / means["breadth-first"][level]
        assert saved >= FLOORS[f"spider.papers.saved.{level}.quick"]


def test_paths(labelled_data: Path) -> None:
    """One department and four companies, by what is learned where only goals are shown."""
    found = summarize_figures(measure_paths(labelled_data / "web", quick=True))[PARTIAL]
    assert found["goal_f1"] >= FLOORS["paths.goals.f1.quick"]
    assert found["faculty"]["harvest"] >= FLOORS["paths.faculty.harvest.quick"]
    assert 1 - found["contact"]["against_breadth_first"] >= FLOORS["paths.contact.saved.quick"]
