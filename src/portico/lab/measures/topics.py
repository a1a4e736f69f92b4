"""Measures classification from keywords on a folder with documents, a tree and labels: `lab topics`."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from portico.classify.background import Background
from portico.classify.bootstrap import DEFAULT, PAPERS, Evidence, Method
from portico.classify.classifier import ELSEWHERE, train_topics
from portico.classify.expected_words import WordCompany
from portico.classify.features import build_vocabulary
from portico.classify.fields import FieldModel
from portico.classify.keywords import compile_keywords, list_neighbor_titles
from portico.lab.datasets.topic_sets import TopicSet, hold_out_branches, mix_in_strangers, read_topic_set
from portico.lab.faithful.printed_topics import count_printed_words, make_printed_models
from portico.lab.plots import Chart, draw_svg
from portico.learn import em, naive_bayes
from portico.learn.calibration import compute_calibration_error, compute_reliability
from portico.learn.counts import Counts, make_zeros
from portico.learn.em import fill_with_largest
from portico.types.topic import Topic, TopicText

LEVELS = ("keyword rules", "naive Bayes from keyword rules", "papers: EM + shrinkage", "default")
"""Models that need no labels, drawn as horizontal lines across the curve of the one that does."""

RELIABLE = ("default", "papers: EM + shrinkage")

PlottedFigures = Mapping[str, Mapping[str, Any]]


def write_topic_plots(figures: PlottedFigures, folder: Path) -> Iterator[Path]:
    """Draw all charts that there are figures for as SVG files; yields their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in (("labels.svg", _labels(figures)), ("reliability.svg", _reliability(figures))):
        if chart is not None:
            path = folder / name
            path.write_text(draw_svg(chart), encoding="utf-8")
            yield path


def _labels(figures: PlottedFigures) -> Chart | None:
    """The papers' Table 8 as a chart: how many labels keywords are worth, in the papers and here."""
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


def _reliability(figures: PlottedFigures) -> Chart | None:
    drawn = {row: figures[row]["bins"] for row in RELIABLE if row in figures and figures[row]["bins"]}
    if not drawn:
        return None
    lines = {"as it should be": [(0.0, 0.0), (1.0, 1.0)], **drawn}
    return Chart("Are probabilities what they say?", "probability of the best leaf", "share right", lines)


Chances = Sequence[Sequence[float]]
Classify = Callable[[Sequence[TopicText], Sequence[Topic]], Chances]
View = Callable[[TopicText], TopicText]
"""Returns the part of a document that a model gets to see."""
Figures = dict[str, dict[str, Any]]

PAPER = {
    "keyword rules": 0.46,
    "naive Bayes, 100 labels": 0.30,
    "naive Bayes, 399 labels": 0.47,
    "naive Bayes from keyword rules": 0.47,
    "papers: EM + shrinkage, keyword-labeled only": 0.63,
    "papers: EM + shrinkage": 0.66,
}
"""Leaf accuracies that the papers report (Table 8), on 400 documents of another collection with longer
texts."""

AS_PRINTED = ", as printed"
"""Suffix of the rows measured with the papers' own words, too: `portico.lab.faithful.printed_topics`."""

LABEL_COUNTS = (100, 399, 1600)
"""Numbers of labeled documents for training naive Bayes: the two of Table 8, and four times as many."""


@dataclass(frozen=True, slots=True)
class ShippedTopics:
    """What is known before a portal has documents: words of leaves, fields of research, and word vectors."""

    background: Background | None = None
    fields: FieldModel | None = None
    company: WordCompany | None = None

    def known_of(self, topics: Sequence[Topic]) -> "ShippedTopics":
        """The same for a given tree, without the background if that is for another tree."""
        return self if self.background and self.background.knows(topics) else replace(self, background=None)


@dataclass(frozen=True, slots=True)
class TopicQuestion:
    """What to measure: the folder, the models, and the documents to add from outside the tree.

    `branches` are nodes ("Top" or "Top/Leaf") of the folder `outside`, whose documents are added; without
    such a folder, they are removed from the tree of `folder` itself. `tell` is called for every model
    measured.
    """

    folder: Path
    only: tuple[str, ...] = ()
    quick: bool = False
    outside: Path | None = None
    branches: tuple[str, ...] = ()
    tell: Callable[[str], None] = lambda _: None


