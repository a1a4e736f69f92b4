"""Pairs of items that share a key and stand near each other in it: blocking with sorted neighbors."""

from collections.abc import Sequence

import numpy as np

Pairs = np.ndarray
"""Rows of two positions."""


def as_pairs(rows: Sequence[tuple[int, int]]) -> Pairs:
    return np.asarray(rows, dtype=np.int64).reshape(-1, 2)


def neighbor_pairs(keys: Sequence[int], items: Sequence[int], *, window: int) -> Pairs:
    """Every pair of different items within `window` places of each other under some key.

    `keys[k]` is a key of item `items[k]`. Under each key the items stand in ascending order, so who
    wants likely pairs near each other numbers the items that way. Pairs are rows of two, each once,
    smaller item first, in ascending order. A key of n items costs at most n * window pairs, however
    large n is.
    """
    key, item = np.asarray(keys, dtype=np.int64), np.asarray(items, dtype=np.int64)
    if not len(key):
        return np.empty((0, 2), dtype=np.int64)
    order = np.lexsort((item, key))
    key, item = key[order], item[order]
    n_items = int(item.max()) + 1
    found: list[np.ndarray] = []
    for step in range(1, window + 1):
        together = key[step:] == key[:-step]
        if not together.any():
            break
        together &= item[step:] != item[:-step]
        found.append(np.unique(item[:-step][together] * n_items + item[step:][together]))
    pairs = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
    return np.stack([pairs // n_items, pairs % n_items], axis=1)
