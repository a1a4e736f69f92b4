"""Simulates crawls of mapped sites: the order in which a policy follows links, and how soon it succeeds."""

import heapq
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from statistics import fmean

from portico.crawl.policies.trained import (
    ADAPTIVE,
    Adaptation,
    LearnedSpider,
    LogOdds,
    make_link_scorer,
)
from portico.crawl.policies.training import SiteGraph
from portico.learn.logistic import HashedLogistic
from portico.types.page import PageLink

Order = list[int]
"""URLs in the order of their requests, without the start page."""


def walk_breadth_first(graph: SiteGraph) -> Order:
    """Links in the order they are found: so are the addresses of a graph numbered."""
    return list(range(1, len(graph.urls)))


def walk_optimally(graph: SiteGraph) -> Order:
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


class PooledWalk:
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


def walk_learned(
    site: SiteGraph, log_odds: LogOdds, adaptation: Adaptation = ADAPTIVE, *, judges: bool = True
) -> Order:
    """The order in which our spider follows a site's links, learning as it goes.

    With `judges` it is told which documents are targets, otherwise only which files are documents.
    """
    rewarded = site.targets if judges else site.targets | site.documents
    spider = LearnedSpider(log_odds, adaptation)
    numbers = {url: number for number, url in enumerate(site.urls)}
    spider.offer(_shown(site, 0))
    order: Order = []
    while (url := spider.next()) is not None:
        address = numbers[url]
        order.append(address)
        worth = spider.offer(_shown(site, address))
        spider.learn(url, 1.0 if address in rewarded else worth)
    return order


def walk_with_model(
    model: HashedLogistic, site: SiteGraph, adaptation: Adaptation = ADAPTIVE, *, judges: bool = True
) -> Order:
    """The same with a trained model."""
    return walk_learned(site, make_link_scorer(model), adaptation, judges=judges)


def _shown(site: SiteGraph, address: int) -> list[PageLink]:
    start = site.urls[0]
    return [sighting for _, sighting in site.sightings(address) if sighting.link.target != start]


LEVELS = (0.05, 0.25, 0.5, 0.75, 0.9)
"""Shares of the targets at which the share of links is measured."""

LEVEL_NAMES = tuple(f"{level:g}" for level in LEVELS)

Orders = Mapping[str, Mapping[str, Order]]
"""Orders by site and policy."""


def measure_order(site: SiteGraph, order: Order) -> dict[str, float]:
    """The share of links followed when each share of the targets is found; all links if it never is."""
    n_targets = 1 if site.any_target else len(site.targets)
    steps = [step for step, address in enumerate(order, start=1) if address in site.targets][:n_targets]
    found = [steps[needed - 1] if needed <= len(steps) else site.n_links for needed in _needed(n_targets)]
    shares = {name: n_links / site.n_links for name, n_links in zip(LEVEL_NAMES, found, strict=True)}
    return {**shares, "links": site.n_links, "targets": len(site.targets)}


def trace_curve(site: SiteGraph, order: Order) -> tuple[float, ...]:
    """The share of targets found after 0, 1, …, 100 % of the links."""
    n_targets = 1 if site.any_target else len(site.targets)
    steps = [step for step, address in enumerate(order, start=1) if address in site.targets]
    return tuple(
        min(1.0, sum(step <= percent * site.n_links / 100 for step in steps) / n_targets)
        for percent in range(101)
    )


def average_shares(sites: Sequence[SiteGraph], orders: Orders, policy: str) -> dict[str, float]:
    """What `measured` says of a policy, every site counted alike."""
    rows = [measure_order(site, orders[site.name][policy]) for site in sites]
    return {key: fmean(row[key] for row in rows) for key in rows[0]}


def average_curves(sites: Sequence[SiteGraph], orders: Orders, policy: str) -> tuple[float, ...]:
    """The curve of a policy, every site counted alike."""
    rows = [trace_curve(site, orders[site.name][policy]) for site in sites]
    return tuple(fmean(column) for column in zip(*rows, strict=True))


def _needed(n_targets: int) -> list[int]:
    return [max(1, math.ceil(level * n_targets - 1e-9)) for level in LEVELS]
