"""How a crawl behaves: who it says it is, how long it waits, where it goes and when it stops."""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from portico.crawl import media_types
from portico.crawl.scope import Scope
from portico.types.page import PageView

MEBIBYTE = 1 << 20

Recognize = Callable[[PageView], str]
"""Which of the sought kinds a page is; "" for all others."""


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How one request is made, and what is too much of an answer."""

    user_agent: str = "portico (+https://example.org/about-this-crawler)"
    timeout_s: float = 30.0  # for a whole answer
    connect_timeout_s: float = 10.0
    max_bytes: int = 64 * MEBIBYTE  # of a document on the wire; larger is a failure
    max_expanded_bytes: int = 128 * MEBIBYTE  # of a document once its compression is undone
    max_html_bytes: int = 4 * MEBIBYTE  # of an HTML page; the rest is cut off
    proxy: str | None = None
    allow_private: bool = False
    concurrency: int = 64  # requests at once, over all hosts


@dataclass(frozen=True, slots=True)
class Politeness:
    """How hosts are spared. Requests to one host never overlap unless `per_host` says so."""

    delay_s: float = 1.0  # from the end of a request to a host to the start of the next
    max_crawl_delay_s: float = 30.0  # a longer Crawl-delay in robots.txt counts as this much
    per_host: int = 1  # requests to one host at once; more only where the host is your own
    obey_robots: bool = True
    max_attempts: int = 3
    backoff_s: float = 1.0  # wait before the second attempt; doubled for each one after
    max_wait_s: float = 120.0  # a longer Retry-After counts as this much


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """When to stop believing that a site has more to show. How the figures came: docs/1-crawl.md."""

    max_chain: int = 24  # pages in a row that differ only in numbers and query values
    max_repeats: int = 3  # times a path may repeat the same segment or group of segments in a row
    max_segments: int = 20  # of a path
    max_parameters: int = 8  # of a query


@dataclass(frozen=True, slots=True)
class Budget:
    """When the whole crawl is over, over all runs together; minutes are those of one run."""

    max_pages: int | None = None
    max_bytes: int | None = None
    max_minutes: float | None = None


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Everything a builder may decide about a crawl."""

    fetch: FetchOptions = field(default_factory=FetchOptions)
    politeness: Politeness = field(default_factory=Politeness)
    scope: Scope = field(default_factory=Scope)
    traps: TrapLimits = field(default_factory=TrapLimits)
    budget: Budget = field(default_factory=Budget)
    max_depth: int | None = None  # links from a seed; None is as far as it goes
    max_redirects: int = 10
    target_types: frozenset[str] = media_types.DOCUMENT_TYPES  # what the crawl is for: media types
    recognize: Recognize | None = None  # what the crawl is for, where that is pages

    @property
    def rules(self) -> str:
        """Stands for what decides which links are skipped: if it changes, they are looked at again."""
        deciding = (self.scope, self.traps, self.max_depth, self.politeness.obey_robots)
        return sha256(repr(deciding).encode()).hexdigest()
