"""Logistic regression over named yes/no features: a table of weights, fitted with an L2 penalty."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

BIAS = "bias"


def train(
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
