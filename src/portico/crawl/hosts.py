"""Schedules hosts: one queue per host, so that each host's delay is kept and none blocks the others."""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, nlargest

from portico.crawl.frontier import Frontier
from portico.crawl.options import Politeness
from portico.crawl.robots import RobotsRules, list_authorities
from portico.errors import FetchError
from portico.types.frontier import ClaimedHost, QueuedLink

# Links taken from the frontier at once: enough to save queries, few enough that better links found meanwhile
# do not wait long.
BUFFERED_LINKS = 32

_UNCERTAIN_S = 0.1  # between two checks whether a host still belongs to this crawler

Clock = Callable[[], float]
"""Seconds since the epoch."""


@dataclass(slots=True)
class Host:
    """The state of one host in a crawl; exists only while there is something to fetch from it."""

    name: str
    delay_s: float
    due: float = 0.0  # when it may get the next request
    asked_at: float = 0.0
    rules: dict[str, RobotsRules] = field(default_factory=dict)  # by authority: http and https have their own
    links: deque[QueuedLink] = field(default_factory=deque)
    taken: set[int] = field(default_factory=set)  # links being fetched, or fetched but not yet committed
    n_active: int = 0  # current visits
    attempts: dict[int, int] = field(default_factory=dict)  # failed attempts by link
    asks_robots: bool = False  # its robots.txt is being fetched
    n_robots_failures: int = 0
    n_failures_in_a_row: int = 0
    given_up: str | None = None  # why it gets no more requests in this run
    scheduled: bool = False
    gate: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)


