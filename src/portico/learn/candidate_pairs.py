"""Candidate pairs: neighbors under a shared key, with each distinct pair of values compared only once.

A hundred thousand references contain a few thousand venues and a hundred years. The slow step, comparing two
strings, is done for distinct values; the fast step, looking up the result, is done for all pairs.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

Pairs = np.ndarray
"""An array in which each row holds two positions."""


def to_pairs(rows: Sequence[tuple[int, int]]) -> Pairs:
    return np.asarray(rows, dtype=np.int64).reshape(-1, 2)


def pair_neighbors(keys: Sequence[int], items: Sequence[int], *, window: int) -> Pairs:
    """Every pair of different items within `window` places of each other under some key.

    `keys[k]` is a key of item `items[k]`, both numbers below 2 ** 32. Under each key the items are in
    ascending order, so number the items such that likely pairs are near each other. Pairs are rows of two,
    each once, smaller item first, in ascending order. A key of n items yields at most n * window pairs,
    however large n is.
    """
    if not len(keys):
        return np.empty((0, 2), dtype=np.int64)
    # Key and item in one number: sorting these takes a tenth of the time of sorting by one, then the other.
    places = np.sort(join_numbers(np.asarray(keys), np.asarray(items)))
    return split_numbers(sort_distinct(pair_sorted(places, window=window)))


def pair_sorted(places: np.ndarray, *, window: int) -> np.ndarray:
    """The pairs under keys that ascend: places are key and item joined, pairs two items joined."""
    key, item = places >> _BITS, places & _ITEM
    found: list[np.ndarray] = []
    for step in range(1, window + 1):
        together = key[step:] == key[:-step]
        if not together.any():
            break
        together &= item[step:] != item[:-step]
        found.append(item[:-step][together] << _BITS | item[step:][together])
    return np.concatenate(found) if found else np.empty(0, dtype=np.uint64)


def join_numbers(high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Two numbers below 2 ** 32 as one that sorts by the first, then by the second."""
    return np.asarray(high.astype(np.uint64) << _BITS | low.astype(np.uint64))


def split_numbers(joined: np.ndarray) -> Pairs:
    """What `join_numbers` joined, as rows of two."""
    return np.stack([joined >> _BITS, joined & _ITEM], axis=1).astype(np.int64)


def sort_distinct(codes: np.ndarray) -> np.ndarray:
    """The distinct codes in ascending order; faster than numpy's `unique`."""
    codes = np.sort(codes)
    return codes[np.concatenate(([True], codes[1:] != codes[:-1]))] if len(codes) else codes


_BITS = np.uint64(32)
_ITEM = np.uint64(2**32 - 1)


Judge = Callable[[Sequence[int], Sequence[int]], Iterable[str]]
"""Returns the named level of agreement of every pair of positions of items with distinct values."""


@dataclass(frozen=True, slots=True)
class Levels:
    """The level of each pair, as an index into `names`."""

    numbers: np.ndarray
    names: tuple[str, ...]

    def are(self, wanted: Sequence[str]) -> np.ndarray:
        """For each pair, whether its level is one of the given levels."""
        wished = np.array([name in wanted for name in self.names], dtype=bool)
        return np.take(wished, self.numbers)


def encode_distinct(values: Iterable[Hashable]) -> tuple[np.ndarray, list[int]]:
    """The code of every value, and for every code the position of the first item that has it."""
    codes: defaultdict[Hashable, int] = defaultdict(count().__next__)  # numbers in order of appearance
    found = np.array([codes[value] for value in values], dtype=np.int64)
    new = np.diff(np.maximum.accumulate(found), prepend=-1) > 0 if len(found) else found
    return found, np.flatnonzero(new).tolist()


def renumber_pairs(pairs: np.ndarray) -> tuple[list[int], np.ndarray]:
    """The items that occur in some pairs, ascending, and the pairs by their places in that list."""
    if not len(pairs):
        return [], pairs
    is_used = np.zeros(int(pairs.max()) + 1, dtype=bool)
    is_used[pairs] = True
    places = np.cumsum(is_used) - 1
    return np.flatnonzero(is_used).tolist(), places[pairs]


def judge_pairs(codes: np.ndarray, firsts: Sequence[int], pairs: np.ndarray, judge: Judge) -> Levels:
    """The level of every pair (a row of two positions); `judge` must be symmetric.

    It is called with positions of items that have the values, once for each unordered pair of values.
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


def weigh_levels(levels: Levels, weights: Sequence[float]) -> np.ndarray:
    """The weight of every pair's level."""
    return np.take(np.asarray(weights, dtype=np.float64), levels.numbers)


def sum_agreement(codes: Sequence[np.ndarray], tables: Sequence[Sequence[Sequence[float]]]) -> np.ndarray:
    """For every two items, the sum over fields of the table entry for their two values.

    `codes[f]` has the code of every item's value of field f, `tables[f]` a row and a column for each code.
    """
    n_items = len(codes[0]) if codes else 0
    total = np.zeros((n_items, n_items))
    for code, table in zip(codes, tables, strict=True):
        worth = np.asarray(table, dtype=np.float64).reshape(len(table), len(table))
        total += worth[code[:, None], code[None, :]]
    return total


def to_array(numbers: Iterable[int]) -> np.ndarray:
    return np.fromiter(numbers, dtype=np.int64)


def sort_strongest_first(pairs: np.ndarray, scores: np.ndarray) -> list[tuple[float, int, int]]:
    """(score, one, other) by falling score, then by position."""
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -scores))
    return list(zip(scores[order].tolist(), pairs[order, 0].tolist(), pairs[order, 1].tolist(), strict=True))
