"""Measures topics from keywords on left-out trees: whole sets, branches of them, fields of research."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from portico.classify.bootstrap import DEFAULT, PAPERS, Method
from portico.classify.classifier import train_topics
from portico.classify.expected_words import WordCompany
from portico.lab.datasets.field_rows import read_abstracts
from portico.lab.datasets.topic_sets import TopicSet, read_topic_set
from portico.lab.training.word_company import is_for_measuring
from portico.learn.calibration import compute_calibration_error
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

# Numbers of documents, and how many samples of so many are taken together: 50 alone say little.
SIZES = {50: 10, 500: 2, 5000: 1}
QUICK_SIZES = {50: 4, 500: 1}
MODELS: dict[str, Method] = {
    "weighted keywords": replace(PAPERS, seeds="weighted", shrinkage="none", rounds=0),
    "papers: EM + shrinkage": PAPERS,
    "default": DEFAULT,
}
_SETS = ("cora70", "arxiv53")
_LEARNED_BY_HALVES = ("arxiv53",)  # every second document is among the texts of the word vectors
Tell = Callable[[str], None]
_FIELD_KEYWORDS = 10  # of a field, from those of its branches in the tree of all sciences


def measure_topic_trees(
    data: Path, trees: Mapping[str, Sequence[Topic]], *, company: WordCompany, quick: bool, tell: Tell
) -> dict[str, Any]:
    """Leaf accuracy and calibration error of each model by tree and number of documents, without background.

    `trees` are those that ship, by name: they lend their keywords where a set has none. `company` has learned
    from none of the documents.
    """
    figures: dict[str, Any] = {}
    for name, labeled in _list_trees(data, trees):
        known = [text for text in labeled.texts if text.document in labeled.leaf_of]
        for size, n_samples in (QUICK_SIZES if quick else SIZES).items():
            n_texts = min(size, len(known))
            samples = [random.Random(seed).sample(known, n_texts) for seed in range(n_samples)]
            row = {
                model: _measure(labeled, samples, method, company if method == DEFAULT else None)
                for model, method in MODELS.items()
            }
            figures[f"{name}, {n_texts}"] = row
            tell(f"{name}, {n_texts}: {row['default']['leaf']:.3f}")
    return figures


def _measure(
    labeled: TopicSet, samples: Sequence[Sequence[TopicText]], method: Method, company: WordCompany | None
) -> dict[str, float]:
    right: list[bool] = []
    said: list[float] = []
    for texts in samples:
        model = train_topics(texts, labeled.topics, method=method, company=company)
        chances: list[list[float]] = model.chances(texts).tolist()
        best = [max(range(len(row)), key=row.__getitem__) for row in chances]
        right += [labeled.leaf_of[text.document] == leaf for text, leaf in zip(texts, best, strict=True)]
        said += [row[leaf] for row, leaf in zip(chances, best, strict=True)]
    return {"leaf": sum(right) / len(right), "ece": compute_calibration_error(said, right)}


def _list_trees(data: Path, trees: Mapping[str, Sequence[Topic]]) -> Iterator[tuple[str, TopicSet]]:
    for name in _SETS:
        labeled = read_topic_set(data / "topics" / name, trees["computer-science"])
        if name in _LEARNED_BY_HALVES:
            labeled = replace(labeled, texts=labeled.texts[1::2])
        yield name, labeled
        sizes: dict[str, int] = {}
        for leaf in labeled.leaf_of.values():
            top = labeled.topics[leaf].path[0]
            sizes[top] = sizes.get(top, 0) + 1
        for top in sorted(sizes, key=lambda each: -sizes[each])[:3]:
            yield f"{name}: {top}", _take_branch(labeled, top)
    yield "fields", _make_fields(data, trees["all-sciences"])


def _take_branch(labeled: TopicSet, top: str) -> TopicSet:
    kept = [leaf for leaf, topic in enumerate(labeled.topics) if topic.path[0] == top]
    new = {leaf: place for place, leaf in enumerate(kept)}
    leaf_of = {document: new[leaf] for document, leaf in labeled.leaf_of.items() if leaf in new}
    texts = tuple(text for text in labeled.texts if text.document in leaf_of)
    return TopicSet(texts, tuple(labeled.topics[leaf] for leaf in kept), leaf_of)


def _make_fields(data: Path, sciences: Sequence[Topic]) -> TopicSet:
    """One leaf a field, with the first keywords of its branches; abstracts that people labeled."""
    keywords: dict[str, list[str]] = {}
    for depth in (0, 1):
        for topic in sciences:
            keywords.setdefault(topic.path[0].casefold(), []).extend(topic.keywords[depth : depth + 1])
    fields = sorted(keywords)
    rows = [
        row
        for row in read_abstracts(data)
        if row.text.abstract and row.source != "finna" and is_for_measuring(row.text)
    ]
    texts = tuple(replace(row.text, document=DocumentId(str(idx))) for idx, row in enumerate(rows))
    return TopicSet(
        texts,
        # "Studies" keeps the names from being taken for fields: keywords alone are to decide here.
        tuple(Topic((f"{field} studies",), tuple(keywords[field][:_FIELD_KEYWORDS])) for field in fields),
        {text.document: fields.index(row.field) for text, row in zip(texts, rows, strict=True)},
    )
