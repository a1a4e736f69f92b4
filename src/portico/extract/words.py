"""Splits a part of a document into words, line by line, for the taggers."""

import re
from dataclasses import dataclass
from itertools import pairwise

from portico.types.document import Line, Span

_WORD = re.compile(r"\S+")


# Where a printed word is two words without the space between them: "End,London", "Sound’,Nature", "2011.Who".
_LOST_SPACE = re.compile(
    r"(?<=[^\W\d_A-Z][,;:])(?=[^\W\d_a-z])|(?<=[’”\"»][,.;:])(?=[^\W\d_])"
    r"|(?<=[a-zß-ÿ]{3}[.])(?=[A-ZÀ-Þ][a-zß-ÿ]{2})|(?<=[12]\d\d\d[.:])(?=[^\W\d_]|[¿“‘])"
)
# A URL or email address is one word whatever it contains.
_ADDRESS = re.compile(r"[/@]|^www\.", re.IGNORECASE)


# Words whose features are cached; a paper has a few thousand different ones, each about 2 kB.
MEMORY_WORDS = 20_000


@dataclass(frozen=True, slots=True)
class Word:
    """A printed word, without white space."""

    text: str
    span: Span
    raised: bool = False  # a footnote or affiliation mark


@dataclass(frozen=True, slots=True)
class Row:
    """A printed line: its words and what is known of its look ("size:largest", "bold"…)."""

    words: tuple[Word, ...]
    looks: tuple[str, ...] = ()
    size: float = 0.0  # of most of its letters, in points; 0 if the format does not provide it
    block: int = 0  # the paragraph it belongs to
    cuts: tuple[int, ...] = ()  # positions of words that begin in another element or typeface

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def split_words(text: str, span: Span) -> tuple[Word, ...]:
    """Split a range of a text into words."""
    return tuple(
        Word(match[0], Span(match.start(), match.end()))
        for match in _WORD.finditer(text, span.start, span.end)
    )


def split_spaced_words(text: str, span: Span) -> tuple[Word, ...]:
    """Split into words, also where a list of references lost the space after a comma or full stop."""
    return tuple(part for word in split_words(text, span) for part in _spaced(word))


def _spaced(word: Word) -> tuple[Word, ...]:
    if word.text.isalnum() or _ADDRESS.search(word.text):
        return (word,)
    cuts = [0, *(match.start() for match in _LOST_SPACE.finditer(word.text)), len(word.text)]
    start = word.span.start
    return tuple(Word(word.text[cut:end], Span(start + cut, start + end)) for cut, end in pairwise(cuts))


def split_raised_marks(text: str, line: Line) -> tuple[Word, ...]:
    """Split a line into words, with raised marks separate: `Smith` `1`, not `Smith1`."""
    raised = [run.span for run in line.runs if run.raised]
    cuts = {line.span.start, line.span.end}
    cuts.update(edge for span in raised for edge in (span.start, span.end))
    edges = sorted(edge for edge in cuts if line.span.start <= edge <= line.span.end)
    return tuple(
        Word(word.text, word.span, any(span.start <= start < span.end for span in raised))
        for start, end in pairwise(edges)
        for word in split_words(text, Span(start, end))
    )
