"""Running text joined from printed lines, with a map from each character to where it was printed."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from portico.extract.words import Row, Word
from portico.types.document import Span

_HYPHENS = ("-", "\u00ad", "‐", "‑")
# A word broken at a line end, and the mark put on its two halves.
_BREAK, _HALF = re.compile(r"[-\u00ad‐‑]\s*\n"), "\0"
# Words separated by single spaces form one piece.
_SPACED_ONCE = re.compile(r"\S+(?: \S+)*+")
_WORD = re.compile(rf"(?<!{_HALF})(?<![^\W\d_])[^\W\d_]{{2,}}+(?!{_HALF})")


@dataclass(frozen=True, slots=True)
class Passage:
    """Running text made of pieces, each of which stands in one place in the document."""

    text: str
    starts: tuple[int, ...]  # where in the text each piece begins
    places: tuple[int, ...]  # and where in the document

    def span(self, start: int, end: int) -> Span:
        """Return where a range of the passage, which must not be empty, stands in the document."""
        return Span(self._place(start), self._place(end - 1) + 1)

    def _place(self, position: int) -> int:
        piece = bisect_right(self.starts, position) - 1
        return self.places[piece] + position - self.starts[piece]


class _Writer:
    """Builds a passage piece by piece."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.places: list[int] = []
        self.length = 0
        self.end = 0  # behind the last piece, in the document

    def add(self, text: str, place: int) -> None:
        length = len(text)
        self.pieces.append(text)
        self.starts.append(self.length)
        self.places.append(place)
        self.length += length
        self.end = place + length

    def drop_last_character(self) -> None:
        self.pieces[-1] = self.pieces[-1][:-1]
        self.length -= 1

    def passage(self) -> Passage:
        return Passage("".join(self.pieces), tuple(self.starts), tuple(self.places))


def collect_vocabulary(text: str) -> frozenset[str]:
    """Return the words printed in one piece; they show which hyphens at line ends belong to the word."""
    marked = _BREAK.sub(_mark_halves, text.lower())
    # Most words occur many times; each is examined only once.
    return frozenset(_WORD.findall(" ".join(set(marked.split()))))


def _mark_halves(line_end: re.Match[str]) -> str:
    """Mark both sides of a line break inside a word; after an empty line the word does not continue."""
    return f"{_HALF}-{_HALF}" if len(line_end[0]) == 2 else f"{_HALF}- "


def read_rows(rows: Iterable[Row], vocabulary: Collection[str]) -> Passage:
    """Convert rows to running text, rejoining words broken at line ends."""
    return read_lines([row.words for row in rows], vocabulary)


def read_lines(lines: Iterable[Sequence[Word]], vocabulary: Collection[str]) -> Passage:
    """Convert lines of words to running text, rejoining words broken at line ends."""
    out = _Writer()
    for words in lines:
        for idx, word in enumerate(words):
            _go_on(out, word.text, word.span.start, vocabulary if idx == 0 else None)
    return out.passage()


def read_spans(text: str, spans: Iterable[Span], vocabulary: Collection[str]) -> Passage:
    """Convert lines, given by their spans, to running text; faster than going word by word."""
    out = _Writer()
    for span in spans:
        for idx, match in enumerate(_SPACED_ONCE.finditer(text, span.start, span.end)):
            _go_on(out, match[0], match.start(), vocabulary if idx == 0 else None)
    return out.passage()


def keep_lines(lines: Iterable[Sequence[Word]]) -> Passage:
    """Convert lines of words to text that keeps the line breaks."""
    out = _Writer()
    for words in lines:
        for idx, word in enumerate(words):
            between = (" " if idx else "\n") if out.pieces else ""
            out.add(between + word.text, word.span.start - len(between))
    return out.passage()


def _go_on(out: _Writer, text: str, place: int, vocabulary: Collection[str] | None) -> None:
    """Append words. `vocabulary` is given for the first word of a line, which may end a broken word."""
    if vocabulary is not None and _continues(out.pieces, text):
        if _is_broken("".join(out.pieces), text, vocabulary):
            out.drop_last_character()
    elif out.pieces and out.end != place:
        text, place = " " + text, place - 1  # the space or line end before it
    out.add(text, place)


def _continues(pieces: list[str], word: str) -> bool:
    """Whether the line before ends in a hyphen that joins its last word to `word`."""
    if not pieces or not pieces[-1].endswith(_HYPHENS):
        return False
    return "".join(pieces)[-2:-1].isalpha() and (word[0].isalpha() or word[0].isdigit())


def _is_broken(text: str, word: str, vocabulary: Collection[str]) -> bool:
    """Whether a hyphen only breaks a word: it is printed whole elsewhere, or not as two separate words."""
    if not word[0].islower():
        return False
    start = len(text) - 1
    while start and text[start - 1].isalpha():
        start -= 1
    head = text[start:-1].lower()
    tail_match = re.match(r"[^\W\d_]+", word)
    tail = tail_match[0].lower() if tail_match else ""
    if head + tail in vocabulary:
        return True
    # "multi-agent" broken at its own hyphen: both halves occur as words in this text, the whole does not.
    return not (head in vocabulary and tail in vocabulary and len(head) > 2 and len(tail) > 2)
