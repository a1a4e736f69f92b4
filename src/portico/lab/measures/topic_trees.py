"""Measures topics from keywords on labeled trees, each as if neither it nor related trees were known."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from portico.classify.bootstrap import DEFAULT, PAPERS, Method
from portico.classify.classifier import TopicModel, train_topics
from portico.lab.datasets.labeled_trees import LabeledTree, iterate_further_trees, iterate_labeled_trees
from portico.lab.datasets.topic_sets import TopicSet
from portico.lab.measures.topics import ShippedTopics
from portico.learn.calibration import compute_calibration_error
from portico.learn.confidence import Confidence, ConfidenceTrial, ConfidenceWeights, fit_confidence
from portico.types.topic import Topic, TopicText

# Numbers of documents, and how many samples of this size are pooled: a single sample of 50 says little, and
# even with a thousand documents the calibration error is .04 by chance.
SIZES = {50: 8, 500: 2, 5000: 1}
QUICK_SIZES = {50: 8, 500: 1}
SMALL_ERROR = 0.06
FURTHER_WEIGHT = 0.5  # of trees that are less like those that builders write
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
    keywords use theirs. Further trees, only used to learn and measure confidence, are not compared with the
    other models. The word vectors were trained without labels, but on half of the texts of the two smallest
    sets. The last entry has the weights fitted on all trees together.
    """
    rows: list[_Row] = []
    for make, rivals in ((iterate_labeled_trees, RIVALS), (iterate_further_trees, {})):
        for tree in make(data, trees):
            for n_texts, n_samples in choose_sizes(len(tree.labeled.leaf_of), quick=quick):
                row = _measure(tree, (n_texts, n_samples), shipped, rivals)
                rows.append(row)
                tell(f"{tree.name}, {n_texts}: {_share_right(row):.3f}")
    found: dict[bool, dict[str, Any]] = {True: {}, False: {}}
    weights = {
        family: _fit([row for row in rows if row.tree.family != family])
        for family in {row.tree.family for row in rows}
    }
    for row in rows:
        figures = {**row.rivals, "default": _judge(row, weights[row.tree.family])}
        found[bool(row.rivals)][f"{row.tree.name}, {row.n_texts}"] = figures
    compared, further = found[True], found[False]
    return {
        **compared,
        "further": further,
        "all trees": {**_sum_up_gains(compared), **_sum_up_errors(compared)},
        "further trees": _sum_up_errors(further),
        "weights": asdict(_fit(rows)),
    }


def choose_sizes(n_known: int, *, quick: bool) -> list[tuple[int, int]]:
    """Numbers of documents, each with a number of samples."""
    chosen: list[tuple[int, int]] = []
    for size, n_samples in (QUICK_SIZES if quick else SIZES).items():
        n_texts = min(size, n_known)
        if not chosen or n_texts >= MORE * chosen[-1][0]:
            chosen.append((n_texts, n_samples if n_texts < n_known else 1))
    return chosen


def _measure(
    tree: LabeledTree, size: tuple[int, int], shipped: ShippedTopics, methods: Mapping[str, Method]
) -> _Row:
    labeled, (n_texts, n_samples) = tree.labeled, size
    known = [text for text in labeled.texts if text.document in labeled.leaf_of]
    samples = [random.Random(seed).sample(known, n_texts) for seed in range(n_samples)]
    rivals = {name: _measure_rival(labeled, samples, method) for name, method in methods.items()}
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
    best, middle = model.naive_bayes.find_likeliest(counts, n_classes=len(model.owners))
    assert model.nearness is not None, "word vectors ship with the software"
    rows = zip(model.nearness.measure(counts, model.vocabulary).tolist(), best.tolist(), strict=True)
    near = tuple(row[number] for row, number in rows)
    trial = ConfidenceTrial(model.confidence.signs, tuple(middle.tolist()), near, tuple(right))
    inside = model.naive_bayes.measure_inside(counts, n_classes=len(model.owners)).tolist()
    outside = model.elsewhere(texts)
    left = (chance * (1.0 - out) for chance, out in zip(inside, outside, strict=True))
    return _Sample(trial, tuple(left), tuple(right), tuple(said))


def _fit(rows: Sequence[_Row]) -> ConfidenceWeights:
    """Confidence weights fitted on all samples of some rows; rows of a family of n weigh 1 / √n each, further
    trees half as much.
    """
    sizes = Counter(row.tree.family for row in rows)
    weights = [(row, (1.0 if row.rivals else FURTHER_WEIGHT) / sizes[row.tree.family] ** 0.5) for row in rows]
    return fit_confidence(
        [
            replace(each.trial, weight=weight / len(row.samples))
            for row, weight in weights
            for each in row.samples
        ]
    )


def _judge(row: _Row, weights: ConfidenceWeights) -> dict[str, float]:
    """The default's figures on a row, with its confidence by these weights."""
    chances: list[float] = []
    for sample in row.samples:
        wanted = (
            Confidence(sample.trial.signs, weights).judge(sample.trial.middle, sample.trial.nearness).tolist()
        )
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


_Figures = Mapping[str, Mapping[str, Mapping[str, float]]]


def _sum_up_gains(figures: _Figures) -> dict[str, float]:
    """Mean and lowest gain over the better of the other models."""
    gains = [row["default"]["leaf"] - max(row[name]["leaf"] for name in RIVALS) for row in figures.values()]
    return {"mean gain": sum(gains) / len(gains), "least gain": min(gains)}


def _sum_up_errors(figures: _Figures) -> dict[str, float]:
    """Mean and largest calibration error, and in how many rows it is small."""
    errors = [row["default"]["ece"] for row in figures.values()]
    return {
        "mean ece": sum(errors) / len(errors),
        "largest ece": max(errors),
        "small ece": float(sum(error <= SMALL_ERROR for error in errors)),
        "rows": float(len(errors)),
    }
