"""Finds pairs of items with shared keys, for more items than fit into memory.

Keys and pairs are kept in files, partitioned by their leading bits: each part is sorted separately, and the
parts in sequence are sorted as a whole.
"""

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from portico.learn.candidate_pairs import (
    Pairs,
    join_numbers,
    pair_sorted,
    sort_distinct,
    split_numbers,
)

N_PARTS = 64
WAITING = 1_000_000  # numbers in memory that wait to be written
PAIRS_AT_ONCE = 500_000


class NumberParts:
    """64-bit numbers in files, in ascending parts; at most `n_bits` bits of a number are used."""

    def __init__(self, folder: Path, name: str, *, n_bits: int) -> None:
        self._paths = [folder / f"{name}-{part}" for part in range(N_PARTS)]
        self._shift = np.uint64(max(n_bits - N_PARTS.bit_length() + 1, 0))

    def add(self, numbers: np.ndarray) -> None:
        ordered = np.sort(numbers)
        ends = np.searchsorted(ordered >> self._shift, np.arange(N_PARTS + 1, dtype=np.uint64))
        for path, start, stop in zip(self._paths, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            if stop > start:
                with path.open("ab") as file:
                    ordered[start:stop].tofile(file)

    def parts(self) -> Iterator[np.ndarray]:
        """The numbers of each part, sorted, each once."""
        for path in self._paths:
            if path.exists():
                yield sort_distinct(np.fromfile(path, dtype=np.uint64))


class KeyedItems:
    """Which items have which keys; both are numbers below 2 ** 32, and items are added in ascending order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parts = NumberParts(folder, "keys", n_bits=64)
        self._keys, self._items = array("Q"), array("Q")
        self._n_items = 0

    def add(self, keys: Sequence[int], item: int) -> None:
        self._keys.extend(keys)
        self._items.extend([item] * len(keys))
        self._n_items = item + 1
        if len(self._keys) >= WAITING:
            self._write()

    def rows(self) -> Iterator[tuple[int, int]]:
        """Key and item, ascending."""
        self._write()
        for part in self._parts.parts():
            for start in range(0, len(part), PAIRS_AT_ONCE):
                yield from map(tuple, split_numbers(part[start : start + PAIRS_AT_ONCE]).tolist())

    def pairs(self, *, window: int) -> Iterator[Pairs]:
        """The pairs of `candidate_pairs.pair_neighbors`, ascending, this many at a time."""
        self._write()
        n_bits = 32 + max(self._n_items, 1).bit_length()
        found = NumberParts(self._folder, "pairs", n_bits=n_bits)
        for part in self._parts.parts():
            found.add(pair_sorted(part, window=window))
        for part in found.parts():
            for start in range(0, len(part), PAIRS_AT_ONCE):
                yield split_numbers(part[start : start + PAIRS_AT_ONCE])

    def _write(self) -> None:
        if self._keys:
            keys, items = (np.frombuffer(each, dtype=np.uint64) for each in (self._keys, self._items))
            self._parts.add(join_numbers(keys, items))
            self._keys, self._items = array("Q"), array("Q")


def renumber_pairs(pairs: Pairs) -> tuple[list[int], Pairs]:
    """The items of these pairs, ascending, and the pairs as positions in that list."""
    items, places = np.unique(pairs, return_inverse=True)
    return items.tolist(), places.reshape(-1, 2)


class ScoredEdges:
    """Edges between items with a score each: sixteen bytes per edge."""

    def __init__(self) -> None:
        self._scores, self._ones, self._others = array("d"), array("I"), array("I")

    def __len__(self) -> int:
        return len(self._scores)

    def add(self, score: float, one: int, other: int) -> None:
        self._scores.append(score)
        self._ones.append(one)
        self._others.append(other)

    def rows(self) -> Iterator[tuple[float, int, int]]:
        """Score and ends, by the ends."""
        ones, others = self._ends()
        order = np.argsort(join_numbers(ones, others))
        yield from self._list_rows(order)

    def divide(
        self, weights: Sequence[int], joined: Sequence[tuple[int, int]], *, at_once: int
    ) -> "DividedEdges":
        """The items in parts of about this weight each, such that no edge or further pair leaves a part."""
        ones, others = self._ends()
        more = np.asarray(joined, dtype=np.uint32).reshape(-1, 2)
        starts, stops = np.concatenate([ones, more[:, 0]]), np.concatenate([others, more[:, 1]])
        links = sparse.coo_array(
            (np.ones(len(starts), dtype=np.int8), (starts, stops)), shape=(len(weights), len(weights))
        )
        _, home = connected_components(links, directed=False)
        sizes = np.bincount(home, weights=np.asarray(weights, dtype=np.float64))
        part_of = np.asarray(((np.cumsum(sizes) - sizes) // at_once).astype(np.int32)[home])
        return DividedEdges(self, part_of, part_of[ones])

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        return np.frombuffer(self._ones, dtype=np.uint32), np.frombuffer(self._others, dtype=np.uint32)

    def _list_rows(self, order: np.ndarray) -> Iterator[tuple[float, int, int]]:
        ones, others = self._ends()
        scores = np.frombuffer(self._scores, dtype=np.float64)
        for start in range(0, len(order), PAIRS_AT_ONCE):
            wanted = order[start : start + PAIRS_AT_ONCE]
            columns = (each[wanted].tolist() for each in (scores, ones, others))
            yield from zip(*columns, strict=True)

    def strongest_first(self, wanted: np.ndarray) -> list[tuple[float, int, int]]:
        """The edges at these positions, by falling score, then by their ends."""
        ones, others = self._ends()
        scores = np.frombuffer(self._scores, dtype=np.float64)
        order = np.lexsort((others[wanted], ones[wanted], -scores[wanted]))
        return list(self._list_rows(wanted[order]))


class DividedEdges:
    """The part of every item, and the edges part by part."""

    def __init__(self, edges: ScoredEdges, part_of: np.ndarray, part_of_edge: np.ndarray) -> None:
        self._edges = edges
        self._part_of = part_of
        self._order = np.argsort(part_of_edge, kind="stable")
        self._ends = np.searchsorted(part_of_edge[self._order], np.arange(self.n_parts + 1))

    @property
    def n_parts(self) -> int:
        return int(self._part_of.max()) + 1 if len(self._part_of) else 0

    def parts(self) -> Iterator[int]:
        """The part of every item, in their order."""
        for start in range(0, len(self._part_of), PAIRS_AT_ONCE):
            yield from self._part_of[start : start + PAIRS_AT_ONCE].tolist()

    def edges_of(self, part: int) -> list[tuple[float, int, int]]:
        """The edges of a part, the strongest first."""
        return self._edges.strongest_first(self._order[self._ends[part] : self._ends[part + 1]])
