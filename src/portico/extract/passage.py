"""Running text put together from printed lines, that still knows where each character was printed."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from portico.extract.words import Row, Word
from portico.types.document import Span

_HYPHENS = "-\u00ad‐‑"
# A word that is not itself a half of one broken at a line end.
_WORD = re.compile(r"(?<![-\u00ad‐‑]\n)(?<![^\W\d_])[^\W\d_]{2,}+(?![-\u00ad‐‑]\s*\n)")


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` reads on over line ends; `places[i]` is where `text[i]` stands in the document."""

    text: str
    places: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """Where a range of the passage stands in the document; the range must not be empty."""
        return Span(self.places[start], self.places[end - 1] + 1)

    def part(self, start: int, end: int) -> "Passage":
        return Passage(self.text[start:end], self.places[start:end])


def vocabulary_of(text: str) -> frozenset[str]:
    """The words a text prints in one piece: they tell which hyphens at line ends are real."""
    return frozenset(word.lower() for word in _WORD.findall(text))


def read_rows(rows: Iterable[Row], vocabulary: Collection[str]) -> Passage:
    """The rows as running text, words broken at line ends joined."""
    return read_lines([row.words for row in rows], vocabulary)


def read_lines(lines: Iterable[Sequence[Word]], vocabulary: Collection[str]) -> Passage:
    """Lines of words as running text, words broken at line ends joined."""
    characters: list[str] = []
    places: list[int] = []
    for words in lines:
        for idx, word in enumerate(words):
            if idx == 0 and _continues(characters, word.text, vocabulary):
                if characters[-1] in _HYPHENS and _is_broken(characters, word.text, vocabulary):
                    characters.pop()
                    places.pop()
            elif characters and places[-1] + 1 != word.span.start:
                characters.append(" ")
                places.append(word.span.start - 1 if word.span.start else 0)
            characters.extend(word.text)
            places.extend(range(word.span.start, word.span.start + len(word.text)))
    return Passage("".join(characters), tuple(places))


def _continues(characters: list[str], word: str, vocabulary: Collection[str]) -> bool:
    """Whether the line before ends in a hyphen that ties its last word to `word`."""
    return (
        len(characters) > 1
        and characters[-1] in _HYPHENS
        and characters[-2].isalpha()
        and (word[0].isalpha() or word[0].isdigit())
    )


def _is_broken(characters: list[str], word: str, vocabulary: Collection[str]) -> bool:
    """Whether the hyphen was put in to break a word: seen whole elsewhere, or a small letter follows."""
    if not word[0].islower():
        return False
    start = len(characters) - 1
    while start and characters[start - 1].isalpha():
        start -= 1
    head = "".join(characters[start:-1]).lower()
    tail_match = re.match(r"[^\W\d_]+", word)
    tail = tail_match[0].lower() if tail_match else ""
    if head + tail in vocabulary:
        return True
    # "multi-agent" broken at its own hyphen: both halves are words of this text, the whole is not.
    return not (head in vocabulary and tail in vocabulary and len(head) > 2 and len(tail) > 2)
