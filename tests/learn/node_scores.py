"""Scores of small graphs as shares of one, as the literature defines them."""

from collections.abc import Sequence

import numpy as np

from portico.learn.ranked_graph import score_nodes


def hubs_and_authorities(edges: Sequence[tuple[int, int]], n_nodes: int) -> tuple[list[float], list[float]]:
    _, authorities, hubs, _ = _shares(edges, n_nodes)
    return hubs, authorities


def pagerank(edges: Sequence[tuple[int, int]], n_nodes: int) -> list[float]:
    return _shares(edges, n_nodes)[3]


def _shares(edges: Sequence[tuple[int, int]], n_nodes: int) -> list[list[float]]:
    ends = np.array(sorted(edges), dtype=np.int32).reshape(-1, 2)
    columns: list[list[float]] = (score_nodes(ends, n_nodes, digits=15) / max(n_nodes, 1)).T.tolist()
    return columns
