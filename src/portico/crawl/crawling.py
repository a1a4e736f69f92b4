"""Crawls from seeds, resuming where the last run stopped. The pipeline's only entry point to the crawler."""

import asyncio
import gc
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from portico.crawl.frontier import Frontier, Prefixes, Ranks
from portico.crawl.hosts import Clock
from portico.crawl.options import Budget, CrawlOptions
from portico.crawl.page_reading import ReadingDepth
from portico.crawl.policies.policy import LinkRanker, Policy
from portico.crawl.responses import CIRCLE, ResponseInterpreter
from portico.crawl.sharing import Claims
from portico.crawl.tally import CrawlProgress, CrawlTally, Progress
from portico.errors import ConfigError
from portico.text.urls import canonical
from portico.types.frontier import LinkState, Obtained
from portico.types.page import Url

NOT_WORTH_IT = "no other link promises enough"

# Allocations after which Python looks for reference cycles; its default is 700. A crawl makes plain values,
# hundreds per page: the search took 6 % of its processor time, and now takes 1.
COLLECT_EVERY = 5000


Judge = Callable[[Obtained], bool]
"""Whether a fetched document is of the kind that the crawl looks for: a paper, not slides or a form."""


@dataclass(frozen=True, slots=True)
class LinkOrder:
    """The ranker of a crawl's links, and where the store keeps what it learns."""

    policy: Policy
    ranks: Ranks
    prefixes: Prefixes | None = None  # of a policy that has a path scorer
    judge: Judge | None = None


@dataclass(frozen=True, slots=True)
class SeedFailure:
    """A seed that could not be fetched, and why."""

    url: Url
    reason: str


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """The result of a crawl; `stopped_by` names the part of the budget that ended it, if one did."""

    done: CrawlProgress
    stopped_by: str | None = None
    n_seeds: int = 0
    failed_seeds: tuple[SeedFailure, ...] = ()

    @property
    def nothing_found(self) -> bool:
        """Whether none of the seeds could be fetched."""
        return 0 < self.n_seeds == len(self.failed_seeds)


def crawl(
    seeds: Iterable[str],
    *,
    frontier: Frontier,
    options: CrawlOptions,
    guide: Callable[[], LinkOrder] | None = None,
    claims: Claims | None = None,
    progress: Progress = lambda _progress: None,
) -> CrawlSummary:
    """Fetch everything the seeds lead to within the options; finished work in the frontier is not repeated.

    Without a guide the crawl is breadth-first; it is only called if there is something to fetch. With claims,
    other crawlers may share the frontier, and join and leave at any time.
    """
    urls = normalize_seeds(seeds)
    frontier.reconsider(options.rules)
    frontier.offer([ResponseInterpreter(options).seed(url) for url in urls])
    counts = frontier.counts(options.target_types)
    clock = make_steady_clock()
    now = clock()
    tally = CrawlTally(counts, options, now)
    stopped_by = tally.used_up(now) if counts.n_queued else None
    done = tally.progress(now)
    if counts.n_queued and stopped_by is None:
        done, stopped_by = asyncio.run(
            _run(Shared(frontier, claims), options, guide() if guide is not None else None, progress, clock)
        )
    return CrawlSummary(done, stopped_by, len(urls), find_failed_seeds(urls, frontier, options))


def refresh(
    *,
    revisits: Frontier,
    options: CrawlOptions,
    guide: Callable[[], LinkOrder] | None = None,
    progress: Progress = lambda _progress: None,
    clock: Clock | None = None,
) -> CrawlSummary:
    """Fetch again the pages that are due; new links on them wait for the next crawl.

    As politely as a crawl. Limits on pages and bytes concern new pages, and nothing is new here.
    """
    again = replace(options, budget=Budget(max_minutes=options.budget.max_minutes))
    if not revisits.counts(()).n_queued:
        return CrawlSummary(CrawlProgress())
    done, stopped_by = asyncio.run(
        _run(
            Shared(revisits),
            again,
            guide() if guide is not None else None,
            progress,
            clock or make_steady_clock(),
        )
    )
    return CrawlSummary(done, stopped_by)


