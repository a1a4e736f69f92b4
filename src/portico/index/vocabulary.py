"""The words that stand in an index: how a begun word may go on, and which word was meant."""

import re

import tantivy
from rapidfuzz import process
from rapidfuzz.distance import OSA

from portico.index.schema import words_of

# Completions and corrections that are offered; more than a glance takes in helps nobody.
MOST_COMPLETIONS = 8

# Letters that may be wrong in a word of that length: none in short ones, which are often names.
_SHORTEST, _LONG = 4, 8

# A word begins as it is meant to more often than not; corrections are looked for among these alone.
_FIRST_LETTERS = 1
# Terms that are compared at most: the commonest words of that beginning are the likeliest.
_MOST_COMPARED = 20_000
# A word that so few papers have is a misspelling where a word like it is so many times as common. A choice:
# one who means the rare word loses nothing, since it is only asked, and only where little was found.
_RARE, _TIMES_AS_COMMON = 3, 100
_LAST_WORD = re.compile(r"[^\W_]+$")


def completions(searcher: tantivy.Searcher, typed: str) -> tuple[str, ...]:
    """What is typed with its last word completed, the commonest first; nothing where it is complete."""
    begun = _LAST_WORD.search(typed[-200:])
    words = words_of(begun.group()) if begun else ()
    if len(words) != 1 or begun is None:
        return ()
    terms = searcher.terms_with_prefix("title", words[0])
    ranked = sorted(terms, key=lambda term: (-term[1], term[0]))[: MOST_COMPLETIONS + 1]
    before = typed[: len(typed) - len(begun.group())]
    longer = [before + term for term, _ in ranked if term != words[0]]
    return tuple(longer[:MOST_COMPLETIONS])


def correction(searcher: tantivy.Searcher, query: str) -> str:
    """The query with every unknown or very rare word replaced by the nearest common one; empty where none is.

    Misspellings are printed too, so a word that some paper has may still be one.
    """
    corrected = query
    for word in dict.fromkeys(words_of(query)):
        nearest = _nearest(searcher, word)
        if nearest:
            corrected = re.sub(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", nearest, corrected, flags=re.I)
    return corrected if corrected != query else ""


def _nearest(searcher: tantivy.Searcher, word: str) -> str:
    n_papers = 0 if len(word) < _SHORTEST or word.isdigit() else int(searcher.doc_freq("front", word))
    if len(word) < _SHORTEST or word.isdigit() or n_papers > _RARE:
        return ""
    terms = searcher.terms_with_prefix("front", word[:_FIRST_LETTERS])
    common = sorted((term for term in terms if term[1] >= max(1, n_papers * _TIMES_AS_COMMON)), key=_rarity)
    known = dict(common[:_MOST_COMPARED])
    allowed = 2 if len(word) >= _LONG else 1
    near = process.extract(word, known.keys(), scorer=OSA.distance, score_cutoff=allowed, limit=50)
    best = min(near, key=lambda found: (found[1], -known[found[0]], found[0]), default=None)
    return best[0] if best else ""


def _rarity(term: tuple[str, int]) -> int:
    return -term[1]