QUICK_DOCUMENTS = 1500


def measure_topics(
    question: TopicQuestion, *, default_tree: Sequence[Topic], shipped: ShippedTopics | None = None
) -> Figures:
    """Leaf and top accuracy, calibration error, its bins and seconds of every model (or those in `only`).

    A tree without keywords (an empty second column of topics.tsv) gets those of `default_tree`. Labels are
    used for scoring; only models with "labels" in their names are trained on some of them.
    """
    labeled = _asked(question, default_tree)
    known = shipped.known_of(labeled.topics) if shipped else ShippedTopics()
    menu = make_models(known) | (
        make_graph_models(known) if any(map(list_neighbor_titles, labeled.texts)) else {}
    )
    figures: Figures = {}
    for name in menu:
        if name in (question.only or menu):
            figures[name] = _measured(labeled, menu[name])
            question.tell(f"{name}: {figures[name]['leaf']:.3f} in {figures[name]['seconds']:.1f} s")
    if not question.only:
        figures |= _supervised(labeled)
    if labeled.outside and "default" in figures:
        figures["default"] |= _recognized(labeled, known)
    for name in figures:
        accuracy = PAPER.get(name.removesuffix(AS_PRINTED))
        if accuracy is not None:
            figures[name]["paper"] = accuracy
    return figures


def make_models(shipped: ShippedTopics) -> dict[str, Classify]:
    """The models in the papers' Table 8 that need no labels, variants with single options changed, and
    the default.
    """
    rules = replace(PAPERS, shrinkage="none", rounds=0)
    menu: dict[str, Classify] = make_printed_models() | {
        "keyword rules": label_by_keyword_rules,
        "naive Bayes from keyword rules": _trained(rules),
        "papers: EM, no shrinkage": _trained(replace(PAPERS, shrinkage="none")),
        "papers: shrinkage, no EM": _trained(replace(PAPERS, rounds=0)),
        "papers: EM + shrinkage, keyword-labeled only": _trained(replace(PAPERS, unlabeled=False)),
        "papers: EM + shrinkage": _trained(PAPERS),
        "naive Bayes from weighted keywords": _trained(replace(rules, seeds="weighted")),
        "default": _trained(DEFAULT, shipped),
    }
    menu["default, two components a leaf"] = _trained(replace(DEFAULT, components=2), shipped)
    menu["default, an other leaf a node"] = _trained(replace(DEFAULT, others=True), shipped)
    if shipped.background:
        menu["default without background"] = _trained(DEFAULT, replace(shipped, background=None))
    return menu


def make_graph_models(shipped: ShippedTopics) -> dict[str, Classify]:
    """Models that show the effect of the citation graph: without it, with cited titles, and as in a portal.

    A portal trains before it knows the citing papers, and assigns documents again when it does.
    """
    return {
        "default, own words alone": _trained(DEFAULT, shipped, learns=_own_words, places=_own_words),
        "default, cited titles too": _trained(DEFAULT, shipped, learns=_cited, places=_cited),
        "default, citers when placing": _trained(DEFAULT, shipped, learns=_cited),
    }


def label_by_keyword_rules(texts: Sequence[TopicText], topics: Sequence[Topic]) -> Chances:
    """The leaf of the first keyword that matches; documents without keywords get the largest such leaf."""
    evidence = Evidence.of(texts, compile_keywords(topics), len(topics))
    return fill_with_largest(evidence.labels("first match")).tolist()


def _asked(question: TopicQuestion, default_tree: Sequence[Topic]) -> TopicSet:
    labeled = read_topic_set(question.folder, default_tree)
    rng = random.Random(0)
    if question.outside is not None:
        labeled = mix_in_strangers(
            labeled, read_topic_set(question.outside, default_tree).under(question.branches), rng
        )
    elif question.branches:
        labeled = mix_in_strangers(
            hold_out_branches(labeled, question.branches), labeled.under(question.branches), rng
        )
    if question.quick:
        labeled = replace(
            labeled, texts=tuple(rng.sample(labeled.texts, min(len(labeled.texts), QUICK_DOCUMENTS)))
        )
    return labeled


def _whole(text: TopicText) -> TopicText:
    return text


def _cited(text: TopicText) -> TopicText:
    return replace(text, citing_titles=())


