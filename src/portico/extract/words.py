"""The words of a stretch of a document, line by line, as the taggers see them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from portico.types.document import Document, Line, Span

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    """A printed word: no white space inside."""

    text: str
    span: Span
    raised: bool = False  # a footnote or affiliation mark


@dataclass(frozen=True, slots=True)
class Row:
    """A printed line: its words, and what is known of its looks ("size:largest", "bold"…)."""

    words: tuple[Word, ...]
    looks: tuple[str, ...] = ()
    size: float = 0.0  # of most of its letters, in points; 0 where the format does not tell
    block: int = 0  # the paragraph it belongs to

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def words_of(text: str, span: Span) -> tuple[Word, ...]:
    """The words of a range of a text."""
    return tuple(
        Word(match[0], Span(match.start(), match.end()))
        for match in _WORD.finditer(text, span.start, span.end)
    )


def words_apart(text: str, line: Line) -> tuple[Word, ...]:
    """The words of a line, with raised marks as words of their own: `Smith` `1`, not `Smith1`."""
    raised = [run.span for run in line.runs if run.raised]
    cuts = {line.span.start, line.span.end}
    cuts.update(edge for span in raised for edge in (span.start, span.end))
    edges = sorted(edge for edge in cuts if line.span.start <= edge <= line.span.end)
    return tuple(
        Word(word.text, word.span, any(span.start <= start < span.end for span in raised))
        for start, end in pairwise(edges)
        for word in words_of(text, Span(start, end))
    )


def rows_of(document: Document, lines: Iterable[Line]) -> tuple[Row, ...]:
    """The lines' words without looks; empty lines are left out."""
    rows = (Row(words_of(document.text, line.span)) for line in lines)
    return tuple(row for row in rows if row.words)
