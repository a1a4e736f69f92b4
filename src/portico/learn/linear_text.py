"""Linear text classification: naive Bayes and softmax regression combined into one table of weights.

Naive Bayes generalizes better to texts from other sources, and regression separates similar classes better;
their sum is better than both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, logit, logsumexp, softmax

from portico.learn.counts import Counts, Table, Vector, count_rows_with, measure_lengths
from portico.learn.naive_bayes import temper_to

# All chosen with `lab research-fields`, leaving out one source at a time. The words of a class are smoothed
# towards all words with this weight in occurrences: of 1,000 to 20,000, 20,000 is best.
DRAW_WORDS = 20_000.0
REGRESSION_SHARE = 0.5  # weight of regression relative to naive Bayes; 0 to 1 tried
PENALTY = 0.1  # of regression; .02 to 1 tie
ITERATIONS = 30
# Words are redundant: log odds above the first value have less weight, and above the second none.
KNEE, MOST_ODDS = 5.0, 12.0
RARITY_UNIT = 3.0  # the inverse document frequency at which a word's penalty is unchanged
_LEVELS = 127  # weights are stored as integers up to this, each column with its own scale


@dataclass(frozen=True, slots=True, eq=False)
class LinearText:
    """A trained table of weights: one row per word, one column per class."""

    weights: Table
    bias: Vector

    def scores(self, counts: Counts) -> Table:
        """The score of each class for each row of damped counts; long rows are normalized."""
        return np.asarray(_by_length(counts) @ self.weights + self.bias)

    def probabilities(self, counts: Counts, *, sharpness: float) -> Table:
        return np.asarray(softmax(sharpness * self.scores(counts), axis=1))

    def multinomial(self, counts: Counts) -> Table:
        """The same of a table of log probabilities and counts as they are."""
        return np.asarray(softmax(np.asarray(counts @ self.weights + self.bias), axis=1))


@dataclass(frozen=True, slots=True)
class LikeliestRight:
    """How likely the likeliest class of a row is right: by its own log odds, less where the row is long.

    Log odds beyond `KNEE` count `far_slope` more (or less) than those before it.
    """

    slope: float
    far_slope: float
    words: float
    offset: float

    def chances(self, odds: Vector, n_words: Vector) -> Vector:
        said = _describe_rows(odds, n_words) @ (self.slope, self.far_slope, self.words, self.offset)
        return np.asarray(expit(said))


def calibrate_scores(scores: Table, n_words: Vector, right: LikeliestRight) -> Table:
    """Chances from scores, each row tempered until its likeliest class is as likely as such were right."""
    return temper_to(scores, right.chances(measure_odds(scores), n_words))


def measure_odds(scores: Table) -> Vector:
    """The log odds of the likeliest class of each row against all others."""
    ordered = np.sort(scores, axis=1)
    return np.asarray(ordered[:, -1] - logsumexp(ordered[:, :-1], axis=1))


def fit_likeliest_right(rows: Sequence[tuple[float, float, bool, float]]) -> LikeliestRight:
    """From the log odds of the likeliest class, the words of a row, whether it was right, and a weight."""
    odds, n_words, right, weights = (
        np.asarray(column, dtype=np.float64) for column in zip(*rows, strict=True)
    )
    table = _describe_rows(odds, n_words)

    def loss(found: Vector) -> float:
        said = table @ found
        return float(weights @ (np.logaddexp(0.0, said) - right * said)) / len(rows)

    return LikeliestRight(*minimize(loss, np.zeros(4), method="BFGS").x.tolist())


def _describe_rows(odds: Vector, n_words: Vector) -> Table:
    odds = np.clip(odds, -MOST_ODDS, MOST_ODDS)
    far = np.maximum(odds - KNEE, 0.0)
    return np.stack([odds, far, np.log1p(n_words), np.ones(len(odds))], axis=1)


def damp_counts(own: Counts, near: "Counts | None" = None) -> Counts:
    """Logarithms of counts, because a word repeated ten times is not ten words' evidence. `near` are words
    around a row.
    """
    return sparse.csr_array(own.log1p() if near is None else own.log1p() + near.log1p())


def train_linear_text(counts: Counts, labels: Table, weights: Sequence[float]) -> LinearText:
    """The table learned from rows of damped counts with (soft) labels, each row with a weight."""
    found = train_softmax(counts, labels, weights, penalty=PENALTY)
    half = LinearText(REGRESSION_SHARE * found.weights, REGRESSION_SHARE * found.bias)
    return add_tables(half, train_drawn_bayes(counts, labels, weights, draw=DRAW_WORDS))


def train_drawn_bayes(counts: Counts, labels: Table, weights: Sequence[float], *, draw: float) -> LinearText:
    """Naive Bayes whose classes are drawn to all words by `draw` of these; it has no bias."""
    importance = np.asarray(weights, dtype=np.float64)
    words = np.asarray((counts.T @ (labels * importance[:, np.newaxis])), dtype=np.float64)
    every = words.sum(axis=1, keepdims=True) + 0.1
    every /= every.sum()
    bayes = np.log((words + draw * every) / (words.sum(axis=0) + draw)) - np.log(every)
    return LinearText(bayes - bayes.mean(axis=1, keepdims=True), np.zeros(labels.shape[1]))


def add_tables(first: LinearText, second: LinearText) -> LinearText:
    """One table that says what both say."""
    return LinearText(first.weights + second.weights, first.bias + second.bias)


def train_softmax(
    counts: Counts, labels: Table, weights: Sequence[float], *, penalty: float, iterations: int = ITERATIONS
) -> LinearText:
    """Softmax regression; classes of few rows count for more, rare words are penalized less."""
    rows = np.asarray(weights, dtype=np.float64)
    sizes = (labels * rows[:, np.newaxis]).sum(axis=0)
    rows = (rows * np.sqrt(sizes.mean() / np.maximum(sizes, 1e-9))[labels.argmax(axis=1)]).astype(np.float32)
    rarity = np.log(counts.shape[0] / (count_rows_with(counts) + 1.0)) / RARITY_UNIT
    table = sparse.csr_array(_by_length(counts) @ sparse.diags_array(rarity)).astype(np.float32)
    turned = sparse.csr_array(table.T)
    truth = labels.astype(np.float32)
    n_words, n_classes = counts.shape[1], labels.shape[1]

    def loss(found: Vector) -> tuple[float, Vector]:
        here = found.astype(np.float32)
        matrix, bias = here[:-n_classes].reshape(n_words, n_classes), here[-n_classes:]
        scores = table @ matrix + bias
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        sums = chances.sum(axis=1, keepdims=True)
        value = rows @ ((np.log(sums) - scores) * truth).sum(axis=1)
        errors = (chances / sums - truth) * rows[:, np.newaxis]
        gradient = (turned @ errors + penalty * matrix).ravel()
        value += penalty / 2 * float((matrix * matrix).sum())
        return float(value), np.concatenate([gradient, errors.sum(axis=0)]).astype(np.float64)

    start = np.zeros((n_words + 1) * n_classes)
    limits: Any = {"maxiter": iterations, "maxcor": 6}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=limits).x
    matrix = found[:-n_classes].reshape(n_words, n_classes) * rarity[:, np.newaxis]
    return LinearText(np.asarray(matrix), np.asarray(found[-n_classes:]))


def train_multinomial(counts: Counts, labels: Table, *, smoothing: float) -> LinearText:
    """Textbook multinomial naive Bayes, for comparison; takes undamped counts."""
    words = np.asarray(counts.T @ labels) + smoothing
    sizes = labels.sum(axis=0)
    return LinearText(np.log(words / words.sum(axis=0)), np.log((sizes + 1e-9) / sizes.sum()))


def add_column(model: LinearText, binary: LinearText) -> LinearText:
    """The table with one column more: for the second of the two classes of `binary` against the first."""
    weights = binary.weights[:, 1:] - binary.weights[:, :1]
    bias = binary.bias[1:] - binary.bias[:1]
    return LinearText(np.hstack([model.weights, weights]), np.concatenate([model.bias, bias]))


def split_column(model: LinearText) -> tuple[LinearText, LinearText]:
    """The table without its last column, and that column."""
    return (
        LinearText(model.weights[:, :-1], model.bias[:-1]),
        LinearText(model.weights[:, -1:], model.bias[-1:]),
    )


def to_levels(model: LinearText) -> dict[str, np.ndarray]:
    """The table as small whole numbers and a scale a column."""
    scales = np.maximum(np.abs(model.weights).max(axis=0), 1e-9) / _LEVELS
    levels = np.round(model.weights / scales).astype(np.int8)
    return {"levels": levels, "scales": scales.astype(np.float32), "bias": model.bias.astype(np.float32)}


def from_levels(arrays: dict[str, np.ndarray]) -> LinearText:
    weights = arrays["levels"].astype(np.float64) * arrays["scales"].astype(np.float64)
    return LinearText(weights, arrays["bias"].astype(np.float64))


def join_odds(chances: Vector, *, slope: float, offset: float, odds: Sequence[float] = ()) -> Vector:
    """Other chances: log odds times `slope`, plus `offset`, plus further `odds` a row."""
    further = np.asarray(odds, dtype=np.float64) if len(odds) else 0.0
    return np.asarray(expit(slope * logit(np.clip(chances, 1e-6, 1 - 1e-6)) + offset + further))


def weigh_columns(chances: Table, shares: Sequence[float]) -> Vector:
    """The sum of each row, each column times its share."""
    return np.asarray(chances @ np.asarray(shares, dtype=np.float64))


def mean_columns(chances: Table) -> list[float]:
    return [float(mean) for mean in chances.mean(axis=0)] if len(chances) else [0.0] * chances.shape[1]


def _by_length(counts: Counts) -> Counts:
    factors = 1.0 / np.sqrt(np.maximum(measure_lengths(counts), 1.0))
    return sparse.csr_array(sparse.diags_array(factors) @ counts)
