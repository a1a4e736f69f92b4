"""The interface between the spider and its frontier; the implementation is in the store."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from portico.types.frontier import (
    NOTHING_LEARNED,
    FamilyRecord,
    FetchOutcome,
    FrontierChange,
    FrontierCounts,
    HostNote,
    LearnedRanks,
    LinkState,
    Obtained,
    Offer,
    QueuedLink,
    Rank,
    RankedLink,
)
from portico.types.page import Link, Url


class Frontier(Protocol):
    """Every address ever seen and what became of it, durable: what was committed survives kill -9."""

    def offer(self, offers: Sequence[Offer]) -> FrontierChange:
        """Take links that are new or nearer than known."""

    def commit(
        self,
        outcomes: Sequence[FetchOutcome],
        asked: Mapping[str, float],
        lesson: LearnedRanks = NOTHING_LEARNED,
    ) -> FrontierChange:
        """Keep what became of links, with bodies, new links and what was learned, all or nothing.

        A link that came nearer while it was being fetched stays queued, so that its links learn of it.
        """

    def waiting_hosts(self) -> list[str]:
        """The hosts that have queued links."""

    def next(self, host: str, *, limit: int, excluding: Collection[int] = ()) -> list[QueuedLink]:
        """The host's most promising queued links: highest priority, then least depth, then oldest."""

    def kept(self, url: Url) -> Obtained | None:
        """The page of that address, with its body, if it is in the store."""

    def host(self, name: str) -> HostNote:
        """What is remembered of a host."""

    def note_robots(self, note: HostNote) -> None:
        """Remember a host's robots.txt."""

    def standing(self, url: Url) -> tuple[LinkState, str | None] | None:
        """State of a link and why, None where it was never seen."""

    def redirects(self, url: Url, *, limit: int) -> list[Url]:
        """Where the page of that address led by redirects known so far, step by step."""

    def n_redirects_before(self, url: Url, *, limit: int) -> int:
        """How many redirects in a row led to this address."""

    def counts(self, document_types: Collection[str]) -> FrontierCounts:
        """How the crawl stands."""

    def reconsider(self, rules: str) -> bool:
        """If the crawl now goes by other rules than last time, queue again all that was skipped."""

    def requeue_failed(self) -> int:
        """Give every failed link another chance; gives how many there were."""


class Ranks(Protocol):
    """What a crawl that learns keeps of its links, durable with the frontier. Nothing here grows with it."""

    def unknown(self, urls: Collection[Url]) -> set[Url]:
        """Those of the addresses that were never seen."""

    def ranks(self, ids: Collection[int]) -> dict[int, Rank]:
        """What was foreseen of these links; those that were never ranked are left out."""

    def records(self, families: Collection[int]) -> dict[int, FamilyRecord]:
        """What these families brought so far; those that brought nothing yet are left out."""

    def similar_links(self, families: Collection[int], *, limit: int) -> list[RankedLink]:
        """Of each family the waiting links foreseen best."""

    def head(self, host: str, *, limit: int) -> list[RankedLink]:
        """The first ranked links in the queue of a host."""

    def unranked(self, *, after: int, limit: int) -> list[tuple[int, int, Link]]:
        """Waiting links that were never ranked, by rising id, those up to `after` and seeds left out.

        Before each stand its id and how many clicks it is from a seed.
        """

    def adopt(self, links: Sequence[tuple[int, float, Rank]]) -> None:
        """Give links a priority and a rank."""

    def forget(self) -> None:
        """Let no waiting link have a rank: the crawl goes by distance alone from now on."""


class Prefixes(Protocol):
    """What a crawl by learned paths keeps of its links, durable with the frontier."""

    def of(self, urls: Collection[Url]) -> dict[Url, tuple[float, ...]]:
        """How these were reached; those that nobody wrote down are left out."""

    def promised(self, urls: Collection[Url]) -> dict[Url, tuple[int, str, float]]:
        """Of those that wait: number, host and priority."""
