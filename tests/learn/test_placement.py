"""Where documents settle in a tree."""

import numpy as np
import pytest

from portico.learn.shrinkage import PlacementThresholds, Tree, settle_rows

TREE, NODES = Tree.of_paths([("a", "m", "x"), ("a", "m", "y"), ("a", "z"), ("b", "v"), ("b", "w")])


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ([0.7, 0.1, 0.1, 0.1, 0.0], [("a/m/x", 0.7)]),
        ([0.3, 0.0, 0.0, 0.6, 0.0], [("b/v", 0.6), ("a/m/x", 0.3)]),
        ([0.24, 0.24, 0.1, 0.2, 0.0], [("a/m", 0.48)]),
        ([0.2, 0.1, 0.24, 0.1, 0.0], [("a", 0.54)]),
        ([0.2, 0.0, 0.0, 0.2, 0.2], [("b", 0.4)]),
        ([0.1, 0.1, 0.1, 0.1, 0.1], []),
        ([0.25, 0.25, 0.25, 0.25, 0.0], [("a/m/x", 0.25), ("a/m/y", 0.25), ("a/z", 0.25), ("b/v", 0.25)]),
    ],
)
def test_settle(chances: list[float], expected: list[tuple[str, float]]) -> None:
    table = np.zeros((1, len(NODES)))
    table[0, list(TREE.leaves)] = chances
    (places,) = settle_rows(table, TREE, PlacementThresholds(leaf=0.25, inner=0.4))
    found = [("/".join(NODES[node]), chance) for node, chance in places]
    assert [path for path, _ in found] == [path for path, _ in expected]
    assert [chance for _, chance in found] == pytest.approx([chance for _, chance in expected])


def test_a_tree_of_leaves_alone_has_no_inner_place() -> None:
    tree, _ = Tree.of_paths([("a",), ("b",)])
    assert settle_rows(np.array([[0.0, 0.2, 0.2]]), tree, PlacementThresholds(leaf=0.25, inner=0.3)) == [[]]


def test_a_document_is_at_an_inner_node_only_where_no_leaf_is_likely_enough() -> None:
    table = np.zeros((2, len(NODES)))
    table[0, [NODES.index(("a",)), NODES.index(("a", "z"))]] = 0.5, 0.3
    table[1, [NODES.index(("a",)), NODES.index(("a", "z")), NODES.index(("b", "v"))]] = 0.2, 0.24, 0.1
    at_leaf, below = settle_rows(table, TREE, PlacementThresholds(leaf=0.25, inner=0.4))
    assert [NODES[node] for node, _ in at_leaf] == [("a", "z")]
    assert [(NODES[node], round(chance, 2)) for node, chance in below] == [(("a",), 0.44)]
