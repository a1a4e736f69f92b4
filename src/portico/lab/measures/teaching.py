"""Measures teaching by example: three paths on two sites, and how soon they lead to a goal on a third
site.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path as Folder
from random import Random
from statistics import median
from typing import Any

from portico.crawl.paths.learning import PathModel, PathOptions, learn_paths
from portico.crawl.paths.scoring import TrainedPathScorer, preview_crawl
from portico.crawl.policies.training import SiteGraph
from portico.errors import ConfigError, FetchError
from portico.lab.datasets.webs import read_sites
from portico.types.page import PageLink, PageView, Url
from portico.types.path import Ending, Path, Preview, PreviewedFetch, Step

N_PATHS = 3  # in a lesson: the shortest path on each of two sites, and one more
N_SEEN = 10  # fetches shown to a builder
PATIENCE = 30  # fetches after which a search has failed
QUICK = 20  # lessons

MODELS: Mapping[str, PathOptions] = {
    "taught": PathOptions(widespread=False),
    "only what two sites share": PathOptions(widespread=True),
}
BREADTH_FIRST = "breadth-first"

Lesson = tuple[tuple[str, str], str]
"""The two sites used for teaching, and the one used for testing."""


def measure_teaching(data: Folder, *, task: str = "officers", quick: bool = False) -> dict[str, Any]:
    """For every pair of sites and every third site, how many fetches it takes to find the first goal."""
    sites = {site.name: site for site in read_sites(data, task)}
    ways = {name: paths for name, site in sites.items() if (paths := find_ways_to_goals(site))}
    if len(ways) < N_PATHS:
        raise ConfigError(f"{data}: teaching takes three sites with {task} pages, and there are {len(ways)}")
    lessons = [(pair, third) for pair in combinations(ways, 2) for third in ways if third not in pair]
    if quick:
        lessons = Random(0).sample(lessons, min(QUICK, len(lessons)))
    found: dict[str, list[int]] = {name: [] for name in (*MODELS, BREADTH_FIRST)}
    named: dict[str, list[bool]] = {name: [] for name in MODELS}
    for (one, other), third in lessons:
        examples = [ways[one][0], ways[other][0], *ways[one][1:], *ways[other][1:]][:N_PATHS]
        for name, options in MODELS.items():
            fetches = list_fetches(learn_paths(examples, options), sites[third])
            found[name].append(count_fetches_until_goal(fetches, sites[third]))
            named[name].append(is_likeliest_goal(fetches, sites[third]))
        found[BREADTH_FIRST].append(min(sites[third].targets) + 1)
    return {
        name: _figures(counts, lessons) | ({"named": _mean(named[name])} if name in named else {})
        for name, counts in found.items()
    }


def list_fetches(model: PathModel, site: SiteGraph) -> tuple[PreviewedFetch, ...]:
    """The first `PATIENCE` fetches of a spider on a site."""
    numbers = {url: number for number, url in enumerate(site.urls)}

    def see(url: Url) -> PageView:
        page = site.pages[numbers[url]] if url in numbers else None
        if page is None:
            raise FetchError("there is no such page")
        return page

    return tuple(preview_crawl(TrainedPathScorer(model), see, site.urls[0], n_fetches=PATIENCE))


def count_fetches_until_goal(fetches: Sequence[PreviewedFetch], site: SiteGraph) -> int:
    """The number of fetches up to the first goal; one more than `PATIENCE` if there is none."""
    goals = {site.urls[target] for target in site.targets}
    counts = (count for count, fetch in enumerate(fetches, 1) if fetch.url in goals)
    return next(counts, PATIENCE + 1)


def is_likeliest_goal(fetches: Sequence[PreviewedFetch], site: SiteGraph) -> bool:
    """Whether the page that is presented to a builder as the most likely goal is one."""
    shown = Preview(site.urls[0], N_SEEN, N_PATHS, tuple(fetches[:N_SEEN]))
    at = shown.likeliest
    return at is not None and shown.fetches[at].url in {site.urls[target] for target in site.targets}


def find_ways_to_goals(site: SiteGraph) -> list[Path]:
    """The shortest path to each goal, as clicked by someone who knows the site, the shortest paths first."""
    came: dict[int, tuple[int, PageLink]] = {}
    queue, met = deque([0]), {0}
    while queue:
        at = queue.popleft()
        for child, sighting in site.sightings(at):
            if child not in met:
                met.add(child)
                came[child] = (at, sighting)
                queue.append(child)
    found = [tuple(_steps(site, came, goal)) for goal in sorted(site.targets)]
    return [Path(steps, Ending.GOAL) for steps in sorted(found, key=len) if steps]


def _steps(site: SiteGraph, came: Mapping[int, tuple[int, PageLink]], goal: int) -> Iterator[Step]:
    way = [goal]
    while way[-1] in came:
        way.append(came[way[-1]][0])
    for number in reversed(way):
        page = site.pages[number]
        if page is None:
            return
        yield Step(page, came[number][1] if number in came else None)


def _figures(counts: Sequence[int], lessons: Sequence[Lesson]) -> dict[str, Any]:
    by_site: dict[str, list[int]] = {}
    for (_, third), count in zip(lessons, counts, strict=True):
        by_site.setdefault(third, []).append(count)
    return {
        "lessons": len(counts),
        "within_10": _share(counts, lambda count: count <= N_SEEN),
        "within_5": _share(counts, lambda count: count <= N_SEEN // 2),
        "median": median(counts),
        "sites": {name: _share(of_site, lambda count: count <= N_SEEN) for name, of_site in by_site.items()},
    }


def _mean(answers: Sequence[bool]) -> float:
    return round(sum(answers) / len(answers), 3)


def _share(counts: Sequence[int], holds: Callable[[int], bool]) -> float:
    return round(sum(map(holds, counts)) / len(counts), 3)
