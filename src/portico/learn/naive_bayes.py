"""Multinomial naive Bayes: the class of a document from how often each word occurs in it."""

from dataclasses import dataclass

import numpy as np

from portico.learn.counts import Counts, Table, Vector, measure_lengths


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """A trained classifier: log probabilities of the classes, and of each word in each class.

    Words of one document repeat each other, the more the longer it is: the log likelihood of n words is
    multiplied by `temper` / √n where that is less than one. Infinity takes every word at its word.
    """

    log_prior: Vector
    log_word: Table  # one row a class
    temper: float = np.inf

    def scores(self, counts: Counts) -> Table:
        """The log joint probability of each row and each class, up to a constant a row."""
        return self._likelihood(counts) * _trust(measure_lengths(counts), self.temper) + self.log_prior

    def posterior(self, counts: Counts) -> Table:
        """The probability of each class given each row; every row sums to one."""
        return _softmax(self.scores(counts))

    def blended(self, counts: Counts, blend: "TemperBlend") -> Table:
        """The posterior at two tempers, mixed: sharp where words agree, and never quite certain."""
        likelihood = self._likelihood(counts)
        n_words = measure_lengths(counts)
        sharp = _softmax(likelihood * _trust(n_words, blend.sharp) + self.log_prior)
        broad = _softmax(likelihood * _trust(n_words, blend.broad) + self.log_prior)
        return (1.0 - blend.broad_share) * sharp + blend.broad_share * broad

    def contrast(self, counts: Counts, first: int, second: int) -> list[tuple[int, float]]:
        """For each word of the only row of `counts` how far it speaks for one class against another."""
        trust = float(_trust(measure_lengths(counts), self.temper)[0, 0])
        difference = self.log_word[first] - self.log_word[second]
        voices = trust * counts.data * difference[counts.indices]
        return sorted(
            zip(counts.indices.tolist(), voices.tolist(), strict=True), key=lambda voice: -abs(voice[1])
        )

    def telling(self, number: int, against: int, *, least: int) -> list[int]:
        """The columns by which rows of one class are told from those of another, the most telling first."""
        own, other = self.log_word[number], self.log_word[against]
        gain = np.exp(own) * (own - other)
        order = np.argsort(-gain, kind="stable")[:least]
        return [int(column) for column in order if gain[column] > 0]

    def _likelihood(self, counts: Counts) -> Table:
        return np.asarray(counts @ self.log_word.T)


@dataclass(frozen=True, slots=True)
class TemperBlend:
    """Two tempers and the share of the broader one; see `NaiveBayes.blended`."""

    sharp: float
    broad: float
    broad_share: float


def train_naive_bayes(counts: Counts, labels: Table, *, smoothing: float = 1.0) -> NaiveBayes:
    """Naive Bayes with Laplace smoothing from soft labels: one row a document, one column a class.

    A row of `labels` holds the probabilities of the classes, or zeros for a document to leave out.
    """
    return NaiveBayes(
        estimate_class_prior(labels, smoothing=smoothing),
        smooth_counts(count_class_words(counts, labels), smoothing),
    )


def count_class_words(counts: Counts, labels: Table) -> Table:
    """How often each class uses each word, every document counted for a class as far as it is in it."""
    return np.asarray((counts.T @ labels).T)


def estimate_class_prior(labels: Table, *, smoothing: float = 1.0, pull: float = 0.0) -> Vector:
    """Log probability of each class, after `smoothing` further documents of every class.

    `pull` adds that many times the mean size of the classes to each: sizes that were guessed are
    trusted the less the higher it is.
    """
    sizes = labels.sum(axis=0)
    sizes = sizes + smoothing + pull * sizes.mean()
    return np.asarray(np.log(sizes / sizes.sum()))


def smooth_counts(class_counts: Table, smoothing: float = 1.0) -> Table:
    """Log probability of each word in each class, after `smoothing` further occurrences of every word."""
    table = class_counts + smoothing
    return np.asarray(np.log(table / table.sum(axis=1, keepdims=True)))


def _trust(n_words: Vector, temper: float) -> Table:
    """What a document's log likelihood is multiplied by: one column, one row a document."""
    return np.asarray(np.minimum(1.0, temper / np.sqrt(np.maximum(n_words, 1.0))))[:, np.newaxis]


def _softmax(scores: Table) -> Table:
    chances = scores - scores.max(axis=1, keepdims=True)
    np.exp(chances, out=chances)
    chances /= chances.sum(axis=1, keepdims=True)
    return np.asarray(chances)
