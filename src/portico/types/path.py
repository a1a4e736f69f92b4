"""Paths through a site: those shown by a person, and those a trained spider would follow."""

from dataclasses import dataclass
from enum import StrEnum

from portico.types.page import PageLink, PageView, Url


class Ending(StrEnum):
    """The kind of the last page of a path."""

    GOAL = "goal"
    DEAD_END = "dead end"


@dataclass(frozen=True, slots=True)
class Step:
    """One page of a path, and the link that led to it."""

    page: PageView  # its own links are not needed here
    link: PageLink | None = None  # None for the first page
    milestone: str = ""  # the teacher's name for the page ("people"); "" if it has none


@dataclass(frozen=True, slots=True)
class Path:
    """Pages from where the search began to where it ended."""

    steps: tuple[Step, ...]
    ending: Ending


# A page with a lower probability of being a goal is none, even if all others are less likely still. In the
# lessons of `portico lab teaching --quick`, the likeliest page always has at least a quarter.
LEAST_GOAL = 0.1


@dataclass(frozen=True, slots=True)
class PreviewedFetch:
    """One fetch of a preview, in the order of the spider."""

    url: Url
    score: float  # the predicted reward of the link
    promised: str  # the predicted label of the link
    before: int | None = None  # the fetch whose page has the link; None at the beginning
    link: PageLink | None = None
    found: str = ""  # the label of the fetched page; "" if it was not fetched
    chance: float = 0.0  # the probability of that label
    goal: float = 0.0  # the probability that it is a goal
    title: str = ""
    trouble: str = ""  # why the page could not be fetched


@dataclass(frozen=True, slots=True)
class Preview:
    """The first fetches on one site; while it is not finished, more will follow."""

    site: Url
    n_wanted: int
    n_examples: int  # number of examples it was trained on
    fetches: tuple[PreviewedFetch, ...] = ()
    finished: bool = False
    note: str = ""  # why the preview ended early, if it did
    names: tuple[tuple[str, str], ...] = ()  # the teacher's most frequent name for pages at each distance

    @property
    def likeliest(self) -> int | None:
        """The fetch whose page is most likely a goal; None if none looks like one.

        After a few examples no page is certain to be a goal, but which one is likeliest is known earlier.
        """
        likely = [number for number, fetch in enumerate(self.fetches) if fetch.goal >= LEAST_GOAL]
        return max(likely, key=lambda number: self.fetches[number].goal, default=None)

    def way(self, number: int) -> tuple[PreviewedFetch, ...]:
        """The fetches that led to this one, in order, including itself; none if it does not exist."""
        found: list[PreviewedFetch] = []
        at: int | None = number
        while at is not None and 0 <= at < len(self.fetches):
            found.append(self.fetches[at])
            at = self.fetches[at].before
        return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class KeptModel:
    """Where a learned model was saved, and whether crawls use it from now on."""

    model: str
    advice: str = ""  # what the builder has to do to use it; "" if portal.toml already says so