def make_steady_clock() -> Clock:
    """A clock that is correct now and runs steadily, even if the machine's clock is set back meanwhile."""
    offset = time.time() - time.monotonic()
    return lambda: offset + time.monotonic()


def normalize_seeds(seeds: Iterable[str]) -> tuple[Url, ...]:
    """The seeds in canonical form, each once; ConfigError names those that are not web URLs."""
    spelled = [(seed, canonical(seed if "://" in seed else f"http://{seed}")) for seed in seeds]
    wrong = [repr(seed) for seed, url in spelled if url is None]
    if wrong:
        raise ConfigError(f"not a URL: {', '.join(wrong)}; a seed looks like https://www.example.org/")
    return tuple(dict.fromkeys(url for _, url in spelled if url is not None))


def find_failed_seeds(
    urls: Sequence[Url], frontier: Frontier, options: CrawlOptions
) -> tuple[SeedFailure, ...]:
    """The seeds that led to no page, directly or by redirects."""
    reasons = [(url, _why_failed(url, frontier, options.max_redirects)) for url in urls]
    return tuple(SeedFailure(url, reason) for url, reason in reasons if reason is not None)


def _look(guide: LinkOrder | None) -> ReadingDepth:
    if guide is None:
        return ReadingDepth.LINKS
    if guide.policy.reads_text:
        return ReadingDepth.TEXT
    return ReadingDepth.HEADINGS if guide.policy.reads_headings else ReadingDepth.PLACES


@dataclass(frozen=True, slots=True)
class Shared:
    """A frontier, and the host claims if several crawlers share it."""

    frontier: Frontier
    claims: Claims | None = None


async def _run(
    shared: Shared, options: CrawlOptions, guide: LinkOrder | None, progress: Progress, clock: Clock
) -> tuple[CrawlProgress, str | None]:
    # Imported here because they take half a second, which a run without work need not spend.
    from portico.crawl.fetching.fetcher import Fetcher
    from portico.crawl.spider import CrawlPlan, Spider

    last = CrawlProgress()

    def tell(now: CrawlProgress) -> None:
        nonlocal last
        last = now
        progress(now)

    interpreter = ResponseInterpreter(
        options, ReadingDepth.TEXT if options.recognize is not None else _look(guide)
    )
    ranking = _ranking(guide, options) if guide is not None else None
    if ranking is not None:
        ranking.adopt()
    floor = guide.policy.floor if guide is not None else -math.inf
    with _few_collections():
        async with Fetcher(options.fetch) as fetcher:
            plan = CrawlPlan(options, interpreter, ranking, floor, shared.claims)
            spider = Spider(shared.frontier, fetcher, plan, clock=clock)
            stopped_by = await spider.run(tell)
    if stopped_by is None and floor > -math.inf and last.n_queued:
        stopped_by = NOT_WORTH_IT
    return last, stopped_by


@contextmanager
def _few_collections() -> Iterator[None]:
    """Run garbage collection less often, and not on objects that existed before: modules and models stay
    anyway.
    """
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_EVERY, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def _ranking(guide: LinkOrder, options: CrawlOptions) -> LinkRanker:
    # Imported here for the same reason.
    from portico.crawl.paths.ranking import PathRanking
    from portico.crawl.policies.family_ranking import FamilyRanking

    if guide.policy.path_scorer is None or guide.prefixes is None:
        return FamilyRanking(guide.ranks, guide.policy, options.target_types, guide.judge)
    return PathRanking(guide.ranks, guide.prefixes, guide.policy, guide.policy.path_scorer)


def _why_failed(url: Url, frontier: Frontier, max_redirects: int) -> str | None:
    steps = [url, *frontier.redirects(url, limit=max_redirects)]
    if len(set(steps)) < len(steps):
        return CIRCLE
    standing = frontier.standing(steps[-1])
    if standing is None or standing[0] not in (LinkState.FAILED, LinkState.SKIPPED):
        return None
    return standing[1]
