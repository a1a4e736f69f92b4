"""Compares marked values with those read as the same field elsewhere, by words and shapes."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from portico.text.names import fold

# Distinct values of a field that must have been read before they can be compared with.
LEAST_READ = 5
# Log-likelihood gain per marked word from which two fields count as swapped; chosen by hand. It is below zero
# for correct marks, and about zero for fields with similar values.
SURELY_SWAPPED = 0.3
_SMOOTHING = 0.5
_RUNS = re.compile(r"(\w)\1+")


@dataclass(frozen=True, slots=True)
class ValueModel:
    """How often each word and each shape occurs in the values of a field."""

    counts: Mapping[str, int]
    n_words: int
    n_known: int  # words of all fields

    def score(self, values: Sequence[str]) -> float:
        """Return the mean log-probability of the words and shapes of values."""
        total = self.n_words + _SMOOTHING * (self.n_known + 1)
        words = [word for value in values for word in describe_value(value)]
        return sum(log((self.counts.get(word, 0) + _SMOOTHING) / total) for word in words) / max(
            1, len(words)
        )


def describe_value(value: str) -> list[str]:
    """Return a value's words, their shapes and number. Values are case-folded, so shapes have no case."""
    words = fold(value).split()
    shapes = [_RUNS.sub(r"\1", re.sub(r"[^\W\d]", "x", re.sub(r"\d", "9", word))) for word in words]
    return [*words, *(f"shape={shape}" for shape in shapes), f"words={min(len(words), 6)}"]


def find_swapped(marked: Mapping[str, Sequence[str]], read: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return fields marked for each other: the marks of each look like values of the other."""
    models = _learn(read)
    pairs = [(one, two) for one in sorted(marked) for two in sorted(marked) if one < two]
    return frozenset(
        label
        for one, two in pairs
        if _measure_swap(models, marked, one, two) > SURELY_SWAPPED
        for label in (one, two)
    )


def _learn(read: Mapping[str, Iterable[str]]) -> dict[str, ValueModel]:
    """Build a model of each field of which enough values were read."""
    counts = {
        label: Counter(word for value in set(values) for word in describe_value(value))
        for label, values in read.items()
        if len(set(values)) >= LEAST_READ
    }
    n_known = len(sum(counts.values(), Counter()))
    return {label: ValueModel(words, words.total(), n_known) for label, words in counts.items()}


def _measure_swap(
    models: Mapping[str, ValueModel], marked: Mapping[str, Sequence[str]], one: str, two: str
) -> float:
    """Return how much more likely two fields are swapped, as log-likelihood per marked word.

    If enough values were read of only one of them, its model alone decides which marks are its own.
    """
    scores = [
        models[own].score(marked[other]) - models[own].score(marked[own])
        for own, other in ((one, two), (two, one))
        if own in models
    ]
    return sum(scores) / len(scores) if scores else 0.0
