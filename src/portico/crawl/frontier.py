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
    """Every URL ever seen and its outcome, durable: what was committed survives kill -9."""

    def offer(self, offers: Sequence[Offer]) -> FrontierChange:
        """Add links that are new or nearer than known."""

    def commit(
        self,
        outcomes: Sequence[FetchOutcome],
        asked: Mapping[str, float],
        lesson: LearnedRanks = NOTHING_LEARNED,
    ) -> FrontierChange:
        """Store the outcomes of links, with bodies, new links and what was learned, all or nothing.

        A link that became nearer while it was being fetched stays queued, so that its own links become nearer
        too.
        """

    def waiting_hosts(self) -> list[str]:
        """The hosts that have queued links."""

    def next(self, host: str, *, limit: int, excluding: Collection[int] = ()) -> list[QueuedLink]:
        """The host's most promising queued links: highest priority, then least depth, then oldest."""

    def kept(self, url: Url) -> Obtained | None:
        """The page at this URL, with its body, if it is in the store."""

    def host(self, name: str) -> HostNote:
        """What is remembered about a host."""

    def note_robots(self, note: HostNote) -> None:
        """Remember a host's robots.txt."""

    def standing(self, url: Url) -> tuple[LinkState, str | None] | None:
        """State of a link and the reason, None if it was never seen."""

    def redirects(self, url: Url, *, limit: int) -> list[Url]:
        """The redirects known from this URL, step by step."""

    def n_redirects_before(self, url: Url, *, limit: int) -> int:
        """The number of consecutive redirects that led to this URL."""

    def counts(self, document_types: Collection[str]) -> FrontierCounts:
        """The current state of the crawl."""

    def reconsider(self, rules: str) -> bool:
        """If the crawl's rules differ from last time, queue again everything that was skipped."""

    def requeue_failed(self) -> int:
        """Queue every failed link again; returns their number."""


class Ranks(Protocol):
    """What a learning crawl stores about its links, durable with the frontier. No query slows down as it
    grows.
    """

    def unknown(self, urls: Collection[Url]) -> set[Url]:
        """Those of the URLs that were never seen."""

    def ranks(self, ids: Collection[int]) -> dict[int, Rank]:
        """The predictions for these links; unranked ones are left out."""

    def records(self, families: Collection[int]) -> dict[int, FamilyRecord]:
        """The rewards of these families so far; families without any are left out."""

    def similar_links(self, families: Collection[int], *, limit: int) -> list[RankedLink]:
        """The waiting links of each family with the best predictions."""

    def head(self, host: str, *, limit: int) -> list[RankedLink]:
        """The first ranked links in the queue of a host."""

    def unranked(self, *, after: int, limit: int) -> list[tuple[int, int, Link]]:
        """Waiting links without a rank, by rising id after `after`, without seeds.

        Each with its id and its distance from a seed in clicks.
        """

    def adopt(self, links: Sequence[tuple[int, float, Rank]]) -> None:
        """Set priority and rank of links."""

    def forget(self) -> None:
        """Remove all ranks of waiting links: the crawl is ordered by distance alone from now on."""


class Prefixes(Protocol):
    """What a crawl by learned paths stores about its links, durable with the frontier."""

    def of(self, urls: Collection[Url]) -> dict[Url, tuple[float, ...]]:
        """How these links were reached; those not recorded are left out."""

    def promised(self, urls: Collection[Url]) -> dict[Url, tuple[int, str, float]]:
        """For those of them that wait: number, host and priority."""
