"""Parts shared by several pages: names, highlighted words and passages, cards of papers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from portico.serve.languages import mark
from portico.types.record import Entity, EntityId, Field


@dataclass(frozen=True, slots=True)
class Naming:
    """The words for things, and the URLs of their pages."""

    one: str  # "paper"
    many: str  # "papers"
    path: str  # prefix of the URLs of things' pages
    title: Callable[[Entity], str]

    def url(self, entity: EntityId) -> str:
        return self.path + quote(entity, safe="")

    def named(self, typed: str) -> EntityId:
        """The id in the URL of a thing's page, or the typed text itself if it is not such a URL."""
        last = typed.strip().rstrip("/").rpartition(self.path)[2]
        return EntityId(last.partition("/")[0].partition("?")[0].lower())


UNNAMED = Naming("entry", "entries", "/", lambda entity: str(entity.id))
"""Names used before the portal is opened."""


@dataclass(frozen=True, slots=True)
class PortalWords:
    """Wording that every portal needs, with {things} in place of the name of what it holds."""

    document: str = "page"  # what values are read from, such as "paper"
    submit: str = mark("Submit a page or a site")
    is_document: str = mark("a page: one that tells of {things}")
    is_site: str = mark("a site: a page that leads to others on the same host")
    failed: str = "Failed"
    doubted_first: str = ""
    colophon: str = mark(
        "Collected and organized automatically with {portico} {version}. Values may be wrong."
    )


def join_with_and(words: Sequence[str]) -> str:
    """The words as an enumeration, such as "organisations, officers and courses"."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def capitalize(words: str) -> str:
    """The text with its first letter in upper case."""
    return words[:1].upper() + words[1:]


# Below this probability a page says that a value is uncertain. A choice: at .7 three of ten such
# values are wrong, which is when a reader wants to be warned.
UNCERTAIN = 0.7


class LinkedText(NamedTuple):  # like Piece and Card made often per page; three times faster than a dataclass
    """Text and its link."""

    text: str
    url: str


class Piece(NamedTuple):
    """A piece of a snippet, highlighted or not."""

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
    """Whether any of these values is less certain than a reader would assume."""
    return any(field.confidence < UNCERTAIN for field in fields)


def split_at_marks(text: str, marks: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """The text split into highlighted and other pieces."""
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


def shorten(text: str, length: int) -> str:
    """The text cut to about `length` characters, at a space if possible."""
    if len(text) <= length:
        return text
    space = text.rfind(" ", length // 2, length)
    return text[: space if space != -1 else length].rstrip() + "…"
