"""Sort orders the engine does not support: titles from A to Z, and the sum of log frequencies."""

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from math import log1p
from operator import itemgetter

import tantivy

from portico.index.facets import read_shown
from portico.index.query import ParsedQuery, QueryWords
from portico.index.schema import TITLE_COPIES, count_papers_with, split_words

RERANKED = 200
"""Hits that are reranked by log frequencies, which is offered for comparison: the weight of a word is the
inverse of its frequency in all papers, and a phrase counts as one word. Reading a hit takes 0.05 ms."""

Found = tuple[float | None, tantivy.DocAddress]


def rerank(searcher: tantivy.Searcher, found: Sequence[Found], parsed: ParsedQuery) -> list[Found]:
    """The results ordered by the papers' weighted log term frequency; ties keep their order."""
    weights = {words: _weight(searcher, words) for words in parsed.sought}
    scored = [(_score(searcher.doc(address), weights), address) for _, address in found]
    scored.sort(key=lambda hit: -hit[0])
    return [*scored]


def _score(document: tantivy.Document, weights: dict[QueryWords, float]) -> float:
    text = " ".join(" ".join(split_words(part)) for part in _texts(document))
    return sum(weight * log1p(_count(words, text)) for words, weight in weights.items())


def _texts(document: tantivy.Document) -> list[str]:
    """The text read from a paper: what lists show of it, its abstract and its body."""
    shown = read_shown(document)
    stored = [str(value) for field in ("abstract", "body") for value in document.get_all(field)]
    return [*[shown.title] * TITLE_COPIES, *shown.authors, shown.venue, *stored]


def _count(words: QueryWords, text: str) -> int:
    ending = r"\w*" if words.prefix else ""
    return len(re.findall(rf"(?<!\S){re.escape(' '.join(words.words))}{ending}(?!\S)", text))


def _weight(searcher: tantivy.Searcher, words: QueryWords) -> float:
    """The weight of a phrase: that of its rarest word."""
    return 1.0 / max(1, min(count_papers_with(searcher, word) for word in words.words))


# The end of a title sorts before a space, a space before digits, digits before letters; letters of other
# scripts come last.
_ALPHABET = " 0123456789abcdefghijklmnopqrstuvwxyz"
_PLACES = {character: place for place, character in enumerate(_ALPHABET, start=1)}
_N_PLACES = len(_PLACES) + 2
# As many characters as fit into 64 bits.
_N_CHARACTERS = 12
# Characters of a title that certainly contain these.
_LOOKED_AT = 60

# Titles fetched before and after a page to find where those with an equal number begin and end; in 45,000
# titles of arXiv, 281 have the most frequent beginning.
_AROUND, _MOST_AROUND = 20, 2_000


def make_title_key(title: str) -> int:
    """A number that orders titles by their first characters."""
    key = 0
    beginning = " ".join(split_words(title[:_LOOKED_AT]))
    for character in beginning[:_N_CHARACTERS].ljust(_N_CHARACTERS, "\0"):
        key = key * _N_PLACES + (_PLACES.get(character, _N_PLACES - 1) if character != "\0" else 0)
    return key


Listed = Callable[[int, int], tuple[list[Found], int]]
"""Called with an offset and a limit; returns the hits in the order of these numbers, and how many there are
in all."""


def sort_by_title(
    searcher: tantivy.Searcher, listed: Listed, *, limit: int, offset: int
) -> tuple[list[Found], int]:
    """This many results from this offset, in the order of their whole titles."""
    around = _AROUND
    while True:
        start = max(0, offset - around)
        found, total = listed(start, offset - start + limit + around)
        page = found[offset - start : offset - start + limit]
        if not page or around >= _MOST_AROUND or _is_whole(found, page, start, total):
            break
        around *= 10
    shown = {number for number, _ in page}
    ordered: list[Found] = []
    for number, group in groupby(found, itemgetter(0)):
        alike = [*group]
        ordered += _by_title(searcher, alike) if number in shown else alike
    return ordered[offset - start : offset - start + limit], total


def _is_whole(found: Sequence[Found], page: Sequence[Found], start: int, total: int) -> bool:
    """Whether all papers that share a number with the first or last of the page are included."""
    begins = start == 0 or found[0][0] != page[0][0]
    return begins and (start + len(found) >= total or found[-1][0] != page[-1][0])


def _by_title(searcher: tantivy.Searcher, alike: list[Found]) -> list[Found]:
    if len(alike) == 1:
        return alike

    def whole(found: Found) -> tuple[tuple[str, ...], str]:
        document = searcher.doc(found[1])
        return split_words(read_shown(document).title), str(document.get_first("id"))

    return sorted(alike, key=whole)
