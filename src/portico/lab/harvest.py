"""How early a spider finds targets: shares of links and of targets, of one site and over several."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from portico.lab.spider import Order
from portico.lab.webs import SiteGraph

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.9)
"""Shares of the targets at which the share of links is taken."""

LEVEL_NAMES = tuple(f"{level:g}" for level in LEVELS)

Orders = Mapping[str, Mapping[str, Order]]
"""By site and policy."""


def measured(site: SiteGraph, order: Order) -> dict[str, float]:
    """The share of links followed when each share of the targets is found; all links if it never is."""
    n_targets = 1 if site.any_target else len(site.targets)
    steps = [step for step, address in enumerate(order, start=1) if address in site.targets][:n_targets]
    found = [steps[needed - 1] if needed <= len(steps) else site.n_links for needed in _needed(n_targets)]
    shares = {name: n_links / site.n_links for name, n_links in zip(LEVEL_NAMES, found, strict=True)}
    return {**shares, "links": site.n_links, "targets": len(site.targets)}


def curve(site: SiteGraph, order: Order) -> tuple[float, ...]:
    """The share of targets found after 0, 1, …, 100 % of the links."""
    n_targets = 1 if site.any_target else len(site.targets)
    steps = [step for step, address in enumerate(order, start=1) if address in site.targets]
    return tuple(
        min(1.0, sum(step <= percent * site.n_links / 100 for step in steps) / n_targets)
        for percent in range(101)
    )


def mean(sites: Sequence[SiteGraph], orders: Orders, policy: str) -> dict[str, float]:
    """What `measured` says of a policy, every site counted alike."""
    rows = [measured(site, orders[site.name][policy]) for site in sites]
    return {key: fmean(row[key] for row in rows) for key in rows[0]}


def mean_curve(sites: Sequence[SiteGraph], orders: Orders, policy: str) -> tuple[float, ...]:
    """The curve of a policy, every site counted alike."""
    rows = [curve(site, orders[site.name][policy]) for site in sites]
    return tuple(fmean(column) for column in zip(*rows, strict=True))


def _needed(n_targets: int) -> list[int]:
    return [max(1, math.ceil(level * n_targets - 1e-9)) for level in LEVELS]
