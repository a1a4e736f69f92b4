"""Train the shipped models from labelled data; the same data give the same models."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from portico.domains.papers import PAPERS
from portico.extract.context import header_context, reference_context
from portico.extract.features import Observer
from portico.extract.splitting import find_labels, section_features
from portico.lab import datasets, grobid
from portico.lab.citations import anystyle_references, grobid_references, without_overlap
from portico.lab.datasets import Labelled
from portico.lab.grobid import Section
from portico.learn import crf
from portico.learn.crf import Crf, CrfOptions

# For measuring. Chosen among four pairs of penalties on the first 400 against the last 100 of Cora's training
# headers, never on the headers that are tested.
HEADER_OPTIONS = CrfOptions(c1=0.05, c2=1.0, max_iterations=120)
# For the shipped model, which is trained on other data too; not tuned.
SHIPPED_HEADER_OPTIONS = CrfOptions(c1=0.1, c2=0.1, max_iterations=120)
# Not tuned, but for the size of the file.
SHIPPED_REFERENCE_OPTIONS = CrfOptions(c1=0.1, c2=0.2, max_iterations=80, min_frequency=2)
# Of GROBID's references every second with a title and every sixth without one (physics, patents), so that
# training is quick and references without titles stay few. The steps were not swept.
TITLED_STEP, UNTITLED_STEP = 2, 6
SPLITTING_OPTIONS = CrfOptions(c1=0.1, c2=0.3, max_iterations=150)
# For measuring. Chosen among five pairs of penalties by five folds of the 350 training references.
REFERENCE_OPTIONS = CrfOptions(c1=0.3, c2=0.05, max_iterations=120)


def header_observer() -> Observer:
    """What the header model sees."""
    return Observer(PAPERS.lexicon(), PAPERS.kind("header").observations, header_context)


def reference_observer() -> Observer:
    """What the reference model sees."""
    return Observer(PAPERS.lexicon(), PAPERS.kind("reference").observations, reference_context)


def fit(examples: Iterable[Labelled], observe: Observer, options: CrfOptions) -> Crf:
    """A model of labelled sequences seen through an observer."""
    return crf.train(((observe(example.rows), example.labels) for example in examples), options=options)


def train_headers(data: Path, out: Path) -> Crf:
    """Train the header model on the folder `headers` of the data and write it to a file."""
    folder = data / "headers"
    cora = [*datasets.cora_headers(folder, "train"), *datasets.cora_headers(folder, "test")]
    model = fit([*known(cora), *grobid.headers(folder / "grobid")], header_observer(), SHIPPED_HEADER_OPTIONS)
    return _written(model, out)


def train_references(data: Path, out: Path) -> Crf:
    """Train the reference model on the folder `references` of the data and write it to a file."""
    folder = data / "references"
    cora = datasets.cora_references(folder)
    published = without_overlap(grobid_references(folder / "grobid"), cora)
    titled = [one for one in published if "title" in one.labels]
    untitled = [one for one in published if "title" not in one.labels]
    anystyle = without_overlap(anystyle_references(folder / "anystyle", "core"), cora)
    examples = [*cora, *titled[::TITLED_STEP], *untitled[::UNTITLED_STEP], *anystyle]
    return _written(fit(examples, reference_observer(), SHIPPED_REFERENCE_OPTIONS), out)


def train_splitting(data: Path, out: Path) -> Crf:
    """Train the model that divides reference sections and write it to a file."""
    sections = grobid.reference_sections(data / "references" / "grobid")
    return _written(fit_sections(sections), out)


def fit_sections(sections: Sequence[Section]) -> Crf:
    """A model of sections whose lines are labelled."""
    return crf.train(
        ((observe_section(section), section.labels) for section in sections), options=SPLITTING_OPTIONS
    )


def observe_section(section: Section) -> list[list[str]]:
    """What the splitting model sees of a section."""
    labels = find_labels([one.text for one in section.sightings])
    return section_features(section.sightings, labels)


def known(examples: Sequence[Labelled]) -> list[Labelled]:
    """Without the few sequences that hold words outside all labels."""
    return [example for example in examples if "none" not in example.labels]


def _written(model: Crf, out: Path) -> Crf:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(model.body)
    return model
