"""Measure the splitting model on reference sections: half of them trained on, half tested, both ways."""

from collections.abc import Sequence
from pathlib import Path

from portico.extract.splitting import BEGIN
from portico.lab.grobid import Section, reference_sections
from portico.lab.scores import label_scores
from portico.lab.training import fit_sections, observe_section

_QUICK_STEP = 10  # every tenth section


def measure_splitting(data: Path, *, quick: bool = False) -> dict[str, dict[str, float]]:
    """`{model: {"line", "begin_f1"}}`: lines labelled right, and F1 of the lines where references begin."""
    sections = reference_sections(data / "references" / "grobid")[:: _QUICK_STEP if quick else 1]
    pairs = _predictions(sections[::2], sections[1::2]) + _predictions(sections[1::2], sections[::2])
    scores = label_scores(pairs)
    return {"crf": {"line": round(scores.word, 4), "begin_f1": round(dict(scores.by_label)[BEGIN], 4)}}


def _predictions(
    train: Sequence[Section], test: Sequence[Section]
) -> list[tuple[Sequence[str], Sequence[str]]]:
    model = fit_sections(train)
    return [(section.labels, model.tag(observe_section(section)).labels) for section in test]
