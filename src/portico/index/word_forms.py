"""Finds word forms in an index: plurals, verb forms, British and American spelling, hyphenation."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from string import ascii_lowercase

import tantivy
from rapidfuzz.distance import OSA

from portico.index.query import Choice, Clause, ParsedQuery, QueryGroup, QueryWords, Sign
from portico.index.schema import TEXTS, count_papers_with
from portico.text.function_words import FUNCTION_WORDS
from portico.text.spellings import write_alike
from portico.text.stemming import is_stemmed, load_stemmer

# Shorter words are symbols and abbreviations.
_SHORTEST = 3
# Maximum number of other forms searched: each takes a lookup in every field.
MOST_FORMS = 6
# Minimum letters of each part of a word that may be written as two, the papers that must write it so, and
# their share of those that write it as one.
_SHORTEST_PART, _FEWEST_APART, _APART_SHARE = 3, 2, 0.01
# Number of words whose parts are cached, about 200 bytes each.
_MOST_REMEMBERED = 5_000
# Fields with names, which have no other forms: "Banks" is not a bank.
_NAMES = ("authors", "venue", "topic_words")

# Share of papers that must contain function words of a language for its word forms to be searched.
_PRESENT = 0.02

_Key = tuple[str, str]
"""A language, and a stem in it."""

_Counted = tuple[str, int]
"""A word, and the number of papers that contain it."""

# Maximum length of stems that keep "ll": "call", "cell".
_LONGEST_DOUBLED = 4


class WordForms:
    """The words of one index in groups of forms, computed for one first letter at a time."""

    def __init__(self, list_words: Callable[[tantivy.Searcher, str], Mapping[str, int]]) -> None:
        self._list_words = list_words  # the commonest words that begin so, with how many papers have them
        self._state = (-1, -1)
        self._languages: tuple[str, ...] = ()
        self._groups: dict[str, Mapping[_Key, tuple[_Counted, ...]]] = {}
        self._apart: dict[str, list[tuple[str, ...]]] = {}

    def get_ready(self, searcher: tantivy.Searcher) -> None:
        """Group the words of every letter now, so that the first search need not wait."""
        self._follow(searcher)
        for letter in ascii_lowercase:
            self._group(searcher, letter)

    def expand(self, searcher: tantivy.Searcher, schema: tantivy.Schema, parsed: ParsedQuery) -> ParsedQuery:
        """The query with other forms of its words, except those that are quoted, excluded or names."""
        self._follow(searcher)

        def clause(each: Clause) -> Clause:
            wanted = each.sign is not Sign.NOT
            return replace(each, choices=tuple([choice(one) for one in each.choices])) if wanted else each

        def choice(each: Choice) -> Choice:
            if isinstance(each, QueryGroup):
                return QueryGroup(tuple([clause(one) for one in each.clauses]))
            if not isinstance(each, QueryWords) or each.exact or each.prefix or each.field in _NAMES:
                return each
            return replace(each, forms=self._find_forms(searcher, schema, each.words))

        return replace(parsed, clauses=tuple([clause(each) for each in parsed.clauses]))

    def find(self, searcher: tantivy.Searcher, word: str) -> tuple[str, ...]:
        """Other forms of the word in papers of the index, frequent and similar ones first."""
        if len(word) < _SHORTEST or not word.isalpha():
            return ()
        found: dict[str, int] = {}
        for key in _make_keys([word], self._languages)[0]:
            found |= dict(self._group(searcher, key[1][:1]).get(key, ()))
        found.pop(word, None)
        if len(found) > MOST_FORMS:
            # "Optimal" is common, but "optimisation" is what "optimization" means.
            typed, *spelled = write_alike([word, *found])
            distances = dict(zip(found, (OSA.distance(typed, each) for each in spelled), strict=True))
            return tuple(
                sorted(found, key=lambda form: (-found[form] / (1 + distances[form]) ** 2, form))[:MOST_FORMS]
            )
        return tuple(sorted(found, key=lambda form: (-found[form], form)))

    def _find_forms(
        self, searcher: tantivy.Searcher, schema: tantivy.Schema, words: tuple[str, ...]
    ) -> tuple[tuple[str, ...], ...]:
        if len(words) > 1:  # with hyphens between them
            together = "".join(words)
            joined = [(together,)] if count_papers_with(searcher, together) else []
            return (*joined, *[(*words[:-1], form) for form in self.find(searcher, words[-1])])
        if words[0] not in self._apart:
            if len(self._apart) >= _MOST_REMEMBERED:
                self._apart = {}
            self._apart[words[0]] = _find_apart(searcher, schema, words[0])
        return (*[(form,) for form in self.find(searcher, words[0])], *self._apart[words[0]])

    def _follow(self, searcher: tantivy.Searcher) -> None:
        state = (int(searcher.num_docs), int(searcher.num_segments))
        if state != self._state:
            self._languages = _find_languages(searcher)
            self._groups, self._apart, self._state = {}, {}, state

    def _group(self, searcher: tantivy.Searcher, letter: str) -> Mapping[_Key, tuple[_Counted, ...]]:
        if letter not in self._groups:
            self._groups[letter] = self._make_groups(searcher, letter)
        return self._groups[letter]

    def _make_groups(self, searcher: tantivy.Searcher, letter: str) -> Mapping[_Key, tuple[_Counted, ...]]:
        counts = dict(self._list_words(searcher, letter))
        if letter == "e":  # "oestrogen" is "estrogen" in American English
            counts |= {**self._list_words(searcher, "oe"), **self._list_words(searcher, "ae")}
        words = [word for word in counts if word.isalpha()]
        groups: dict[_Key, list[_Counted]] = defaultdict(list)
        for word, keys in zip(words, _make_keys(words, self._languages), strict=True):
            for key in keys:
                groups[key].append((word, counts[word]))
        return {key: tuple(alike) for key, alike in groups.items()}


def differ_in_number(words: Sequence[str], form: Sequence[str]) -> bool:
    """Whether the words differ only in the number of the last one, by the regular plurals of English."""
    if len(words) != len(form) or [*words[:-1]] != [*form[:-1]]:
        return False
    singular, plural = sorted((words[-1], form[-1]), key=len)
    if singular.endswith("y") and singular[-2:-1] not in "aeiou":
        return plural == singular[:-1] + "ies"
    return plural in (singular + "s", singular + "es")


def _make_keys(words: Sequence[str], languages: Sequence[str]) -> list[tuple[_Key, ...]]:
    """The keys that forms of a word share: its stem, in each of the languages."""
    columns = []
    for language in languages:
        spelled = write_alike([*words]) if language == "en" else words
        stems = load_stemmer(language).analyze(" ".join(spelled))
        columns.append([(language, _undouble(stem)) for stem in stems])
    return [*zip(*columns, strict=True)]


def _undouble(stem: str) -> str:
    """The stemmers reduce "mm" and "tt" to one letter, but not "ll": "modelling", "modeling"."""
    return stem[:-1] if stem.endswith("ll") and len(stem) > _LONGEST_DOUBLED else stem


def _find_languages(searcher: tantivy.Searcher) -> tuple[str, ...]:
    """English, and the languages whose own function words occur in enough papers."""
    enough = max(1.0, _PRESENT * int(searcher.num_docs))
    present = ["en"]
    for language, words in _list_own_function_words().items():
        counts = sorted([int(searcher.doc_freq("abstract", word)) for word in words], reverse=True)
        # The third of them: a single word may be a name, or a word of mathematics.
        if counts[2] >= enough:
            present.append(language)
    return tuple(present)


@cache
def _list_own_function_words() -> Mapping[str, tuple[str, ...]]:
    """Function words that only one language has (English excluded), as the index stores them."""
    return {
        language: tuple(
            word
            for word in sorted(words)
            if len(word) > 2
            and not any(word in FUNCTION_WORDS[each] for each in FUNCTION_WORDS if each != language)
        )
        for language, words in FUNCTION_WORDS.items()
        if is_stemmed(language)
    }


def _find_apart(searcher: tantivy.Searcher, schema: tantivy.Schema, word: str) -> list[tuple[str, ...]]:
    """The word as two words, if papers write it so: "multiagent", "multi-agent"."""
    n_together, found = count_papers_with(searcher, word), []
    for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        parts = (word[:place], word[place:])
        if min(count_papers_with(searcher, part) for part in parts) < _FEWEST_APART:
            continue
        phrases = [tantivy.Query.phrase_query(schema, text, [*parts]) for text in TEXTS]
        n_apart = max(_count(searcher, phrase) for phrase in phrases)
        if n_apart >= max(_FEWEST_APART, _APART_SHARE * n_together):
            found.append((n_apart, parts))
    return [parts for _, parts in sorted(found, reverse=True)[:1]]


def _count(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    return int(searcher.search(query, 1).count)  # type: ignore[attr-defined]  # missing in tantivy's stubs
