"""Signs that a site makes up addresses without end: calendars, loops of links, filters, lists sorted anew."""

import re
from functools import lru_cache

from portico.crawl.options import TrapLimits
from portico.text.urls import get_path, get_shape
from portico.types.page import Url

LOOP = "its path repeats itself: a loop of links"
TOO_MANY_SEGMENTS = "its path has too many parts: probably a loop of links"
TOO_MANY_PARAMETERS = "its query has too many parts: probably filters that multiply without end"
CHAIN = "one of a long row of pages that differ only in numbers: probably a calendar or list without end"
REORDERED = "the same list in another order"

ANOTHER_ORDER = 1_000_000_000
"""The chain of a link to the list it stands on, in another order: longer than any limit, and forgotten when
another page shows the same link, because the least chain counts."""


def refuse_address(url: Url, limits: TrapLimits) -> str | None:
    """Why an address looks like a trap by itself, None if it does not."""
    path = get_path(url)
    if path.count("/") > limits.max_segments:
        return TOO_MANY_SEGMENTS
    if _repeats(path, limits.max_repeats):
        return LOOP
    if url.count("&") >= limits.max_parameters:
        return TOO_MANY_PARAMETERS
    return None


def refuse_chain(chain: int, limits: TrapLimits) -> str | None:
    """Why a link after such a row of pages is left out, None if it is not."""
    if chain <= limits.max_chain:
        return None
    return REORDERED if chain >= ANOTHER_ORDER else CHAIN


def count_chain(url: Url, previous: Url, previous_chain: int) -> int:
    """How many pages in a row look like `url`, when it was found on `previous`."""
    return (
        ANOTHER_ORDER if is_reordered(url, previous) else count_redirect_chain(url, previous, previous_chain)
    )


def count_redirect_chain(url: Url, previous: Url, previous_chain: int) -> int:
    """The same where `previous` shows nothing itself and sends on to `url`."""
    if "?" not in url and "?" not in previous and url.count("/") != previous.count("/"):
        return 0  # as many links do: the shape of each need not be worked out
    return previous_chain + 1 if get_shape(url) == get_shape(previous) else 0


def is_reordered(url: Url, page: Url) -> bool:
    """Whether a link leads to the page it stands on, sorted otherwise: what it shows is known already."""
    if "?" not in url and "?" not in page:
        return False
    path, _, query = url.partition("?")
    page_path, _, page_query = page.partition("?")
    if path != page_path or query == page_query:
        return False
    return _without_order(query) == _without_order(page_query)


# Apache's and nginx's lists of files (C=N;O=D, in Apache 1.3 N=D), and what people call a column to sort by.
# "order" and "dir" may mean something else: only with a direction.
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
    """Whether some group of segments stands more than `limit` times in a row."""
    segments = path.split("/")
    if len(segments) - len(set(segments)) < limit:  # by far the most: so much repeats nowhere in the path
        return False
    return _repetition(limit).search(path) is not None


@lru_cache(maxsize=8)
def _repetition(limit: int) -> re.Pattern[str]:
    return re.compile(rf"((?:/[^/]+){{1,4}}?)\1{{{limit},}}(?=/|$)")
