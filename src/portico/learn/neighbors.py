"""Pairs of items that share a key and stand near each other in it: blocking with sorted neighbors."""

from collections.abc import Sequence

import numpy as np


def neighbor_pairs(keys: Sequence[int], items: Sequence[int], *, window: int) -> list[tuple[int, int]]:
    """Every pair of different items within `window` places of each other under some key.

    `keys[k]` is a key of item `items[k]`. Under each key the items stand in ascending order, so who
    wants likely pairs near each other numbers the items that way. Pairs come once, smaller item
    first, in ascending order. A key of n items costs at most n * window pairs, however large n is.
    """
    key, item = np.asarray(keys, dtype=np.int64), np.asarray(items, dtype=np.int64)
    if not len(key):
        return []
    order = np.lexsort((item, key))
    key, item = key[order], item[order]
    n_items = int(item.max()) + 1
    found: list[np.ndarray] = []
    for step in range(1, window + 1):
        together = (key[step:] == key[:-step]) & (item[step:] != item[:-step])
        if not (key[step:] == key[:-step]).any():
            break
        found.append(np.unique(item[:-step][together] * n_items + item[step:][together]))
    pairs = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
    return list(zip((pairs // n_items).tolist(), (pairs % n_items).tolist(), strict=True))
