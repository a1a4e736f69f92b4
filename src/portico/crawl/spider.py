"""The crawl loop: many hosts at once, each politely; results are stored before their links are followed."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from portico.crawl import robots
from portico.crawl.fetching.fetcher import HostAnswer, HttpClient
from portico.crawl.frontier import Frontier
from portico.crawl.hosts import BUFFERED_LINKS, Clock, Host, Hosts
from portico.crawl.options import CrawlOptions
from portico.crawl.page_reading import PageReader, read_page
from portico.crawl.policies.policy import LinkRanker
from portico.crawl.responses import (
    CIRCLE,
    ResponseInterpreter,
    make_defect_failure,
    make_failure,
    parse_retry_after,
)
from portico.crawl.revisiting import interpret_bodyless_answer, judge_revisit
from portico.crawl.sharing import Claims, HostSharing
from portico.crawl.tally import PROGRESS_EVERY_S, CrawlTally, Progress
from portico.errors import FetchError, PorticoError
from portico.text.urls import get_host
from portico.types.frontier import FetchOutcome, FrontierChange, LinkState, QueuedLink
from portico.types.page import Url

# After this many consecutive links of a host without any response, after all attempts each, the host is
# considered gone; at 30 s per timeout, waiting for a thousand links would take a day.
MAX_FAILURES_IN_A_ROW = 5

SHOWN_AHEAD = 3  # most promising links shown in the progress


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """How a crawl proceeds: its options, its page reader, and its link ranker, if any."""

    options: CrawlOptions
    interpreter: ResponseInterpreter
    ranking: LinkRanker | None = None
    floor: float = -math.inf  # links of lower priority stay in the queue
    claims: Claims | None = None  # if other crawlers may share the frontier


class Spider:
    """One crawl. It holds a few links per host in memory; all others are in the frontier."""

    def __init__(self, frontier: Frontier, fetcher: HttpClient, plan: CrawlPlan, *, clock: Clock) -> None:
        self._frontier = frontier
        self._fetcher = fetcher
        self._options = plan.options
        self._ranking = plan.ranking
        self._clock = clock
        self._interpreter = plan.interpreter
        self._reader = PageReader(plan.interpreter.look)
        self._hosts = Hosts(frontier, plan.options.politeness, clock, floor=plan.floor)
        self._sharing = HostSharing(plan.claims, self._hosts, clock) if plan.claims is not None else None
        self._tally = CrawlTally(frontier.counts(plan.options.target_types), plan.options, clock())
        self._batches = Batches(self._commit, clock, self._committed)
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._fault: PorticoError | None = None

    async def run(self, progress: Progress) -> str | None:
        """Crawl until nothing is queued; returns what stopped it earlier, if anything did."""
        self._begin()
        try:
            while (stop := self._tally.used_up(self._clock())) is None:
                if self._sharing is not None:
                    self._sharing.sync()
                self._start_visits()
                if self._is_done():
                    break
                await self._pause()
                await self._batches.collect()
                if self._fault is not None:
                    raise self._fault
                self._tally.report(progress, self._clock(), lambda: self._hosts.ahead(SHOWN_AHEAD))
        finally:
            for task in self._tasks:
                task.cancel()
            await self._reader.close()
            await self._batches.finish(self._hosts.asked())
            if self._sharing is not None:
                self._sharing.leave()
            progress(self._tally.progress(self._clock()))
        return stop

    def _begin(self) -> None:
        if self._sharing is not None:
            self._sharing.join()
            return
        for name in self._frontier.waiting_hosts():
            self._hosts.wake(name)

    def _is_done(self) -> bool:
        if self._tasks or not self._batches.empty or self._hosts.next_due is not None:
            return False
        return self._sharing is None or self._sharing.is_over()

    def _start_visits(self) -> None:
        n_places = self._options.fetch.concurrency
        while len(self._tasks) < n_places and self._tally.allows(len(self._tasks)):
            host = self._hosts.pop_due()
            if host is None:
                break
            self._advance(host)

    def _advance(self, host: Host) -> None:
        """Settle links that need no request, and start the first that does."""
        for _ in range(BUFFERED_LINKS):
            if not host.links:
                break
            link = host.links.popleft()
            outcome = self._known_outcome(host, link)
            if outcome is None:
                self._send(host, link)
                return
            host.taken.add(link.id)
            self._settle(outcome)
        self._hosts.schedule(host)

    def _known_outcome(self, host: Host, link: QueuedLink) -> FetchOutcome | None:
        """The outcome of a link without a request, None if one is needed."""
        now = self._clock()
        refusal = self._interpreter.refusal(link)
        if refusal is None and not link.kept and self._options.politeness.obey_robots:
            rules = self._rules(host, link.url)
            refusal = None if rules is None or rules.allows(link.url) else robots.DISALLOWED
        if refusal is not None:
            return FetchOutcome(link, LinkState.SKIPPED, now, reason=refusal)
        if link.kept:
            return self._reread_at_once(link)
        if host.given_up is not None:
            return make_failure(link, host.given_up, now, retryable=True)
        return None

    def _reread_at_once(self, link: QueuedLink) -> FetchOutcome | None:
        """The outcome for a stored page, None if it is gone or has to be read in a child."""
        kept = self._frontier.kept(link.url)
        page = self._interpreter.find_kept_page(link, kept) if kept is not None else None
        if kept is None or (page is not None and page.is_large):
            return None
        seen = read_page(page, self._interpreter.look) if page is not None else None
        return self._interpreter.reread(link, kept, seen, self._clock())

    async def _reread(self, link: QueuedLink) -> FetchOutcome | None:
        kept = self._frontier.kept(link.url) if link.kept else None
        if kept is None:
            return None
        page = self._interpreter.find_kept_page(link, kept)
        seen = await self._reader.read(page) if page is not None else None
        return self._interpreter.reread(link, kept, seen, self._clock())

    def _rules(self, host: Host, url: Url) -> robots.RobotsRules | None:
        """The rules for a URL if they are known and not too old."""
        now = self._clock()
        authority = robots.find_authority(url)
        rules = host.rules.get(authority)
        if rules is None or rules.expires_at <= now:
            product = robots.find_product_name(self._options.fetch.user_agent)
            rules = robots.recall_rules(self._frontier.host(authority), now, product)
            if rules is None:
                host.rules.pop(authority, None)
            else:
                host.rules[authority] = rules
                politeness = self._options.politeness
                host.delay_s = max(politeness.delay_s, min(rules.delay_s, politeness.max_crawl_delay_s))
                if self._sharing is not None:  # another crawler may have asked it a moment ago
                    host.due = max(host.due, host.asked_at + host.delay_s)
        return rules

    def _send(self, host: Host, link: QueuedLink) -> None:
        if self._options.politeness.obey_robots and robots.find_authority(link.url) not in host.rules:
            host.links.appendleft(link)
            if host.asks_robots:
                return  # its turn comes with the answer
            host.asks_robots = True
            task = asyncio.create_task(self._ask_robots(host, link.url))
        else:
            host.taken.add(link.id)
            task = asyncio.create_task(self._visit(host, link))
        host.n_active += 1
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._landed(host, link, done))
        self._hosts.schedule(host)  # unless one request at once is all it takes

    def _landed(self, host: Host, link: QueuedLink, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        host.n_active -= 1
        error = None if task.cancelled() else task.exception()
        if isinstance(error, PorticoError):
            self._fault = error  # not this page is at fault, but the portal or the proxy
        elif error is not None:
            host.links.clear()
            host.taken.add(link.id)
            self._settle(make_defect_failure(link, error, self._clock()))
        self._hosts.schedule(host)
        self._wake.set()

    async def _ask_robots(self, host: Host, like: Url) -> None:
        try:
            known = self._frontier.host(robots.find_authority(like))
            note = await robots.fetch_rules(self._get_robots, like, known, self._clock())
        except FetchError as error:
            host.n_robots_failures += 1
            if error.retryable and host.n_robots_failures < self._options.politeness.max_attempts:
                self._back_off(host, host.n_robots_failures, None)
            else:
                host.given_up = str(error)
                never = robots.RobotsRules(expires_at=float("inf"))  # not asked again in this run
                host.rules[robots.find_authority(like)] = never
            return
        finally:
            host.asks_robots = False
        self._frontier.note_robots(replace(note, asked_at=host.asked_at))
        self._rules(host, like)

    async def _get_robots(self, url: Url) -> HostAnswer:
        async with self._hosts.turn(get_host(url)):
            return await self._fetcher.get(url, max_bytes=robots.MAX_BYTES)

    async def _visit(self, host: Host, link: QueuedLink) -> None:
        attempts = host.attempts.get(link.id, 0) + 1
        retry_after = None
        try:
            reread = await self._reread(link)
            if reread is None:
                async with self._hosts.turn(host.name):
                    answer = await self._fetcher.get(link.url, known=link.revisit)
                retry_after = answer.retry_after
                host.n_failures_in_a_row = 0
            outcome = reread or await self._interpret(link, answer)
        except FetchError as error:
            outcome = make_failure(link, str(error), self._clock(), retryable=error.retryable)
        if outcome.retryable and attempts < self._options.politeness.max_attempts:
            host.attempts[link.id] = attempts
            host.taken.discard(link.id)
            host.links.appendleft(link)
            self._back_off(host, attempts, retry_after)
            return
        self._settle(replace(outcome, attempts=attempts) if attempts > 1 else outcome)
        self._note_silence(host, outcome)

    async def _interpret(self, link: QueuedLink, answer: HostAnswer) -> FetchOutcome:
        now = self._clock()
        settled = interpret_bodyless_answer(link, answer.status, now)
        if settled is not None:
            return settled
        if answer.location is None:
            page = self._interpreter.find_page(link, answer)
            seen = await self._reader.read(page) if page is not None else None
            return self._interpreter.outcome(link, answer, seen, now)
        outcome = self._interpreter.redirect(link, answer, now)
        limit = self._options.max_redirects
        if outcome.obtained is None:
            return outcome
        if self._leads_back(outcome.obtained.final, link.url):
            return make_failure(link, CIRCLE, now)
        if self._frontier.n_redirects_before(link.url, limit=limit) >= limit:
            return make_failure(link, f"redirects more than {limit} times", now)
        return outcome

    def _leads_back(self, start: Url, goal: Url) -> bool:
        """Whether redirects, uncommitted ones included, lead from `start` to `goal`."""
        at = start
        for _ in range(self._options.max_redirects):
            if at == goal:
                return True
            steps = self._frontier.redirects(at, limit=1)
            at = self._batches.redirect_of(at) or (steps[0] if steps else at)
        return at == goal

    def _back_off(self, host: Host, attempts: int, retry_after: str | None) -> None:
        politeness = self._options.politeness
        asked = parse_retry_after(retry_after, datetime.fromtimestamp(self._clock(), UTC))
        wait_s = politeness.backoff_s * 2.0 ** (attempts - 1) if asked is None else asked
        host.due = max(host.due, self._clock() + min(wait_s, politeness.max_wait_s))

    def _note_silence(self, host: Host, outcome: FetchOutcome) -> None:
        if outcome.state is LinkState.FAILED and outcome.retryable:
            host.n_failures_in_a_row += 1
            if host.n_failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
                host.given_up = f"its host has stopped answering: {outcome.reason}"

    def _settle(self, outcome: FetchOutcome) -> None:
        settled = judge_revisit(outcome)
        self._batches.add(settled)
        self._tally.count(settled)

    def _commit(self, outcomes: Sequence[FetchOutcome], asked: Mapping[str, float]) -> FrontierChange:
        """In a thread: rank what is new, and store everything."""
        if self._ranking is None:
            return self._frontier.commit(outcomes, asked)
        studied, lesson = self._ranking.study(outcomes)
        return self._frontier.commit(studied, asked, lesson)

    def _committed(self, outcomes: Sequence[FetchOutcome], change: FrontierChange) -> None:
        self._tally.queue(change.n_queued)
        for name in change.hosts:
            self._hosts.wake(name)
        for outcome in outcomes:
            self._hosts.release(outcome.link)

    async def _pause(self) -> None:
        """Wait until something has happened or is due, and write results to the store if it is time."""
        now = self._clock()
        next_visit = self._hosts.next_due if len(self._tasks) < self._options.fetch.concurrency else None
        idle = not self._tasks and (next_visit is None or next_visit > now)
        commit = self._batches.due(idle=idle)
        if commit is not None and commit <= now:
            self._batches.start(self._hosts.asked(), self._wake.set)
            commit = None
        until = min(time for time in (now + PROGRESS_EVERY_S, next_visit, commit) if time is not None)
        timer = asyncio.get_running_loop().call_later(max(0.0, until - now), self._wake.set)
        await self._wake.wait()
        timer.cancel()
        self._wake.clear()


# Results are committed after about this time or number, which is what a kill -9 loses. Each batch costs a
# wait for the disk and another query of its hosts' queues.
COMMIT_EVERY_S = 0.5
COMMIT_EVERY_N = 250

Commit = Callable[[Sequence[FetchOutcome], Mapping[str, float]], FrontierChange]
Committed = Callable[[Sequence[FetchOutcome], FrontierChange], None]


class Batches:
    """Results on their way to the store; one batch is being written while the next is collected."""

    def __init__(self, commit: Commit, clock: Clock, committed: Committed) -> None:
        self._commit = commit
        self._clock = clock
        self._committed = committed
        self._outcomes: list[FetchOutcome] = []
        self._writing: asyncio.Task[None] | None = None
        self._being_written: list[FetchOutcome] = []
        self._due = 0.0

    def add(self, outcome: FetchOutcome) -> None:
        if not self._outcomes:
            self._due = self._clock() + COMMIT_EVERY_S
        self._outcomes.append(outcome)

    @property
    def empty(self) -> bool:
        """Whether every result is in the store."""
        return not self._outcomes and self._writing is None

    def due(self, *, idle: bool) -> float | None:
        """When the next batch should be written, None if there is none or another is under way."""
        if not self._outcomes or self._writing is not None:
            return None
        return 0.0 if idle or len(self._outcomes) >= COMMIT_EVERY_N else self._due

    def start(self, asked: Mapping[str, float], done: Callable[[], None]) -> None:
        """Begin to write what was collected; `done` is called when it is in the store."""
        self._being_written, self._outcomes = self._outcomes, []
        self._writing = asyncio.create_task(self._write(self._being_written, dict(asked)))
        self._writing.add_done_callback(lambda _task: done())

    async def collect(self) -> None:
        """Complete a finished write; raises its error if it failed."""
        if self._writing is not None and self._writing.done():
            task, self._writing = self._writing, None
            await task

    async def finish(self, asked: Mapping[str, float]) -> None:
        """Write everything that is left."""
        if self._writing is not None:
            await asyncio.wait([self._writing])
            await self.collect()
        if self._outcomes:
            await self._write(self._outcomes, dict(asked))
            self._outcomes = []

    def redirect_of(self, url: Url) -> Url | None:
        """The target of a redirect that is known but not yet in the store."""
        for outcome in (*self._being_written, *self._outcomes):
            if outcome.link.url == url and outcome.obtained is not None:
                return outcome.obtained.final
        return None

    async def _write(self, outcomes: Sequence[FetchOutcome], asked: Mapping[str, float]) -> None:
        change = await asyncio.to_thread(self._commit, outcomes, asked)
        self._being_written = []
        self._committed(outcomes, change)
