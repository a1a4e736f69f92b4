"""Train and measure the models of zones and of reference sections: half trained on, half tested."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from portico.extract.splitting import BEGIN, Splitter, find_labels
from portico.extract.zone_lines import observe_zone_lines
from portico.lab.datasets.grobid import ReferenceSection, read_reference_sections
from portico.lab.datasets.segmentation import SegmentedDocument, read_segmented_documents
from portico.lab.scores import score_labels
from portico.lab.training.taggers import fit_sections, observe_section
from portico.learn import crf
from portico.learn.crf import Crf, CrfOptions

_QUICK_SECTIONS = 10  # every tenth section


def measure_splitting(data: Path, *, quick: bool = False) -> dict[str, dict[str, float]]:
    """`{model: {"line", "begin_f1"}}`: lines labelled right, and F1 of the lines where references begin.

    The model alone, and with unsure lines labelled like those that are set like them, as it ships.
    """
    sections = read_reference_sections(data / "references" / "grobid")[:: _QUICK_SECTIONS if quick else 1]
    halves = ((sections[::2], sections[1::2]), (sections[1::2], sections[::2]))
    models = [(fit_sections(train), test) for train, test in halves]
    alone = [(one.labels, model.tag(observe_section(one)).labels) for model, test in models for one in test]
    shipped = [(one.labels, _decided(Splitter(model), one)) for model, test in models for one in test]
    return {"crf": _scores(alone), "crf, as lines alike": _scores(shipped)}


def _decided(split: Splitter, section: ReferenceSection) -> Sequence[str]:
    return split.decide(section.sightings, find_labels([one.text for one in section.sightings]))


def _scores(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[str, float]:
    scores = score_labels(pairs)
    return {"line": round(scores.word, 4), "begin_f1": round(dict(scores.by_label)[BEGIN], 4)}


# Not tuned: between those of headers and of references. Rare features are left out to keep the file small.
ZONE_OPTIONS = CrfOptions(c1=0.5, c2=0.5, max_iterations=80, min_frequency=3)
_QUICK_STEP = 20  # every twentieth document


def train_zones(data: Path, out: Path) -> Crf:
    """Train the model of zones on the folder `headers/grobid` of the data and write it to a file."""
    model = fit_zones(read_segmented_documents(data / "headers" / "grobid"))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(model.body)
    return model


def measure_zones(data: Path, *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """`{"crf": {"n_documents", "n_lines", "line": share of lines right, "f1": {zone: F1 over lines}}}`."""
    documents = read_segmented_documents(data / "headers" / "grobid")[:: _QUICK_STEP if quick else 1]
    halves = (documents[::2], documents[1::2])
    pairs = _predictions(*halves) + _predictions(*reversed(halves))
    scores = score_labels(pairs)
    return {
        "crf": {
            "n_documents": len(documents),
            "n_lines": sum(len(one.lines) for one in documents),
            "line": round(scores.word, 4),
            "f1": {zone: round(value, 4) for zone, value in scores.by_label},
        }
    }


def fit_zones(documents: Sequence[SegmentedDocument]) -> Crf:
    """A model of documents whose lines have their zones."""
    return crf.train_crf(
        ((observe_zone_lines(one.lines), one.zones) for one in documents), options=ZONE_OPTIONS
    )


def _predictions(
    train: Sequence[SegmentedDocument], test: Sequence[SegmentedDocument]
) -> list[tuple[Sequence[str], Sequence[str]]]:
    model = fit_zones(train)
    return [(one.zones, model.tag(observe_zone_lines(one.lines)).labels) for one in test]
