"""Small pieces that pages are made of: words that lead somewhere, marked stretches, what is uncertain."""

from collections.abc import Sequence
from typing import NamedTuple

from portico.types.record import Field

# Below this probability a page says that a value is uncertain. A choice: at .7 three of ten such
# values are wrong, which is when a reader wants to be warned.
UNCERTAIN = 0.7


class LinkedText(NamedTuple):  # like Piece and Card made often for a page, in a third of the time
    """Words and where they lead."""

    text: str
    url: str


class Piece(NamedTuple):
    """A stretch of a snippet, marked or not."""

    text: str
    marked: bool


class PaperCard(NamedTuple):
    """A paper in a list."""

    url: str
    title: str
    authors: tuple[LinkedText, ...]
    n_more_authors: int
    venue: str
    year: str
    n_citations: int
    held: bool
    topic: LinkedText | None = None
    snippet: tuple[Piece, ...] = ()
    source: LinkedText | None = None  # where the paper itself can be read


def is_uncertain(fields: Sequence[Field]) -> bool:
    """Whether any of these values is more doubtful than a reader would assume."""
    return any(field.confidence < UNCERTAIN for field in fields)


def pieces(text: str, marks: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """The text cut where marks begin and end."""
    cut: list[Piece] = []
    position = 0
    for start, end in marks:
        if start > position:
            cut.append(Piece(text[position:start], False))
        cut.append(Piece(text[start:end], True))
        position = end
    if position < len(text):
        cut.append(Piece(text[position:], False))
    return tuple(cut)


def shortened(text: str, length: int) -> str:
    """At most `length` characters, cut at a word where there is one."""
    if len(text) <= length:
        return text
    space = text.rfind(" ", length // 2, length)
    return text[: space if space != -1 else length].rstrip() + "…"
