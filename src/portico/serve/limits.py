"""How often one visitor may do something: so many times in so many seconds."""

from collections.abc import Callable
from dataclasses import dataclass

from portico.store.people.visitors import RateEvents


@dataclass(frozen=True, slots=True)
class Throttle:
    """Counts by visitor, in the store: the bound holds however many processes serve the portal."""

    deeds: RateEvents
    kind: str
    most: int
    within_s: float
    clock: Callable[[], float]

    def wait_s(self, visitor: str) -> float:
        """Seconds until this visitor may go on; 0 where they may now."""
        now = self.clock()
        times = self.deeds.times(self.kind, visitor, since=now - self.within_s, until=now)
        return times[-self.most] + self.within_s - now if len(times) >= self.most else 0.0

    def count(self, visitor: str) -> None:
        """It was done once more."""
        now = self.clock()
        self.deeds.add(self.kind, visitor, at=now, since=now - self.within_s)

    def forgive(self, visitor: str) -> None:
        """Begin to count anew."""
        self.deeds.forget(self.kind, visitor)
