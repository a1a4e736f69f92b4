"""Judge many pairs of items by their values, each distinct pair of values only once.

A hundred thousand references have a few thousand venues and a hundred years between them: what is
slow (comparing two strings) is done for distinct values, what is fast (looking the answer up) for
all pairs.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

Judge = Callable[[Sequence[int], Sequence[int]], Iterable[str]]
"""The named level of agreement of every pair of positions of items with distinct values."""


@dataclass(frozen=True, slots=True)
class Levels:
    """The level of each of many pairs, as a number into `names`."""

    numbers: np.ndarray
    names: tuple[str, ...]

    def are(self, wanted: Sequence[str]) -> np.ndarray:
        """For each pair whether its level is one of the wanted."""
        wished = np.array([name in wanted for name in self.names], dtype=bool)
        return np.take(wished, self.numbers)


def distinct(values: Iterable[Hashable]) -> tuple[np.ndarray, list[int]]:
    """The code of every value, and for every code the position of the first item that has it."""
    codes: dict[Hashable, int] = {}
    found = np.array([codes.setdefault(value, len(codes)) for value in values], dtype=np.int64)
    new = np.diff(np.maximum.accumulate(found), prepend=-1) > 0 if len(found) else found
    return found, np.flatnonzero(new).tolist()


def judged(codes: np.ndarray, firsts: Sequence[int], pairs: np.ndarray, judge: Judge) -> Levels:
    """The level of every pair (a row of two positions); `judge` must be symmetric.

    It is asked about positions of items that have the values, each unordered pair of values once.
    """
    one, other = codes[pairs[:, 0]], codes[pairs[:, 1]]
    n_values = max(1, len(firsts))
    asked, answer_of = np.unique(
        np.minimum(one, other) * n_values + np.maximum(one, other), return_inverse=True
    )
    place = np.asarray(firsts, dtype=np.int64)
    answers = judge(place[asked // n_values].tolist(), place[asked % n_values].tolist())
    names: dict[str, int] = {"": 0}  # a level for nothing, so that no pairs at all are no special case
    numbers = np.fromiter((names.setdefault(name, len(names)) for name in answers), np.int16, len(asked))
    return Levels(numbers[answer_of], tuple(names))


def weighed(levels: Levels, weights: Sequence[float]) -> np.ndarray:
    """The weight of every pair's level."""
    return np.take(np.asarray(weights, dtype=np.float64), levels.numbers)


def agreement(codes: Sequence[np.ndarray], tables: Sequence[Sequence[Sequence[float]]]) -> np.ndarray:
    """For every two items the sum over fields of what the table of a field says about their two values.

    `codes[f]` has the code of every item's value of field f, `tables[f]` a row and a column for each code.
    """
    n_items = len(codes[0]) if codes else 0
    total = np.zeros((n_items, n_items))
    for code, table in zip(codes, tables, strict=True):
        worth = np.asarray(table, dtype=np.float64).reshape(len(table), len(table))
        total += worth[code[:, None], code[None, :]]
    return total


def as_array(numbers: Iterable[int]) -> np.ndarray:
    return np.fromiter(numbers, dtype=np.int64)


def strongest_first(pairs: np.ndarray, scores: np.ndarray) -> list[tuple[float, int, int]]:
    """(score, one, other) by falling score, then by position."""
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -scores))
    return list(zip(scores[order].tolist(), pairs[order, 0].tolist(), pairs[order, 1].tolist(), strict=True))
