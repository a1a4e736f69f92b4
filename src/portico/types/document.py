"""A document: readable text, with the page position of every character."""

from dataclasses import dataclass
from typing import NewType


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A small PNG; empty if the page could not be drawn."""

    width: int  # pixels
    height: int
    png: str = ""  # in base64, because values are stored as JSON


DocumentId = NewType("DocumentId", str)
"""The SHA-256 of the body that the document was converted from: converting again does not change it."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of characters of a document's text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def trim(self, text: str) -> "Span | None":
        """Without white space at its ends; None where nothing else is in it."""
        words = self.of(text)
        start = self.start + len(words) - len(words.lstrip())
        end = self.end - (len(words) - len(words.rstrip()))
        return Span(start, end) if start < end else None

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page in points, origin at the top left corner."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class TextRun:
    """Characters of one line that share a typeface and size."""

    span: Span
    font: str
    size: float
    bold: bool = False
    italic: bool = False
    raised: bool = False  # a superscript: footnote and affiliation marks


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line in reading order; lines with the same block belong to one paragraph."""

    span: Span
    page: int  # counted from 0
    block: int
    box: Box | None = None  # None if the format has no layout
    runs: tuple[TextRun, ...] = ()

    @property
    def size(self) -> float:
        """The size of most characters of the line; 0 if the format has none."""
        return self._dominant().size if self.runs else 0.0

    @property
    def bold(self) -> bool:
        return self._dominant().bold if self.runs else False

    @property
    def italic(self) -> bool:
        return self._dominant().italic if self.runs else False

    def _dominant(self) -> TextRun:
        if len(self.runs) == 1:  # most lines, and each is asked many times
            return self.runs[0]
        return max(self.runs, key=_n_characters)


def _n_characters(run: TextRun) -> int:
    return run.span.end - run.span.start


@dataclass(frozen=True, slots=True)
class PageSize:
    """Width and height of a page in points."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one body. `text` joins the lines with newlines; nothing is hyphen-joined here."""

    id: DocumentId
    media_type: str
    text: str
    lines: tuple[Line, ...]
    pages: tuple[PageSize, ...]
    # Data of the file besides its lines, by name: embedded metadata ("info:title", "xmp:doi"), and text
    # printed "sideways" on the first page, such as the stamp of an archive.
    asides: tuple[tuple[str, str], ...] = ()
