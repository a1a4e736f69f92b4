"""A way through a site: the pages and links somebody went by, and whether they led to what was sought."""

from dataclasses import dataclass
from enum import StrEnum

from portico.types.page import PageLink, PageView


class Ending(StrEnum):
    """What the last page of a path is."""

    GOAL = "goal"
    DEAD_END = "dead end"


@dataclass(frozen=True, slots=True)
class Step:
    """One page of a path, and the link of the page before that led to it."""

    page: PageView  # its own links are not needed here
    link: PageLink | None = None  # None of the first page
    milestone: str = ""  # what the teacher called the page ("people"); "" where nothing was said


@dataclass(frozen=True, slots=True)
class Path:
    """Pages from where the search began to where it ended."""

    steps: tuple[Step, ...]
    ending: Ending
