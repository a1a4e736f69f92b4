"""What the teacher sees: one function a page, the lesson so far in, what the template shows out."""

from dataclasses import dataclass

from portico.text.urls import get_host, get_path
from portico.types.lesson import Lesson, Stop
from portico.types.outline import ShownPage
from portico.types.page import Url
from portico.types.path import Ending

SUGGESTED = ("about", "people", "person", "department", "publications", "contact")
"""Names for pages on the way, until the teacher has some of their own."""

MOST_SUGGESTED = 8
_LONGEST_LABEL = 70  # characters


@dataclass(frozen=True, slots=True)
class StopLine:
    """One page of a path, as the panel lists it."""

    id: int
    label: str
    milestone: str
    url: Url
    here: bool = False


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """One finished path."""

    id: int
    is_goal: bool
    label: str
    host: str
    n_steps: int


def path_lines(lesson: Lesson, stop: int) -> tuple[StopLine, ...]:
    return tuple(
        StopLine(each.id, label(each), each.milestone, each.url, here=each.id == stop)
        for each in lesson.way(stop)
    )


def example_lines(lesson: Lesson) -> tuple[ExampleLine, ...]:
    """The latest first."""
    return tuple(
        ExampleLine(
            stop.id, stop.ending is Ending.GOAL, label(stop), get_host(stop.url), len(lesson.way(stop.id)) - 1
        )
        for stop in reversed(lesson.examples)
    )


def suggested_names(lesson: Lesson) -> tuple[str, ...]:
    """Names in use, then names others use."""
    return tuple(dict.fromkeys((*lesson.milestones, *SUGGESTED)))[:MOST_SUGGESTED]


def label(stop: Stop) -> str:
    """A page in a few words: those of the link that led to it, or else its address."""
    if stop.link is None:
        words = f"{get_host(stop.url)}{get_path(stop.url)}".rstrip("/")
    else:
        words = stop.link.link.anchor or get_path(stop.url).rstrip("/").rpartition("/")[2] or stop.url
    return words if len(words) <= _LONGEST_LABEL else f"{words[:_LONGEST_LABEL]}…"


def number_of(text: str) -> int:
    """A number a form or an address gives; 0 where it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else 0


def warning(shown: ShownPage) -> str:
    """What a teacher should know of a page before they wonder."""
    if shown.outline.needs_script:
        return (
            "This page needs JavaScript: it has no text and no links of its own, only programs that would "
            "make them. Portico runs no programs, so neither you nor the spider can go on from here."
        )
    if not shown.outline.pieces:
        return (
            f"There is nothing to show: this is {_kind(shown.media_type)}. It can still be what you were "
            "looking for."
        )
    if not shown.view.sightings:
        return "This page has no links to go on by. It can be what you were looking for, or a dead end."
    return ""


def _kind(media_type: str) -> str:
    name = media_type.partition(";")[0]
    return _KINDS.get(name, f"a file of type {name}" if name else "an empty answer")


_KINDS = {
    "application/pdf": "a PDF document",
    "application/postscript": "a PostScript document",
    "text/html": "an empty page",
}
