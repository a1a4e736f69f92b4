"""Train the model of zones, and measure it: half of the documents trained on, half tested, both ways."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from portico.extract.zone_lines import zone_features
from portico.lab.scores import label_scores
from portico.lab.segmentation import Segmented, segmented_documents
from portico.learn import crf
from portico.learn.crf import Crf, CrfOptions

# Not tuned: between those of headers and of references. Rare features are left out to keep the file small.
ZONE_OPTIONS = CrfOptions(c1=0.5, c2=0.5, max_iterations=80, min_frequency=3)
_QUICK_STEP = 20  # every twentieth document


def train_zones(data: Path, out: Path) -> Crf:
    """Train the model of zones on the folder `headers/grobid` of the data and write it to a file."""
    model = fit_zones(segmented_documents(data / "headers" / "grobid"))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(model.body)
    return model


def measure_zones(data: Path, *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """`{"crf": {"n_documents", "n_lines", "line": share of lines right, "f1": {zone: F1 over lines}}}`."""
    documents = segmented_documents(data / "headers" / "grobid")[:: _QUICK_STEP if quick else 1]
    halves = (documents[::2], documents[1::2])
    pairs = _predictions(*halves) + _predictions(*reversed(halves))
    scores = label_scores(pairs)
    return {
        "crf": {
            "n_documents": len(documents),
            "n_lines": sum(len(one.lines) for one in documents),
            "line": round(scores.word, 4),
            "f1": {zone: round(value, 4) for zone, value in scores.by_label},
        }
    }


def fit_zones(documents: Sequence[Segmented]) -> Crf:
    """A model of documents whose lines have their zones."""
    return crf.train_crf(((zone_features(one.lines), one.zones) for one in documents), options=ZONE_OPTIONS)


def _predictions(
    train: Sequence[Segmented], test: Sequence[Segmented]
) -> list[tuple[Sequence[str], Sequence[str]]]:
    model = fit_zones(train)
    return [(one.zones, model.tag(zone_features(one.lines)).labels) for one in test]
