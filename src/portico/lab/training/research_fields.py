"""Trains the shipped model of research fields, and measures it on unseen sources."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from portico.classify.features import Vocabulary, build_vocabulary
from portico.classify.fields import HOME_FIELD, LIKELIEST_RIGHT, field_counts, write_fields
from portico.lab.datasets.field_rows import FIELDS, FieldRow, fold_sources, read_abstracts, read_further
from portico.lab.training.topic_background import train_branch_backgrounds
from portico.learn.calibration import compute_calibration_error
from portico.learn.counts import Counts, Table, count_row_columns, from_cells, to_dense
from portico.learn.linear_text import (
    LinearText,
    add_column,
    add_tables,
    calibrate_scores,
    fit_likeliest_right,
    measure_odds,
    train_drawn_bayes,
    train_linear_text,
    train_multinomial,
    train_softmax,
)
from portico.types.topic import Topic, TopicText

LEAST_ROWS = 5  # a word must occur in so many texts
N_FOLDS = 5
SURE = 0.9
# For the model of the home field. Papers on arXiv are most similar to it and have more weight, most of all
# those from fields with few of them: there are a hundred from biology, thousands from mathematics. The scores
# of regression and naive Bayes are added. Penalties of .5 to 60 and draws of 1,000 to 200,000 words were
# tried, each time with one whole list of arXiv left out, and with three in a hundred of Cora's abstracts
# lost.
HOME_PENALTY, HOME_ITERATIONS, HOME_DRAW = 8.0, 40, 200_000.0
ARXIV_WEIGHT, MOST_BALANCE = 3.0, 6.0
HOME_NEIGHBOR = "engineering"  # overlaps in signals, control and images: not given more weight


def train_fields(data: Path, out: Path) -> bytes:
    """Train on all texts in a folder of data; write and return the model."""
    content = learn_fields([*read_abstracts(data), *read_further(data, random.Random(0))])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(content)
    return content


def learn_fields(rows: Sequence[FieldRow]) -> bytes:
    """The content of a model file trained on these texts."""
    words = _vocabulary(rows)
    counts = field_counts(words, [row.text for row in rows])
    table = train_linear_text(counts, _labels(rows), [row.weight for row in rows])
    return write_fields(FIELDS, words.words, add_column(table, _train_home(rows, counts)))


def train_sciences(data: Path, topics: Sequence[Topic], out: Path) -> bytes:
    """Learn the words of the leaves of a tree whose tops are fields; write and return the result."""
    tops = {topic.path[0].casefold(): topic.path[0] for topic in topics}
    texts: dict[str, list[TopicText]] = {}
    for row in [*read_abstracts(data), *read_further(data, random.Random(0))]:
        if row.source != "journals" and row.field in tops:
            texts.setdefault(tops[row.field], []).append(row.text)
    return train_branch_backgrounds(texts, topics, out)


def measure_fields(data: Path, *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """Accuracy in folds by source, of our model and of multinomial naive Bayes trained on the same abstracts.

    Texts of the taxonomy, of journals and of the pool are used for training in all folds, but only by our
    model. The last entry has the calibration fitted on these sources, for `LIKELIEST_RIGHT`.
    """
    rng = random.Random(0)
    rows, further = list(read_abstracts(data)), list(read_further(data, rng))
    if quick:
        rows, further = rng.sample(rows, len(rows) // 8), rng.sample(further, len(further) // 8)
    folds = fold_sources(rows, N_FOLDS)
    words = _vocabulary([*rows, *further])
    found: dict[str, list[tuple[float, bool, bool]]] = {"fields": [], "naive Bayes": []}
    trials: list[tuple[float, float, bool, float]] = []
    for fold in range(N_FOLDS):
        known = [row for row in rows if folds[row.source] != fold]
        asked = [row for row in rows if folds[row.source] == fold]
        learned = [*known, *further]
        texts = [row.text for row in asked]
        ours = train_linear_text(
            field_counts(words, [row.text for row in learned]),
            _labels(learned),
            [row.weight for row in learned],
        )
        counts = field_counts(words, texts)
        scores, n_known = ours.scores(counts), count_row_columns(counts)
        judged = _judged(asked, calibrate_scores(scores, n_known, LIKELIEST_RIGHT).tolist())
        found["fields"] += judged
        trials += [
            (odds, n_words, right, row.weight)
            for row, odds, n_words, (_, right, _) in zip(
                asked, measure_odds(scores).tolist(), n_known.tolist(), judged, strict=True
            )
        ]
        plain = train_multinomial(_plain(words, known), _labels(known), smoothing=0.1)
        found["naive Bayes"] += _judged(asked, _multinomial_chances(plain, _plain(words, asked)))
    figures = {name: _figures(judged) for name, judged in found.items()}
    return {**figures, "likeliest right": asdict(fit_likeliest_right(trials))}


def _train_home(rows: Sequence[FieldRow], counts: Counts) -> LinearText:
    """A model of two classes, other fields and the home field; texts that are in both are ignored."""
    weights = _weigh_home_rows(rows)
    labels = _one_hot([int(row.field == HOME_FIELD) for row in rows], 2)
    found = train_softmax(counts, labels, weights, penalty=HOME_PENALTY, iterations=HOME_ITERATIONS)
    return add_tables(found, train_drawn_bayes(counts, labels, weights, draw=HOME_DRAW))


def _weigh_home_rows(rows: Sequence[FieldRow]) -> list[float]:
    sizes = Counter(row.field for row in rows if _is_of_arxiv(row))
    largest = max(sizes.values(), default=1)
    weights = []
    for row in rows:
        weight = row.weight if len(row.shares) == 1 else 0.0
        if _is_of_arxiv(row):
            weight *= ARXIV_WEIGHT
        if _is_of_arxiv(row) and row.field not in (HOME_FIELD, HOME_NEIGHBOR):
            weight *= min((largest / sizes[row.field]) ** 0.5, MOST_BALANCE)
        weights.append(weight)
    return weights


def _is_of_arxiv(row: FieldRow) -> bool:
    return row.source.startswith("arxiv")


def _vocabulary(rows: Sequence[FieldRow]) -> Vocabulary:
    return build_vocabulary([row.text for row in rows], least=LEAST_ROWS)


def _labels(rows: Sequence[FieldRow]) -> Table:
    cells = [
        (number, FIELDS.index(field), share) for number, row in enumerate(rows) for field, share in row.shares
    ]
    row_numbers, columns, shares = zip(*cells, strict=True)
    return to_dense(from_cells(row_numbers, columns, shares, (len(rows), len(FIELDS))))


def _one_hot(classes: Sequence[int], n_classes: int) -> Table:
    shape = (len(classes), n_classes)
    return to_dense(from_cells(range(len(classes)), classes, [1.0] * len(classes), shape))


def _plain(words: Vocabulary, rows: Sequence[FieldRow]) -> Counts:
    return words.count([replace(row.text, authors=()) for row in rows])


def _multinomial_chances(model: LinearText, counts: Counts) -> list[list[float]]:
    chances: list[list[float]] = model.multinomial(counts).tolist()
    return chances


def _judged(rows: Sequence[FieldRow], chances: Sequence[Sequence[float]]) -> list[tuple[float, bool, bool]]:
    """For each text, the probability of its most likely field, whether this is right, and whether it has
    an abstract.
    """
    judged = []
    for row, chance in zip(rows, chances, strict=True):
        best = max(range(len(FIELDS)), key=chance.__getitem__)
        judged.append((chance[best], FIELDS[best] == row.field, bool(row.text.abstract)))
    return judged


def _figures(judged: Sequence[tuple[float, bool, bool]]) -> dict[str, Any]:
    def share(rights: Sequence[bool]) -> float:
        return sum(rights) / max(len(rights), 1)

    sure = [right for chance, right, _ in judged if chance >= SURE]
    return {
        "right": share([right for _, right, _ in judged]),
        "abstracts": share([right for _, right, has in judged if has]),
        "titles": share([right for _, right, has in judged if not has]),
        "sure": len(sure) / max(len(judged), 1),
        "sure_right": share(sure),
        "ece": compute_calibration_error(
            [chance for chance, *_ in judged], [right for _, right, _ in judged]
        ),
    }
