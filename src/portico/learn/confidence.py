"""How likely the likeliest class of a document is right, where no label can tell.

What a collection shows as a whole tells how well it is classified: how often a plainer model finds the same
classes, how many documents a class has, and how seldom first labels are torn between classes. What a document
shows tells how it compares with the others, and how near it is to the words that its class is named by.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from portico.learn.counts import Table, Vector

MOST_DOCUMENTS = 6.0  # per class, as a logarithm; larger numbers have not been seen and change nothing
TYPICAL_AGREEMENT, TYPICAL_CLEARNESS = 0.6, 0.75  # of small collections; where there are no documents yet
TYPICAL_NEARNESS = 0.3  # the mean over labeled trees; where no word is known to the word vectors
# Keywords that hardly ever contradict each other are like labels; whether they do often or always makes no
# difference. Of powers of 1 to 6, 3 and 4 are best on trees whose whole family was left out.
CLEAR_POWER = 4.0
_PENALTY = 2e-3  # for all weights except the last, so that no single sign dominates


@dataclass(frozen=True, slots=True)
class CollectionSigns:
    """What the documents of a model, taken together, show of how well they are classified.

    `agreement` is the share that naive Bayes from first labels alone puts into the same class. `documents` is
    the logarithm of their number a class, and `mean_odds` are the log odds of the likeliest class of a
    document, on average. `known` is the share of classes whose words were known before. `clear` is the share
    of labeled documents whose first label hardly leaves a doubt.
    """

    agreement: float
    documents: float
    mean_odds: float
    known: float = 0.0
    clear: float = 0.0


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """Weights of the signs of a collection, of a document's nearness to its class, and of how far its odds
    are from the mean.
    """

    agreement: float
    documents: float
    known: float
    clear: float
    nearness: float
    odds: float
    odds_by_documents: float  # with more documents per class, words are better evidence
    constant: float


# Fitted by `portico lab topic-trees` on all its trees.
SHIPPED_WEIGHTS = ConfidenceWeights(4.329, 0.049, -0.455, 1.195, 2.252, 0.145, 0.041, -3.959)


@dataclass(frozen=True, slots=True)
class Confidence:
    """Turns the chances of likeliest classes into how often such were right on labeled trees."""

    signs: CollectionSigns
    weights: ConfidenceWeights = SHIPPED_WEIGHTS

    def judge(
        self, middle: "Vector | Sequence[float]", nearness: "Vector | Sequence[float] | None" = None
    ) -> Vector:
        """From the chances of the likeliest classes of documents, tempered; one a document.

        `nearness` is the cosine between the word vectors of a document and of the words that name its class;
        NaN if it is not known.
        """
        weights = self.weights
        row = (
            weights.agreement,
            weights.documents,
            weights.known,
            weights.clear,
            weights.nearness,
            weights.odds,
            weights.odds_by_documents,
            weights.constant,
        )
        return np.asarray(expit(describe_confidence(self.signs, middle, nearness) @ row))


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceTrial:
    """Documents of one collection: what was seen of them, and whether their likeliest class was right."""

    signs: CollectionSigns
    middle: tuple[float, ...]  # tempered probabilities of the likeliest classes
    nearness: tuple[float, ...]  # NaN where it is not known
    right: tuple[bool, ...]
    weight: float = 1.0  # of all documents together


def fit_confidence(trials: Sequence[ConfidenceTrial]) -> ConfidenceWeights:
    """The weights that make the judgments of some trials likeliest."""
    table = np.vstack([describe_confidence(trial.signs, trial.middle, trial.nearness) for trial in trials])
    right = np.concatenate([np.asarray(trial.right, dtype=np.float64) for trial in trials])
    shares = np.concatenate([np.full(len(trial.right), trial.weight / len(trial.right)) for trial in trials])
    shares /= shares.sum()
    scale = np.append(table[:, :-1].std(axis=0) + 1e-9, 1.0)
    table = table / scale

    def loss(found: Vector) -> tuple[float, Vector]:
        said, penalized = table @ found, np.append(found[:-1], 0.0)
        value = shares @ (np.logaddexp(0.0, said) - right * said) + _PENALTY * (penalized @ penalized)
        return float(value), np.asarray(table.T @ (shares * (expit(said) - right)) + 2 * _PENALTY * penalized)

    from scipy.optimize import minimize  # takes as long to load as all else a build needs of scipy

    found = minimize(loss, np.zeros(table.shape[1]), jac=True, method="BFGS").x
    return ConfidenceWeights(*(found / scale).tolist())


def describe_confidence(
    signs: CollectionSigns,
    middle: "Vector | Sequence[float]",
    nearness: "Vector | Sequence[float] | None" = None,
) -> Table:
    """What is weighed of each document, in the order of `ConfidenceWeights`."""
    table = np.empty((len(middle), 8))
    table[:, 0] = signs.agreement
    table[:, 1] = min(max(signs.documents, 0.0), MOST_DOCUMENTS)
    table[:, 2] = signs.known
    table[:, 3] = signs.clear**CLEAR_POWER
    near = np.full(len(middle), np.nan) if nearness is None else np.asarray(nearness, dtype=np.float64)
    table[:, 4] = np.where(np.isnan(near), TYPICAL_NEARNESS, near)
    table[:, 5] = to_odds(np.asarray(middle, dtype=np.float64)) - signs.mean_odds
    table[:, 6] = table[:, 5] * table[:, 1]
    table[:, 7] = 1.0
    return table


def to_odds(chances: Vector) -> Vector:
    """Log odds, of chances not too near to none or all."""
    return np.asarray(logit(np.clip(chances, 1e-3, 1.0 - 1e-3)))
