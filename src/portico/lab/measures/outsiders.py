"""Measures how many papers from other fields are correctly given no topic of the shipped tree.

The model of fields is trained in folds, each without a quarter of the arXiv papers and a quarter of the
other sources, which are then tested. For papers in the tree's own field, the share without a topic is an
error.
"""

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from portico.classify.field_guide import FieldGuide, find_guide
from portico.classify.fields import HOME_FIELD, FieldModel, read_fields
from portico.lab.datasets.field_rows import (
    FieldRow,
    fold_sources,
    read_abstracts,
    read_further,
    read_unlearned,
)
from portico.lab.datasets.topic_sets import read_topic_set
from portico.lab.training.research_fields import learn_fields
from portico.learn.shrinkage import Tree
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

OUTSIDE_FIELDS = ("mathematics", "physics", "biology")
OTHER_FIELDS = ("medicine", "biology", "psychology", "social sciences", "economics", "philosophy", "history")
MOST_TEXTS = 3000  # of a set
BELONGS = 0.5
N_FOLDS = 4

Texts = dict[str, list[TopicText]]


def measure_outsiders(
    data: Path, topics: Sequence[Topic], shipped: FieldModel, papers: Mapping[str, Sequence[TopicText]]
) -> dict[str, dict[str, float]]:
    """For each set, the number of papers and the share without a topic, by models that were not trained on
    them.

    For sets that are never used for training, `papers` among them, also the share with the shipped model.
    """
    rows, further = list(read_abstracts(data)), list(read_further(data, random.Random(0)))
    never = {**_gather_never_learned(data, topics), **{name: list(texts) for name, texts in papers.items()}}
    folds = _fold_rows(rows)
    home_lists = _list_home_sources(rows)
    found: dict[str, list[bool]] = {}
    for fold in range(N_FOLDS):
        learned = [row for row, its in zip(rows, folds, strict=True) if its != fold]
        guide = _make_guide(topics, read_fields(learn_fields([*learned, *further])))
        asked = [row for row, its in zip(rows, folds, strict=True) if its == fold and row.text.abstract]
        for name, texts in _gather_asked(asked, home_lists).items():
            found.setdefault(name, []).extend(_list_outside(guide, texts))
        if fold == 0:
            found |= {name: _list_outside(guide, texts) for name, texts in never.items()}
    figures = {name: {"papers": float(len(each)), "outside": _share(each)} for name, each in found.items()}
    guide = _make_guide(topics, shipped)
    for name, texts in never.items():
        figures[name]["shipped"] = _share(_list_outside(guide, texts))
    return figures


def _fold_rows(rows: Sequence[FieldRow]) -> list[int]:
    """The fold in which each text is left out: arXiv paper by paper, other sources as a whole."""
    sources = fold_sources([row for row in rows if not _is_of_arxiv(row)], N_FOLDS)
    return [number % N_FOLDS if _is_of_arxiv(row) else sources[row.source] for number, row in enumerate(rows)]


def _list_home_sources(rows: Sequence[FieldRow]) -> set[str]:
    """The lists of arXiv that are mostly of the home field: their other papers are listed there, too."""
    sizes = Counter(row.source for row in rows if _is_of_arxiv(row))
    home = Counter(row.source for row in rows if _is_of_arxiv(row) and row.field == HOME_FIELD)
    return {source for source, n_rows in sizes.items() if home[source] > n_rows / 2}


def _gather_asked(rows: Sequence[FieldRow], home_lists: set[str]) -> Texts:
    """The texts of a fold by set: fields of arXiv, each also by kind of list, and fields of other sources."""
    texts: Texts = {}
    for row in rows:
        if not _is_of_arxiv(row) and row.source != "finna" and row.field in (*OTHER_FIELDS, HOME_FIELD):
            texts.setdefault(f"other sources: {row.field}", []).append(row.text)
        if _is_of_arxiv(row) and row.field in (*OUTSIDE_FIELDS, HOME_FIELD):
            texts.setdefault(f"arXiv: {row.field}", []).append(row.text)
        if _is_of_arxiv(row) and row.field in OUTSIDE_FIELDS:
            kind = f"lists of {HOME_FIELD}" if row.source in home_lists else "other lists"
            texts.setdefault(f"arXiv: {row.field}, {kind}", []).append(row.text)
    return texts


def _is_of_arxiv(row: FieldRow) -> bool:
    return row.source.startswith("arxiv:")


def _gather_never_learned(data: Path, topics: Sequence[Topic]) -> Texts:
    texts: Texts = {}
    for row in read_unlearned(data):
        texts.setdefault(f"{row.source}: {row.field}", []).append(row.text)
    cora = read_topic_set(data / "topics" / "cora70", topics)
    texts["cora70: titles and cited titles"] = list(cora.texts)
    texts["cora: abstracts"] = list(_read_cora_abstracts(data / "topics" / "cora_ml_text.jsonl.gz"))
    rng = random.Random(0)
    return {name: rng.sample(found, min(len(found), MOST_TEXTS)) for name, found in texts.items()}


def _read_cora_abstracts(path: Path) -> Iterator[TopicText]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield TopicText(DocumentId(""), row.get("title") or "", row.get("abstract_nostop") or "")


def _make_guide(topics: Sequence[Topic], model: FieldModel) -> FieldGuide:
    _, nodes = Tree.of_paths([topic.path for topic in topics])
    guide = find_guide(topics, nodes, model)
    assert guide is not None, "the tree that ships is in words of the field it is about"
    return guide


def _list_outside(guide: FieldGuide, texts: Sequence[TopicText]) -> list[bool]:
    return [chance < BELONGS for chance in guide.judge(texts).belonging.tolist()]


def _share(found: Sequence[bool]) -> float:
    return sum(found) / max(len(found), 1)
