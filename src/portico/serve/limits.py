"""How often one visitor may do something: so many times in so many seconds."""

import threading
from collections import deque
from collections.abc import Callable

_MOST_VISITORS = 20_000  # remembered at once; beyond, those who have been quiet are forgotten


class Throttle:
    """Counts by visitor, in memory alone: addresses are written nowhere."""

    def __init__(self, most: int, *, within_s: float, clock: Callable[[], float]) -> None:
        self._most, self._within_s, self._clock = most, within_s, clock
        self._lock = threading.Lock()
        self._times: dict[str, deque[float]] = {}

    def wait_s(self, visitor: str) -> float:
        """Seconds until this visitor may go on; 0 where they may now."""
        with self._lock:
            times = self._recent(visitor)
            return times[0] + self._within_s - self._clock() if len(times) >= self._most else 0.0

    def count(self, visitor: str) -> None:
        """It was done once more."""
        with self._lock:
            if len(self._times) >= _MOST_VISITORS:
                self._times = {name: times for name in [*self._times] if (times := self._recent(name))}
            self._times.setdefault(visitor, self._recent(visitor)).append(self._clock())

    def forgive(self, visitor: str) -> None:
        """Begin to count anew."""
        with self._lock:
            self._times.pop(visitor, None)

    def _recent(self, visitor: str) -> deque[float]:
        times = self._times.get(visitor, deque())
        while times and times[0] <= self._clock() - self._within_s:
            times.popleft()
        return times
