"""Adds up what is searched for and hands the counts to the store now and then, away from any request."""

import logging
import threading
from collections.abc import Callable

from portico.errors import PortalError
from portico.store.people.visitors import QueryLog

_log = logging.getLogger(__name__)

HAND_OVER_S = 5.0
"""How long counts are kept in memory; what a kill loses."""

_LONGEST = 200  # characters; longer queries are pasted texts, whose beginning says enough
_MOST_AT_ONCE = 1_000  # different searches between two hand-overs


class QueryCounts:
    """Words and counts alone: no addresses, no times of day, no order."""

    def __init__(self, log: QueryLog, *, now: Callable[[], float]) -> None:
        self._query_log, self._now = log, now
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[int, int]] = {}
        self._timer: threading.Timer | None = None

    def note(self, query: str, n_found: int) -> None:
        """A visitor searched and found so many papers."""
        words = " ".join(query.lower().split())[:_LONGEST].strip()
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
        """Write the counts down; searches of a store that cannot be written are not counted."""
        with self._lock:
            counts, self._counts, self._timer = self._counts, {}, None
        if not counts:
            return
        try:
            self._query_log.add(counts, at=self._now())
        except PortalError as error:
            _log.warning("searches were not counted: %s", error)
