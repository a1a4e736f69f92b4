"""Measures the header model and the papers' models on the Cora headers, with both published protocols."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from portico.domains.papers import PAPERS
from portico.extract.extractor import make_header_observer
from portico.extract.tagger import Tagged
from portico.extract.words import Row, Word
from portico.lab.datasets.sequences import LabelledSequence, read_cora_headers
from portico.lab.faithful.hmm_headers import HeaderStudy, Progress, measure_hmms, read_header_study
from portico.lab.faithful.hmm_structure import build_one_state_per_label
from portico.lab.faithful.hmm_tagger import estimate_labelled, make_tagger
from portico.lab.faithful.hmm_tokens import count_label_words, read_header_tokens, tokenize_every_word
from portico.lab.scores import LabelScores, score_labels
from portico.lab.training.calibration import collect_trials, measure_calibration
from portico.lab.training.taggers import (
    HEADER_OPTIONS,
    SHIPPED_HEADER_OPTIONS,
    drop_unlabelled,
    fit_headers,
    make_header_tagger,
    pair_rows_with_labels,
)

STRAY = frozenset({"none"})
"""Fifteen words of the set are outside all labels; no label can be learned from them."""

_COLLAPSED = {"abstract": "+ABSTRACT+", "intro": "+INTRO+", "page": "+PAGE+"}
_QUICK_TRAIN, _QUICK_TEST, _QUICK_ITERATIONS = 120, 60, 40


def measure_headers(
    data: Path, *, quick: bool = False, progress: Progress = lambda line: None
) -> dict[str, dict[str, Any]]:
    """`{"A": {model: word error}, "B": {model: {"word", "whole", "f1"}}, …}`, shares of one.

    A: the abstract, the introduction and the page mark count as one word each. B: every word counts.
    "calibration": how well the probabilities of each field are calibrated. "hmm": the other figures in the
    papers' tables.
    """
    train, test = read_cora_headers(data / "headers", "train"), read_cora_headers(data / "headers", "test")
    if quick:
        train, test = train[:_QUICK_TRAIN], test[:_QUICK_TEST]
    progress("conditional random fields")
    short = evaluate_headers(
        *(_collapsed(data, split, quick=quick) for split in ("train", "test")), quick=quick
    )
    tagged = label_headers(train, test, quick=quick)
    full = _scored(test, tagged)
    hmms = measure_hmms(_quick_study(data, progress) if quick else read_header_study(data, progress=progress))
    errors = {f"hmm {name}": error for name, error in hmms["error"].items()}
    return {
        "A": {"crf": round(1 - short.word, 4), **errors},
        "B": {"crf": full.as_json(), "hmm ml L": evaluate_hmm(train, test).as_json()},
        "calibration": measure_calibration(collect_trials("header", zip(test, tagged, strict=True))),
        "hmm": hmms,
    }


def evaluate_hmm(train: Sequence[LabelledSequence], test: Sequence[LabelledSequence]) -> LabelScores:
    """Train the papers' model with one state per label, and score it on every word of the test headers."""
    examples = [
        tokenize_every_word((word.text for word in one.words), one.labels) for one in drop_unlabelled(train)
    ]
    words = [tokenize_every_word((word.text for word in one.words), one.labels).words for one in test]
    model = make_tagger(
        build_one_state_per_label([one.labels for one in examples]),
        estimate_labelled(count_label_words(examples)),
    )
    return score_labels(zip((one.labels for one in test), model.tag(words), strict=True), ignored=STRAY)


def evaluate_headers(
    train: Sequence[LabelledSequence], test: Sequence[LabelledSequence], *, quick: bool = False
) -> LabelScores:
    """Train a tagger and score it on the test headers."""
    return _scored(test, label_headers(train, test, quick=quick))


def label_headers(
    train: Sequence[LabelledSequence], test: Sequence[LabelledSequence], *, quick: bool = False
) -> list[Tagged]:
    """Train a tagger and label the test headers with it."""
    observe = make_header_observer(PAPERS)
    # The third member only helps with all of the headers; in a quick run it would outvote better ones.
    options = SHIPPED_HEADER_OPTIONS.shortened(_QUICK_ITERATIONS) if quick else HEADER_OPTIONS
    tag = make_header_tagger(fit_headers(drop_unlabelled(train), observe, options), observe)
    return [tag(one.rows) for one in test]


def _scored(test: Sequence[LabelledSequence], tagged: Sequence[Tagged]) -> LabelScores:
    pairs = ((truth.labels, given.labels) for truth, given in zip(test, tagged, strict=True))
    return score_labels(pairs, ignored=STRAY)


def _quick_study(data: Path, progress: Progress) -> HeaderStudy:
    """A few headers, without distant labels and unlabeled headers."""
    train, test = (read_header_tokens(data / "headers", split) for split in ("train", "test"))
    return HeaderStudy(train[:_QUICK_TRAIN], test[:_QUICK_TEST], {}, [], progress)


def _collapsed(data: Path, split: str, *, quick: bool) -> list[LabelledSequence]:
    headers = read_cora_headers(data / "headers", split, page_marks=True)
    n_headers = {"train": _QUICK_TRAIN, "test": _QUICK_TEST}[split] if quick else len(headers)
    return [collapse_header(header) for header in headers[:n_headers]]


def collapse_header(header: LabelledSequence) -> LabelledSequence:
    """The header with each run of abstract, introduction or page reduced to one word."""
    rows: list[Row] = []
    labels: list[str] = []
    for row, row_labels in pair_rows_with_labels(header):
        words: list[Word] = []
        for word, label in zip(row.words, row_labels, strict=True):
            if label in _COLLAPSED and labels and labels[-1] == label:
                continue
            words.append(replace(word, text=_COLLAPSED.get(label, word.text)))
            labels.append(label)
        if words:
            rows.append(replace(row, words=tuple(words)))
    return LabelledSequence(header.id, tuple(rows), tuple(labels))
