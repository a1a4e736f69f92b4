"""A queue that learns: families of items rise and fall with what their members bring."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.learn.adaptive_queue import AdaptiveQueue


def test_best_first_and_first_among_equals() -> None:
    queue = AdaptiveQueue(1.0, trust=2.0)
    queue.add([0.0, 2.0, 0.0], [["a"], ["b"], ["c"]])
    assert queue.take(2) == [1, 0]
    assert queue.take(2) == [2]
    assert queue.take(1) == []


def test_disappointment_lowers_the_family_and_nobody_else() -> None:
    queue = AdaptiveQueue(1.0, trust=1.0)
    queue.add([1.0, 0.9, 0.5], [["left"], ["left"], ["right"]])
    (first,) = queue.take(1)
    before = queue.chances([1, 2])
    queue.learn(first, 0.0)
    after = queue.chances([1, 2])
    assert after[0] < before[0]
    assert after[1] == before[1]
    assert queue.take(1) == [2]


def test_reward_above_what_was_foreseen_raises_the_family() -> None:
    queue = AdaptiveQueue(1.0, trust=1.0)
    queue.add([-0.4, -0.7, -0.5], [["left"], ["left"], ["right"]])
    (first,) = queue.take(1)
    queue.learn(first, 1.0)
    assert queue.take(2) == [1, 2]


def test_without_weights_nothing_moves() -> None:
    queue = AdaptiveQueue(0.0, trust=1.0)
    queue.add([0.0, 0.0], [["a"], ["a"]])
    queue.learn(0, 1.0)
    assert queue.chances([1]) == [0.5]


@given(st.lists(st.lists(st.floats(-5, 5), max_size=300), max_size=9))
def test_everything_added_is_taken_once(blocks: list[list[float]]) -> None:
    queue = AdaptiveQueue(0.5, trust=1.0)
    for idx, block in enumerate(blocks):
        queue.add(block, [[f"block {idx}", f"row {row}"] for row in range(len(block))])
    n_items = sum(map(len, blocks))
    assert len(queue) == n_items
    assert sorted(queue.take(n_items)) == list(range(n_items))
    assert queue.chances([]) == []


def test_rewards_as_foreseen_change_nothing() -> None:
    queue = AdaptiveQueue(1.0, trust=1.0)
    queue.add([0.0] * 3, [["a"]] * 3)
    for item in queue.take(2):
        queue.learn(item, 0.5)
    assert queue.chances([2]) == pytest.approx([0.5])
