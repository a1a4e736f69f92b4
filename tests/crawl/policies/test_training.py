"""Values of links on small maps that can be checked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.crawl.policies.training import compute_best_rates, compute_discounted_sums

#   0 ─┬─ 1 ── 2 ─┬─ 3*      4 is a dead end, 5 leads to one target, 7 to page 2
#      ├─ 4       ├─ 6*
#      ├─ 5 ── 8* └─ 9
#      └─ 7 ── 2
CHILDREN = [[1, 4, 5, 7], [2], [3, 6, 9], [], [], [8], [], [2], [], []]
TARGETS = frozenset({3, 6, 8})


@pytest.mark.parametrize(
    ("link", "value"),
    [
        (3, 1.0),
        (4, 0.0),
        (5, 0.5),  # 0 1
        (2, 0.75),  # 0 1 1
        (1, 0.375),  # 0 0 1 1
        (0, 0.25 + 0.5**5 + 0.5**6),  # home, 5, 8; then 1, 2, 3, 6: 0 0 1 0 0 1 1
    ],
)
def test_discounted_sum(link: int, value: float) -> None:
    assert compute_discounted_sums(CHILDREN, TARGETS)[link] == pytest.approx(value)


@pytest.mark.parametrize(("link", "value"), [(3, 1.0), (2, 0.5), (1, 0.25), (0, 0.25), (4, 0.0)])
def test_single_goal_counts_its_distance(link: int, value: float) -> None:
    assert compute_discounted_sums(CHILDREN, TARGETS, single=True)[link] == value


def test_without_future_only_targets_count() -> None:
    assert compute_discounted_sums(CHILDREN, TARGETS, discount=0.0) == [
        float(link in TARGETS) for link in range(10)
    ]


@pytest.mark.parametrize(
    ("link", "rate"),
    [(3, 1.0), (4, 0.0), (5, 1 / 2), (2, 2 / 3), (1, 2 / 4), (7, 2 / 4)],
)
def test_best_rate(link: int, rate: float) -> None:
    assert compute_best_rates(CHILDREN, TARGETS)[link] == pytest.approx(rate)


def test_a_poor_part_does_not_dilute_a_rich_one() -> None:
    # 1 has two targets itself, and below 4 there is one more, three requests away.
    children = [[1], [2, 3, 4], [], [], [5], [6], []]
    assert compute_best_rates(children, {2, 3, 6})[1] == pytest.approx(2 / 3)


def test_what_the_start_links_to_is_nobody_s_merit() -> None:
    children = [[1, 2], [2], []]
    assert compute_best_rates(children, {2}) == [pytest.approx(0.0), 0.0, 1.0]


graphs = st.integers(2, 9).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(st.integers(0, n - 1), max_size=4, unique=True), min_size=n, max_size=n),
        st.sets(st.integers(1, n - 1)),
    )
)


@given(graphs)
def test_values_stay_within_their_bounds(graph: tuple[list[list[int]], set[int]]) -> None:
    children, targets = graph
    for link, (total, rate) in enumerate(
        zip(compute_discounted_sums(children, targets), compute_best_rates(children, targets), strict=True)
    ):
        assert 0.0 <= rate <= 1.0
        assert 0.0 <= total < 2.0
        assert (total >= 1.0) == (link in targets)
        assert total >= rate * 0.5**10


@given(graphs)
def test_first_reward_is_the_closest(graph: tuple[list[list[int]], set[int]]) -> None:
    children, targets = graph
    single = compute_discounted_sums(children, targets, single=True)
    for link, value in enumerate(single):
        better = max((single[child] for child in children[link]), default=0.0)
        assert value == (1.0 if link in targets else better / 2)


def greedy_sums(children: list[list[int]], targets: set[int], first: int) -> set[float]:
    """What the papers describe, literally: every way to choose among equally close targets and paths."""

    def paths(visited: frozenset[int], missing: frozenset[int]) -> list[tuple[int, ...]]:
        """All shortest ways from the fringe of the visited pages to a missing target."""
        level: list[tuple[int, ...]] = [
            (child,) for page in visited for child in children[page] if child not in visited
        ]
        seen = set(visited)
        while level:
            if arrived := [path for path in level if path[-1] in missing]:
                return list(dict.fromkeys(arrived))
            seen.update(path[-1] for path in level)
            level = [(*path, child) for path in level for child in children[path[-1]] if child not in seen]
        return []

    def totals(visited: frozenset[int], missing: frozenset[int], n_requests: int) -> set[float]:
        found = {
            reward + rest
            for path in paths(visited, missing)
            for reward in [0.5 ** (n_requests + len(path) - 1)]
            for rest in totals(visited | set(path), missing - {path[-1]}, n_requests + len(path))
        }
        return found or {0.0}

    here = 1.0 if first in targets else 0.0
    return {here + rest for rest in totals(frozenset({first}), frozenset(targets - {first}), 1)}


small_graphs = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(st.integers(0, n - 1), max_size=3, unique=True), min_size=n, max_size=n),
        st.sets(st.integers(1, n - 1), max_size=4),
    )
)


@given(small_graphs)
def test_roll_outs_are_one_of_the_greedy_ones(graph: tuple[list[list[int]], set[int]]) -> None:
    children, targets = graph
    for first, total in enumerate(compute_discounted_sums(children, targets)):
        assert any(total == pytest.approx(one) for one in greedy_sums(children, targets, first))


@pytest.mark.parametrize("single", [True, False])
def test_work_grows_with_the_links_alone(single: bool) -> None:
    # A chain of lists of targets, far too long for a search from every link: this ends at once or never.
    n_pages = 4_000
    children: list[list[int]] = [[page + 1] for page in range(n_pages)] + [[]]
    targets = set(range(50, n_pages, 50))
    values = compute_discounted_sums(children, targets, single=single)
    assert values[49] == pytest.approx(0.5, abs=0.001)
    assert values[50] == pytest.approx(1.0, abs=0.001)
