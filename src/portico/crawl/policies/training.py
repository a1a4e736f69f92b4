"""Trains a spider on mapped sites: computes what each link would have yielded, learns to predict it."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from random import Random

from portico.crawl.policies.observations import Observations, observe_link
from portico.learn.counts import Counts
from portico.learn.logistic import HashedLogistic, hash_rows, train_hashed
from portico.types.page import PageLink, PageView, Url

# Precision of the normal prior on weights if all links together have a weight of LINKS. From 0.1 to 1, the
# share of links at 25 and 75 % of the papers changes by up to 0.012 (leave one site out, 14 sites).
PENALTY = 0.3
LINKS = 2000.0
N_SITES = 14

# A site of n links has a weight of √n: large sites teach more, but must not drown out small ones.
SIZE_EXPONENT = 0.5


Children = Sequence[Sequence[int]]
"""For every URL, by number, the URLs its page links to; URL 0 is the start page."""

# With a discount of a half, the tenth request adds at most 0.001 to a sum, which does not affect the bins.
MAX_STEPS = 10

# How many clicks below a link, and among how many URLs, its rate is computed: pages farther away have a
# shorter path from elsewhere, and the time stays linear in the number of links.
MAX_CLICKS = 4
MAX_ADDRESSES = 500


def compute_discounted_sums(
    children: Children, targets: Set[int], *, discount: float = 0.5, single: bool = False
) -> list[float]:
    """Q of the link to each URL: reward now, and later reward times the discount for each request.

    The policy is the near-optimal one: it knows only what the link leads to, and always goes to the closest
    reward. `single` ends the search with the first reward. Linear in the number of links.
    """
    if discount == 0.0:
        return [float(address in targets) for address in range(len(children))]
    nearest = _nearest_targets(children, targets, limit=1 if single else MAX_STEPS)
    return [
        _roll_out(address, nearest, discount=discount, n_rewards=1 if single else MAX_STEPS)
        for address in range(len(children))
    ]


def compute_best_rates(children: Children, targets: Set[int]) -> list[float]:
    """The best share of targets among the requests that begin with a link.

    Of all parts of the tree of links below it that begin with the link itself, this is the one with most
    targets per request: a target has 1, a page with k of them k/(k+1). Following the link of the best rate
    first is optimal on a tree (it is the index of a branching bandit, Weiss 1988). Pages linked from the
    start are known anyway and count for no link.
    """
    known = {0, *children[0]} if children else set()
    return [_rate(address, children, targets, known) for address in range(len(children))]


@dataclass(frozen=True, slots=True)
class _Path:
    """The path from a URL to a target: its length in clicks, and its first step."""

    n_clicks: int
    via: int


def _nearest_targets(children: Children, targets: Set[int], *, limit: int) -> list[dict[int, _Path]]:
    """For each URL the nearest targets, at most `limit`, nearest first: one search for all URLs."""
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
    """The first unvisited URL on the way from the visited ones to the closest target not yet found."""
    best: tuple[int, int] | None = None
    for address in visited:
        # Paths are sorted: the first target not yet found is the closest from here.
        path = next((path for target, path in nearest[address].items() if target not in found), None)
        if path is not None and path.via not in visited and (best is None or path.n_clicks < best[0]):
            best = (path.n_clicks, path.via)
    return best[1] if best is not None else None


_Segment = tuple[float, float, float]
"""A part of a tree that is best followed as a whole: its rate, targets and requests."""


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
    """The parent of each URL in the breadth-first tree below a link, nearest first."""
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


@dataclass(frozen=True, slots=True)
class SiteGraph:
    """A mapped site: URLs by number, the start first, in breadth-first order."""

    name: str
    urls: tuple[Url, ...]
    pages: tuple[PageView | None, ...]  # None for a document, a picture, or a missing page
    children: tuple[tuple[int, ...], ...]  # the URL of each of a page's sightings
    targets: frozenset[int]
    any_target: bool = False
    """Whether the search ends at the first target, as for an officers page, instead of looking for all."""
    documents: frozenset[int] = frozenset()
    """Files of the same type as the targets, such as slides; unknown for some sites."""

    @property
    def n_links(self) -> int:
        """URLs that can be followed: all but the start."""
        return len(self.urls) - 1

    def sightings(self, page: int) -> Iterable[tuple[int, PageLink]]:
        """The links of a page: the URL of each, and its surroundings."""
        seen = self.pages[page]
        return zip(self.children[page], seen.sightings, strict=True) if seen is not None else ()


def map_site(
    read: Callable[[Url], PageView | None],
    start: Url,
    targets: Iterable[Url],
    *,
    name: str,
    any_target: bool = False,
) -> SiteGraph:
    """The graph of everything that can be reached from the start."""
    numbers = {start: 0}
    pages: list[PageView | None] = []
    children: list[tuple[int, ...]] = []
    queue = deque([start])
    while queue:
        page = read(queue.popleft())
        pages.append(page)
        targets_here = [sighting.link.target for sighting in page.sightings] if page is not None else []
        for target in targets_here:
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
        children.append(tuple(numbers[target] for target in targets_here))
    found = frozenset(numbers[target] for target in targets if target in numbers)
    return SiteGraph(name, tuple(numbers), tuple(pages), tuple(children), found - {0}, any_target)


@dataclass(frozen=True, slots=True, eq=False)
class SiteExamples:
    """The training examples of one mapped site: its observed links, their rates, and their weights."""

    site: str
    table: Counts
    rates: tuple[float, ...]
    importance: tuple[float, ...]


def make_site_examples(site: SiteGraph) -> SiteExamples:
    """Every sighting of every link; a link seen n times counts 1/n each time."""
    rates = compute_best_rates(site.children, site.targets)
    seen = [child for leads_to in site.children for child in leads_to]
    n_seen = [0] * len(site.urls)
    for child in seen:
        n_seen[child] += 1
    weight = site.n_links ** (SIZE_EXPONENT - 1)
    return SiteExamples(
        site.name,
        hash_rows(
            observe_link(sighting.link)
            for page in range(len(site.urls))
            for _, sighting in site.sightings(page)
        ),
        tuple(rates[child] for child in seen),
        tuple(weight / n_seen[child] for child in seen),
    )


def make_link_examples(
    name: str, rows: Sequence[Observations], rates: Sequence[float], *, size: int
) -> SiteExamples:
    """Observed links of known rates as the examples of a site, counting as much as a site of `size` links."""
    weight = size**SIZE_EXPONENT / len(rows)
    return SiteExamples(name, hash_rows(rows), tuple(rates), (weight,) * len(rows))


def fit_spider(
    lessons: Sequence[SiteExamples], *, chance: Random | None = None, known: HashedLogistic | None = None
) -> HashedLogistic:
    """A model of several sites; with `chance`, of a bootstrap sample of their links.

    With `known`, a model of other sites, each site counts as much as one of those did, and adds to it.
    """
    drawn = [
        [one * _poisson(chance) for one in lesson.importance] if chance else list(lesson.importance)
        for lesson in lessons
    ]
    n_links = LINKS if known is None else LINKS * len(lessons) / N_SITES
    scale = n_links / sum(map(sum, drawn))
    return train_hashed(
        [lesson.table for lesson in lessons],
        [lesson.rates for lesson in lessons],
        [[scale * one for one in row] for row in drawn],
        penalty=PENALTY,
        known=known,
    )


def _poisson(chance: Random) -> int:
    """How often a link is drawn in a bootstrap sample: a Poisson variable with mean one."""
    threshold, product, n_drawn = 0.36787944117144233, chance.random(), 0  # e**-1 (Knuth's method)
    while product > threshold:
        product *= chance.random()
        n_drawn += 1
    return n_drawn
