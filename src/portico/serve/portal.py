"""A served portal: name, store, topics, and the current index."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from portico.config.portal_paths import PortalPaths
from portico.config.settings import LANGUAGES
from portico.errors import PortalError
from portico.index.searcher import RANKINGS, Searcher
from portico.serve.page_parts import Naming
from portico.serve.theme import Theme
from portico.store.catalog.things import Things
from portico.store.catalog.topics import TopicCount
from portico.store.documents.blobs import Blobs
from portico.store.opening import Store
from portico.store.portal_view import Counts, PortalView
from portico.types.domain import Kind
from portico.types.record import Entity

T = TypeVar("T")

_log = logging.getLogger(__name__)

CHECK_EVERY_S = 1.0
"""Minimum time between two queries whether another index is to be served, or the current one is out of
date."""


class LiveIndex:
    """The searcher for the index generation that the store names. Opens the next generation when that
    changes.
    """

    def __init__(
        self,
        folder: Path,
        generation: Callable[[], str | None],
        *,
        clock: Callable[[], float],
        ranking: str = RANKINGS[0],
    ) -> None:
        self._folder, self._generation, self._clock, self._ranking = folder, generation, clock, ranking
        self._lock = threading.Lock()
        self._name: str | None = None
        self._searcher: Searcher | None = None
        self._fault = ""
        self._check_at = float("-inf")

    @property
    def is_damaged(self) -> bool:
        """Whether there is an index to serve that could not be opened at the last attempt."""
        return bool(self._fault)

    def current(self) -> Searcher | None:
        """The index to search now; None if none has been built yet, or none can be opened."""
        with self._lock:
            if self._clock() >= self._check_at:
                self._check_at = self._clock() + CHECK_EVERY_S
                self._follow(self._generation())
            return self._searcher

    def look_again(self) -> None:
        """Check for a new index at the next request, even if the last check was just now. Call this after
        a write.
        """
        with self._lock:
            self._check_at = float("-inf")

    def _follow(self, name: str | None) -> None:
        if name is None:
            return
        # If it cannot be opened, the old generation keeps serving, and opening is tried again in a second.
        try:
            if self._searcher is not None and name == self._name and not self._searcher.is_stale:
                self._searcher.follow()
                return
            self._searcher = Searcher(self._folder / name, ranking=self._ranking)
            self._name, self._fault = name, ""
        except PortalError as error:
            if str(error) != self._fault:
                _log.error("%s", error)
            self._fault = str(error)


class Remembered(Generic[T]):
    """A cached value that takes a query over a whole table: computed again when it is old, by one request at
    a time.

    The larger the portal, the longer the value is kept: computing it takes at most `SHARE` of the time.
    """

    SHARE = 0.05

    def __init__(self, make: Callable[[], T], *, max_age_s: float, clock: Callable[[], float]) -> None:
        self._make, self._max_age_s, self._clock = make, max_age_s, clock
        self._lock = threading.Lock()
        self._value: T | None = None
        self._until = float("-inf")

    def forget(self) -> None:
        """Compute the value again at the next request. Call this after a write."""
        with self._lock:
            self._value = None

    def get(self) -> T:
        value = self._value
        if value is not None and (self._clock() <= self._until or self._lock.locked()):
            return value  # still valid, or being computed by another request
        with self._lock:
            if self._value is None or self._clock() > self._until:
                started = self._clock()
                self._value = self._make()
                self._until = self._clock() + max(self._max_age_s, (self._clock() - started) / self.SHARE)
            return self._value


# Tree, numbers and front page lists read whole tables, and numbers this old are good enough for visitors.
_OVERVIEW_AGE_S = 5.0
FRONT_LIST = 8
"""Entries of a list on the front page."""
FEWEST_CITATIONS = 2
"""Minimum citations of a paper listed among the most cited ones."""


@dataclass(frozen=True, slots=True)
class About:
    """The portal's settings in portal.toml that serving needs."""

    title: str
    description: str = ""
    contact: str = ""
    ranking: str = RANKINGS[0]
    base_url: str = ""  # the URL for visitors, if it differs from the one it listens on
    hosts: tuple[str, ...] = ()  # accepted host names besides IP addresses and localhost; empty for any
    cors: tuple[str, ...] = ()  # sites whose pages may read the data endpoints
    metrics: tuple[str, ...] = ()  # networks that may read /metrics
    theme: Theme = Theme()  # noqa: RUF009 frozen
    language: str = LANGUAGES[0]  # of pages for visitors who prefer none of the other languages
    languages: tuple[str, ...] = (LANGUAGES[0],)  # that visitors can choose from
    copies: bool = True  # whether visitors get the portal's copies of files, or only links to the originals


@dataclass(frozen=True, slots=True)
class Holding:
    """What a portal holds, as its pages name it."""

    naming: Naming
    damaged: str  # the message shown if the index cannot be searched
    kinds: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """The portal at a glance."""

    counts: Counts
    tree: tuple[TopicCount, ...]
    most_cited: tuple[Entity, ...]
    newest: tuple[Entity, ...]
    first: tuple[Entity, ...]  # by title, used if no citations and no years are known

    @property
    def n_topics(self) -> int:
        """The number of topics that have papers."""
        return sum(node.n_papers > 0 for node in self.tree)


@dataclass(frozen=True, slots=True)
class ServedPortal:
    """Everything that pages are made from."""

    about: About
    view: PortalView
    blobs: Blobs
    index: LiveIndex
    overview: Remembered[Overview]
    overtaken: Remembered[bool]  # whether papers may have changed since they were indexed
    things: Things
    naming: Naming
    damaged: str  # the message shown if the index cannot be searched
    clock: Callable[[], float]
    damage: Callable[[], str]  # a short description of unrepaired damage that `portico verify` found
    kinds: tuple[Kind, ...] = ()  # as the domain declares them; used only by pages of declared kinds


def open_portal(
    store: Store,
    index_folder: Path,
    about: About,
    holding: Holding,
    *,
    clock: Callable[[], float],
    find_index: Callable[[], str | None] | None = None,
) -> ServedPortal:
    view = PortalView(store.engine)
    find_index = find_index or view.index_generation
    return ServedPortal(
        about=about,
        view=view,
        blobs=store.blobs,
        index=LiveIndex(index_folder, find_index, clock=clock, ranking=about.ranking),
        overtaken=Remembered(store.catalog.staleness.is_stale, max_age_s=CHECK_EVERY_S, clock=clock),
        overview=Remembered(lambda: _make_overview(view), max_age_s=_OVERVIEW_AGE_S, clock=clock),
        things=store.catalog.things,
        naming=holding.naming,
        damaged=holding.damaged,
        clock=clock,
        damage=PortalPaths(index_folder.parent).read_damage,
        kinds=holding.kinds,
    )


def _make_overview(view: PortalView) -> Overview:
    cited = view.entities.papers(order="citations", limit=FRONT_LIST)
    most_cited = tuple(entity for entity in cited if entity.n_citations >= FEWEST_CITATIONS)
    newest = view.entities.papers(order="date", limit=FRONT_LIST)
    first = () if most_cited or newest else view.entities.papers(order="title", limit=FRONT_LIST)
    return Overview(view.counts(), view.topics.tree(), most_cited, newest, first)
