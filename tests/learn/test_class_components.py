"""Trees with more classes than leaves."""

import random

import numpy as np
import pytest

from portico.learn.class_components import divide_labels, gather_chances, grow_components, spread_rows
from portico.learn.counts import count_columns
from portico.learn.shrinkage import Tree

TREE, NODES = Tree.of_paths([("a", "x"), ("a", "y"), ("b",)])


def test_nothing_grows_unasked() -> None:
    grown = grow_components(TREE)
    assert (grown.tree, grown.owners) == (TREE, TREE.leaves)
    labels = np.eye(3)
    assert divide_labels(labels, count_columns([[0], [1], [2]], 3), TREE, grown) is labels
    assert spread_rows(labels, TREE, grown) is labels


@pytest.mark.parametrize(
    ("components", "others", "owners"),
    [(2, False, ["a/x", "a/x", "a/y", "a/y", "b", "b"]), (1, True, ["a/x", "a/y", "b", "a"])],
)
def test_classes_belong_to_nodes(components: int, others: bool, owners: list[str]) -> None:
    grown = grow_components(TREE, components=components, others=others)
    assert ["/".join(NODES[owner]) for owner in grown.owners] == owners
    new = [leaf for leaf in grown.tree.leaves if leaf not in TREE.leaves]
    assert all(grown.tree.parents[leaf] in grown.owners for leaf in new)
    assert grown.tree.parents[: len(NODES)] == TREE.parents


def test_a_leaf_of_two_subjects_is_divided_between_them() -> None:
    rng = random.Random(3)
    rows = [rng.choices(range(8), k=6) for _ in range(40)]
    rows += [rng.choices(range(6, 14), k=6) for _ in range(40)] + [[14, 15]] * 5
    labels = np.zeros((85, 3))
    labels[:80, 0] = labels[80:, 1] = 1.0
    table = divide_labels(labels, count_columns(rows, 16), TREE, grow_components(TREE, components=2))
    assert table[:, :2].sum(axis=1).tolist() == pytest.approx([1.0] * 80 + [0.0] * 5)
    first, second = table[:40, 0], table[40:80, 0]
    assert abs(first.mean() - second.mean()) > 0.9
    assert table[80:, 2].tolist() == [1.0] * 5  # too few to divide


def test_what_is_known_is_shared_and_what_is_found_gathered() -> None:
    grown = grow_components(TREE, components=2)
    known = spread_rows(np.array([[4.0], [2.0], [6.0]]), TREE, grown)
    assert known.ravel().tolist() == [2, 2, 1, 1, 3, 3]
    found = gather_chances(np.array([[0.1, 0.2, 0.1, 0.1, 0.2, 0.1, 0.2]]), grown.owners, len(NODES))
    assert found[0].tolist() == pytest.approx([0, 0, 0.3, 0.2, 0.3])  # the last column is elsewhere
