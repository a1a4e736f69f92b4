"""Groups of items by average link: two groups join while their members agree on the whole."""

from collections.abc import Sequence

import numpy as np

Scores = np.ndarray
"""A row and a column for each item."""


def average_link(scores: Scores, sizes: Sequence[int]) -> list[int]:
    """The group number of every item, numbered by first member.

    `scores[i, j]` (symmetric) is the log-odds that items i and j are one; the most agreeing groups
    join first and as long as their mean score is above 0. `sizes` says how many equal things an
    item stands for. Ties go to the first item, so that the result is the same everywhere.
    """
    n_items = len(sizes)
    table = np.array(scores, dtype=np.float64).reshape(n_items, n_items)
    np.fill_diagonal(table, -np.inf)
    weight = np.asarray(sizes, dtype=np.float64).copy()
    home = np.arange(n_items)
    for _ in range(n_items - 1):
        one, other = divmod(int(table.argmax()), n_items)
        if not table[one, other] > 0:
            break
        joined = (table[one] * weight[one] + table[other] * weight[other]) / (weight[one] + weight[other])
        table[one], table[:, one] = joined, joined
        table[other], table[:, other] = -np.inf, -np.inf
        table[one, one] = -np.inf
        weight[one] += weight[other]
        home[home == other] = one
    numbers = {group: number for number, group in enumerate(dict.fromkeys(home.tolist()))}
    return [numbers[group] for group in home.tolist()]
