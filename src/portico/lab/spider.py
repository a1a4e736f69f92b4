"""Spiders on mapped sites: in which order each policy would follow the links."""

import heapq
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count

from portico.lab.webs import SiteGraph

Order = list[int]
"""Addresses in the order they are requested, the start left out."""

Policy = Callable[[SiteGraph], Order]


def breadth_first(graph: SiteGraph) -> Order:
    """Links in the order they are found: so are the addresses of a graph numbered."""
    return list(range(1, len(graph.urls)))


def optimal(graph: SiteGraph) -> Order:
    """Knows the whole graph, and always goes to the nearest target not yet found; the rest is left."""
    order: Order = []
    visited = {0}
    missing = set(graph.targets)
    while missing:
        path = _way_to_nearest(graph, visited, missing)
        for address in path:
            visited.add(address)
            order.append(address)
            missing.discard(address)
        if graph.any_target or not path:
            break
        # Further targets on a page that is known are one request away: no search is needed.
        for address in path:
            beside = [child for child in dict.fromkeys(graph.children[address]) if child in missing]
            visited.update(beside)
            order.extend(beside)
            missing.difference_update(beside)
    return order


Likelihood = Sequence[float]


class Pooled:
    """Values of links from the words of all the pages they were seen on so far."""

    def __init__(
        self,
        of_pages: Sequence[Likelihood],
        of_sightings: Sequence[Sequence[Likelihood]],
        value: Callable[[Likelihood], float],
    ) -> None:
        self._of_pages = of_pages
        self._of_sightings = of_sightings
        self._value = value

    def __call__(self, graph: SiteGraph) -> Order:
        """Always the link of the highest value; among equals the one that was valued first."""
        known: dict[int, list[float]] = {}
        values: dict[int, float] = {}
        queue: list[tuple[float, int, int]] = []
        ticket = count()
        visited = {0}
        order: Order = []
        page = 0
        while True:
            for child, own in zip(graph.children[page], self._of_sightings[page], strict=True):
                if child in visited:
                    continue
                shared = self._of_pages[page]
                before = known.get(child, [0.0] * len(own))
                known[child] = [sum(parts) for parts in zip(before, own, shared, strict=True)]
                values[child] = self._value(known[child])
                heapq.heappush(queue, (-values[child], next(ticket), child))
            while queue and (queue[0][2] in visited or -queue[0][0] != values[queue[0][2]]):
                heapq.heappop(queue)  # followed, or valued anew since
            if not queue:
                return order
            page = heapq.heappop(queue)[2]
            visited.add(page)
            order.append(page)


def _way_to_nearest(graph: SiteGraph, visited: set[int], missing: set[int]) -> list[int]:
    """The addresses to request, in order, to get from the visited pages to the nearest missing target."""
    came_from: dict[int, int] = {}
    queue = deque(sorted(visited))
    while queue:
        address = queue.popleft()
        for child in graph.children[address]:
            if child in visited or child in came_from:
                continue
            came_from[child] = address
            if child in missing:
                path = [child]
                while (before := came_from[path[-1]]) not in visited:
                    path.append(before)
                return path[::-1]
            queue.append(child)
    return []
