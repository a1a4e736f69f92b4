"""Fetches one requested page, as politely as a crawl, and stores it without following its links."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from portico.crawl.crawling import make_steady_clock
from portico.crawl.frontier import Frontier
from portico.crawl.hosts import Clock
from portico.crawl.options import Budget, CrawlOptions
from portico.crawl.page_reading import ReadingDepth
from portico.crawl.responses import CIRCLE, ResponseInterpreter
from portico.errors import FetchError
from portico.text.urls import get_host
from portico.types.frontier import (
    NOTHING_LEARNED,
    FetchOutcome,
    FrontierChange,
    FrontierCounts,
    HostNote,
    LearnedRanks,
    LinkState,
    Obtained,
    Offer,
    QueuedLink,
)
from portico.types.page import Url


def fetch_page(
    url: Url, *, frontier: Frontier, options: CrawlOptions, clock: Clock | None = None
) -> Obtained:
    """The page at a URL, `final` if redirects led elsewhere; requested only if it is not stored already.

    FetchError explains why there is none. What the frontier has queued stays queued.
    """
    kept = find_kept_page(url, frontier, options)
    if kept is not None:
        return kept
    single = SingleUrlFrontier(_last_known(url, frontier, options.max_redirects), frontier)
    asyncio.run(_run(single, replace(options, budget=Budget()), clock or make_steady_clock()))
    found = _kept(url, frontier, options.max_redirects)
    if found is None:
        raise FetchError(single.reason or "nothing came of it", retryable=single.retryable)
    return found


def find_kept_page(url: Url, frontier: Frontier, options: CrawlOptions) -> Obtained | None:
    """The page at a URL that was fetched before; None if it would have to be requested."""
    return _kept(url, frontier, options.max_redirects)


class SingleUrlFrontier:
    """A frontier that holds one link and its redirects; everything it learns goes to the portal's own."""

    def __init__(self, url: Url, home: Frontier) -> None:
        self._home = home
        self._queue = [_link(url, 0)]
        self.reason: str | None = None  # why there is no page
        self.retryable = False  # whether there may be one later

    def offer(self, offers: Sequence[Offer]) -> FrontierChange:
        return FrontierChange()

    def commit(
        self,
        outcomes: Sequence[FetchOutcome],
        asked: Mapping[str, float],
        lesson: LearnedRanks = NOTHING_LEARNED,
    ) -> FrontierChange:
        """Store pages; of their links only redirects are followed."""
        kept = [replace(each, offers=()) for each in outcomes if each.state is LinkState.DONE]
        self._home.commit(kept, asked)
        self._queue.clear()
        for outcome in outcomes:
            self.reason, self.retryable = outcome.reason, outcome.retryable
            found = outcome.obtained
            if found is not None and found.final != outcome.link.url and self.kept(found.final) is None:
                self._queue.append(_link(found.final, outcome.link.chain + 1))
        return FrontierChange(frozenset(self.waiting_hosts()), len(self._queue) - len(outcomes))

    def waiting_hosts(self) -> list[str]:
        return [link.host for link in self._queue]

    def next(self, host: str, *, limit: int, excluding: Collection[int] = ()) -> list[QueuedLink]:
        return [link for link in self._queue if link.host == host and link.id not in excluding][:limit]

    def kept(self, url: Url) -> Obtained | None:
        return self._home.kept(url)

    def host(self, name: str) -> HostNote:
        return self._home.host(name)

    def note_robots(self, note: HostNote) -> None:
        self._home.note_robots(note)

    def standing(self, url: Url) -> tuple[LinkState, str | None] | None:
        return self._home.standing(url)

    def redirects(self, url: Url, *, limit: int) -> list[Url]:
        return self._home.redirects(url, limit=limit)

    def n_redirects_before(self, url: Url, *, limit: int) -> int:
        return next((link.chain for link in self._queue if link.url == url), 0)

    def counts(self, document_types: Collection[str]) -> FrontierCounts:
        return FrontierCounts(n_queued=len(self._queue))

    def reconsider(self, rules: str) -> bool:
        return False

    def requeue_failed(self) -> int:
        return 0


def _link(url: Url, n_redirects: int) -> QueuedLink:
    """A link numbered below all links of the store, so that it is never confused with one of them."""
    return QueuedLink(-1 - n_redirects, url, get_host(url), chain=n_redirects)


def _kept(url: Url, frontier: Frontier, max_redirects: int) -> Obtained | None:
    return frontier.kept(_last_known(url, frontier, max_redirects))


def _last_known(url: Url, frontier: Frontier, max_redirects: int) -> Url:
    """The end of the known redirects; FetchError if they do not end."""
    steps = [url, *frontier.redirects(url, limit=max_redirects + 1)]
    if len(set(steps)) < len(steps):
        raise FetchError(CIRCLE)
    if len(steps) > max_redirects + 1:
        raise FetchError(f"redirects more than {max_redirects} times")
    return steps[-1]


async def _run(single: SingleUrlFrontier, options: CrawlOptions, clock: Clock) -> None:
    # Imported here because they take half a second, which looking at kept pages need not spend.
    from portico.crawl.fetching.fetcher import Fetcher
    from portico.crawl.spider import CrawlPlan, Spider

    interpreter = ResponseInterpreter(
        options, ReadingDepth.TEXT if options.recognize is not None else ReadingDepth.LINKS
    )
    async with Fetcher(options.fetch) as fetcher:
        spider = Spider(single, fetcher, CrawlPlan(options, interpreter), clock=clock)
        await spider.run(lambda _progress: None)
