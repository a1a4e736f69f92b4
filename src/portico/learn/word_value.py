"""What is to be expected of a bag of words: a trained value function with the words it knows, as a file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import BadZipFile

import numpy as np

from portico.errors import ConfigError
from portico.learn.bins import Bags, BinnedValue
from portico.learn.naive_bayes import NaiveBayes


@dataclass(frozen=True, slots=True, eq=False)
class WordValue:
    """Naive Bayes over bins of a value, asked by words instead of columns; unknown words say nothing."""

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
        """What each known word adds to the log odds of the highest bin against the lowest, loudest first."""
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
        """The same, with these of its words alone."""
        bayes, counts = self.value.bayes, self.value.word_counts
        narrow = NaiveBayes(bayes.log_prior, bayes.log_word[:, columns])
        value = BinnedValue(narrow, self.value.values, counts[:, columns])
        return WordValue(tuple(self.words[column] for column in columns), value)

    def to_bytes(self) -> bytes:
        """The model as compressed arrays; counts are left out, they only tell of the training."""
        file = BytesIO()
        np.savez_compressed(
            file,
            words=np.frombuffer("\n".join(self.words).encode(), dtype=np.uint8),
            log_word=self.value.bayes.log_word.astype(np.float32),
            log_prior=self.value.bayes.log_prior,
            values=np.array(self.value.values),
        )
        return file.getvalue()


def widespread(sets: Sequence[Bags], least: int) -> list[int]:
    """The columns of words that occur in at least so many of the sets."""
    occurs = sum((bags.own.sum(axis=0) + bags.shared.sum(axis=0) > 0).astype(np.int64) for bags in sets)
    found: list[int] = np.flatnonzero(np.asarray(occurs) >= least).tolist()
    return found


def from_bytes(body: bytes) -> WordValue:
    """Read what `to_bytes` wrote; nothing in it can run."""
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
