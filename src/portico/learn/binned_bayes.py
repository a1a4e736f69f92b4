"""Predicts the expected value of a bag of words: naive Bayes over bins of the value."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import BadZipFile

import numpy as np

from portico.errors import ConfigError
from portico.learn.counts import Counts, Table
from portico.learn.naive_bayes import NaiveBayes, estimate_class_prior, smooth_counts


@dataclass(frozen=True, slots=True, eq=False)
class ItemBags:
    """Sightings of items: each has its own words and shares those of the place where it was seen.

    An item seen several times has the words of all its sightings.
    """

    own: Counts  # one row per sighting
    shared: Counts  # one row per place
    place_of: tuple[int, ...]  # for each sighting
    item_of: tuple[int, ...]  # for each sighting


@dataclass(frozen=True, slots=True, eq=False)
class BinCounts:
    """The counts that training needs: words, items and values per bin. Counts of several sets add up."""

    words: Table
    n_items: tuple[int, ...]
    totals: tuple[float, ...]

    def __add__(self, other: "BinCounts") -> "BinCounts":
        return BinCounts(
            self.words + other.words,
            tuple(map(sum, zip(self.n_items, other.n_items, strict=True))),
            tuple(map(sum, zip(self.totals, other.totals, strict=True))),
        )


@dataclass(frozen=True, slots=True, eq=False)
class BinnedValue:
    """A trained value function; `values` are the mean values of the bins."""

    bayes: NaiveBayes
    values: tuple[float, ...]
    word_counts: Table

    def likelihoods(self, counts: Counts) -> list[list[float]]:
        """The log likelihood of each row in each bin. Those of an item's bags add up."""
        table: list[list[float]] = np.asarray(counts @ self.bayes.log_word.T).tolist()
        return table

    def membership(self, likelihood: Sequence[float]) -> list[float]:
        """The probability of each bin, given the log likelihood of an item in each."""
        scores = [prior + one for prior, one in zip(self.bayes.log_prior.tolist(), likelihood, strict=True)]
        highest = max(scores)
        chances = [math.exp(score - highest) for score in scores]
        total = sum(chances)
        return [chance / total for chance in chances]

    def choose_bins(self, bags: ItemBags) -> dict[int, int]:
        """The likeliest bin of each item, by the words of all its sightings."""
        log_word = self.bayes.log_word.T
        shared = np.asarray(bags.shared @ log_word)
        scores = np.asarray(bags.own @ log_word) + shared[list(bags.place_of)]
        totals = np.tile(self.bayes.log_prior, (max(bags.item_of, default=-1) + 1, 1))
        np.add.at(totals, list(bags.item_of), scores)
        likeliest = totals.argmax(axis=1).tolist()
        return {item: likeliest[item] for item in sorted(set(bags.item_of))}

    def expected(self, likelihood: Sequence[float]) -> float:
        """The mean of the bins' values, weighted by membership."""
        chances = self.membership(likelihood)
        return sum(chance * value for chance, value in zip(chances, self.values, strict=True))

    def rank(self, likelihood: Sequence[float]) -> float:
        """Orders items exactly as `expected` does, but without ties.

        With many words, memberships are so near 0 or 1 that expected values are equal in floating point. This
        is the logarithm of the ratio of the expected value to what it lacks to the highest bin's value.
        """
        scores = [prior + one for prior, one in zip(self.bayes.log_prior.tolist(), likelihood, strict=True)]
        highest = max(self.values)
        has = [score + math.log(value) for score, value in zip(scores, self.values, strict=True) if value > 0]
        lacks = [
            score + math.log(highest - value)
            for score, value in zip(scores, self.values, strict=True)
            if value < highest
        ]
        return _log_sum(has) - _log_sum(lacks) if has and lacks else 0.0

    def telling(self, bin_idx: int, n_words: int) -> list[tuple[int, float]]:
        """The columns with the most evidence for a bin, by weighted log odds: P(w|bin) log
        P(w|bin)/P(w|others).
        """
        others = np.delete(self.word_counts, bin_idx, axis=0).sum(axis=0, keepdims=True)
        log_other = smooth_counts(others)[0]
        log_here = self.bayes.log_word[bin_idx]
        known = self.word_counts.sum(axis=0) > 0
        odds = np.where(known, np.exp(log_here) * (log_here - log_other), -np.inf)
        best = np.argsort(-odds, kind="stable")[:n_words]
        return [(int(column), float(odds[column])) for column in best]


def find_bin(value: float, edges: Sequence[float]) -> int:
    """The first bin whose lower edge a value reaches; edges fall, and the last bin has no lower edge."""
    return next((idx for idx, edge in enumerate(edges) if value >= edge), len(edges))


