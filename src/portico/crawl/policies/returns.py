"""What following a link would bring on a mapped site: the values a spider learns to foresee."""

from collections import deque
from collections.abc import Sequence, Set
from dataclasses import dataclass

Children = Sequence[Sequence[int]]
"""For every address, by number, the addresses its page links to; address 0 is the start."""

# With a discount of a half the tenth request adds at most 0.001 to a sum: no bin notices.
MAX_STEPS = 10

# How far below a link its rate is looked for, in clicks, and among how many addresses: further away
# there is always a shorter way from somewhere else, and the time stays linear in the number of links.
MAX_CLICKS = 4
MAX_ADDRESSES = 500


def compute_discounted_sums(
    children: Children, targets: Set[int], *, discount: float = 0.5, single: bool = False
) -> list[float]:
    """Q of the link to each address: reward now, and later reward times the discount for each request.

    The policy is the near-optimal one: it knows only what the link leads to, and always goes to the
    closest reward. `single` ends the search with the first reward. Linear in the number of links.
    """
    if discount == 0.0:
        return [float(address in targets) for address in range(len(children))]
    nearest = _nearest_targets(children, targets, limit=1 if single else MAX_STEPS)
    return [
        _roll_out(address, nearest, discount=discount, n_rewards=1 if single else MAX_STEPS)
        for address in range(len(children))
    ]


def compute_best_rates(children: Children, targets: Set[int]) -> list[float]:
    """The best share of targets among the requests that a link can be the first of.

    Of all parts of the tree of links below it that begin with the link itself, the one with the most
    targets a request: a target has 1, a page with k of them k/(k+1). Following the link of the best
    rate first is optimal on a tree (it is the index of a branching bandit, Weiss 1988). What the
    start links to is known anyway and is nobody's merit.
    """
    known = {0, *children[0]} if children else set()
    return [_rate(address, children, targets, known) for address in range(len(children))]


@dataclass(frozen=True, slots=True)
class _Path:
    """The way from an address to a target: how many clicks, and where the first one goes."""

    n_clicks: int
    via: int


def _nearest_targets(children: Children, targets: Set[int], *, limit: int) -> list[dict[int, _Path]]:
    """For each address the nearest targets, at most `limit`, nearest first: one search for all addresses."""
    parents: list[list[int]] = [[] for _ in children]
    for address, leads_to in enumerate(children):
        for child in leads_to:
            parents[child].append(address)
    nearest: list[dict[int, _Path]] = [{} for _ in children]
    queue = deque((target, target, _Path(0, target)) for target in sorted(targets))
    while queue:
        address, target, path = queue.popleft()
        here = nearest[address]
        if target in here or len(here) >= limit:
            continue
        here[target] = path
        step = _Path(path.n_clicks + 1, address)
        queue.extend((parent, target, step) for parent in parents[address])
    return nearest


def _roll_out(first: int, nearest: Sequence[dict[int, _Path]], *, discount: float, n_rewards: int) -> float:
    visited: dict[int, None] = {}  # in order, so that ties are broken the same way every time
    found: set[int] = set()
    total = 0.0
    at: int | None = first
    while at is not None and len(visited) < MAX_STEPS and len(found) < n_rewards:
        if at in nearest[at] and at not in found:
            found.add(at)
            total += discount ** len(visited)
        visited[at] = None
        at = _next_step(visited, found, nearest)
    return total


def _next_step(visited: dict[int, None], found: set[int], nearest: Sequence[dict[int, _Path]]) -> int | None:
    """The first unvisited address on the way from the visited ones to the closest target not yet found."""
    best: tuple[int, int] | None = None
    for address in visited:
        # Paths are sorted: the first target not yet found is the closest from here.
        path = next((path for target, path in nearest[address].items() if target not in found), None)
        if path is not None and path.via not in visited and (best is None or path.n_clicks < best[0]):
            best = (path.n_clicks, path.via)
    return best[1] if best is not None else None


_Segment = tuple[float, float, float]
"""A part of a tree worth following as a whole: its rate, its targets, its requests."""


def _rate(link: int, children: Children, targets: Set[int], known: Set[int]) -> float:
    if not children[link]:
        return float(link in targets)
    parents = _tree_below(link, children, known)
    segments: dict[int, list[_Segment]] = {}
    for address in reversed(parents):
        below = sorted(segments.pop(address, ()), reverse=True)
        n_targets, n_requests, n_joined = float(address in targets), 1.0, 0
        while n_joined < len(below) and below[n_joined][0] > n_targets / n_requests:
            n_targets += below[n_joined][1]
            n_requests += below[n_joined][2]
            n_joined += 1
        if address == link:
            return n_targets / n_requests
        if n_targets > 0:
            best = (n_targets / n_requests, n_targets, n_requests)
            segments.setdefault(parents[address], []).extend([best, *below[n_joined:]])
    raise AssertionError("the link itself is the last of its tree")


def _tree_below(link: int, children: Children, known: Set[int]) -> dict[int, int]:
    """The parent of each address in the breadth-first tree below a link, nearest first."""
    parents = {link: link}
    clicks = {link: 0}
    for address in (queue := [link]):
        if clicks[address] >= MAX_CLICKS:
            continue
        for child in children[address]:
            if child not in parents and child not in known and len(parents) < MAX_ADDRESSES:
                parents[child] = address
                clicks[child] = clicks[address] + 1
                queue.append(child)
    return parents
