"""Prepares the data of the teaching pages: the lesson so far, and pages of other sites as escaped text."""

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup, escape

from portico.serve.escaping import strip_hidden
from portico.text.urls import get_host, get_path, get_registered_domain
from portico.types.lesson import Lesson, Stop
from portico.types.outline import Element, Outline, OutlinePiece, PieceKind, ShownPage
from portico.types.page import Url
from portico.types.path import Ending

SUGGESTED = ("about", "people", "person", "department", "publications", "contact")
"""Suggested names for pages on the way, until the teacher has chosen some."""

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


def list_path_lines(lesson: Lesson, stop: int) -> tuple[StopLine, ...]:
    return tuple(
        StopLine(each.id, label(each), each.milestone, each.url, here=each.id == stop)
        for each in lesson.way(stop)
    )


def list_examples(lesson: Lesson) -> tuple[ExampleLine, ...]:
    """All finished paths, the latest first."""
    return tuple(
        ExampleLine(
            stop.id, stop.ending is Ending.GOAL, label(stop), get_host(stop.url), len(lesson.way(stop.id)) - 1
        )
        for stop in reversed(lesson.examples)
    )


def suggest_names(lesson: Lesson) -> tuple[str, ...]:
    """Names for pages: those in use, then common ones."""
    return tuple(dict.fromkeys((*lesson.milestones, *SUGGESTED)))[:MOST_SUGGESTED]


def label(stop: Stop) -> str:
    """A short label for a page: the text of the link that led to it, or else its URL."""
    if stop.link is None:
        words = f"{get_host(stop.url)}{get_path(stop.url)}".rstrip("/")
    else:
        words = stop.link.link.anchor or get_path(stop.url).rstrip("/").rpartition("/")[2] or stop.url
    return words if len(words) <= _LONGEST_LABEL else f"{words[:_LONGEST_LABEL]}…"


def number_of(text: str) -> int:
    """The number in a form or URL; 0 if it is not valid."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else 0


def make_warning(shown: ShownPage) -> str:
    """What a teacher should know about a page that may look wrong to them."""
    if shown.outline.needs_script:
        return (
            "This page needs JavaScript: without its scripts it has no text and no links. Portico runs no "
            "scripts, so neither you nor the spider can continue from here."
        )
    if not shown.outline.pieces:
        return (
            f"There is nothing to show: this is {_kind(shown.media_type)}. It can still be what you were "
            "looking for."
        )
    if not shown.view.sightings:
        return "This page has no links to follow. It can be what you were looking for, or a dead end."
    return ""


def _kind(media_type: str) -> str:
    name = media_type.partition(";")[0]
    return _KINDS.get(name, f"a file of type {name}" if name else "an empty answer")


_KINDS = {
    "application/pdf": "a PDF document",
    "application/postscript": "a PostScript document",
    "text/html": "an empty page",
}


Address = Callable[[Url], str]
"""Returns the URL on our own site for a link of the page shown."""


@dataclass(frozen=True, slots=True)
class UnseenLink:
    """A link that is not in the text, such as that of a frame, an image map or a redirect."""

    href: str
    words: str


def render_outline(outline: Outline, address: Address) -> Markup:
    """The outline as HTML. It contains nothing from the page except text, URLs and element names."""
    html: list[Markup] = []
    closing: list[Markup] = []
    for piece in outline.pieces:
        if piece.kind is PieceKind.CLOSE:
            html.append(closing.pop())
        elif piece.kind in _OPENERS:
            opened, closes = _OPENERS[piece.kind](piece, outline.url, address)
            html.append(opened)
            closing.append(closes)
        else:
            html.append(_WRITERS[piece.kind](piece))
    return Markup("").join(html)


def list_unseen_links(outline: Outline, address: Address) -> tuple[UnseenLink, ...]:
    return tuple(
        UnseenLink(address(each.link.target), each.link.anchor or each.link.target) for each in outline.unseen
    )


def is_same_site(one: Url, other: Url) -> bool:
    return get_registered_domain(get_host(one)) == get_registered_domain(get_host(other))


def _element(piece: OutlinePiece, _here: Url, _address: Address) -> tuple[Markup, Markup]:
    return _TAGS[Element(piece.value)]


def _link(piece: OutlinePiece, here: Url, address: Address) -> tuple[Markup, Markup]:
    target = Url(piece.value)
    if is_same_site(here, target):
        return _LINK.format(address(target), strip_hidden(target), ""), Markup("</a>")
    opened = _LINK.format(address(target), strip_hidden(target), "elsewhere")
    return opened, Markup('<span class="unseen"> (on {})</span></a>').format(strip_hidden(get_host(target)))


def _dead(piece: OutlinePiece, _here: Url, _address: Address) -> tuple[Markup, Markup]:
    return Markup('<span class="dead" title="{}">').format(piece.value), Markup("</span>")


def _picture(piece: OutlinePiece) -> Markup:
    return (
        Markup('<span class="picture">{}</span>').format(strip_hidden(piece.value))
        if piece.value
        else Markup("")
    )


_LINK = Markup('<a href="{}" title="{}" class="{}">')
_TAGS = {each: (Markup("<{}>").format(each.value), Markup("</{}>").format(each.value)) for each in Element}
_OPENERS = {PieceKind.OPEN: _element, PieceKind.LINK: _link, PieceKind.DEAD: _dead}
_WRITERS: dict[PieceKind, Callable[[OutlinePiece], Markup]] = {
    PieceKind.TEXT: lambda piece: escape(strip_hidden(piece.value)),
    PieceKind.PICTURE: _picture,
    PieceKind.BREAK: lambda _piece: Markup("<br>"),
}
