"""Train our own spider on mapped sites, and walk it over others."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from portico.crawl.policies.learned_spider import (
    ADAPTIVE,
    Adaptation,
    LearnedSpider,
    LogOdds,
    make_link_scorer,
)
from portico.crawl.policies.observations import observe_link
from portico.crawl.policies.returns import compute_best_rates
from portico.lab.spider import Order
from portico.lab.webs import SiteGraph
from portico.learn import logistic
from portico.learn.counts import Counts
from portico.learn.logistic import HashedLogistic, hash_rows
from portico.types.page import Sighting

# Precision of the normal prior on weights when all links together weigh LINKS. From 0.1 to 1 the share of
# links at 25 and 75 % of the papers changes by up to 0.012 (leave one site out, 14 sites).
PENALTY = 0.3
LINKS = 2000.0

# A site of n links weighs √n: large ones teach more, but must not drown the small.
SIZE_EXPONENT = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What one mapped site teaches: its links as observed, their rates, and how much each counts."""

    site: str
    table: Counts
    rates: tuple[float, ...]
    importance: tuple[float, ...]


def lesson(site: SiteGraph) -> Lesson:
    """Every sighting of every link; a link seen n times counts 1/n each time."""
    rates = compute_best_rates(site.children, site.targets)
    seen = [child for leads_to in site.children for child in leads_to]
    n_seen = [0] * len(site.urls)
    for child in seen:
        n_seen[child] += 1
    weight = site.n_links ** (SIZE_EXPONENT - 1)
    return Lesson(
        site.name,
        hash_rows(
            observe_link(sighting.link)
            for page in range(len(site.urls))
            for _, sighting in site.sightings(page)
        ),
        tuple(rates[child] for child in seen),
        tuple(weight / n_seen[child] for child in seen),
    )


def fit(lessons: Sequence[Lesson], *, chance: Random | None = None) -> HashedLogistic:
    """A model of several sites; with `chance`, of a bootstrap sample of their links."""
    drawn = [
        [one * _poisson(chance) for one in lesson.importance] if chance else list(lesson.importance)
        for lesson in lessons
    ]
    scale = LINKS / sum(map(sum, drawn))
    return logistic.train_hashed(
        [lesson.table for lesson in lessons],
        [lesson.rates for lesson in lessons],
        [[scale * one for one in row] for row in drawn],
        penalty=PENALTY,
    )


def walk(site: SiteGraph, log_odds: LogOdds, adaptation: Adaptation = ADAPTIVE) -> Order:
    """The order in which our spider follows a site's links, learning as it goes."""
    spider = LearnedSpider(log_odds, adaptation)
    numbers = {url: number for number, url in enumerate(site.urls)}
    spider.offer(_shown(site, 0))
    order: Order = []
    while (url := spider.next()) is not None:
        address = numbers[url]
        order.append(address)
        worth = spider.offer(_shown(site, address))
        spider.learn(url, 1.0 if address in site.targets else worth)
    return order


def walk_with(model: HashedLogistic, site: SiteGraph, adaptation: Adaptation = ADAPTIVE) -> Order:
    """The same with a trained model."""
    return walk(site, make_link_scorer(model), adaptation)


def _shown(site: SiteGraph, address: int) -> list[Sighting]:
    start = site.urls[0]
    return [sighting for _, sighting in site.sightings(address) if sighting.link.target != start]


def _poisson(chance: Random) -> int:
    """How often a link is drawn in a bootstrap sample: a Poisson variable of mean one."""
    threshold, product, n_drawn = 0.36787944117144233, chance.random(), 0  # e**-1 (Knuth's method)
    while product > threshold:
        product *= chance.random()
        n_drawn += 1
    return n_drawn
