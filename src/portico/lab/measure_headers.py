"""Measure the header model on the Cora headers, by both protocols in use."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from portico.extract.words import Row, Word
from portico.lab.datasets import Labelled, cora_headers
from portico.lab.scores import Scores, label_scores
from portico.lab.training import HEADER_OPTIONS, fit, header_observer, known

STRAY = frozenset({"none"})
"""Fifteen words of the set stand outside all labels; no label can be learned from them."""

_COLLAPSED = {"abstract": "+ABSTRACT+", "intro": "+INTRO+", "page": "+PAGE+"}
_QUICK_TRAIN, _QUICK_TEST, _QUICK_ITERATIONS = 120, 60, 40


def measure_headers(data: Path, *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """`{"A": {model: word error}, "B": {model: {"word", "whole", "f1"}}}`, shares between 0 and 1.

    A: the abstract, the introduction and the page mark are one word each. B: every word counts.
    """
    train, test = cora_headers(data / "headers", "train"), cora_headers(data / "headers", "test")
    if quick:
        train, test = train[:_QUICK_TRAIN], test[:_QUICK_TEST]
    short = evaluate([collapse(one) for one in train], [collapse(one) for one in test], quick=quick)
    full = evaluate(train, test, quick=quick)
    return {"A": {"crf": round(1 - short.word, 4)}, "B": {"crf": full.as_json()}}


def evaluate(train: Sequence[Labelled], test: Sequence[Labelled], *, quick: bool = False) -> Scores:
    """Train on one part, score on the other."""
    observe = header_observer()
    options = replace(HEADER_OPTIONS, max_iterations=_QUICK_ITERATIONS) if quick else HEADER_OPTIONS
    model = fit(known(train), observe, options)
    return label_scores(((one.labels, model.tag(observe(one.rows)).labels) for one in test), ignored=STRAY)


def collapse(header: Labelled) -> Labelled:
    """The header with each run of abstract, introduction and page as one word."""
    rows: list[Row] = []
    labels: list[str] = []
    for row, row_labels in _rows_with_labels(header):
        words: list[Word] = []
        for word, label in zip(row.words, row_labels, strict=True):
            if label in _COLLAPSED and labels and labels[-1] == label:
                continue
            words.append(replace(word, text=_COLLAPSED.get(label, word.text)))
            labels.append(label)
        if words:
            rows.append(replace(row, words=tuple(words)))
    return Labelled(header.id, tuple(rows), tuple(labels))


def _rows_with_labels(header: Labelled) -> Iterator[tuple[Row, Sequence[str]]]:
    position = 0
    for row in header.rows:
        yield row, header.labels[position : position + len(row.words)]
        position += len(row.words)
