"""Measure classification from keywords on a folder of documents, a tree and labels: `lab topics`."""

import gzip
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from portico.classify.background import Background
from portico.classify.bootstrap import DEFAULT, PAPERS, Evidence, Method
from portico.classify.classifier import train
from portico.classify.keywords import compile_keywords
from portico.errors import ConfigError
from portico.learn.calibration import expected_calibration_error
from portico.learn.evidence import with_default
from portico.text.names import split_names
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

Chances = Sequence[Sequence[float]]
Classify = Callable[[Sequence[TopicText], Sequence[Topic]], Chances]


@dataclass(frozen=True, slots=True)
class LabeledSet:
    """Documents, the tree, and for the documents that have a label the number of their leaf."""

    texts: tuple[TopicText, ...]
    topics: tuple[Topic, ...]
    leaf_of: dict[DocumentId, int]


def measure_topics(
    folder: Path,
    *,
    default_tree: Sequence[Topic],
    background: Background | None = None,
    only: Sequence[str] = (),
) -> dict[str, dict[str, float]]:
    """Leaf and top accuracy, calibration error and seconds of every model (or those in `only`) on the folder.

    A tree without keywords (an empty second column of topics.tsv) gets those of `default_tree`; labels
    are read to count what is right and for nothing else.
    """
    labeled = read_set(folder, default_tree)
    known = background if background and background.knows(labeled.topics) else None
    menu = models(known)
    return {name: _measured(labeled, menu[name]) for name in only or menu}


def models(background: Background | None) -> dict[str, Classify]:
    """From the papers' baseline to the default, each with one thing more."""
    rules = Method(seeds="first match", shrinkage="none", rounds=0, calibrated=False)
    menu: dict[str, Classify] = {
        "keyword rules": keyword_rules,
        "naive Bayes from keyword rules": _trained(rules),
        "papers: EM + shrinkage": _trained(PAPERS),
        "naive Bayes from weighted keywords": _trained(replace(rules, seeds="weighted")),
        "default": _trained(DEFAULT, background),
    }
    if background:
        menu["default without background"] = _trained(DEFAULT)
    return menu


def keyword_rules(texts: Sequence[TopicText], topics: Sequence[Topic]) -> Chances:
    """The leaf of the first keyword that matches; the largest such leaf for documents without any."""
    evidence = Evidence.of(texts, compile_keywords(topics), len(topics))
    return with_default(evidence.labels("first match")).tolist()


def read_set(folder: Path, default_tree: Sequence[Topic]) -> LabeledSet:
    """The folder's documents.jsonl.gz, topics.tsv and labels.tsv."""
    topics = _read_topics(_existing(folder / "topics.tsv"), default_tree)
    leaves = {topic.path: leaf for leaf, topic in enumerate(topics)}
    with gzip.open(_existing(folder / "documents.jsonl.gz"), "rt", encoding="utf-8") as lines:
        papers = [json.loads(line) for line in lines]
    labels = _rows(_existing(folder / "labels.tsv"))
    unknown = {path for _, path in labels if path and _readable(path) not in leaves}
    if unknown:
        raise ConfigError(f"{folder / 'labels.tsv'}: {sorted(unknown)[0]} is not in topics.tsv; add it there")
    return LabeledSet(
        texts=_texts(papers),
        topics=topics,
        leaf_of={DocumentId(document): leaves[_readable(path)] for document, path in labels if path},
    )


def _trained(method: Method, background: Background | None = None) -> Classify:
    def classify(texts: Sequence[TopicText], topics: Sequence[Topic]) -> Chances:
        chances: Chances = train(texts, topics, background=background, method=method).chances(texts).tolist()
        return chances

    return classify


def _measured(labeled: LabeledSet, classify: Classify) -> dict[str, float]:
    started = time.perf_counter()
    chances = classify(labeled.texts, labeled.topics)
    seconds = time.perf_counter() - started
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
        "ece": expected_calibration_error(confidences, leaf_right),
        "seconds": seconds,
    }


def _likeliest_top(tops: Sequence[str], row: Sequence[float]) -> str:
    sums: dict[str, float] = {}
    for top, chance in zip(tops, row, strict=True):
        sums[top] = sums.get(top, 0.0) + chance
    return max(sums, key=sums.__getitem__)


def _read_topics(path: Path, default_tree: Sequence[Topic]) -> tuple[Topic, ...]:
    defaults = {topic.path: topic.keywords for topic in default_tree}
    topics = []
    for name, keywords in _rows(path):
        place = _readable(name)
        written = tuple(keyword.strip() for keyword in keywords.split(",") if keyword.strip())
        topics.append(Topic(place, written or defaults.get(place, ())))
    return tuple(topics)


def _readable(path: str) -> tuple[str, ...]:
    """The path as portals show it: two underscores stand for a comma and a blank, one for a blank."""
    return tuple(path.replace("__", ", ").replace("_", " ").split("/"))


def _texts(papers: Sequence[dict[str, Any]]) -> tuple[TopicText, ...]:
    titles = {str(paper["id"]): str(paper.get("title") or "") for paper in papers}
    citing: dict[str, list[str]] = {}
    for paper in papers:
        for cited in paper.get("cites", ()):
            citing.setdefault(str(cited), []).append(titles[str(paper["id"])])
    return tuple(
        TopicText(
            document=DocumentId(str(paper["id"])),
            title=titles[str(paper["id"])],
            abstract=str(paper.get("abstract") or ""),
            authors=_authors(paper.get("authors", ())),
            cited_titles=tuple(
                titles[str(cited)] for cited in paper.get("cites", ()) if str(cited) in titles
            ),
            citing_titles=tuple(citing.get(str(paper["id"]), ())),
        )
        for paper in papers
    )


def _authors(written: str | Sequence[str]) -> tuple[str, ...]:
    return split_names(written) if isinstance(written, str) else tuple(written)


def _rows(path: Path) -> list[tuple[str, str]]:
    """First and second column of a file of tab-separated values."""
    lines = path.read_text(encoding="utf-8").splitlines()
    columns = [line.split("\t") for line in lines if line]
    return [(first, rest[0] if rest else "") for first, *rest in columns]


def _existing(path: Path) -> Path:
    if not path.exists():
        raise ConfigError(
            f"there is no file {path}; `lab topics` reads documents.jsonl.gz, topics.tsv and labels.tsv"
        )
    return path