class Hosts:
    """All hosts with something to fetch, by when they are due."""

    def __init__(
        self, frontier: Frontier, politeness: Politeness, clock: Clock, *, floor: float = -math.inf
    ) -> None:
        self._frontier = frontier
        self._floor = floor  # links of a lower priority are left in the frontier
        self._politeness = politeness
        self._clock = clock
        self._hosts: dict[str, Host] = {}
        self._schedule: list[tuple[float, int, str]] = []
        self._n_scheduled = 0
        self._held: set[str] | None = None  # hosts that are this crawler's to ask; None: all are
        self._held_until = math.inf
        self._finished: dict[str, float] = {}  # hosts with nothing left, and when they were last asked

    def wake(self, name: str) -> None:
        """Record that there is something (new) to fetch from this host."""
        if not self._is_held(name):
            return
        self._finished.pop(name, None)
        host = self.get(name)
        # What is buffered is still queued in the frontier, where better links may have come.
        host.links.clear()
        self.schedule(host)

    def get(self, name: str) -> Host:
        host = self._hosts.get(name)
        if host is None:
            asked_at = max(self._frontier.host(each).asked_at for each in list_authorities(name))
            host = Host(name, self._politeness.delay_s, gate=asyncio.Semaphore(self._politeness.per_host))
            host.asked_at = asked_at
            # A clock that was set back must not keep a host waiting for days.
            host.due = min(asked_at, self._clock()) + self._politeness.delay_s
            self._hosts[name] = host
        return host

    def schedule(self, host: Host) -> None:
        if host.scheduled or host.n_active >= self._politeness.per_host:
            return
        host.scheduled = True
        self._n_scheduled += 1
        heappush(self._schedule, (host.due, self._n_scheduled, host.name))

    @property
    def next_due(self) -> float | None:
        return self._schedule[0][0] if self._schedule else None

    def pop_due(self) -> Host | None:
        """The host that has been due the longest and has a link to fetch, None if there is none."""
        while self._schedule and self._schedule[0][0] <= self._clock():
            if self._clock() > self._held_until:
                return None
            _, _, name = heappop(self._schedule)
            host = self._hosts[name]
            host.scheduled = False
            if host.due > self._clock():
                self.schedule(host)  # it was asked for something else meanwhile
            elif self._fill(host):
                return host
            else:
                self._forget_if_idle(host)
        return None

    def ahead(self, n_links: int) -> list[QueuedLink]:
        """The most promising links in memory, over all hosts."""
        first = [host.links[0] for host in self._hosts.values() if host.links]
        return nlargest(n_links, first, key=lambda link: link.priority)

    def release(self, link: QueuedLink) -> None:
        """Record that the outcome of this link has been committed."""
        host = self._hosts[link.host]
        host.taken.discard(link.id)
        host.attempts.pop(link.id, None)
        self._forget_if_idle(host)

    def asked(self) -> dict[str, float]:
        """The times of the last requests to hosts whose results are not yet committed."""
        return {name: host.asked_at for name, host in self._hosts.items() if host.taken}

    def turn(self, name: str) -> "Turn":
        """A host's turn: waits until it is due, and makes it due again one delay later."""
        return Turn(self.get(name), self._clock, self._may_ask)

    def share(self) -> None:
        """Send requests only to admitted hosts from now on."""
        self._held = set()

    @property
    def n_held(self) -> int:
        return len(self._held or ())

    def admit(self, claimed: ClaimedHost) -> None:
        """Admit a host to this crawler; another crawler may have sent it a request a moment ago."""
        if self._held is not None:
            self._held.add(claimed.name)
        host = self.get(claimed.name)
        host.asked_at = max(host.asked_at, self._clock() - claimed.seconds_ago)
        host.due = max(host.due, host.asked_at + host.delay_s)
        self.wake(claimed.name)

    def keep_only(self, held: Collection[str], *, until: float) -> None:
        """These hosts are this crawler's until the given time; all others belong to other crawlers."""
        if self._held is not None:
            lost = self._held.difference(held)
            self._held &= set(held)
            self._pop([name for name in lost if name in self._hosts and self._is_quiet(self._hosts[name])])
        self._held_until = until

    def pop_finished(self) -> dict[str, float]:
        """Remove hosts with nothing left to fetch; returns the time of the last request to each."""
        finished, self._finished = self._finished, {}
        if self._held is not None:
            self._held.difference_update(finished)
        return finished

    def pop_surplus(self, n_hosts: int) -> dict[str, float]:
        """Remove this many hosts, if as many are idle; returns the time of the last request to each."""
        if n_hosts <= 0:
            return {}
        quiet = [host for host in self._hosts.values() if self._is_held(host.name) and self._is_quiet(host)]
        return self._pop([host.name for host in nlargest(n_hosts, quiet, key=lambda host: host.due)])

    def pop_all(self) -> dict[str, float]:
        return self._pop([name for name in self._hosts if self._is_held(name)])

    def _pop(self, names: Collection[str]) -> dict[str, float]:
        left = {name: self._hosts.pop(name).asked_at for name in names}
        if self._held is not None:
            self._held.difference_update(left)
        self._schedule = [entry for entry in self._schedule if entry[2] not in left]
        heapify(self._schedule)
        return left

    def _is_held(self, name: str) -> bool:
        return self._held is None or name in self._held

    @staticmethod
    def _is_quiet(host: Host) -> bool:
        return not (host.n_active or host.taken or host.asks_robots)

    def _may_ask(self, name: str) -> bool:
        """False until the owner of the host is certain again; FetchError if it is another crawler."""
        if not self._is_held(name) and name in self._hosts and self._hosts[name].links:
            raise FetchError("another crawler is fetching from this host", retryable=True)
        return self._clock() <= self._held_until

    def _fill(self, host: Host) -> bool:
        if not self._is_held(host.name):
            host.links.clear()
        elif not host.links:
            # What is taken has to be read past: at least as many links as that are worth the reading.
            limit = max(BUFFERED_LINKS, self._politeness.per_host, len(host.taken))
            found = self._frontier.next(host.name, limit=limit, excluding=host.taken)
            host.links.extend(link for link in found if link.priority >= self._floor)
        return bool(host.links)

    def _forget_if_idle(self, host: Host) -> None:
        if not (host.scheduled or host.n_active or host.taken or host.links):
            self._hosts.pop(host.name, None)
            if self._held is not None and host.name in self._held:
                self._finished[host.name] = host.asked_at


class Turn:
    """Holds a host's gate during a request; a class of its own, because every request needs one."""

    def __init__(self, host: Host, clock: Clock, may_ask: Callable[[str], bool]) -> None:
        self._host = host
        self._clock = clock
        self._may_ask = may_ask

    async def __aenter__(self) -> None:
        await self._host.gate.acquire()
        try:
            while (wait_s := self._host.due - self._clock()) > 0:
                await asyncio.sleep(wait_s)
            while not self._may_ask(self._host.name):
                await asyncio.sleep(_UNCERTAIN_S)
        except (asyncio.CancelledError, FetchError):
            self._host.gate.release()
            raise

    async def __aexit__(self, *_: object) -> None:
        # Counted from the end: from the start, a request held up on its way would reach the
        # host less than the delay before the next.
        host = self._host
        host.asked_at = self._clock()
        host.due = host.asked_at + host.delay_s
        host.gate.release()
