"""Abbreviations that papers define, "hidden Markov model (HMM)": searches for one form find the other."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import tantivy

from portico.index.query import Clause, ParsedQuery, QueryGroup, QueryWords, Sign
from portico.index.schema import ABBREVIATIONS, split_words

# "(HMM)", "(HMMs)": at least two capitals; longer ones are names or words.
_EXPLAINED = re.compile(r"\(([A-Z][A-Za-z0-9-]{1,7})\)")
_REACH = 90  # characters before the parenthesis in which the long form is searched
_WORD = re.compile(r"[^\W_][\w-]*")
_MOST_WORDS = 6
# Minimum and maximum letters of an abbreviation that is looked up.
_SHORTEST, _LONGEST = 2, 7
# Maximum number of long forms of an abbreviation that are searched, the most frequent first, and the share of
# the papers explaining it that each must have: in a collection of one field, most abbreviations have one
# meaning.
_MOST_FORMS, _LEAST_SHARE = 2, 0.25
_BETWEEN = "="


def find_abbreviations(text: str) -> Iterator[tuple[str, str]]:
    """Abbreviations with their long forms, both in the form in which the index stores words."""
    for found in _EXPLAINED.finditer(text):
        short = found[1].removesuffix("s")
        letters = short.replace("-", "").lower()
        if sum(char.isupper() for char in short) < _SHORTEST or len(letters) < _SHORTEST:
            continue
        words = [*_WORD.finditer(text, max(0, found.start() - _REACH), found.start())]
        long_form = _find_long_form([word[0] for word in words], letters)
        if long_form:
            yield letters, long_form


def _find_long_form(words: Sequence[str], letters: str) -> str:
    """The words whose first letters form the abbreviation; hyphenated words count by their parts."""
    parts: list[tuple[str, int]] = []  # each part, and which word it is of
    for place, word in enumerate(words):
        parts += [(part, place) for part in split_words(word)]
    tail = parts[-len(letters) :]
    if [part[0] for part, _ in tail] != [*letters] or len(tail) > _MOST_WORDS:
        return ""
    return " ".join(part for part, place in parts if place >= tail[0][1])


def make_abbreviation_terms(texts: Sequence[str]) -> Iterator[str]:
    """Index terms for a paper's abbreviations, which can be looked up in either direction."""
    for short, long_form in dict.fromkeys(pair for text in texts for pair in find_abbreviations(text)):
        singular = _make_singular(long_form)
        yield f"{short}{_BETWEEN}{singular}"
        yield f"{singular}{_BETWEEN}{short}"


def _make_singular(words: str) -> str:
    return words[:-1] if words.endswith("s") and not words.endswith("ss") else words


def add_abbreviations(searcher: tantivy.Searcher, parsed: ParsedQuery) -> ParsedQuery:
    """The query extended by the long forms of its abbreviations, and by abbreviations of its long forms."""
    clauses = [*parsed.clauses]
    start = 0
    while start < len(clauses):
        words = [*_list_plain_words(clauses[start:])]
        for length in range(min(_MOST_WORDS, len(words)), 0, -1):
            forms = _look_up(searcher, words[:length])
            if forms:
                clauses[start : start + length] = [_join(clauses[start : start + length], forms)]
                break
        start += 1
    return replace(parsed, clauses=tuple(clauses))


def _list_plain_words(clauses: Sequence[Clause]) -> Iterator[str]:
    """The run of plain words from here: not quoted, not restricted to a field or form."""
    for clause in clauses:
        choice = clause.choices[0]
        is_plain = clause.sign is Sign.PLAIN and len(clause.choices) == 1 and isinstance(choice, QueryWords)
        if not is_plain or not isinstance(choice, QueryWords):
            return
        if choice.field is not None or choice.exact or choice.prefix or len(choice.words) != 1:
            return
        yield choice.words[0]


def _look_up(searcher: tantivy.Searcher, words: Sequence[str]) -> list[tuple[str, ...]]:
    """The other form of these words, as papers define it."""
    if len(words) == 1 and not _SHORTEST <= len(words[0]) <= _LONGEST:
        return []
    typed = " ".join(words)
    found: list[tuple[str, int]] = []
    for form in dict.fromkeys((typed, _make_singular(typed))):
        found += searcher.terms_with_prefix(ABBREVIATIONS, form + _BETWEEN)
    total = sum(count for _, count in found)
    likely = sorted(((count, term) for term, count in found if count >= _LEAST_SHARE * total), reverse=True)
    forms = [term.partition(_BETWEEN)[2] for _, term in likely[:_MOST_FORMS]]
    plurals = [f"{form}s" for form in forms if " " in form]  # a phrase is looked for as it is
    return [tuple(form.split()) for form in (*forms, *plurals)]


def _join(clauses: Sequence[Clause], forms: Sequence[tuple[str, ...]]) -> Clause:
    """As typed, or in one of the other forms."""
    others = tuple(QueryWords(form) for form in forms)
    if len(clauses) == 1 and isinstance(clauses[0].choices[0], QueryWords):
        choice = clauses[0].choices[0]
        return replace(clauses[0], choices=(replace(choice, forms=(*choice.forms, *forms)),))
    return Clause(Sign.PLAIN, (QueryGroup(tuple(clauses)), *others))
