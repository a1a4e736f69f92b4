"""A page reduced to what can be shown safely: text, links, and inert elements."""

from dataclasses import dataclass
from enum import StrEnum

from portico.types.page import BodyHash, PageLink, PageView, Url


class Element(StrEnum):
    """The only elements of an outline; none of them loads, sends or runs anything."""

    PARAGRAPH = "p"
    DIVISION = "div"
    HEADING = "h3"  # of any level, because pages are shown below our own headings
    LIST = "ul"
    NUMBERED = "ol"
    ITEM = "li"
    TABLE = "table"
    BODY = "tbody"
    ROW = "tr"
    CELL = "td"
    QUOTE = "blockquote"
    PREFORMATTED = "pre"
    STRONG = "strong"
    EMPHASIS = "em"
    CODE = "code"
    SMALL = "small"
    RAISED = "sup"
    LOWERED = "sub"


class PieceKind(StrEnum):
    """The kind of a piece of an outline."""

    TEXT = "text"
    PICTURE = "picture"  # the alternative text of a picture
    OPEN = "open"
    LINK = "link"  # opens a link to the URL in `value`
    DEAD = "dead"  # opens a disabled link; `value` says why it is not followed
    CLOSE = "close"  # closes the last one opened
    BREAK = "break"


@dataclass(frozen=True, slots=True)
class OutlinePiece:
    """A piece of an outline; an outline is a sequence of them."""

    kind: PieceKind
    value: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """A page as a sequence of pieces. It cannot contain anything that runs, whatever the page tried."""

    url: Url
    pieces: tuple[OutlinePiece, ...] = ()
    unseen: tuple[PageLink, ...] = ()  # links that visitors do not see as such: frames, maps, redirects
    needs_script: bool = False  # the page has almost no text, but scripts that would add some
    cut: bool = False  # the page is longer than what is shown


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A fetched page: what a spider sees, and what a person is shown."""

    view: PageView
    outline: Outline
    media_type: str
    body: BodyHash | None = None  # None if the response was not usable
    n_bytes: int = 0

    @property
    def url(self) -> Url:
        return self.view.url
