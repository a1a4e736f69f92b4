"""What a builder does while teaching: pages gone to, names given, and where each way ended."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from portico.types.page import BodyHash, PageLink, Url
from portico.types.path import Ending


@dataclass(frozen=True, slots=True)
class FieldMark:
    """A passage of a converted page, and the label its words have.

    `start` and `end` count characters of the document made of the body; `text` is what stands there, so that
    the passage is found again when pages are converted another way.
    """

    page: Url
    body: BodyHash
    label: str
    start: int
    end: int
    text: str


NOWHERE = Url("")


class ActKind(StrEnum):
    """What was clicked."""

    OPENED = "opened"  # an address was typed: a way begins
    FOLLOWED = "followed"  # a link of the page of `stop`
    NAMED = "named"  # the page of `stop`, as `words` say; "" takes the name away
    ENDED = "ended"  # `words` say how; "" takes the example back


@dataclass(frozen=True, slots=True)
class Act:
    """One click. A lesson is nothing but the clicks so far, so the last can always be taken back."""

    kind: ActKind
    stop: int = 0  # 0 where a way begins
    url: Url = NOWHERE  # opened, followed: where the page was found
    link: PageLink | None = None  # followed: the link as it stood on the page
    words: str = ""
    at: float = 0.0  # seconds since the epoch
    id: int = 0  # given by the store; opened, followed: the number of the new stop


@dataclass(frozen=True, slots=True)
class Stop:
    """A page the builder went to, by a way of its own: the same page by another way is another stop."""

    id: int
    url: Url
    before: int = 0  # the stop whose link led here; 0 where a way begins
    link: PageLink | None = None
    milestone: str = ""
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """All that was taught so far: a tree of stops, each branch of which is a way."""

    stops: Mapping[int, Stop] = field(default_factory=dict)
    at: int = 0  # the stop where the builder is; 0 before the first

    def way(self, stop: int) -> tuple[Stop, ...]:
        """The stops from where the way began to this one; nothing where there is no such stop."""
        found: list[Stop] = []
        while stop in self.stops:
            found.append(self.stops[stop])
            stop = self.stops[stop].before
        return tuple(reversed(found))

    @property
    def examples(self) -> tuple[Stop, ...]:
        """The stops whose ways are finished, in the order they were gone to."""
        return tuple(stop for stop in self.stops.values() if stop.ending is not None)

    @property
    def beginnings(self) -> tuple[Stop, ...]:
        """Where ways began."""
        return tuple(stop for stop in self.stops.values() if not stop.before)

    @property
    def milestones(self) -> tuple[str, ...]:
        """Names in use, the most used first."""
        counted = Counter(stop.milestone for stop in self.stops.values() if stop.milestone)
        return tuple(name for name, _ in counted.most_common())

    def already(self, stop: int, url: Url) -> Stop | None:
        """The stop where this page is on the way to `stop`, or was gone to from it before."""
        here = (each for each in self.way(stop) if each.url == url)
        below = (each for each in self.stops.values() if each.before == stop and each.url == url)
        return next(here, None) or next(below, None)


def replay_acts(acts: Iterable[Act]) -> Lesson:
    """The lesson that these clicks make; those about stops that are not there count for nothing."""
    stops: dict[int, Stop] = {}
    at = 0
    for act in acts:
        if act.kind in (ActKind.OPENED, ActKind.FOLLOWED):
            stops[act.id] = Stop(act.id, act.url, act.stop, act.link)
            at = act.id
        elif act.stop in stops:
            stops[act.stop] = _changed(stops[act.stop], act)
            at = act.stop
    return Lesson(stops, at)


def _changed(stop: Stop, act: Act) -> Stop:
    if act.kind is ActKind.NAMED:
        return replace(stop, milestone=act.words)
    return replace(stop, ending=Ending(act.words) if act.words else None)
