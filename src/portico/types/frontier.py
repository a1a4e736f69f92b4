"""The values exchanged by crawler and frontier: links to fetch, and their outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from portico.types.page import BodyHash, PageView, Url


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """Changes of a page as observed by visits; times are in seconds since the epoch.

    If the host said when the page changed (Last-Modified), the time since then counts as unchanged. Otherwise
    it is only known that the change happened after the previous visit.
    """

    first_at: float  # when it was first fetched
    checked_at: float  # when its host last gave an answer for it
    n_visits: int = 0  # responses after the first
    n_changes: int = 0  # seen in these
    n_dated: int = 0
    quiet_s: float = 0.0
    n_undated: int = 0
    undated_s: float = 0.0
    gone_since: float | None = None  # the first of its consecutive visits that found it missing


@dataclass(frozen=True, slots=True)
class Revisit:
    """A page as it was when its host last returned it, used to ask whether it has changed."""

    body: BodyHash
    etag: str | None
    last_modified: str | None
    record: ChangeRecord


class LinkState(StrEnum):
    """There is no state for "being fetched": after a crash such a link is simply still queued."""

    QUEUED = "queued"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class QueuedLink:
    """The next link to fetch. With `kept`, its page is stored already and only its links are followed."""

    id: int
    url: Url
    host: str
    depth: int = 0
    chain: int = 0  # consecutive ancestors with the same URL shape
    kept: bool = False
    priority: float = 0.0
    revisit: Revisit | None = None  # set if its page is stored and this visit checks whether it changed


@dataclass(frozen=True, slots=True)
class Rank:
    """The predicted value of a link, as log odds, and the families of similar links it belongs to."""

    odds: float
    families: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A link found on a page; the frontier accepts it if it is new or nearer than before."""

    url: Url
    host: str
    depth: int = 0
    chain: int = 0
    priority: float = 0.0  # higher is fetched earlier
    via: Url | None = None
    anchor: str = ""
    context: str = ""
    skip: str | None = None  # why it must not be fetched, if the URL alone shows that
    rank: Rank | None = None  # only for new links, in a crawl that learns


@dataclass(frozen=True, slots=True)
class Obtained:
    """The response of a server. A redirect has its target as `final` and no body."""

    final: Url
    status: int
    media_type: str = ""
    body: bytes | None = None  # None if the response was not usable
    etag: str | None = None
    last_modified: str | None = None
    page_kind: str = ""  # which of the wanted kinds of pages it is, if pages are wanted


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The outcome of a queued link; without `obtained` its page stays as it is."""

    link: QueuedLink
    state: LinkState
    at: float  # seconds since the epoch
    reason: str | None = None  # why it failed or was skipped
    retryable: bool = False  # if it failed: whether trying again later may help
    attempts: int = 1
    kind: str = ""  # if it failed: the error's class
    detail: str = ""  # if it failed unexpectedly: the traceback
    obtained: Obtained | None = None
    offers: tuple[Offer, ...] = ()
    view: PageView | None = None  # the page's text and links, for ranking the links; not stored
    record: ChangeRecord | None = None  # of a revisited page that still exists


@dataclass(frozen=True, slots=True)
class RankedLink:
    """A waiting link, with the values that order it."""

    id: int
    host: str
    priority: float
    rank: Rank


@dataclass(frozen=True, slots=True)
class FamilyRecord:
    """The observed rewards of a family of links, and those that had been predicted.

    `applied` is the correction that its waiting links were last ordered by.
    """

    observed: float = 0.0
    foreseen: float = 0.0
    applied: float = 0.0


@dataclass(frozen=True, slots=True)
class LearnedRanks:
    """What outcomes taught: updated families, links that move in the queue, paths to links."""

    records: Mapping[int, FamilyRecord] = field(default_factory=dict)
    moved: tuple[RankedLink, ...] = ()  # with their new priorities
    prefixes: Mapping[Url, tuple[float, ...]] = field(default_factory=dict)  # the path probabilities of links
    read: Mapping[int, FamilyRecord] = field(default_factory=dict)  # the records before this update

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts whose queues have a new order."""
        return frozenset(link.host for link in self.moved)


NOTHING_LEARNED = LearnedRanks()


@dataclass(frozen=True, slots=True)
class FrontierChange:
    """How a write changed the frontier: hosts with more to fetch, and the net number of queued links."""

    hosts: frozenset[str] = frozenset()
    n_queued: int = 0


@dataclass(frozen=True, slots=True)
class HostNote:
    """What is remembered about a host: its robots.txt, and the time of the last request."""

    name: str
    robots: str | None = None
    robots_status: int | None = None  # None if there was never a response
    robots_at: float | None = None
    asked_at: float = 0.0


@dataclass(frozen=True, slots=True)
class ClaimedHost:
    """A host claimed by one crawler, and the time since its last request."""

    name: str
    seconds_ago: float


@dataclass(frozen=True, slots=True)
class FrontierCounts:
    """The state of the crawl over all runs; redirects do not count as pages."""

    n_queued: int = 0
    n_done: int = 0
    n_failed: int = 0
    n_skipped: int = 0
    n_pages: int = 0
    n_documents: int = 0
    n_bytes: int = 0
