"""Word probabilities in a tree: by hand on tiny trees, and what must hold on any."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.learn.shrinkage import ROOT_SMOOTHING, Mixture, Tree, fit_mixture, interpolate, smooth_dirichlet

PATHS = [("a", "x"), ("a", "y"), ("b",)]
TREE, NODES = Tree.of_paths(PATHS)

tables = st.lists(st.lists(st.integers(0, 50), min_size=4, max_size=4), min_size=3, max_size=3).map(
    lambda rows: np.array(rows, dtype=np.float64)
)


def test_tree_of_paths() -> None:
    assert NODES == ((), ("a",), ("a", "x"), ("a", "y"), ("b",))
    assert TREE.parents == (0, 0, 1, 1, 0)
    assert TREE.leaves == (2, 3, 4)
    assert TREE.above(3) == (3, 1, 0)


def test_nodes_hold_what_is_under_them() -> None:
    table = TREE.add_up(np.array([[1.0], [2.0], [4.0]]))
    assert table.ravel().tolist() == [7, 3, 1, 2, 4]


def test_dirichlet_by_hand() -> None:
    counts = np.array([[8.0, 0.0], [0.0, 0.0], [0.0, 8.0]])
    found = np.exp(smooth_dirichlet(counts, TREE, strength=8.0))
    root = (8 + ROOT_SMOOTHING) / (16 + 2 * ROOT_SMOOTHING)
    node_a = (8 + 8 * root) / 16
    assert found[0, 0] == pytest.approx((8 + 8 * node_a) / 16)
    assert found[1, 0] == pytest.approx(node_a)  # nothing of its own: what its parent says
    assert found[2, 0] == pytest.approx((0 + 8 * root) / 16)


@given(tables, st.floats(0.1, 1e4))
def test_dirichlet_gives_distributions(counts: np.ndarray, strength: float) -> None:
    found = np.exp(smooth_dirichlet(counts, TREE, strength=strength))
    assert found.sum(axis=1).tolist() == pytest.approx([1.0] * 3)
    assert (found > 0).all()


@given(tables, tables)
def test_mixtures_are_distributions(seen: np.ndarray, held_out: np.ndarray) -> None:
    mixture = fit_mixture(seen, held_out, TREE)
    assert [len(weights) for weights in mixture.weights] == [4, 4, 3]
    assert [weights.sum() for weights in mixture.weights] == pytest.approx([1.0] * 3)
    found = np.exp(interpolate(seen, TREE, mixture))
    assert found.sum(axis=1).tolist() == pytest.approx([1.0] * 3)


def test_held_out_words_choose_the_layer() -> None:
    seen = np.array([[50.0, 0.0, 0.0, 0.0], [0.0, 50.0, 0.0, 0.0], [0.0, 0.0, 50.0, 0.0]])
    like_the_leaf, like_the_parent, like_nothing = [60, 0, 0, 0], [30, 30, 0, 0], [0, 0, 0, 60]
    weights = [
        fit_mixture(seen, np.array([row, [0] * 4, [0] * 4], dtype=np.float64), TREE).weights[0]
        for row in (like_the_leaf, like_the_parent, like_nothing)
    ]
    assert [int(found.argmax()) for found in weights] == [0, 1, 3]


def test_interpolation_by_hand() -> None:
    counts = np.array([[4.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    even = Mixture(tuple(np.full(size, 1 / size) for size in (4, 4, 3)))
    found = np.exp(interpolate(counts, TREE, even))
    assert found[0, 0] == pytest.approx((1 + 0.5 + 0.5 + 0.5) / 4)  # leaf, parent, root, uniform
