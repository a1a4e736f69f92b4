"""Reads a search from a URL and runs it on the index; counts how often each query is made."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException

from portico.errors import PortalError
from portico.index.engine_query import SearchScope
from portico.index.query import MAX_CHARACTERS
from portico.index.searcher import DEEPEST, MOST_HITS, Searcher
from portico.serve.links import make_search_url, quote_parameter
from portico.serve.portal import ServedPortal
from portico.store.contributions.visitors import QueryLog
from portico.types.search import Results

_log = logging.getLogger(__name__)

PAGE_SIZE = 20
LONGEST_VALUE = 1_000
"""Maximum characters of a filter value, which is part of every link of a page; no name is longer."""

# How far back the last result of the previous page is looked for: one commit rarely moves it further.
_LOOKED_BACK = 2 * PAGE_SIZE
# Limits on the length of a query and the page number that most searches are within.
_LIGHT_QUERY, _LIGHT_PAGE = 100, 10


@dataclass(frozen=True, slots=True)
class Search:
    """A visitor's search, read from the URL."""

    query: str
    sort: str
    page: int
    narrowed: tuple[tuple[str, str], ...] = ()  # filters: URL parameters with their values
    after: str = ""  # id of the last result on the previous page, as the visitor saw it

    @property
    def is_light(self) -> bool:
        """Whether the search is cheap: a short query without wildcards, and one of the first pages."""
        return len(self.query) <= _LIGHT_QUERY and "*" not in self.query and self.page <= _LIGHT_PAGE

    @property
    def is_beyond(self) -> bool:
        """Whether the page is beyond the last one that searches reach."""
        return (self.page - 1) * PAGE_SIZE > DEEPEST

    def value(self, parameter: str) -> str:
        """The value of a filter; "" if it is not set."""
        return dict(self.narrowed).get(parameter, "")

    def url(self, **changes: str | int | None) -> str:
        """The URL of the same search with changes. Unless the page is changed, it leads to the first one."""
        asked: dict[str, str | int | None] = {"sort": self.sort if self.sort != "relevance" else None}
        return make_search_url(self.query, **(asked | dict(self.narrowed) | changes))

    def url_by(self, parameter: str) -> Callable[[str], str]:
        """A function from values of one parameter to URLs of this search with that value. The rest of the
        URL is built only once, which matters for long lists.
        """
        before = f"{open_for_parameter(self.url(**{parameter: None}))}{parameter}="
        return lambda value: before + quote_parameter(value)


@dataclass(frozen=True, slots=True)
class IndexQuestion:
    """A search in the form the index takes."""

    query: str
    sort: str
    within: SearchScope
    page: int = 1
    after: str = ""


def open_for_parameter(url: str) -> str:
    """The URL with "?" or "&" appended, ready for one more parameter."""
    return f"{url}{'&' if '?' in url else '?'}"


def read_query(parameters: Mapping[str, str]) -> str:
    """The query, cut to the length that is searched for, since it is in every link of the page. One more
    character is kept, so that the search can still say that it was cut.
    """
    return parameters.get("q", "").strip()[: MAX_CHARACTERS + 1]


def get_searcher(portal: ServedPortal) -> Searcher:
    """The index being served; 503 if there is none yet, or none that can be opened."""
    searcher = portal.index.current()
    if searcher is None:
        raise HTTPException(503, portal.damaged if portal.index.is_damaged else None)
    return searcher


@contextmanager
def report_damage(portal: ServedPortal) -> Iterator[None]:
    """Respond with 503 if the index turns out to be damaged during a query."""
    try:
        yield
    except PortalError as error:
        _log.error("%s", error)  # a traceback through the engine is of no use to a builder
        raise HTTPException(503, portal.damaged) from error


def find_page(searcher: Searcher, asked: IndexQuestion) -> Results:
    """The requested page of results. Raises PortalError if the index is damaged."""
    offset = (asked.page - 1) * PAGE_SIZE

    def hits(start: int, limit: int) -> Results:
        return searcher.search(
            asked.query, sort=asked.sort, within=asked.within, limit=limit, offset=start, with_some=True
        )

    if not asked.after or not 0 < offset <= DEEPEST:
        return hits(offset, PAGE_SIZE)
    found = hits(offset - 1, PAGE_SIZE + 1)
    if found.hits and found.hits[0].entity != asked.after:
        # Results were added or removed since: continue where the visitor stopped, if that is near.
        start = max(0, offset - _LOOKED_BACK)
        near = hits(start, MOST_HITS)
        place = next((idx for idx, hit in enumerate(near.hits) if hit.entity == asked.after), None)
        if place is not None:
            return replace(near, hits=near.hits[place + 1 : place + 1 + PAGE_SIZE])
    return replace(found, hits=found.hits[1:])


def split_hits(found: Results) -> tuple[Results, Results]:
    """The results that have all words, and those that follow because they have some of them."""
    return (
        replace(found, hits=tuple([hit for hit in found.hits if hit.has_all])),
        replace(found, hits=tuple([hit for hit in found.hits if not hit.has_all])),
    )


def get_last_shown(found: Results) -> str:
    """The id of the last result, after which the next page continues."""
    return found.hits[-1].entity if found.hits else ""


HAND_OVER_S = 5.0
"""How long counts stay in memory before they are stored; these are lost if the process is killed."""

_LONGEST_COUNTED = 200  # characters; longer queries are pasted texts, of which the beginning suffices
_MOST_AT_ONCE = 1_000  # different searches between two writes to the store


class QueryCounts:
    """Counts searches. Only words and counts are stored: no IP addresses, no times of day, no order."""

    def __init__(self, log: QueryLog, *, now: Callable[[], float]) -> None:
        self._query_log, self._now = log, now
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, int]] = {}
        self._timer: threading.Timer | None = None

    def note(self, query: str, n_found: int) -> None:
        """Count a search that found this many papers."""
        words = " ".join(query.lower().split())[:_LONGEST_COUNTED].strip()
        if not words:
            return
        with self._lock:
            if words not in self._counts and len(self._counts) >= _MOST_AT_ONCE:
                return
            n_asked, n_empty = self._counts.get(words, (0, 0))
            self._counts[words] = (n_asked + 1, n_empty + (n_found == 0))
            if self._timer is None:
                self._timer = threading.Timer(HAND_OVER_S, self.hand_over)
                self._timer.daemon = True
                self._timer.start()

    def hand_over(self) -> None:
        """Write the counts to the store. If it is not writable, these searches are not counted."""
        with self._lock:
            counts, self._counts, self._timer = self._counts, {}, None
        if not counts:
            return
        try:
            self._query_log.add(counts, at=self._now())
        except PortalError as error:
            _log.warning("searches were not counted: %s", error)
