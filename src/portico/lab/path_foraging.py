"""Walk mapped sites by what was learned of paths, and say how early the goals are found."""

import heapq
import math
from itertools import count

from portico.crawl.paths.learning import PathModel
from portico.crawl.paths.scoring import TrainedPathScorer
from portico.crawl.policies.policy import Prefix
from portico.lab.spider import Order
from portico.lab.webs import SiteGraph


def forage(model: PathModel, site: SiteGraph, *, summed: bool = True) -> Order:
    """The order in which a crawl by paths follows links: always the one with the highest score.

    A link that stands on several pages has the sum of its scores there (the paper's rule), or else the
    highest of them.
    """
    path_scorer = TrainedPathScorer(model)
    scores: dict[int, float] = {}
    best: dict[int, tuple[float, Prefix]] = {}
    queue: list[tuple[float, int, int]] = []
    ticket = count()
    visited, order = {0}, list[int]()
    at, prefix = 0, None
    while True:
        page = site.pages[at]
        if page is not None and page.sightings:
            page_score = path_scorer.look(page, prefix)
            for child, link_score in zip(site.children[at], page_score.link_scores, strict=True):
                if child in visited:
                    continue
                known = scores.get(child, 0.0)
                scores[child] = known + link_score.score if summed else max(known, link_score.score)
                best[child] = max(best.get(child, (-1.0, ())), (link_score.score, link_score.prefix))
                heapq.heappush(queue, (-scores[child], next(ticket), child))
        while queue and (queue[0][2] in visited or -queue[0][0] != scores[queue[0][2]]):
            heapq.heappop(queue)
        if not queue:
            return order
        at = heapq.heappop(queue)[2]
        visited.add(at)
        order.append(at)
        prefix = best[at][1]


def harvest_at(share: float, site: SiteGraph, order: Order) -> float:
    """Goals a request when this share of the goals is found; 0 where it never is."""
    needed = math.ceil(share * len(site.targets) - 1e-9)
    steps = [step for step, address in enumerate(order, start=1) if address in site.targets]
    return needed / steps[needed - 1] if len(steps) >= needed else 0.0


def found_within(budget: float, site: SiteGraph, order: Order) -> float:
    """The share of the goals that are found within a share of the site's links."""
    n_links = max(1, round(budget * site.n_links))
    return sum(address in site.targets for address in order[:n_links]) / len(site.targets)