def _own_words(text: TopicText) -> TopicText:
    return replace(text, cited_titles=(), citing_titles=())


def _trained(
    method: Method, shipped: ShippedTopics | None = None, *, learns: View = _whole, places: View = _whole
) -> Classify:
    def classify(texts: Sequence[TopicText], topics: Sequence[Topic]) -> Chances:
        known = shipped or ShippedTopics()
        model = train_topics(
            [learns(text) for text in texts],
            topics,
            background=known.background,
            fields=known.fields,
            company=known.company,
            method=method,
        )
        chances: Chances = model.chances([places(text) for text in texts]).tolist()
        return chances

    return classify


def _measured(labeled: TopicSet, classify: Classify) -> dict[str, Any]:
    started = time.perf_counter()
    chances = classify(labeled.texts, labeled.topics)
    return _scores(labeled, chances) | {"seconds": time.perf_counter() - started}


def _scores(labeled: TopicSet, chances: Chances) -> dict[str, Any]:
    tops = [topic.path[0] for topic in labeled.topics]
    confidences, leaf_right, top_right = [], [], []
    for text, row in zip(labeled.texts, chances, strict=True):
        if text.document not in labeled.leaf_of:
            continue
        truth = labeled.leaf_of[text.document]
        best = max(range(len(row)), key=row.__getitem__)
        confidences.append(row[best])
        leaf_right.append(best == truth)
        top_right.append(_likeliest_top(tops, row) == tops[truth])
    n_labeled = max(len(confidences), 1)
    return {
        "leaf": sum(leaf_right) / n_labeled,
        "top": sum(top_right) / n_labeled,
        "ece": compute_calibration_error(confidences, leaf_right),
        "bins": [(one.chance, one.right) for one in compute_reliability(confidences, leaf_right)],
    }


def _supervised(labeled: TopicSet) -> Figures:
    """Naive Bayes from a few labels, tested on the documents whose labels were not used."""
    counts = build_vocabulary(labeled.texts).count(labeled.texts)
    printed = count_printed_words(labeled.texts)
    return _from_labels(labeled, counts) | _from_labels(labeled, printed, AS_PRINTED)


def _from_labels(labeled: TopicSet, counts: Counts, variant: str = "") -> Figures:
    rows = [row for row, text in enumerate(labeled.texts) if text.document in labeled.leaf_of]
    figures: Figures = {}
    for n_labels in LABEL_COUNTS:
        if n_labels > len(rows) // 2:
            break
        given = [
            (row, labeled.leaf_of[labeled.texts[row].document])
            for row in random.Random(n_labels).sample(rows, n_labels)
        ]
        started = time.perf_counter()
        labels = em.hold_given(make_zeros(len(labeled.texts), len(labeled.topics)), given)
        chances = naive_bayes.train_naive_bayes(counts, labels).posterior(counts).tolist()
        seen = {labeled.texts[row].document for row, _ in given}
        leaf_of = {document: leaf for document, leaf in labeled.leaf_of.items() if document not in seen}
        scores = _scores(replace(labeled, leaf_of=leaf_of), chances)
        figures[f"naive Bayes, {n_labels} labels{variant}"] = scores | {
            "seconds": time.perf_counter() - started
        }
    return figures


def _recognized(labeled: TopicSet, shipped: ShippedTopics) -> dict[str, float]:
    """The share of outside documents that are recognized as such, and the share of inside ones wrongly
    taken for them.
    """
    model = train_topics(
        labeled.texts,
        labeled.topics,
        background=shipped.background,
        fields=shipped.fields,
        company=shipped.company,
    )
    called = {
        text.document
        for text, chance in zip(labeled.texts, model.elsewhere(labeled.texts), strict=True)
        if chance >= ELSEWHERE
    }
    inside = {text.document for text in labeled.texts if text.document in labeled.leaf_of}
    outside = labeled.outside.intersection(text.document for text in labeled.texts)
    return {
        "other_recognized": len(called & outside) / max(len(outside), 1),
        "inside_lost": len(called & inside) / max(len(inside), 1),
    }


def _likeliest_top(tops: Sequence[str], row: Sequence[float]) -> str:
    sums: dict[str, float] = {}
    for top, chance in zip(tops, row, strict=True):
        sums[top] = sums.get(top, 0.0) + chance
    return max(sums, key=sums.__getitem__)
