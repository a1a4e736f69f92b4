"""Hubs, authorities and PageRank on graphs small enough to work out another way."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learn.node_scores import hubs_and_authorities, pagerank

GRAPHS = st.integers(min_value=1, max_value=8).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20, unique=True),
    )
)


def test_star() -> None:
    hubs, authorities = hubs_and_authorities([(0, 2), (1, 2)], 3)
    assert hubs == pytest.approx([0.5, 0.5, 0.0])
    assert authorities == pytest.approx([0.0, 0.0, 1.0])


def test_the_paper_with_more_good_hubs_has_more_authority() -> None:
    # 0 and 1 cite 3 and 4, 2 cites 3 alone: the ratio r of their authorities solves 2r² - r - 2 = 0.
    _, authorities = hubs_and_authorities([(0, 3), (0, 4), (1, 3), (1, 4), (2, 3)], 5)
    assert authorities[3] / authorities[4] == pytest.approx((1 + 17**0.5) / 4, abs=1e-6)


@pytest.mark.parametrize(("edges", "n_nodes"), [([], 0), ([], 3)])
def test_no_edges(edges: list[tuple[int, int]], n_nodes: int) -> None:
    assert hubs_and_authorities(edges, n_nodes) == ([0.0] * n_nodes, [0.0] * n_nodes)
    assert pagerank(edges, n_nodes) == pytest.approx([1 / n_nodes] * n_nodes if n_nodes else [])


@settings(max_examples=60)
@given(GRAPHS)
def test_hits_agrees_with_the_definition(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n_nodes, edges = graph
    hubs, authorities = hubs_and_authorities(edges, n_nodes)
    expected_hubs, expected_authorities = _hits_by_definition(edges, n_nodes)
    assert hubs == pytest.approx(expected_hubs, abs=1e-4)
    assert authorities == pytest.approx(expected_authorities, abs=1e-4)
    if edges:
        assert sum(hubs) == pytest.approx(1)
        assert sum(authorities) == pytest.approx(1)


@settings(max_examples=60)
@given(GRAPHS)
def test_pagerank_is_a_fixed_point_that_sums_to_one(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n_nodes, edges = graph
    ranks = pagerank(edges, n_nodes)
    assert sum(ranks) == pytest.approx(1)
    out = [sum(source == node for source, _ in edges) for node in range(n_nodes)]
    lost = sum(rank for node, rank in enumerate(ranks) if not out[node])
    for node in range(n_nodes):
        received = sum(ranks[source] / out[source] for source, target in edges if target == node)
        assert ranks[node] == pytest.approx(0.15 / n_nodes + 0.85 * (received + lost / n_nodes), abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_scores_agree_with_exact_solutions(seed: int) -> None:
    """To 1e-6, with the leading singular vectors and with a system of linear equations."""
    chance, n_nodes = random.Random(seed), 200
    edges = sorted({(chance.randrange(n_nodes), int(n_nodes * chance.random() ** 2)) for _ in range(2_000)})
    links = np.zeros((n_nodes, n_nodes))
    links[tuple(zip(*edges, strict=True))] = 1.0
    left, _, right = np.linalg.svd(links)
    for found, vector in zip(hubs_and_authorities(edges, n_nodes), (left[:, 0], right[0]), strict=True):
        assert found == pytest.approx(np.abs(vector) / np.abs(vector).sum(), abs=1e-6)
    out = links.sum(axis=1, keepdims=True)
    steps = np.where(out > 0, links / np.maximum(out, 1), 1 / n_nodes)
    exact = np.linalg.solve(np.eye(n_nodes) - 0.85 * steps.T, np.full(n_nodes, 0.15 / n_nodes))
    assert pagerank(edges, n_nodes) == pytest.approx(exact, abs=1e-6)


def test_the_order_of_edges_changes_nothing() -> None:
    edges = [(0, 1), (2, 1), (2, 3), (4, 3), (4, 1)]
    assert hubs_and_authorities(edges, 5) == hubs_and_authorities(edges[::-1], 5)


def _hits_by_definition(edges: list[tuple[int, int]], n_nodes: int) -> tuple[list[float], list[float]]:
    """Kleinberg's two rules, written out in loops."""
    hubs = [1.0] * n_nodes
    authorities = [0.0] * n_nodes
    for _ in range(400 if edges else 0):
        authorities = _shares([sum(hubs[a] for a, b in edges if b == node) for node in range(n_nodes)])
        hubs = _shares([sum(authorities[b] for a, b in edges if a == node) for node in range(n_nodes)])
    authorities = _shares([sum(hubs[a] for a, b in edges if b == node) for node in range(n_nodes)])
    return (hubs, authorities) if edges else ([0.0] * n_nodes, [0.0] * n_nodes)


def _shares(scores: list[float]) -> list[float]:
    total = sum(scores)
    return [score / total for score in scores] if total else scores
