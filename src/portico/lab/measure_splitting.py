"""Measure the splitting model on reference sections: half of them trained on, half tested, both ways."""

from collections.abc import Sequence
from pathlib import Path

from portico.extract.splitting import BEGIN, Splitter, find_labels
from portico.lab.grobid import Section, reference_sections
from portico.lab.scores import label_scores
from portico.lab.training import fit_sections, observe_section

_QUICK_STEP = 10  # every tenth section


def measure_splitting(data: Path, *, quick: bool = False) -> dict[str, dict[str, float]]:
    """`{model: {"line", "begin_f1"}}`: lines labelled right, and F1 of the lines where references begin.

    The model alone, and with unsure lines labelled like those that are set like them, as it ships.
    """
    sections = reference_sections(data / "references" / "grobid")[:: _QUICK_STEP if quick else 1]
    halves = ((sections[::2], sections[1::2]), (sections[1::2], sections[::2]))
    models = [(fit_sections(train), test) for train, test in halves]
    alone = [(one.labels, model.tag(observe_section(one)).labels) for model, test in models for one in test]
    shipped = [(one.labels, _decided(Splitter(model), one)) for model, test in models for one in test]
    return {"crf": _scores(alone), "crf, as lines alike": _scores(shipped)}


def _decided(split: Splitter, section: Section) -> Sequence[str]:
    return split.decide(section.sightings, find_labels([one.text for one in section.sightings]))


def _scores(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[str, float]:
    scores = label_scores(pairs)
    return {"line": round(scores.word, 4), "begin_f1": round(dict(scores.by_label)[BEGIN], 4)}
