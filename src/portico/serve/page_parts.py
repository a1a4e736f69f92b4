"""Parts shared by several pages: names, highlighted words and passages, cards of papers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from portico.serve.languages import mark
from portico.types.record import Entity, EntityId, Field


@dataclass(frozen=True, slots=True)
class Naming:
    """Words and addresses of things."""

    one: str  # "paper"
    many: str  # "papers"
    path: str  # what the address of a thing's page begins with
    title: Callable[[Entity], str]

    def url(self, entity: EntityId) -> str:
        return self.path + quote(entity, safe="")

    def named(self, typed: str) -> EntityId:
        """The id in the address of a thing's page, or what was typed where it is none."""
        last = typed.strip().rstrip("/").rpartition(self.path)[2]
        return EntityId(last.partition("/")[0].partition("?")[0].lower())


UNNAMED = Naming("entry", "entries", "/", lambda entity: str(entity.id))
"""Of a portal that is not opened yet."""


@dataclass(frozen=True, slots=True)
class PortalWords:
    """What pages that every portal has say of what one holds, with {things} for what it is called."""

    document: str = "page"  # what is read: "paper"
    submit: str = mark("Submit a page or a site")
    is_document: str = mark("a page: one that tells of {things}")
    is_site: str = mark("a site: a page that leads to others on the same host")
    failed: str = "Failed"
    doubted_first: str = ""
    colophon: str = mark(
        "Collected and organized automatically with {portico} {version}. Values may be wrong."
    )


def join_with_and(words: Sequence[str]) -> str:
    """ "organisations, officers and courses"."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def capitalize(words: str) -> str:
    """The words as a sentence or a heading begins."""
    return words[:1].upper() + words[1:]


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


def split_at_marks(text: str, marks: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
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


def shorten(text: str, length: int) -> str:
    """At most `length` characters, cut at a word where there is one."""
    if len(text) <= length:
        return text
    space = text.rfind(" ", length // 2, length)
    return text[: space if space != -1 else length].rstrip() + "…"
