"""Groups of mentions that speak of one paper, built so that a chain of look-alikes does not join.

Pairs are taken from the most to the least certain. Two groups join only if their spokesmen agree
on the whole (average link), so that A~B and B~C do not make A and C one against the evidence. A
document we hold is an anchor: two anchors are one paper only if they are strongly the same.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

N_SPOKESMEN = 4
"""Mentions that speak for a group when it meets another; more cost time and change next to nothing."""

STRONG = 3.0
"""Log-odds, a probability of .95: what two held documents must reach to be versions of one paper.

The same title (but for a typing error) and the same authors reach it, either alone does not."""

Score = Callable[[int, int], float]


@dataclass(frozen=True, slots=True)
class Orders:
    """Pairs of positions that must be together, and pairs that must not, whatever the scores say."""

    together: tuple[tuple[int, int], ...] = ()
    apart: Mapping[int, frozenset[int]] = field(default_factory=dict)  # in both directions


NO_ORDERS = Orders()


def keep_apart(pairs: Iterable[tuple[int, int]]) -> Mapping[int, frozenset[int]]:
    """For each position of these pairs the positions that it must not be together with."""
    others: dict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        others[one].add(other)
        others[other].add(one)
    return {position: frozenset(found) for position, found in others.items()}


@dataclass(slots=True)
class Group:
    """Positions of mentions; `spokesmen` are the most telling of them, anchors first."""

    members: list[int]
    spokesmen: list[int]
    anchors: list[int]
    ordered: bool = False  # somebody joined its members by hand, so they need not agree


def cluster(
    edges: Iterable[tuple[float, int, int]],
    importance: Sequence[tuple[float, ...]],
    anchors: frozenset[int],
    score: Score,
    orders: Orders = NO_ORDERS,
) -> list[Group]:
    """All mentions in groups, ascending by smallest member.

    `edges` are (log-odds, one, other), the strongest first; `importance[position]` ranks who
    speaks for a group; `score` gives the log-odds of any pair.
    """
    groups = [
        Group([position], [position], [position] if position in anchors else [])
        for position in range(len(importance))
    ]
    home = list(range(len(importance)))

    def join(small: int, large: int) -> None:
        for position in groups[small].members:
            home[position] = large
        groups[large] = _join(groups[large], groups[small], importance)

    for one, other in orders.together:
        if home[one] != home[other] and not _are_apart(groups[home[one]], groups[home[other]], orders):
            join(home[one], home[other])
            groups[home[one]].ordered = True
    refused: set[tuple[int, int, int, int]] = set()  # two groups and their sizes: who grew may ask again
    for _, one, other in edges:
        if home[one] == home[other]:
            continue
        small, large = sorted((home[one], home[other]), key=lambda idx: (len(groups[idx].members), -idx))
        question = (small, large, len(groups[small].members), len(groups[large].members))
        if question in refused:
            continue
        if _are_apart(groups[small], groups[large], orders) or not _may_join(
            groups[small], groups[large], score
        ):
            refused.add(question)
        else:
            join(small, large)
    found = [groups[idx] for idx in sorted(set(home))]
    for group in found:
        group.members.sort()
    return sorted(found, key=lambda group: group.members[0])


def _are_apart(one: Group, other: Group, orders: Orders) -> bool:
    if not orders.apart:
        return False
    small, large = sorted((one, other), key=lambda group: len(group.members))
    return any(
        not orders.apart[position].isdisjoint(large.members)
        for position in small.members
        if position in orders.apart
    )


def _may_join(one: Group, other: Group, score: Score) -> bool:
    if one.anchors and other.anchors:
        return all(score(a, b) >= STRONG for a in one.anchors for b in other.anchors)
    # A paper's own header outweighs what others print about it: references to two editions may
    # contradict each other and still both mean the paper we hold.
    if one.anchors or other.anchors:
        anchors, guests = (one.anchors, other.spokesmen) if one.anchors else (other.anchors, one.spokesmen)
        if _mean(anchors, guests, score) >= STRONG:
            return True
    if one.ordered or other.ordered:
        ordered, guest = (one, other) if one.ordered else (other, one)
        return any(_mean([speaker], guest.spokesmen, score) > 0 for speaker in ordered.spokesmen)
    return _mean(one.spokesmen, other.spokesmen, score) > 0


def _mean(ones: Sequence[int], others: Sequence[int], score: Score) -> float:
    return sum(score(a, b) for a in ones for b in others) / (len(ones) * len(others))


def _join(one: Group, other: Group, importance: Sequence[tuple[float, ...]]) -> Group:
    speakers = sorted(one.spokesmen + other.spokesmen, key=lambda position: (importance[position], -position))
    return Group(
        members=one.members + other.members,
        spokesmen=speakers[::-1][:N_SPOKESMEN],
        anchors=one.anchors + other.anchors,
        ordered=one.ordered or other.ordered,
    )
