"""Divides the hosts of a shared frontier among several crawlers.

Only one crawler at a time sends requests to a host. Each takes its share of the hosts that have something to
fetch: their number divided by the current number of crawlers. So crawlers may join and leave at any time.
"""

import math
from collections.abc import Collection, Mapping
from typing import Protocol

from portico.crawl.hosts import Clock, Hosts
from portico.types.frontier import ClaimedHost

SHARE_EVERY_S = 0.5
MAX_HELD = 5000
"""Maximum number of hosts that a crawler holds at a time; what it knows of each is in memory."""

RENEWED_PER_LEASE = 5
MARGIN = 0.8
"""The share of a lease during which requests are started, so that the last one finishes before the lease
ends."""


class Claims(Protocol):
    """Which crawler owns which host, known to all crawlers."""

    @property
    def lease_s(self) -> float:
        """How long a claim is valid unless it is renewed."""

    def join(self) -> None:
        """Make every host with something to fetch available for claims."""

    def take(self, n_hosts: int) -> list[ClaimedHost]:
        """Claim up to this many unclaimed hosts."""

    def renew(self) -> set[str]:
        """The hosts that still belong to this crawler, for another lease."""

    def give_back(self, hosts: Mapping[str, float], unfinished: Collection[str]) -> None:
        """Release hosts, with the seconds since the last request to each; unfinished ones have more to
        fetch.
        """

    def share(self) -> tuple[int, int]:
        """The number of hosts with something to fetch or being fetched from, and the number of crawlers."""


class HostSharing:
    """One crawler's part in sharing; called repeatedly by its loop."""

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
        """If it is time: renew claims, release surplus hosts, and take a fair share."""
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
        """Whether no crawler has anything to fetch, nor could get it from another."""
        return self._n_busy == 0

    def leave(self) -> None:
        """Release all hosts, finished or not."""
        finished = self._hosts.pop_finished()
        rest = self._hosts.pop_all()
        self._give_back(finished | rest, rest)

    def _give_back(self, hosts: Mapping[str, float], unfinished: Collection[str]) -> None:
        now = self._clock()
        self._claims.give_back({name: now - at for name, at in hosts.items()}, unfinished)
