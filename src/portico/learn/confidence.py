"""How likely the likeliest class of a document is right, where no label can tell.

What a collection shows as a whole tells how well it is classified: how often a plainer model finds the same
classes, and how many documents a class has. What a document shows tells how it compares with the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from portico.learn.counts import Table, Vector

MOST_DOCUMENTS = 6.0  # per class, as a logarithm; larger numbers have not been seen and change nothing
_PENALTY = 1e-3  # for all weights except the last, so that no single sign dominates


@dataclass(frozen=True, slots=True)
class CollectionSigns:
    """What the documents of a model, taken together, show of how well they are classified.

    `agreement` is the share that naive Bayes from first labels alone puts into the same class. `documents` is
    the logarithm of their number a class, and `mean_odds` are the log odds of the likeliest class of a
    document, on average. `known` is the share of classes whose words were known before.
    """

    agreement: float
    documents: float
    mean_odds: float
    known: float = 0.0


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """Weights of the signs of a collection, and of how far a document's odds are from the mean."""

    agreement: float
    documents: float
    known: float
    odds: float
    odds_by_documents: float  # with more documents per class, words are better evidence
    constant: float


# Fitted by `portico lab topic-trees` on all its trees.
SHIPPED_WEIGHTS = ConfidenceWeights(2.662, 0.087, -0.256, 0.170, 0.056, -1.994)


@dataclass(frozen=True, slots=True)
class Confidence:
    """Turns the chances of likeliest classes into how often such were right on labeled trees."""

    signs: CollectionSigns
    weights: ConfidenceWeights = SHIPPED_WEIGHTS

    def judge(self, middle: "Vector | Sequence[float]") -> Vector:
        """From the chances of the likeliest classes of documents, tempered; one a document."""
        weights = self.weights
        row = (
            weights.agreement,
            weights.documents,
            weights.known,
            weights.odds,
            weights.odds_by_documents,
            weights.constant,
        )
        return np.asarray(expit(describe_confidence(self.signs, middle) @ row))


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceTrial:
    """Documents of one collection: what was seen of them, and whether their likeliest class was right."""

    signs: CollectionSigns
    middle: tuple[float, ...]  # tempered probabilities of the likeliest classes
    right: tuple[bool, ...]
    weight: float = 1.0  # of all documents together


def fit_confidence(trials: Sequence[ConfidenceTrial]) -> ConfidenceWeights:
    """The weights that make the judgments of some trials likeliest."""
    table = np.vstack([describe_confidence(trial.signs, trial.middle) for trial in trials])
    right = np.concatenate([np.asarray(trial.right, dtype=np.float64) for trial in trials])
    shares = np.concatenate([np.full(len(trial.right), trial.weight / len(trial.right)) for trial in trials])
    shares /= shares.sum()
    scale = np.append(table[:, :-1].std(axis=0) + 1e-9, 1.0)
    table = table / scale

    def loss(found: Vector) -> float:
        said = table @ found
        return float(shares @ (np.logaddexp(0.0, said) - right * said) + _PENALTY * (found[:-1] @ found[:-1]))

    from scipy.optimize import minimize  # takes as long to load as all else a build needs of scipy

    return ConfidenceWeights(*(minimize(loss, np.zeros(table.shape[1]), method="BFGS").x / scale).tolist())


def describe_confidence(signs: CollectionSigns, middle: "Vector | Sequence[float]") -> Table:
    """What is weighed of each document, in the order of `ConfidenceWeights`."""
    table = np.empty((len(middle), 6))
    table[:, 0] = signs.agreement
    table[:, 1] = min(max(signs.documents, 0.0), MOST_DOCUMENTS)
    table[:, 2] = signs.known
    table[:, 3] = to_odds(np.asarray(middle, dtype=np.float64)) - signs.mean_odds
    table[:, 4] = table[:, 3] * table[:, 1]
    table[:, 5] = 1.0
    return table


def to_odds(chances: Vector) -> Vector:
    """Log odds, of chances not too near to none or all."""
    return np.asarray(logit(np.clip(chances, 1e-3, 1.0 - 1e-3)))
