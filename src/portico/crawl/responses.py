"""Interprets a response: a page with links, a redirect, a failure, a crawler trap, or nothing of interest."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from hashlib import blake2b
from traceback import format_exception

from portico.crawl import media_types
from portico.crawl.fetching.fetcher import HostAnswer
from portico.crawl.options import CrawlOptions, TrapLimits
from portico.crawl.page_reading import HtmlBody, ReadingDepth
from portico.errors import FetchError
from portico.text.markup import find_encoding
from portico.text.urls import canonical, get_host, get_path, get_shape
from portico.types.frontier import FetchOutcome, LinkState, Obtained, Offer, QueuedLink
from portico.types.page import Link, PageLink, PageView, Url

REMEMBERED_PAGES = 10_000
"""Limit on remembered pages, so that memory does not grow with the crawl; endless copies follow each other
closely."""

_DIGITS = b"0123456789"


class DuplicatePages:
    """Remembers fingerprints of recent pages, not their texts."""

    def __init__(self, remembered: int = REMEMBERED_PAGES) -> None:
        self._remembered = remembered
        self._first: dict[bytes, Url] = {}  # the address that first said it, the oldest at the beginning

    def is_copy(self, url: Url, body: bytes) -> bool:
        """Whether another URL has returned the same page."""
        digest = blake2b(body.translate(None, _DIGITS), digest_size=16).digest()
        first = self._first.setdefault(digest, url)
        if len(self._first) > self._remembered:
            del self._first[next(iter(self._first))]
        return first != url


TOO_DEEP = "further from the seeds than max_depth"
NOT_TO_BE_INDEXED = "its host asks for it not to be indexed (X-Robots-Tag)"
CIRCLE = "redirects in a circle"
NOWHERE = "redirects to something that is not a URL"

SEED_PRIORITY = 1000.0
"""Seeds are fetched before everything they link to."""

REMEMBERED_ADDRESSES = 10_000
"""Number of URLs for which it is remembered whether they may be fetched."""

UNRANKED = -math.inf
"""The priority of an offer without new information about a link: it never raises the link's priority."""

# Statuses that may be different later (RFC 9110, section 15; 429 is from RFC 6585).
RETRYABLE_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})

_STATUS_WORDS = {
    401: "needs a password",
    403: "access is forbidden",
    404: "does not exist",
    410: "has been removed",
    429: "its host reports too many requests",
    451: "is withheld for legal reasons",
}