def count_bins(bags: ItemBags, values: Sequence[float], edges: Sequence[float]) -> BinCounts:
    """Count the words of all items, each in the bin of its value."""
    bins = np.array([find_bin(value, edges) for value in values], dtype=np.int64)
    n_bins = len(edges) + 1
    bin_of_sighting = bins[list(bags.item_of)]
    words = np.zeros((n_bins, bags.own.shape[1]))
    for idx in range(n_bins):
        chosen = (bin_of_sighting == idx).astype(np.float64)
        places = np.bincount(list(bags.place_of), weights=chosen, minlength=bags.shared.shape[0])
        words[idx] = bags.own.T @ chosen + bags.shared.T @ places
    seen = sorted(set(bags.item_of))
    members = [[item for item in seen if bins[item] == idx] for idx in range(n_bins)]
    return BinCounts(
        words, tuple(map(len, members)), tuple(sum(values[item] for item in items) for items in members)
    )


def train_binned(counts: BinCounts) -> BinnedValue:
    """Naive Bayes with Laplace smoothing over the bins; words that never occurred have no effect."""
    known = counts.words.sum(axis=0) > 0
    log_word = np.zeros_like(counts.words)
    log_word[:, known] = smooth_counts(counts.words[:, known])
    prior = estimate_class_prior(np.diag(np.array(counts.n_items, dtype=np.float64)))
    values = tuple(
        total / n_items if n_items else 0.0
        for total, n_items in zip(counts.totals, counts.n_items, strict=True)
    )
    return BinnedValue(NaiveBayes(prior, log_word), values, counts.words)


def _log_sum(logarithms: Sequence[float]) -> float:
    """The logarithm of a sum whose terms are given by their logarithms."""
    highest = max(logarithms)
    return highest + math.log(sum(math.exp(one - highest) for one in logarithms))


@dataclass(frozen=True, slots=True, eq=False)
class WordValue:
    """Naive Bayes over bins of a value, for words instead of columns; unknown words have no effect."""

    words: tuple[str, ...]
    value: BinnedValue
    _columns: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_columns", {word: column for column, word in enumerate(self.words)})

    def likelihood(self, words: Iterable[str]) -> list[float]:
        """The log likelihood of these words in each bin; those of several bags add up."""
        columns = [column for word in words if (column := self._columns.get(word)) is not None]
        found: list[float] = self.value.bayes.log_word[:, columns].sum(axis=1).tolist()
        return found

    def rank(self, likelihood: Sequence[float]) -> float:
        """Higher where more is to be expected; see `BinnedValue.rank`."""
        return self.value.rank(likelihood)

    def voices(self, words: Iterable[str]) -> list[tuple[str, float]]:
        """What each known word adds to the log odds of the highest bin over the lowest, strongest first."""
        values = self.value.values
        high, low = values.index(max(values)), values.index(min(values))
        log_word = self.value.bayes.log_word
        said = {
            word: float(log_word[high, column] - log_word[low, column])
            for word in words
            if (column := self._columns.get(word)) is not None
        }
        return sorted(said.items(), key=lambda voice: (-abs(voice[1]), voice[0]))

    def narrowed(self, columns: Sequence[int]) -> "WordValue":
        """The same model with only these words."""
        bayes, counts = self.value.bayes, self.value.word_counts
        narrow = NaiveBayes(bayes.log_prior, bayes.log_word[:, columns])
        value = BinnedValue(narrow, self.value.values, counts[:, columns])
        return WordValue(tuple(self.words[column] for column in columns), value)

    def to_bytes(self) -> bytes:
        """The model as compressed arrays, without the counts it was trained from."""
        file = BytesIO()
        np.savez_compressed(
            file,
            words=np.frombuffer("\n".join(self.words).encode(), dtype=np.uint8),
            log_word=self.value.bayes.log_word.astype(np.float32),
            log_prior=self.value.bayes.log_prior,
            values=np.array(self.value.values),
        )
        return file.getvalue()


def find_widespread(sets: Sequence[ItemBags], least: int) -> list[int]:
    """The columns of words that occur in at least so many of the sets."""
    occurs = sum((bags.own.sum(axis=0) + bags.shared.sum(axis=0) > 0).astype(np.int64) for bags in sets)
    found: list[int] = np.flatnonzero(np.asarray(occurs) >= least).tolist()
    return found


def from_bytes(body: bytes) -> WordValue:
    """Read what `to_bytes` wrote; it contains nothing executable."""
    try:
        with np.load(BytesIO(body), allow_pickle=False) as arrays:
            words = tuple(arrays["words"].tobytes().decode().split("\n"))
            log_word = arrays["log_word"].astype(np.float64)
            log_prior = arrays["log_prior"]
            values = tuple(arrays["values"].tolist())
    except (ValueError, KeyError, OSError, EOFError, BadZipFile) as error:
        raise ConfigError(f"this is no model of words and bins ({error}); train it again") from error
    if log_word.shape != (len(values), len(words)) or log_prior.shape != (len(values),):
        raise ConfigError("the parts of this model of words and bins do not fit together; train it again")
    bayes = NaiveBayes(log_prior, log_word)
    return WordValue(words, BinnedValue(bayes, values, np.zeros_like(log_word)))
