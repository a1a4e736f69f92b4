"""Pairs of items that share a key and stand near each other in it: blocking with sorted neighbors."""

from collections.abc import Sequence

import numpy as np

Pairs = np.ndarray
"""Rows of two positions."""


def as_pairs(rows: Sequence[tuple[int, int]]) -> Pairs:
    return np.asarray(rows, dtype=np.int64).reshape(-1, 2)


def neighbor_pairs(keys: Sequence[int], items: Sequence[int], *, window: int) -> Pairs:
    """Every pair of different items within `window` places of each other under some key.

    `keys[k]` is a key of item `items[k]`, both numbers below 2 ** 32. Under each key the items stand in
    ascending order, so who
    wants likely pairs near each other numbers the items that way. Pairs are rows of two, each once,
    smaller item first, in ascending order. A key of n items costs at most n * window pairs, however
    large n is.
    """
    if not len(keys):
        return np.empty((0, 2), dtype=np.int64)
    # Key and item in one number: sorting these takes a tenth of the time of sorting by one, then the other.
    places = np.sort(np.asarray(keys, dtype=np.uint64) << _BITS | np.asarray(items, dtype=np.uint64))
    key, item = places >> _BITS, (places & _ITEM).astype(np.int64)
    n_items = int(item.max()) + 1
    found: list[np.ndarray] = []
    for step in range(1, window + 1):
        together = key[step:] == key[:-step]
        if not together.any():
            break
        together &= item[step:] != item[:-step]
        found.append(item[:-step][together] * n_items + item[step:][together])
    codes = np.sort(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
    codes = codes[np.diff(codes, prepend=-1) > 0]  # the library's way of finding what is unique is slow
    return np.stack([codes // n_items, codes % n_items], axis=1)


_BITS = np.uint64(32)
_ITEM = np.uint64(2**32 - 1)