@dataclass(frozen=True, slots=True)
class ResponseInterpreter:
    """Turns responses into outcomes; sends no requests, and remembers only which pages were alike."""

    options: CrawlOptions
    look: ReadingDepth = ReadingDepth.LINKS
    copies: DuplicatePages = field(default_factory=DuplicatePages)
    _refusal_by_address: Callable[[Url], str | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # An address is looked at whenever a page shows it, and again when it is its turn.
        looked_at = lru_cache(maxsize=REMEMBERED_ADDRESSES)(self._look_at_address)
        object.__setattr__(self, "_refusal_by_address", looked_at)

    def refusal(self, link: QueuedLink) -> str | None:
        """Why a link must not be fetched, apart from robots.txt; None if it may be."""
        if self.options.max_depth is not None and link.depth > self.options.max_depth:
            return TOO_DEEP
        return refuse_chain(link.chain, self.options.traps) or self._refusal_by_address(link.url)

    def seed(self, url: Url) -> Offer:
        return Offer(url, get_host(url), priority=SEED_PRIORITY)

    def find_page(self, link: QueuedLink, answer: HostAnswer) -> HtmlBody | None:
        """The page of a response, if it has to be read for its links."""
        if not answer.body or not _is_html(answer) or _forbids(answer.robots_tag, "nofollow"):
            return None
        return HtmlBody(link.url, answer.declared_type, answer.body)

    def find_kept_page(self, link: QueuedLink, kept: Obtained) -> HtmlBody | None:
        """The same for a stored page."""
        if not kept.body or kept.final != link.url or not kept.media_type.startswith(media_types.HTML):
            return None
        return HtmlBody(link.url, kept.media_type, kept.body)

    def outcome(self, link: QueuedLink, answer: HostAnswer, seen: PageView | None, at: float) -> FetchOutcome:
        """The outcome of a response other than a redirect; `seen` is its parsed page, if it was read."""
        if answer.body is None and not 200 <= answer.status < 300:
            reason = f"{_STATUS_WORDS.get(answer.status, 'its host answers with an error')} ({answer.status})"
            return make_failure(link, reason, at, retryable=answer.status in RETRYABLE_STATUSES)
        if answer.media_type in media_types.DOCUMENT_TYPES and _forbids(answer.robots_tag, "noindex"):
            return FetchOutcome(link, LinkState.SKIPPED, at, reason=NOT_TO_BE_INDEXED)
        recognize = self.options.recognize
        obtained = Obtained(
            final=link.url,
            status=answer.status,
            media_type=_kept_type(answer),
            body=answer.body or None,
            etag=answer.etag,
            last_modified=answer.last_modified,
            page_kind=recognize(seen) if recognize is not None and seen is not None else "",
        )
        return FetchOutcome(
            link,
            LinkState.DONE,
            at,
            obtained=obtained,
            offers=self._offers(link, seen, answer.body),
            view=self._kept(seen),
        )

    def redirect(self, link: QueuedLink, answer: HostAnswer, at: float) -> FetchOutcome:
        """The outcome of a redirect: done, with its target as a link at the same distance from the seeds."""
        target = canonical(answer.location or "", link.url)
        if target is None:
            return make_failure(link, NOWHERE, at)
        if target == link.url:
            return make_failure(link, CIRCLE, at)
        obtained = Obtained(final=target, status=answer.status)
        seen = PageView(link.url, sightings=(PageLink(Link(target, link.url)),))
        offers = (self._detour(link, target),)
        return FetchOutcome(link, LinkState.DONE, at, obtained=obtained, offers=offers, view=self._kept(seen))

    def reread(self, link: QueuedLink, kept: Obtained, seen: PageView | None, at: float) -> FetchOutcome:
        """The outcome for a stored page that is now nearer to the seeds: the pages it links to are, too."""
        if kept.final != link.url:
            return FetchOutcome(link, LinkState.DONE, at, offers=(self._detour(link, kept.final),))
        offers = self._offers(link, seen, kept.body)
        return FetchOutcome(link, LinkState.DONE, at, offers=offers, view=self._kept(seen))

    def _kept(self, seen: PageView | None) -> PageView | None:
        """The view for the ranker of its links, if there is one."""
        return None if self.look is ReadingDepth.LINKS else seen

    def _offers(self, link: QueuedLink, seen: PageView | None, body: bytes | None) -> tuple[Offer, ...]:
        if seen is None:
            return ()
        # A copy is one more page in a row of pages alike, wherever it leads.
        row = link.chain + 1 if self.copies.is_copy(link.url, body or b"") else 0
        return tuple(self._offer(link, each.link, row) for each in seen.sightings)

    def _offer(self, found_on: QueuedLink, link: Link, row: int) -> Offer:
        return Offer(
            url=link.target,
            host=get_host(link.target),
            depth=found_on.depth + 1,
            chain=max(row, count_chain(link.target, found_on.url, found_on.chain)),
            priority=self._priority,
            via=found_on.url,
            anchor=link.anchor,
            context=link.context,
            skip=self._refusal_by_address(link.target),
        )

    def _detour(self, link: QueuedLink, target: Url) -> Offer:
        return Offer(
            url=target,
            host=get_host(target),
            depth=link.depth,
            chain=count_redirect_chain(target, link.url, link.chain),
            priority=self._priority,
            via=link.url,
            skip=self._refusal_by_address(target),
        )

    @property
    def _priority(self) -> float:
        """The priority of a link until it is ranked, if the crawl ranks links."""
        return 0.0 if self.look is ReadingDepth.LINKS else UNRANKED

    def _look_at_address(self, url: Url) -> str | None:
        return self.options.scope.refusal(url) or refuse_address(url, self.options.traps)


def make_failure(link: QueuedLink, reason: str, at: float, *, retryable: bool = False) -> FetchOutcome:
    return FetchOutcome(
        link, LinkState.FAILED, at, reason=reason, retryable=retryable, kind=FetchError.__name__
    )


def make_defect_failure(link: QueuedLink, error: BaseException, at: float) -> FetchOutcome:
    """The failure for a page that we cannot process: it must not end the crawl, and the traceback is for
    whoever mends it.
    """
    reason = f"an unexpected error ({type(error).__name__}): please report it"
    detail = "".join(format_exception(error))
    return FetchOutcome(link, LinkState.FAILED, at, reason=reason, kind=type(error).__name__, detail=detail)


def parse_retry_after(retry_after: str | None, now: datetime) -> float | None:
    """The seconds of a Retry-After header, None if there is no valid one."""
    if retry_after is None:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - now).total_seconds())
    except (ValueError, TypeError):  # no date, or one without a time zone
        return None


