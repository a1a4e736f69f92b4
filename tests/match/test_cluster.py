"""Clusters from scores: who joins, and who must not."""

import pytest

from portico.match.clustering import cluster_mentions


def check(scores: dict[tuple[int, int], float], n: int, anchors: tuple[int, ...] = ()) -> list[list[int]]:
    def score(one: int, other: int) -> float:
        return scores.get((min(one, other), max(one, other)), -5.0)

    edges = sorted(((odds, *pair) for pair, odds in scores.items() if odds > 0), reverse=True)
    groups = cluster_mentions(edges, [(1.0,)] * n, frozenset(anchors), score)
    return [group.members for group in groups]


@pytest.mark.parametrize(
    ("scores", "n", "anchors", "groups"),
    [
        ({}, 2, (), [[0], [1]]),
        ({(0, 1): 2.0}, 3, (), [[0, 1], [2]]),
        ({(0, 1): 4.0, (1, 2): 2.0}, 3, (), [[0, 1], [2]]),  # a chain whose ends disagree
        ({(0, 1): 4.0, (1, 2): 2.0, (0, 2): -1.0}, 3, (), [[0, 1, 2]]),  # ends that hardly disagree
        ({(0, 1): 2.0}, 2, (0, 1), [[0], [1]]),  # two held papers, not strongly the same
        ({(0, 1): 5.0}, 2, (0, 1), [[0, 1]]),  # two versions of one
        ({(0, 2): 4.0, (1, 2): 3.9}, 3, (0, 1), [[0, 2], [1]]),  # the better of two held papers
        ({(0, 1): 4.0, (0, 2): 4.0, (1, 2): -9.0}, 3, (0,), [[0, 1, 2]]),  # two editions of a held paper
    ],
)
def test_cluster(
    scores: dict[tuple[int, int], float], n: int, anchors: tuple[int, ...], groups: list[list[int]]
) -> None:
    assert check(scores, n, anchors) == groups


def test_a_long_chain_of_lookalikes_does_not_become_one() -> None:
    chain = {(number, number + 1): 1.0 for number in range(100)}
    assert max(map(len, check(chain, 101))) <= 2
