"""The words of an index, for completing a word being typed and correcting misspellings."""

import re
from collections.abc import Sequence
from itertools import islice, takewhile
from string import ascii_lowercase

import tantivy
from rapidfuzz import process
from rapidfuzz.distance import OSA

from portico.index.schema import SEARCHABLE, TEXTS, count_papers_with, split_words

# Maximum number of completions and corrections offered; more than can be seen at a glance helps nobody.
MOST_COMPLETIONS = 8

# Word lengths from which one and two letters may be wrong: none in shorter words, which are often names.
_SHORTEST, _LONG = 4, 8

# The first letter of a word is usually correct, so corrections are searched only among words with this
# prefix.
_FIRST_LETTERS = 1
# Maximum number of terms compared: the most frequent words with that prefix are the likeliest.
_MOST_COMPARED = 10_000
# Number of first letters whose words are cached: about a megabyte each with that many words.
_MOST_LETTERS = 40
# A word in this few papers is a misspelling if a similar word is this many times as frequent. A choice:
# whoever means the rare word loses nothing, because a correction is only offered, and only if there are few
# results.
_RARE, _TIMES_AS_COMMON = 3, 100
_FIELD = re.compile(r'([A-Za-z]+):"?$')
_LAST_WORD = re.compile(r"[^\W_]+$")


def find_completions(searcher: tantivy.Searcher, typed: str) -> tuple[str, ...]:
    """The query with its last word completed, the most frequent first; nothing if it is complete."""
    begun = _LAST_WORD.search(typed[-200:])
    words = split_words(begun.group()) if begun else ()
    if len(words) != 1 or begun is None:
        return ()
    before = typed[: len(typed) - len(begun.group())]
    named = _FIELD.search(before)
    terms = searcher.terms_with_prefix(
        SEARCHABLE.get(named[1].lower(), "title") if named else "title", words[0]
    )
    ranked = sorted(terms, key=lambda term: (-term[1], term[0]))[: MOST_COMPLETIONS + 1]
    longer = [before + term for term, _ in ranked if term != words[0]]
    return tuple(longer[:MOST_COMPLETIONS])


class IndexVocabulary:
    """The most frequent words of an index by first letter, cached until the index changes."""

    def __init__(self) -> None:
        self._state = (-1, -1)
        self._kept: dict[str, dict[str, int]] = {}

    def get_ready(self, searcher: tantivy.Searcher) -> None:
        """List the words of every letter now, so that the first misspelled query need not wait."""
        for letter in ascii_lowercase:
            self.list_common(searcher, letter)

    def correct(self, searcher: tantivy.Searcher, query: str, words: Sequence[str]) -> tuple[str, str]:
        """The query with unknown or very rare words replaced by the nearest frequent one, and the query with
        those words in quotation marks; both empty if there is none.

        Misspellings are printed too, so a word that some paper contains may still be one.
        """
        corrected = quoted = query
        for word in words:
            nearest = self._nearest(searcher, word)
            if nearest:
                # Before a colon it is the name of a field.
                alone = rf"(?<![^\W_]){re.escape(word)}(?![^\W_]|:)"
                corrected = re.sub(alone, nearest, corrected, flags=re.I)
                quoted = re.sub(alone, lambda match: f'"{match[0]}"', quoted, flags=re.I)
        return (corrected, quoted) if corrected != query else ("", "")

    def _nearest(self, searcher: tantivy.Searcher, word: str) -> str:
        if len(word) < _SHORTEST or word.isdigit():
            return ""
        n_papers = count_papers_with(searcher, word)
        if n_papers > _RARE:
            return ""
        known = self.list_common(searcher, word[:_FIRST_LETTERS])
        if n_papers:
            known = dict(takewhile(lambda term: term[1] >= n_papers * _TIMES_AS_COMMON, known.items()))
        allowed = 2 if len(word) >= _LONG else 1
        near = process.extract(word, known.keys(), scorer=OSA.distance, score_cutoff=allowed, limit=50)
        best = min(near, key=lambda found: (found[1], -known[found[0]], found[0]), default=None)
        return best[0] if best else ""

    def list_common(self, searcher: tantivy.Searcher, begin: str) -> dict[str, int]:
        """Words with this prefix and the number of papers with each, the most frequent first."""
        state = (int(searcher.num_docs), int(searcher.num_segments))
        kept = self._kept if state == self._state else {}
        if begin not in kept:
            terms = sorted(_counted(searcher, begin).items(), key=_rarity)
            # Listing them takes ten milliseconds in 45,000 papers. The letters asked for last stay.
            kept = dict(islice(kept.items(), max(0, len(kept) + 1 - _MOST_LETTERS), None))
            kept[begin] = dict(terms[:_MOST_COMPARED])
        self._state, self._kept = state, kept
        return kept[begin]


def _counted(searcher: tantivy.Searcher, begin: str) -> dict[str, int]:
    """Words with this prefix, and the number of papers with each in the field where it is most frequent."""
    counted: dict[str, int] = {}
    for text in TEXTS:
        for term, n_papers in searcher.terms_with_prefix(text, begin):
            counted[term] = max(n_papers, counted.get(term, 0))
    return counted


def _rarity(term: tuple[str, int]) -> int:
    return -term[1]
