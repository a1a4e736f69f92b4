"""Multinomial naive Bayes for documents."""

from dataclasses import dataclass

import numpy as np

from portico.learn.confidence import Confidence
from portico.learn.counts import Counts, Table, Vector, measure_lengths

# The right temper of a document lies between these: as sharp as its words, or hardly more than the prior.
SHARP, MIDDLE, BROAD, BROAD_SHARE = 0.9, 0.5, 0.2, 0.4


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """A trained classifier: log probabilities of the classes, and of each word in each class.

    Words of a document are not independent, less so the longer it is: the log likelihood of n words is
    multiplied by `temper` / √n if that is less than one. With infinity they count as independent.
    """

    log_prior: Vector
    log_word: Table  # one row per class
    temper: float = np.inf

    def scores(self, counts: Counts) -> Table:
        """The log joint probability of each row and each class, up to a constant a row."""
        return self._likelihood(counts) * _trust(measure_lengths(counts), self.temper) + self.log_prior

    def posterior(self, counts: Counts) -> Table:
        """The probability of each class given each row; every row sums to one."""
        return _softmax(self.scores(counts))

    def calibrated(
        self, counts: Counts, confidence: Confidence, *, n_classes: int, nearness: "Table | None" = None
    ) -> Table:
        """The posterior, each row at the temper at which its likeliest class is as likely as it is right.

        `nearness` is that of every row to each of the first `n_classes`, see `Confidence.judge`. A class
        after these is elsewhere, and keeps what it has between the two tempers.
        """
        likelihood, n_words = self._likelihood(counts), measure_lengths(counts)
        scores = likelihood * _trust(n_words, SHARP) + self.log_prior
        elsewhere = self._chances_elsewhere(likelihood, n_words, n_classes)
        inside = 1.0 - elsewhere.sum(axis=1)
        best = scores[:, :n_classes].argmax(axis=1)
        middle = _softmax(likelihood * _trust(n_words, MIDDLE) + self.log_prior)
        rows = np.arange(len(best))
        near = None if nearness is None else np.asarray(nearness[rows, best])
        wanted = confidence.judge(middle[rows, best], near)
        leaves = temper_to(scores[:, :n_classes], wanted / np.maximum(inside, 1e-9))
        return np.hstack([leaves * inside[:, np.newaxis], elsewhere])

    def measure_inside(self, counts: Counts, *, n_classes: int) -> Vector:
        """How likely each row is of one of the first `n_classes`: no class of it can be likelier."""
        elsewhere = self._chances_elsewhere(self._likelihood(counts), measure_lengths(counts), n_classes)
        return np.asarray(1.0 - elsewhere.sum(axis=1))

    def _chances_elsewhere(self, likelihood: Table, n_words: Vector, n_classes: int) -> Table:
        sharp, broad = (
            _softmax(likelihood * _trust(n_words, temper) + self.log_prior)[:, n_classes:]
            for temper in (SHARP, BROAD)
        )
        return np.asarray((1.0 - BROAD_SHARE) * sharp + BROAD_SHARE * broad)

    def find_likeliest(self, counts: Counts, *, n_classes: int) -> tuple[np.ndarray, Vector]:
        """The likeliest of the first `n_classes` of each row, and its chance in the middle of the tempers."""
        likelihood, n_words = self._likelihood(counts), measure_lengths(counts)
        best = (likelihood * _trust(n_words, SHARP) + self.log_prior)[:, :n_classes].argmax(axis=1)
        middle = _softmax(likelihood * _trust(n_words, MIDDLE) + self.log_prior)
        return best, np.asarray(middle[np.arange(len(best)), best])

    def contrast(self, counts: Counts, first: int, second: int) -> list[tuple[int, float]]:
        """For each word of the only row of `counts`, its evidence for one class against another."""
        trust = float(_trust(measure_lengths(counts), self.temper)[0, 0])
        difference = self.log_word[first] - self.log_word[second]
        voices = trust * counts.data * difference[counts.indices]
        return sorted(
            zip(counts.indices.tolist(), voices.tolist(), strict=True), key=lambda voice: -abs(voice[1])
        )

    def telling(self, number: int, against: int, *, least: int) -> list[int]:
        """The columns that best separate rows of one class from those of another, the best first."""
        own, other = self.log_word[number], self.log_word[against]
        gain = np.exp(own) * (own - other)
        order = np.argsort(-gain, kind="stable")[:least]
        return [int(column) for column in order if gain[column] > 0]

    def _likelihood(self, counts: Counts) -> Table:
        return np.asarray(counts @ self.log_word.T)


def train_naive_bayes(counts: Counts, labels: Table, *, smoothing: float = 1.0) -> NaiveBayes:
    """Naive Bayes with Laplace smoothing from soft labels: one row a document, one column a class.

    A row of `labels` holds the probabilities of the classes, or zeros for a document to leave out.
    """
    return NaiveBayes(
        estimate_class_prior(labels, smoothing=smoothing),
        smooth_counts(count_class_words(counts, labels), smoothing),
    )


def count_class_words(counts: Counts, labels: Table) -> Table:
    """How often each class uses each word; a document counts by its probability of the class."""
    return np.asarray((counts.T @ labels).T)


def estimate_class_prior(labels: Table, *, smoothing: float = 1.0, pull: float = 0.0) -> Vector:
    """Log probability of each class, after adding `smoothing` documents to every class.

    `pull` adds that many times the mean class size to each: the higher it is, the less the guessed sizes
    count.
    """
    sizes = labels.sum(axis=0)
    sizes = sizes + smoothing + pull * sizes.mean()
    return np.asarray(np.log(sizes / sizes.sum()))


def smooth_counts(class_counts: Table, smoothing: float = 1.0) -> Table:
    """Log probability of each word in each class, after adding `smoothing` occurrences of every word."""
    table = class_counts + smoothing
    return np.asarray(np.log(table / table.sum(axis=1, keepdims=True)))


def _trust(n_words: Vector, temper: float) -> Table:
    """The factor of each document's log likelihood: one column, one row per document."""
    return np.asarray(np.minimum(1.0, temper / np.sqrt(np.maximum(n_words, 1.0))))[:, np.newaxis]


def _softmax(scores: Table) -> Table:
    chances = scores - scores.max(axis=1, keepdims=True)
    np.exp(chances, out=chances)
    chances /= chances.sum(axis=1, keepdims=True)
    return np.asarray(chances)


def temper_to(scores: Table, wanted: Vector) -> Table:
    """Probabilities from log scores, each row scaled so that its largest probability is the given one."""
    wanted = np.clip(wanted, 1.02 / scores.shape[1], 0.995)
    scores = scores - scores.max(axis=1, keepdims=True)
    low, high = np.zeros(len(scores)), np.full(len(scores), _MOST_SHARPENING)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        is_too_flat = 1.0 / np.exp(scores * middle[:, np.newaxis]).sum(axis=1) < wanted
        low, high = np.where(is_too_flat, middle, low), np.where(is_too_flat, high, middle)
    return _softmax(scores * high[:, np.newaxis])


_MOST_SHARPENING, _HALVINGS = 8.0, 20
