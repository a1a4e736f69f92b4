"""Draw what `lab topics` measured: labels against keywords, and whether probabilities are what they say."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from portico.lab.measure_topics import LABEL_COUNTS, PAPER
from portico.lab.plots import Chart, svg

LEVELS = ("keyword rules", "naive Bayes from keyword rules", "papers: EM + shrinkage", "default")
"""Models that need no label, drawn across the curve of the one that does."""

RELIABLE = ("default", "papers: EM + shrinkage")

Figures = Mapping[str, Mapping[str, Any]]


def write_plots(figures: Figures, folder: Path) -> Iterator[Path]:
    """The charts for which there are figures, as SVG files; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in (("labels.svg", _labels(figures)), ("reliability.svg", _reliability(figures))):
        if chart is not None:
            path = folder / name
            path.write_text(svg(chart), encoding="utf-8")
            yield path


def _labels(figures: Figures) -> Chart | None:
    """The papers' Table 8 as a chart: how many labels keywords are worth, theirs and ours."""
    rows = [(n_labels, f"naive Bayes, {n_labels} labels") for n_labels in LABEL_COUNTS]
    ours = [(float(n_labels), figures[row]["leaf"]) for n_labels, row in rows if row in figures]
    if not ours:
        return None
    theirs = [(float(n_labels), PAPER[row]) for n_labels, row in rows if row in PAPER]
    return Chart(
        "What keywords are worth in labels",
        "labeled documents",
        "leaf accuracy",
        {"naive Bayes from labels": ours, "the papers: naive Bayes from labels": theirs},
        levels={row: figures[row]["leaf"] for row in LEVELS if row in figures}
        | {"the papers: EM + shrinkage": PAPER["papers: EM + shrinkage"]},
        log_x=True,
    )


def _reliability(figures: Figures) -> Chart | None:
    drawn = {row: figures[row]["bins"] for row in RELIABLE if row in figures and figures[row]["bins"]}
    if not drawn:
        return None
    lines = {"as it should be": [(0.0, 0.0), (1.0, 1.0)], **drawn}
    return Chart("Are probabilities what they say?", "probability of the best leaf", "share right", lines)
