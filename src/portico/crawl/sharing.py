"""Divides the hosts of a shared frontier among several crawlers.

A host is asked by one crawler at a time. Each takes its share of the hosts that have something to fetch: all
of them, divided by how many crawlers there are now. So any of them may come and go at any time.
"""

import math
from collections.abc import Collection, Mapping
from typing import Protocol

from portico.crawl.hosts import Clock, Hosts
from portico.types.frontier import ClaimedHost

SHARE_EVERY_S = 0.5
MAX_HELD = 5000
"""Hosts one crawler has at a time; what it knows of each is in memory."""

RENEWED_PER_LEASE = 5
MARGIN = 0.8
"""The part of a lease that is relied on: a request under way when it runs out is still this crawler's."""


class Claims(Protocol):
    """Who asks which host, known to all crawlers."""

    @property
    def lease_s(self) -> float:
        """How long a claim holds unless it is renewed."""

    def join(self) -> None:
        """Let every host with something to fetch be there for whoever takes it."""

    def take(self, n_hosts: int) -> list[ClaimedHost]:
        """Claim up to so many hosts that are nobody's."""

    def renew(self) -> set[str]:
        """The hosts that are still this crawler's, for another lease."""

    def give_back(self, hosts: Mapping[str, float], unfinished: Collection[str]) -> None:
        """Hosts with the seconds since each was last asked; of those unfinished there is more to fetch."""

    def share(self) -> tuple[int, int]:
        """How many hosts have something to fetch or are being asked, and how many crawlers there are."""


class HostSharing:
    """One crawler's part in it; called again and again by its loop."""

    def __init__(self, claims: Claims, hosts: Hosts, clock: Clock) -> None:
        self._claims = claims
        self._hosts = hosts
        self._clock = clock
        self._next_at = self._renewed_at = 0.0
        self._n_busy = 1
        hosts.share()

    def join(self) -> None:
        self._claims.join()
        self.sync()

    def sync(self) -> None:
        """If it is time: renew what is held, give back what others should have, and take a fair share."""
        now = self._clock()
        if now < self._next_at:
            return
        if now >= self._renewed_at + self._claims.lease_s / RENEWED_PER_LEASE:
            held = self._claims.renew()
            self._renewed_at = now
            self._hosts.keep_only(held, until=now + MARGIN * self._claims.lease_s)
        self._n_busy, n_crawlers = self._claims.share()
        fair = min(MAX_HELD, max(1, math.ceil(self._n_busy / n_crawlers)))
        finished = self._hosts.pop_finished()
        surplus = self._hosts.pop_surplus(self._hosts.n_held - fair)
        self._give_back(finished | surplus, surplus)
        wanted = fair - self._hosts.n_held
        if wanted > 0:
            for claimed in self._claims.take(wanted):
                self._hosts.admit(claimed)
        self._next_at = self._clock() + SHARE_EVERY_S

    def is_over(self) -> bool:
        """Whether no crawler has anything to fetch, nor could get it from one that is at work."""
        return self._n_busy == 0

    def leave(self) -> None:
        """Give everything back, however far it is."""
        finished = self._hosts.pop_finished()
        rest = self._hosts.pop_all()
        self._give_back(finished | rest, rest)

    def _give_back(self, hosts: Mapping[str, float], unfinished: Collection[str]) -> None:
        now = self._clock()
        self._claims.give_back({name: now - at for name, at in hosts.items()}, unfinished)
