"""Logistic regression, on hashed features with soft labels and on named binary features."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TypeAlias
from zipfile import BadZipFile
from zlib import crc32

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from portico.errors import ConfigError
from portico.learn.counts import Counts, Vector

BIAS = "bias"


def train_logistic(
    examples: Sequence[Sequence[str]], labels: Sequence[bool], *, penalty: float = 1.0
) -> Mapping[str, float]:
    """The weight of every feature, and of `BIAS`, that makes the labels most likely.

    `penalty` is the precision of the normal prior on each weight (the bias has none).
    """
    names = sorted({name for example in examples for name in example})
    columns = {name: idx for idx, name in enumerate(names)}
    rows = np.repeat(np.arange(len(examples)), [len(example) for example in examples])
    cells = np.array([columns[name] for example in examples for name in example], dtype=np.int64)
    table = sparse.csr_matrix((np.ones(len(cells)), (rows, cells)), shape=(len(examples), len(names)))
    truth = np.asarray(labels, dtype=np.float64)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = table @ weights[:-1] + weights[-1]
        errors = expit(scores) - truth
        value = np.logaddexp(0, scores).sum() - truth @ scores + penalty / 2 * weights[:-1] @ weights[:-1]
        gradient = np.append(table.T @ errors + penalty * weights[:-1], errors.sum())
        return float(value), gradient

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B")
    return {name: float(weight) for name, weight in zip([*names, BIAS], found.x, strict=True)}


N_WEIGHTS = 1 << 16
"""With this many weights, the 70,000 observations of 14 sites share 43,000 of them, and the file is 100
kB."""

UNTAUGHT_ODDS = -3.0  # one in twenty: about the share of links of the hand-out sites that lead to targets

MAX_ITERATIONS = 60  # on 14 sites the loss is then 424.3; it stops falling at 424.2, after 148

Weights: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.float32]]"


@dataclass(frozen=True, slots=True, eq=False)
class HashedLogistic:
    """A trained model; log odds of 0 mean a probability of one half."""

    weights: Weights
    bias: float

    def log_odds(self, table: Counts) -> list[float]:
        """The log odds of every row of hashed observations."""
        odds: list[float] = (table @ self.weights.astype(np.float64) + self.bias).tolist()
        return odds

    def weight(self, name: str) -> float:
        """What a named observation of weight 1 adds to the log odds."""
        return float(self.weights[_column(name)])

    def log_odds_of(self, row: Sequence[tuple[str, float]]) -> float:
        """The log odds of one row of named observations, without the table."""
        columns = [_column(name) for name, _ in row]
        return float(self.weights[columns] @ np.array([value for _, value in row])) + self.bias

    def shares(self, row: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
        """What each named observation adds to the log odds; names with the same hash share a weight."""
        return [(name, float(self.weights[_column(name)]) * value) for name, value in row]

    def to_bytes(self) -> bytes:
        """The model as compressed half-precision arrays; the precision changes no ranking that matters."""
        file = BytesIO()
        np.savez_compressed(file, weights=self.weights.astype(np.float16), bias=np.array([self.bias]))
        return file.getvalue()


def make_untrained() -> HashedLogistic:
    """A model without knowledge: everything is equally unlikely."""
    return HashedLogistic(np.zeros(N_WEIGHTS, dtype=np.float32), UNTAUGHT_ODDS)


def from_bytes(body: bytes) -> HashedLogistic:
    """Read what `to_bytes` wrote; it contains nothing executable."""
    try:
        with np.load(BytesIO(body), allow_pickle=False) as arrays:
            weights, bias = arrays["weights"].astype(np.float32), float(arrays["bias"][0])
    except (ValueError, KeyError, OSError, IndexError, EOFError, BadZipFile) as error:
        raise ConfigError(f"this is no spider model ({error}); train it again") from error
    if weights.shape != (N_WEIGHTS,):
        raise ConfigError(f"this spider model has {weights.shape} weights, not {N_WEIGHTS}; train it again")
    return HashedLogistic(weights, bias)


def hash_rows(rows: Iterable[Sequence[tuple[str, float]]]) -> Counts:
    """Named, weighted observations as a table, one row each."""
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for row in rows:
        for name, value in row:
            columns.append(_column(name))
            values.append(value)
        ends.append(len(columns))
    return sparse.csr_array((values, columns, ends), shape=(len(ends) - 1, N_WEIGHTS), dtype=np.float64)


def train_hashed(
    tables: Sequence[Counts],
    labels: Sequence[Sequence[float]],
    importance: Sequence[Sequence[float]],
    *,
    penalty: float,
    known: HashedLogistic | None = None,
) -> HashedLogistic:
    """The model that makes the labels (chances between 0 and 1) most likely.

    `penalty` is the precision of the normal prior on each weight (the bias has none). With `known`, the prior
    is about that model instead of about zero, its bias included: what no row speaks of stays as it was.
    """
    table = sparse.vstack(tables).tocsr()
    used = np.unique(table.indices)
    table = sparse.csr_array(table[:, used])
    turned = sparse.csr_array(table.T)
    truth, rows = np.concatenate(labels), np.concatenate(importance)

    weights = np.zeros(N_WEIGHTS, dtype=np.float32) if known is None else known.weights.copy()
    start = np.append(weights[used].astype(np.float64), 0.0 if known is None else known.bias)
    precision = np.full(len(start), penalty)
    if known is None:
        precision[-1] = 0.0

    def loss(found: Vector) -> tuple[float, Vector]:
        scores = table @ found[:-1] + found[-1]
        errors = rows * (expit(scores) - truth)
        away = precision * (found - start)
        value = rows @ (np.logaddexp(0, scores) - truth * scores) + away @ (found - start) / 2
        return float(value), np.append(turned @ errors, errors.sum()) + away

    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MAX_ITERATIONS}).x
    weights[used] = found[:-1]
    return HashedLogistic(weights, float(found[-1]))


def _column(name: str) -> int:
    return crc32(name.encode(errors="replace")) % N_WEIGHTS
