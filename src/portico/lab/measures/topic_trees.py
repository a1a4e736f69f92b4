"""Measures topics from keywords on labeled trees, each as if neither it nor related trees were known."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from portico.classify.bootstrap import DEFAULT, PAPERS, Method
from portico.classify.classifier import TopicModel, train_topics
from portico.lab.datasets.labeled_trees import LabeledTree, iterate_labeled_trees
from portico.lab.datasets.topic_sets import TopicSet
from portico.lab.measures.topics import ShippedTopics
from portico.learn.calibration import compute_calibration_error
from portico.learn.confidence import Confidence, ConfidenceTrial, ConfidenceWeights, fit_confidence
from portico.types.topic import Topic, TopicText

# Numbers of documents, and how many samples of this size are pooled: a single sample of 50 says little, and
# even with a thousand documents the calibration error is .04 by chance.
SIZES = {50: 24, 500: 4, 5000: 1}
QUICK_SIZES = {50: 8, 500: 1}
MORE = 2  # a larger number is measured if it is at least so many times the one before
RIVALS: dict[str, Method] = {
    "weighted keywords": replace(PAPERS, seeds="weighted", shrinkage="none", rounds=0),
    "papers: EM + shrinkage": PAPERS,
}
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Sample:
    """Results of the default on a sample of documents, with the signals for its confidence."""

    trial: ConfidenceTrial
    inside: tuple[float, ...]  # how likely each document is in some leaf
    right: tuple[bool, ...]
    said: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A tree and a number of documents, with the figures of the other models and the samples of the
    default.
    """

    tree: LabeledTree
    n_texts: int
    rivals: dict[str, dict[str, float]]
    samples: list[_Sample]


def measure_topic_trees(
    data: Path, trees: Mapping[str, Sequence[Topic]], shipped: ShippedTopics, *, quick: bool, tell: Tell
) -> dict[str, Any]:
    """Leaf accuracy and calibration error of each model by tree and number of documents.

    For "ece", the default's confidence is fitted without the trees of the same family; "shipped ece" uses the
    shipped weights, which were fitted on all trees. `trees` are the shipped ones, by name; sets without
    keywords use theirs. The word vectors were trained without labels, but on half of the texts of the two
    smallest sets. The last entry has the weights fitted on all trees together.
    """
    rows: list[_Row] = []
    for tree in iterate_labeled_trees(data, trees):
        for n_texts, n_samples in choose_sizes(len(tree.labeled.leaf_of), quick=quick):
            row = _measure(tree, n_texts, n_samples, shipped)
            rows.append(row)
            tell(f"{tree.name}, {n_texts}: {_share_right(row):.3f}")
    figures: dict[str, Any] = {}
    for row in rows:
        weights = _fit([other for other in rows if other.tree.family != row.tree.family])
        figures[f"{row.tree.name}, {row.n_texts}"] = {**row.rivals, "default": _judge(row, weights)}
    return {**figures, "all trees": _sum_up(figures), "weights": asdict(_fit(rows))}


def choose_sizes(n_known: int, *, quick: bool) -> list[tuple[int, int]]:
    """Numbers of documents, each with a number of samples."""
    chosen: list[tuple[int, int]] = []
    for size, n_samples in (QUICK_SIZES if quick else SIZES).items():
        n_texts = min(size, n_known)
        if not chosen or n_texts >= MORE * chosen[-1][0]:
            chosen.append((n_texts, n_samples if n_texts < n_known else 1))
    return chosen


def _measure(tree: LabeledTree, n_texts: int, n_samples: int, shipped: ShippedTopics) -> _Row:
    labeled = tree.labeled
    known = [text for text in labeled.texts if text.document in labeled.leaf_of]
    samples = [random.Random(seed).sample(known, n_texts) for seed in range(n_samples)]
    rivals = {name: _measure_rival(labeled, samples, method) for name, method in RIVALS.items()}
    return _Row(tree, n_texts, rivals, [_sample(tree, texts, shipped) for texts in samples])


def _measure_rival(
    labeled: TopicSet, samples: Sequence[Sequence[TopicText]], method: Method
) -> dict[str, float]:
    right: list[bool] = []
    said: list[float] = []
    for texts in samples:
        rights, chances = _place(labeled, texts, train_topics(texts, labeled.topics, method=method))
        right += rights
        said += chances
    return {"leaf": sum(right) / len(right), "ece": compute_calibration_error(said, right)}


def _place(
    labeled: TopicSet, texts: Sequence[TopicText], model: TopicModel
) -> tuple[list[bool], list[float]]:
    """Whether the most likely leaf of each document is right, and its probability."""
    chances: list[list[float]] = model.chances(texts).tolist()
    best = [max(range(len(row)), key=row.__getitem__) for row in chances]
    right = [labeled.leaf_of[text.document] == leaf for text, leaf in zip(texts, best, strict=True)]
    return right, [row[leaf] for row, leaf in zip(chances, best, strict=True)]


def _sample(tree: LabeledTree, texts: Sequence[TopicText], shipped: ShippedTopics) -> _Sample:
    background = shipped.background if tree.is_known else None
    model = train_topics(
        texts, tree.labeled.topics, method=DEFAULT, background=background, company=shipped.company
    )
    right, said = _place(tree.labeled, texts, model)
    assert model.confidence is not None
    counts = model.vocabulary.count(texts)
    _, middle = model.naive_bayes.find_likeliest(counts, n_classes=len(model.owners))
    trial = ConfidenceTrial(model.confidence.signs, tuple(middle.tolist()), tuple(right))
    inside = model.naive_bayes.measure_inside(counts, n_classes=len(model.owners)).tolist()
    outside = model.elsewhere(texts)
    left = (chance * (1.0 - out) for chance, out in zip(inside, outside, strict=True))
    return _Sample(trial, tuple(left), tuple(right), tuple(said))


def _fit(rows: Sequence[_Row]) -> ConfidenceWeights:
    """Confidence weights fitted on all samples of some rows, with equal weight for each row."""
    return fit_confidence(
        [replace(each.trial, weight=1.0 / len(row.samples)) for row in rows for each in row.samples]
    )


def _judge(row: _Row, weights: ConfidenceWeights) -> dict[str, float]:
    """The default's figures on a row, with its confidence by these weights."""
    chances: list[float] = []
    for sample in row.samples:
        wanted = Confidence(sample.trial.signs, weights).judge(sample.trial.middle).tolist()
        chances += [min(chance, left) for chance, left in zip(wanted, sample.inside, strict=True)]
    right = [right for sample in row.samples for right in sample.right]
    said = [chance for sample in row.samples for chance in sample.said]
    return {
        "leaf": sum(right) / len(right),
        "ece": compute_calibration_error(chances, right),
        "shipped ece": compute_calibration_error(said, right),
    }


def _share_right(row: _Row) -> float:
    right = [right for sample in row.samples for right in sample.right]
    return sum(right) / len(right)


def _sum_up(figures: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, float]:
    """Mean and lowest gain over the better of the other models, and mean and largest calibration error."""
    gains = [row["default"]["leaf"] - max(row[name]["leaf"] for name in RIVALS) for row in figures.values()]
    errors = [row["default"]["ece"] for row in figures.values()]
    return {
        "mean gain": sum(gains) / len(gains),
        "least gain": min(gains),
        "mean ece": sum(errors) / len(errors),
        "largest ece": max(errors),
    }
