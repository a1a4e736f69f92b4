"""Crawl from seeds: the one call the pipeline makes. Run again, it goes on where it stopped."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from portico.crawl import media
from portico.crawl.frontier import Frontier
from portico.crawl.options import CrawlOptions
from portico.crawl.tally import CrawlProgress, Progress, Tally
from portico.crawl.visit import CIRCLE, Score, Visitor, breadth_first
from portico.errors import ConfigError
from portico.text.urls import canonical
from portico.types.frontier import LinkState
from portico.types.page import Url


@dataclass(frozen=True, slots=True)
class SeedFailure:
    """A seed that could not be fetched, and why."""

    url: Url
    reason: str


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """What a crawl came to; `stopped_by` says which part of the budget ended it, if one did."""

    done: CrawlProgress
    stopped_by: str | None = None
    n_seeds: int = 0
    failed_seeds: tuple[SeedFailure, ...] = ()

    @property
    def is_fruitless(self) -> bool:
        """Whether not one of the seeds could be fetched."""
        return 0 < self.n_seeds == len(self.failed_seeds)


def crawl(
    seeds: Iterable[str],
    *,
    frontier: Frontier,
    options: CrawlOptions,
    score: Score = breadth_first,
    progress: Progress = lambda _progress: None,
) -> CrawlSummary:
    """Fetch everything the seeds lead to within the options; what is in the frontier is not done twice."""
    urls = seed_urls(seeds)
    visitor = Visitor(options, score)
    frontier.reconsider(options.rules)
    frontier.offer([visitor.seed(url) for url in urls])
    counts = frontier.counts(media.DOCUMENT_TYPES)
    now = time.time()
    tally = Tally(counts, options.budget, now)
    stopped_by = tally.used_up(now) if counts.n_queued else None
    done = tally.progress(now)
    if counts.n_queued and stopped_by is None:
        done, stopped_by = asyncio.run(_run(frontier, options, score, progress))
    return CrawlSummary(done, stopped_by, len(urls), failed_seeds(urls, frontier, options))


def seed_urls(seeds: Iterable[str]) -> tuple[Url, ...]:
    """The seeds in canonical spelling, each once; ConfigError names those that are no web address."""
    spelled = [(seed, canonical(seed if "://" in seed else f"http://{seed}")) for seed in seeds]
    wrong = [repr(seed) for seed, url in spelled if url is None]
    if wrong:
        raise ConfigError(f"no web address: {', '.join(wrong)}; a seed looks like https://www.example.org/")
    return tuple(dict.fromkeys(url for _, url in spelled if url is not None))


def failed_seeds(urls: Sequence[Url], frontier: Frontier, options: CrawlOptions) -> tuple[SeedFailure, ...]:
    """The seeds that led to no page, themselves or by redirects."""
    reasons = [(url, _why_failed(url, frontier, options.max_redirects)) for url in urls]
    return tuple(SeedFailure(url, reason) for url, reason in reasons if reason is not None)


async def _run(
    frontier: Frontier, options: CrawlOptions, score: Score, progress: Progress
) -> tuple[CrawlProgress, str | None]:
    # Imported here because they take half a second, which a run without work need not spend.
    from portico.crawl.fetch import Fetcher
    from portico.crawl.spider import Spider

    last = CrawlProgress()

    def tell(now: CrawlProgress) -> None:
        nonlocal last
        last = now
        progress(now)

    async with Fetcher(options.fetch) as fetcher:
        spider = Spider(frontier, fetcher, options, score=score, clock=time.time)
        stopped_by = await spider.run(tell)
    return last, stopped_by


def _why_failed(url: Url, frontier: Frontier, max_redirects: int) -> str | None:
    steps = [url, *frontier.redirects(url, limit=max_redirects)]
    if len(set(steps)) < len(steps):
        return CIRCLE
    standing = frontier.standing(steps[-1])
    if standing is None or standing[0] not in (LinkState.FAILED, LinkState.SKIPPED):
        return None
    return standing[1]