def _is_html(answer: HostAnswer) -> bool:
    return answer.media_type == media_types.HTML


def _kept_type(answer: HostAnswer) -> str:
    """The media type, with the header's character set if the body itself declares another one."""
    if not _is_html(answer) or not answer.body or media_types.read_charset(answer.declared_type) is None:
        return answer.media_type
    declared = find_encoding(answer.body, answer.declared_type)
    return (
        answer.media_type
        if declared == find_encoding(answer.body)
        else f"{media_types.HTML}; charset={declared}"
    )


def _forbids(robots_tag: str, word: str) -> bool:
    words = {part.strip().lower() for part in robots_tag.replace(":", ",").split(",")}
    return word in words or "none" in words


LOOP = "its path repeats itself: a loop of links"
TOO_MANY_SEGMENTS = "its path has too many parts: probably a loop of links"
TOO_MANY_PARAMETERS = "its query has too many parts: probably filters that multiply without end"
CHAIN = "one of a long row of pages that differ only in numbers: probably a calendar or list without end"
REORDERED = "the same list in another order"

ANOTHER_ORDER = 1_000_000_000
"""The chain length of a link to the same list in another order: longer than any limit. It is replaced as soon
as another page has the same link, because the shortest chain counts."""


def refuse_address(url: Url, limits: TrapLimits) -> str | None:
    """Why a URL alone looks like a trap, None if it does not."""
    path = get_path(url)
    if path.count("/") > limits.max_segments:
        return TOO_MANY_SEGMENTS
    if _repeats(path, limits.max_repeats):
        return LOOP
    if url.count("&") >= limits.max_parameters:
        return TOO_MANY_PARAMETERS
    return None


def refuse_chain(chain: int, limits: TrapLimits) -> str | None:
    """Why a link after such a chain of similar pages is left out, None if it is not."""
    if chain <= limits.max_chain:
        return None
    return REORDERED if chain >= ANOTHER_ORDER else CHAIN


def count_chain(url: Url, previous: Url, previous_chain: int) -> int:
    """The number of consecutive pages that look like `url`, when it was found on `previous`."""
    return (
        ANOTHER_ORDER if is_reordered(url, previous) else count_redirect_chain(url, previous, previous_chain)
    )


def count_redirect_chain(url: Url, previous: Url, previous_chain: int) -> int:
    """The same if `previous` only redirects to `url`."""
    if "?" not in url and "?" not in previous and url.count("/") != previous.count("/"):
        return 0  # as many links do: the shape of each need not be worked out
    return previous_chain + 1 if get_shape(url) == get_shape(previous) else 0


def is_reordered(url: Url, page: Url) -> bool:
    """Whether a link leads to its own page in another sort order: its contents are known already."""
    if "?" not in url and "?" not in page:
        return False
    path, _, query = url.partition("?")
    page_path, _, page_query = page.partition("?")
    if path != page_path or query == page_query:
        return False
    return _without_order(query) == _without_order(page_query)


# Directory listings of Apache and nginx (C=N;O=D, in Apache 1.3 N=D), and common names of sort columns.
_ORDER = re.compile(
    r"(?:C=[NMSD]|[NMSDO]=[AD]"
    r"|(?i:(?:sort|order)[_-]?(?:by|order|dir|direction|field|column|col|key|type)=.*|sort=.*|desc=.*|asc=.*"
    r"|(?:order|ord|dir|direction|sortdir)=(?:asc|desc|ascending|descending|up|down|[ad])))"
)
_SEPARATOR = re.compile(r"[&;]")


def _without_order(query: str) -> list[str]:
    parts = _SEPARATOR.split(query) if query else []
    return sorted(part for part in parts if part and not _ORDER.fullmatch(part))


def _repeats(path: str, limit: int) -> bool:
    """Whether some group of path segments is repeated more than `limit` times."""
    segments = path.split("/")
    if len(segments) - len(set(segments)) < limit:  # by far the most: so much repeats nowhere in the path
        return False
    return _repetition(limit).search(path) is not None


@lru_cache(maxsize=8)
def _repetition(limit: int) -> re.Pattern[str]:
    return re.compile(rf"((?:/[^/]+){{1,4}}?)\1{{{limit},}}(?=/|$)")
