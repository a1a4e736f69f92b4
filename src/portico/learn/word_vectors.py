"""Word vectors: words used in similar contexts are near each other; predicts words that occur with others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from portico.learn.counts import Counts, Table, Vector, count_rows_with, measure_lengths, to_presence

# How fast the probability of a word falls with its distance from its expected context. 4, 7 and 10 were tried
# on trees made from eight sets: 7 is best.
NEARNESS = 7.0
# Rare signs say more than frequent ones: weights are squared sums of inverse document frequencies, like those
# of keywords. The value is the rarity of a word that was never seen.
UNSEEN_RARITY = 10.0
# A sign counts as if it were wrong once in this many texts, because vectors of words seen a few times are
# random.
DOUBT_TEXTS = 10.0
# Contexts are smoothed as in word2vec; pairs seen about once are no evidence.
CONTEXT_POWER, PAIR_DOUBT = 0.75, 0.05
_LEVELS = 31  # of stored numbers
UNKNOWN_NEARNESS = 0.4  # for words without vectors: a little less than good names of groups have
LEAST_WORDS = 3  # a text with fewer known words is not judged


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """One row of length one per word, and the number of texts that contain it."""

    rows: Table
    n_seen: Vector
    n_texts: float

    def expect_words(
        self, signs: Sequence[tuple[Sequence[int], Sequence[int]]], n_classes: int
    ) -> tuple[Table, Vector]:
        """For each class, how likely each word is to occur beside its signs, and how well this is known (0 to
        1).

        A sign consists of words (-1: unknown) and the classes it is evidence for, in equal parts. A class
        without a known sign has zeros.
        """
        table, known, sums = np.zeros((n_classes, len(self.rows))), np.zeros(n_classes), np.zeros(n_classes)
        shares = self.n_seen / self.n_seen.sum()
        for words, classes in signs:
            columns = [word for word in words if word >= 0]
            weight = (self._rarity(columns).sum() + UNSEEN_RARITY * (len(words) - len(columns))) ** 2
            belief = self._belief(words)
            for number in classes:
                sums[number] += weight / len(classes)
                known[number] += belief * weight / len(classes)
            if columns:
                likely = shares * np.exp(NEARNESS * (self.rows @ self._direction(columns)))
                table[list(classes)] += (
                    self._rarity(columns).sum() ** 2 / len(classes) * likely / likely.sum()
                )
        totals = table.sum(axis=1, keepdims=True)
        return np.divide(table, totals, out=table, where=totals > 0), known / np.maximum(sums, 1e-9)

    def average_rows(self, counts: Counts, words: Sequence[int]) -> Table:
        """The position of each text among the vectors: one row each, of length one.

        `words` has the vector of every column (-1: unknown); a text without known words has zeros. The mean
        of all texts is subtracted, because what they have in common does not distinguish them.
        """
        return self.center_rows(counts, words, self.find_middle(counts, words))

    def find_middle(self, counts: Counts, words: Sequence[int]) -> Vector:
        """The mean of the texts with known words, before it is subtracted."""
        table, has_words = self._sum_words(counts, words)
        return np.asarray(table[has_words].mean(axis=0) if has_words.any() else np.zeros(table.shape[1]))

    def center_rows(self, counts: Counts, words: Sequence[int], middle: Vector) -> Table:
        """The same as `average_rows` with a mean of other texts."""
        table, has_words = self._sum_words(counts, words)
        table[has_words] -= middle
        # Rounded, so that the last digits, which depend on how the work was shared out, decide nothing.
        return np.asarray((table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)).round(6))

    def _sum_words(self, counts: Counts, words: Sequence[int]) -> tuple[Table, "np.ndarray"]:
        columns = np.asarray(words, dtype=np.intp)
        known = np.flatnonzero(columns >= 0)
        here = sparse.csr_array(counts[:, known].log1p())
        table = np.asarray(here @ (self._rarity(columns[known])[:, np.newaxis] * self.rows[columns[known]]))
        table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
        return table, measure_lengths(here) > 0

    def measure_nearness(self, texts: Table, words: Sequence[Sequence[int]]) -> list[float]:
        """How near some words (-1: not known) are to the middle of texts, see `average_rows`.

        1 for the same direction, 0 for words that say nothing of these texts alone; `UNKNOWN_NEARNESS` for
        words of which one is not known.
        """
        middle = texts.sum(axis=0)
        middle /= max(float(np.linalg.norm(middle)), 1e-9)
        return [
            UNKNOWN_NEARNESS if not columns or min(columns) < 0 else float(self._direction(columns) @ middle)
            for columns in words
        ]

    def find_directions(self, words: Sequence[Sequence[int]]) -> Table:
        """Where the words of each class lead (-1: not known), one row each; zeros if none is known."""
        directions = np.zeros((len(words), self.rows.shape[1]))
        for number, columns in enumerate(words):
            known = [column for column in columns if column >= 0]
            if known:
                directions[number] = self._direction(known)
        return directions

    def _direction(self, columns: Sequence[int]) -> Vector:
        mean = self._rarity(columns) @ self.rows[columns]
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9))

    def _rarity(self, columns: Sequence[int] | np.ndarray) -> Vector:
        return np.asarray(np.log(self.n_texts / self.n_seen[np.asarray(columns, dtype=np.intp)]))

    def _belief(self, words: Sequence[int]) -> float:
        return min(
            self.n_seen[word] / (self.n_seen[word] + DOUBT_TEXTS) if word >= 0 else 0.0 for word in words
        )


def measure_cosines(rows: Table, others: Table) -> Table:
    """The cosine between each row and each of the others, all of length one; NaN where one has only zeros."""
    cosines = rows @ others.T
    cosines[~rows.any(axis=1)] = np.nan
    cosines[:, ~others.any(axis=1)] = np.nan
    return np.asarray(cosines.round(6))


def train_word_vectors(counts: Counts, *, n_dimensions: int) -> WordVectors:
    """Word vectors from which words occur in which texts (rows): positive mutual information, reduced to few
    dimensions.
    """
    seen = to_presence(counts)
    every: Vector = measure_lengths(seen)
    seen, lengths = seen[every >= LEAST_WORDS], every[every >= LEAST_WORDS]
    # A long text has many pairs, and says no more than a short one.
    scaled = sparse.csr_array(sparse.diags_array(1.0 / np.sqrt(lengths)) @ seen)
    information = _measure_information(scaled)
    start = np.random.default_rng(0).random(information.shape[0]).astype(np.float32)
    left, sizes, right = svds(information.astype(np.float32), k=n_dimensions, v0=start)
    is_positive = (left * right.T).sum(axis=0) > 0  # of a symmetric table the others are of negative sign
    rows = (left * np.sqrt(sizes))[:, is_positive]
    return WordVectors(
        rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9),
        count_rows_with(seen),
        float(seen.shape[0]),
    )


def _measure_information(scaled: Counts) -> Counts:
    pairs = sparse.csr_array(scaled.T @ scaled)
    pairs.setdiag(0.0)
    pairs.eliminate_zeros()
    sums: Vector = measure_lengths(pairs)
    contexts = sums**CONTEXT_POWER
    contexts /= max(contexts.sum(), 1e-9)
    table = pairs.tocoo()
    expected = sums[table.row] * contexts[table.col]
    found = np.log(table.data / expected) * (table.data / (table.data + PAIR_DOUBT))
    kept = found > 0
    cells = (found[kept], (table.row[kept], table.col[kept]))
    positive = sparse.csr_array(cells, shape=table.shape)
    return sparse.csr_array(0.5 * positive + 0.5 * sparse.csr_array(positive.T))


def to_small_numbers(vectors: WordVectors) -> dict[str, np.ndarray]:
    """The vectors as small integers; the scale of each row follows from its length of one."""
    scale = np.maximum(np.abs(vectors.rows).max(axis=1, keepdims=True), 1e-9) / _LEVELS
    return {"rows": np.round(vectors.rows / scale).astype(np.int8), "n_seen": vectors.n_seen}


def from_small_numbers(arrays: dict[str, np.ndarray], n_texts: float) -> WordVectors:
    rows = arrays["rows"].astype(np.float64)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return WordVectors(rows, arrays["n_seen"].astype(np.float64), n_texts)
