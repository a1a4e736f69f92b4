"""A lesson of a builder: pages visited, labels given, and where each path ended."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from portico.types.page import BodyHash, PageLink, Url
from portico.types.path import Ending


@dataclass(frozen=True, slots=True)
class FieldMark:
    """A passage of a converted page, and the label of its words.

    `start` and `end` count characters of the converted document; `text` is the marked text, so that the
    passage can be found again if pages are converted differently later.
    """

    page: Url
    body: BodyHash
    label: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class AlikePage:
    """A page that is printed like a marked one, and what marks in the same places would be on it."""

    url: Url
    marks: tuple[FieldMark, ...]


@dataclass(frozen=True, slots=True)
class KnownWebPage:
    """A page that we generated, with the true values of the labels it names."""

    url: str
    html: str
    values: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class FieldOutcome:
    """The results of reading one field before and after a lesson."""

    label: str
    n_marked: int  # values marked on the held-out pages of cross-validation
    n_right_before: int  # of these
    n_right_after: int
    n_read_before: int  # values read from unmarked pages
    n_read_after: int

    def describe(self) -> str:
        """`date: 8 of 8 right before, 8 of 8 after; on other pages 20 → 20`"""
        before, after = (f"{n} of {self.n_marked}" for n in (self.n_right_before, self.n_right_after))
        tried = f"{before} right before, {after} after" if self.n_marked else "not marked"
        return f"{self.label}: {tried}; on other pages {self.n_read_before} → {self.n_read_after}"


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A value that is read differently than before."""

    page: str
    label: str
    gone: tuple[str, ...]
    new: tuple[str, ...]

    def describe(self) -> str:
        return f"{self.label}: {_quote(self.gone)} → {_quote(self.new)} ({self.page})"


def _quote(values: tuple[str, ...]) -> str:
    return ", ".join(f"“{value}”" for value in values) or "nothing"


@dataclass(frozen=True, slots=True)
class LessonOutcome:
    """The result of learning: whether the new reading is used, and how both compare."""

    is_kept: bool
    summary: str  # one sentence: what was learned from, and why the result is kept or not
    fields: tuple[FieldOutcome, ...] = ()
    changes: tuple[ValueChange, ...] = ()  # examples

    def lines(self) -> Iterator[str]:
        """The same for a person at a terminal."""
        yield self.summary
        yield from (f"  {field.describe()}" for field in self.fields)
        if self.changes:
            yield "What is read otherwise, for example:" if self.is_kept else "What would be read otherwise:"
            yield from (f"  {change.describe()}" for change in self.changes)


NOWHERE = Url("")


class ActKind(StrEnum):
    """The kind of an action."""

    OPENED = "opened"  # a URL was entered: a path begins
    FOLLOWED = "followed"  # a link on the page of `stop` was followed
    NAMED = "named"  # the page of `stop` was named `words`; "" removes the name
    ENDED = "ended"  # the path ended as `words` say; "" withdraws the example


@dataclass(frozen=True, slots=True)
class Act:
    """One action of the builder. A lesson is the sequence of its actions, so the last one can always be
    undone.
    """

    kind: ActKind
    stop: int = 0  # 0 if a path begins
    url: Url = NOWHERE  # if opened or followed: the URL of the page
    link: PageLink | None = None  # if followed: the link as it was on the page
    words: str = ""
    at: float = 0.0  # seconds since the epoch
    id: int = 0  # assigned by the store; if opened or followed: the number of the new stop


@dataclass(frozen=True, slots=True)
class Stop:
    """A page the builder visited, by a particular route: the same page reached by another route is another
    stop.
    """

    id: int
    url: Url
    before: int = 0  # the stop whose link led here; 0 if a path begins
    link: PageLink | None = None
    milestone: str = ""
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """Everything taught so far: a tree of stops, in which each branch is a route."""

    stops: Mapping[int, Stop] = field(default_factory=dict)
    at: int = 0  # the current stop; 0 before the first

    def way(self, stop: int) -> tuple[Stop, ...]:
        """The stops from the start of the route to this one; none if there is no such stop."""
        found: list[Stop] = []
        while stop in self.stops:
            found.append(self.stops[stop])
            stop = self.stops[stop].before
        return tuple(reversed(found))

    @property
    def examples(self) -> tuple[Stop, ...]:
        """The last stops of finished routes, in the order in which they were visited."""
        return tuple(stop for stop in self.stops.values() if stop.ending is not None)

    @property
    def beginnings(self) -> tuple[Stop, ...]:
        """Where routes began."""
        return tuple(stop for stop in self.stops.values() if not stop.before)

    @property
    def milestones(self) -> tuple[str, ...]:
        """Names in use, the most frequent first."""
        counted = Counter(stop.milestone for stop in self.stops.values() if stop.milestone)
        return tuple(name for name, _ in counted.most_common())

    def already(self, stop: int, url: Url) -> Stop | None:
        """The stop for this page on the route to `stop`, or visited from it before."""
        here = (each for each in self.way(stop) if each.url == url)
        below = (each for each in self.stops.values() if each.before == stop and each.url == url)
        return next(here, None) or next(below, None)


def replay_acts(acts: Iterable[Act]) -> Lesson:
    """The lesson made by these actions; actions on stops that do not exist are ignored."""
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
