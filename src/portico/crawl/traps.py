"""Signs that a site makes up addresses without end: calendars, loops of links, endless filters."""

import re
from functools import lru_cache

from portico.crawl.options import TrapLimits
from portico.text.urls import path_of, shape
from portico.types.page import Url

LOOP = "its path repeats itself: a loop of links"
TOO_MANY_SEGMENTS = "its path has too many parts: probably a loop of links"
TOO_MANY_PARAMETERS = "its query has too many parts: probably filters that multiply without end"
CHAIN = "one of a long row of pages that differ only in numbers: probably a calendar or list without end"


def refusal(url: Url, limits: TrapLimits) -> str | None:
    """Why an address looks like a trap by itself, None if it does not."""
    path = path_of(url)
    if path.count("/") > limits.max_segments:
        return TOO_MANY_SEGMENTS
    if _repeats(path, limits.max_repeats):
        return LOOP
    if url.count("&") >= limits.max_parameters:
        return TOO_MANY_PARAMETERS
    return None


def chain_after(url: Url, previous: Url, previous_chain: int) -> int:
    """How many pages in a row look like `url`, when it was found on `previous`."""
    return previous_chain + 1 if shape(url) == shape(previous) else 0


def _repeats(path: str, limit: int) -> bool:
    """Whether some group of segments stands more than `limit` times in a row."""
    segments = path.split("/")
    if len(segments) - len(set(segments)) < limit:  # by far the most: so much repeats nowhere in the path
        return False
    return _repetition(limit).search(path) is not None


@lru_cache(maxsize=8)
def _repetition(limit: int) -> re.Pattern[str]:
    return re.compile(rf"((?:/[^/]+){{1,4}}?)\1{{{limit},}}(?=/|$)")
