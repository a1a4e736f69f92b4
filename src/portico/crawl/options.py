"""Options of a crawl: user agent, delays, scope, limits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from hashlib import sha256

from portico.crawl import media_types
from portico.text.urls import get_host, get_host_name, get_path
from portico.types.page import PageView, Url

OUT_OF_SCOPE = "outside the hosts and patterns of this crawl"
NOT_A_PAGE = "its name says it is neither a page nor a document"


@dataclass(frozen=True, slots=True)
class Scope:
    """Hosts are exact names or `*.example.org`; patterns are `*` wildcards over the whole address."""

    hosts: tuple[str, ...] = ()  # empty: any host
    include: tuple[str, ...] = ()  # empty: any URL
    exclude: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()  # single URLs that are included whatever their host
    _exact: frozenset[str] = field(init=False, repr=False, compare=False)
    _below: frozenset[str] = field(init=False, repr=False, compare=False)  # the part after "*."
    _pages: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # A portal may have thousands of hosts: a link is not compared with each.
        object.__setattr__(self, "_exact", frozenset(self.hosts))
        below = frozenset(host.removeprefix("*.") for host in self.hosts if host.startswith("*."))
        object.__setattr__(self, "_below", below)
        object.__setattr__(self, "_pages", frozenset(self.pages))

    def refusal(self, url: Url) -> str | None:
        """Why a URL must not be fetched, None if it may be."""
        if url in self._pages:
            return None
        if (self.hosts or self.pages) and not self._includes(get_host(url)):
            return OUT_OF_SCOPE
        if (self.include and not _matches(url, self.include)) or _matches(url, self.exclude):
            return OUT_OF_SCOPE
        return NOT_A_PAGE if _is_other(get_path(url)) else None

    def _includes(self, host: str) -> bool:
        if host in self._exact:
            return True
        name = get_host_name(host)
        if name in self._exact:
            return True
        while self._below and name:
            _, _, name = name.partition(".")
            if name in self._below:
                return True
        return False


# Types that no converter reads and that have no links. A server may still send another type under such a
# name.
_PICTURES = ("gif", "jpg", "jpeg", "png", "webp", "svg", "ico", "bmp", "tif", "tiff")
_MACHINERY = ("css", "js", "mjs", "woff", "woff2", "ttf", "eot", "class", "o", "so", "dll")
_SOUND = ("mp3", "m4a", "wav", "ogg")
_FILMS = ("mp4", "m4v", "ogv", "avi", "mov", "mpg", "mpeg", "wmv", "flv", "webm")
_ARCHIVES = ("zip", "rar", "7z", "tar", "tgz", "tbz", "tbz2", "bz2", "xz", "iso")
_PROGRAMS = ("dmg", "exe", "msi", "deb", "rpm", "jar", "apk")
_OFFICE = ("doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "epub")
_OTHER_ENDINGS = frozenset(_PICTURES + _MACHINERY + _SOUND + _FILMS + _ARCHIVES + _PROGRAMS + _OFFICE)
_PACKED_TREES = (".tar.gz", ".tar.z")


def _is_other(path: str) -> bool:
    _, dot, ending = path.rpartition(".")
    if not dot:
        return False
    return ending.lower() in _OTHER_ENDINGS or path.lower().endswith(_PACKED_TREES)


def _matches(url: Url, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(url, pattern) for pattern in patterns)


MEBIBYTE = 1 << 20

Recognize = Callable[[PageView], str]
"""Returns which of the wanted kinds a page is; "" for all others."""


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How one request is made, and the limits of a response."""

    user_agent: str = "portico (+https://example.org/about-this-crawler)"
    timeout_s: float = 30.0  # for a whole response
    connect_timeout_s: float = 10.0
    max_bytes: int = 64 * MEBIBYTE  # of a document as transferred; larger ones fail
    max_expanded_bytes: int = 128 * MEBIBYTE  # of a decompressed document
    max_html_bytes: int = 4 * MEBIBYTE  # of an HTML page; the rest is cut off
    proxy: str | None = None
    allow_private: bool = False
    concurrency: int = 64  # concurrent requests to all hosts together


@dataclass(frozen=True, slots=True)
class Politeness:
    """How the load on hosts is limited. Requests to one host never overlap unless `per_host` allows it."""

    delay_s: float = 1.0  # from the end of a request to a host to the start of the next
    max_crawl_delay_s: float = 30.0  # limit on the Crawl-delay in robots.txt
    per_host: int = 1  # concurrent requests to one host; more only if the host is your own
    obey_robots: bool = True
    max_attempts: int = 3
    backoff_s: float = 1.0  # wait before the second attempt; doubled for each further one
    max_wait_s: float = 120.0  # limit on Retry-After


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """When a site is considered a crawler trap. The origin of the values is in docs/1-crawl.md."""

    max_chain: int = 24  # consecutive pages that differ only in numbers and query values
    max_repeats: int = 3  # times a path may repeat the same segment or group of segments in a row
    max_segments: int = 20  # of a path
    max_parameters: int = 8  # of a query


@dataclass(frozen=True, slots=True)
class Budget:
    """When the whole crawl is finished, over all runs together; minutes are those of one run."""

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
    max_depth: int | None = None  # links from a seed; None for no limit
    max_redirects: int = 10
    target_types: frozenset[str] = media_types.DOCUMENT_TYPES  # media types the crawl looks for
    recognize: Recognize | None = None  # recognizes the pages the crawl looks for, if it does

    @property
    def rules(self) -> str:
        """A fingerprint of what decides which links are skipped: if it changes, they are considered
        again.
        """
        deciding = (self.scope, self.traps, self.max_depth, self.politeness.obey_robots)
        return sha256(repr(deciding).encode()).hexdigest()
