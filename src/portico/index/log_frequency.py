"""The ranking of the first search portals: the sum of weighted logarithmic frequencies of the words.

A word weighs the inverse of its frequency in all papers; a phrase is one word. Offered to compare with:
the engine finds and ranks first, and the best `RERANKED` of what it found are put in this order.
"""

import re
from collections.abc import Sequence
from math import log1p

import tantivy

from portico.index.facets import shown_of
from portico.index.query import ParsedQuery, Words
from portico.index.schema import TITLE_COPIES, n_papers_with, words_of

RERANKED = 200
"""Hits that are looked at; reading one takes a twentieth of a millisecond."""

Found = tuple[float | None, tantivy.DocAddress]


def rerank(searcher: tantivy.Searcher, found: Sequence[Found], parsed: ParsedQuery) -> list[Found]:
    """What was found in the order of the papers' weighted log term frequency; equals stay as they were."""
    weights = {words: _weight(searcher, words) for words in parsed.sought}
    scored = [(_score(searcher.doc(address), weights), address) for _, address in found]
    scored.sort(key=lambda hit: -hit[0])
    return [*scored]


def _score(document: tantivy.Document, weights: dict[Words, float]) -> float:
    text = " ".join(" ".join(words_of(part)) for part in _texts(document))
    return sum(weight * log1p(_count(words, text)) for words, weight in weights.items())


def _texts(document: tantivy.Document) -> list[str]:
    """What is read of a paper: what lists show of it, its abstract and its body."""
    shown = shown_of(document)
    stored = [str(value) for field in ("abstract", "body") for value in document.get_all(field)]
    return [*[shown.title] * TITLE_COPIES, *shown.authors, shown.venue, *stored]


def _count(words: Words, text: str) -> int:
    ending = r"\w*" if words.prefix else ""
    return len(re.findall(rf"(?<!\S){re.escape(' '.join(words.words))}{ending}(?!\S)", text))


def _weight(searcher: tantivy.Searcher, words: Words) -> float:
    """Of a phrase: of its rarest word."""
    return 1.0 / max(1, min(n_papers_with(searcher, word) for word in words.words))
