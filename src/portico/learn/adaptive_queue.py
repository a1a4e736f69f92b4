"""A priority queue that learns: the observed rewards of items reorder similar items."""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from portico.learn.counts import Vector

_FIRST_SIZE = 1024


class AdaptiveQueue:
    """Items with predicted log odds of reward, each in the same number of families.

    A family's correction is the logarithm of its observed over its predicted reward, after `trust` has been
    added to both. `weight` times the corrections of its families is added to an item's log odds.
    """

    def __init__(self, weight: float, *, trust: float) -> None:
        self._weight = weight
        self._trust = trust
        self._numbers: dict[str, int] = {}
        self._observed = np.zeros(_FIRST_SIZE)
        self._foreseen = np.zeros(_FIRST_SIZE)
        self._odds = np.zeros(_FIRST_SIZE)
        self._families = np.zeros((_FIRST_SIZE, 0), dtype=np.int64)
        self._n_items = 0
        self._waiting = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, odds: Sequence[float], families: Sequence[Sequence[str]]) -> range:
        """Queue items; returns their numbers, which count up from 0."""
        first, self._n_items = self._n_items, self._n_items + len(odds)
        numbers = [[self._numbers.setdefault(one, len(self._numbers)) for one in row] for row in families]
        if not numbers:
            return range(first, first)
        self._grow(n_families=len(numbers[0]))
        self._odds[first : self._n_items] = odds
        self._families[first : self._n_items] = numbers
        self._waiting = np.concatenate([self._waiting, np.arange(first, self._n_items)])
        return range(first, self._n_items)

    def chances(self, items: Sequence[int]) -> list[float]:
        """The current predictions for items, after everything learned so far."""
        chances: list[float] = expit(self._scores(np.asarray(items, dtype=np.int64))).tolist()
        return chances

    def take(self, n_items: int) -> list[int]:
        """The most promising items, best first; ties go to those added first."""
        scores = self._scores(self._waiting)
        best = np.argsort(-scores, kind="stable")[:n_items]
        taken: list[int] = self._waiting[best].tolist()
        self._waiting = np.delete(self._waiting, best)
        return taken

    def learn(self, item: int, reward: float) -> None:
        """Record the reward of an item."""
        foreseen = self.chances([item])[0]
        for family in dict.fromkeys(self._families[item].tolist()):
            self._observed[family] += reward
            self._foreseen[family] += foreseen

    def _scores(self, items: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> Vector:
        families = self._families[items]
        corrections = np.log(
            (self._observed[families] + self._trust) / (self._foreseen[families] + self._trust)
        )
        return np.asarray(self._odds[items] + self._weight * corrections.sum(axis=1))

    def _grow(self, *, n_families: int) -> None:
        if not self._families.shape[1]:
            self._families = np.zeros((len(self._odds), n_families), dtype=np.int64)
        while len(self._odds) < self._n_items:
            self._odds = np.concatenate([self._odds, np.zeros_like(self._odds)])
            self._families = np.concatenate([self._families, np.zeros_like(self._families)])
        while len(self._observed) < len(self._numbers):
            self._observed = np.concatenate([self._observed, np.zeros_like(self._observed)])
            self._foreseen = np.concatenate([self._foreseen, np.zeros_like(self._foreseen)])
