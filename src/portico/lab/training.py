"""Train the shipped models from labelled data; the same data give the same models."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from portico.domains.papers import PAPERS
from portico.extract.extractor import header_observer, reference_observer
from portico.extract.features import Observer
from portico.extract.splitting import find_labels, section_features
from portico.lab import datasets, grobid
from portico.lab.citations import anystyle_references, grobid_references, without_overlap
from portico.lab.datasets import Labelled
from portico.lab.grobid import Section
from portico.lab.header_training import SHIPPED_HEADER_OPTIONS, fit_headers
from portico.learn import crf
from portico.learn.committee import Committee, MemberOptions, train_committee
from portico.learn.crf import Crf, CrfOptions

# Of GROBID's references every second with a title and every sixth without one (physics, patents), so that
# training is quick and references without titles stay few. The steps were not swept.
TITLED_STEP, UNTITLED_STEP = 2, 6
SPLITTING_OPTIONS = CrfOptions(c1=0.1, c2=0.3, max_iterations=150)
# Chosen among eight pairs of penalties and labels by three folds of the 350 training references.
_REFERENCE_OPTIONS = CrfOptions(c1=0.3, c2=0.1, max_iterations=100)
REFERENCE_MEMBERS = (
    MemberOptions("plain", _REFERENCE_OPTIONS),
    MemberOptions("openings", _REFERENCE_OPTIONS, marks_openings=True),
)
# What is seen once in eleven times the data says little; the file is a third as large without it. Not tuned.
SHIPPED_REFERENCE_MEMBERS = tuple(
    replace(member, options=replace(member.options, min_frequency=2)) for member in REFERENCE_MEMBERS
)


def fit(examples: Iterable[Labelled], observe: Observer, members: Iterable[MemberOptions]) -> Committee:
    """Models of labelled sequences seen through an observer."""
    return train_committee(((observe(example.rows), example.labels) for example in examples), members)


def shortened(members: Iterable[MemberOptions], max_iterations: int) -> tuple[MemberOptions, ...]:
    """The members, trained for a shorter time."""
    return tuple(
        replace(member, options=replace(member.options, max_iterations=max_iterations)) for member in members
    )


def train_headers(data: Path, out: Path) -> Committee:
    """Train the header model on the folder `headers` of the data and write it to a file."""
    folder = data / "headers"
    cora = [*datasets.cora_headers(folder, "train"), *datasets.cora_headers(folder, "test")]
    examples = [*known(cora), *grobid.headers(folder / "grobid")]
    model = fit_headers(examples, header_observer(PAPERS), SHIPPED_HEADER_OPTIONS)
    _write(out, model.to_bytes())
    return model


def train_references(data: Path, out: Path) -> Committee:
    """Train the reference model on the folder `references` of the data and write it to a file."""
    folder = data / "references"
    cora = datasets.cora_references(folder)
    published = without_overlap(grobid_references(folder / "grobid"), cora)
    titled = [one for one in published if "title" in one.labels]
    untitled = [one for one in published if "title" not in one.labels]
    anystyle = without_overlap(anystyle_references(folder / "anystyle", "core"), cora)
    examples = [*cora, *titled[::TITLED_STEP], *untitled[::UNTITLED_STEP], *anystyle]
    model = fit(examples, reference_observer(PAPERS), SHIPPED_REFERENCE_MEMBERS)
    _write(out, model.to_bytes())
    return model


def train_splitting(data: Path, out: Path) -> Crf:
    """Train the model that divides reference sections and write it to a file."""
    sections = grobid.reference_sections(data / "references" / "grobid")
    model = fit_sections(sections)
    _write(out, model.body)
    return model


def fit_sections(sections: Sequence[Section]) -> Crf:
    """A model of sections whose lines are labelled."""
    return crf.train_crf(
        ((observe_section(section), section.labels) for section in sections), options=SPLITTING_OPTIONS
    )


def observe_section(section: Section) -> list[list[str]]:
    """What the splitting model sees of a section."""
    labels = find_labels([one.text for one in section.sightings])
    return section_features(section.sightings, labels)


def known(examples: Sequence[Labelled]) -> list[Labelled]:
    """Without the few sequences that hold words outside all labels."""
    return [example for example in examples if "none" not in example.labels]


def _write(out: Path, body: bytes) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(body)
