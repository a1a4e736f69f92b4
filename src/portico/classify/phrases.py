"""Candidate phrases for naming a topic: one to three words that look like a noun phrase.

Phrases are found without a grammar, by where they begin and end: at punctuation and function words. "Open" is
nearly always followed by a noun, so "python open" is not a phrase; "open source" mostly ends one.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from portico.text.function_words import ALWAYS_SAID, FUNCTION_WORDS, guess_language, read_name_words
from portico.text.stemming import is_stemmed, stem_tokens
from portico.text.words import make_singular, split_tokens, split_words
from portico.types.topic import TopicText

LONGEST = 3  # words
LONGEST_TEXT = 3000  # characters of an abstract that are read
SHORTEST_WORD = 3  # letters of a word in a name
CITED_WEIGHT = 0.3  # of a document that only cites titles with the phrase, relative to one that contains it

LEAST_WHOLE = 0.4
"""The least share of a phrase's occurrences that must have a phrase boundary before it, and after it."""

# Two words say more than one and are read as fast; a phrase of weak words alone says little.
_WORTH = {1: 1.0, 2: 2.0, 3: 1.8}
_WEAK = 0.5

_SEGMENTS = re.compile(r"[^\w\s'’&+-]+|\s[-–—]+\s|\n\s*\n")
_WORDS = re.compile(r"[^\W\d_](?:[\w'’+]|-(?=\w))*|\S+")
_IS_WORD = re.compile(r"[^\W\d_](?:[\w'’+]|-(?=\w))*")


@dataclass(slots=True)
class Phrase:
    """A phrase, the documents that contain it, and how often each form of it is printed."""

    key: str  # its normalized words
    rows: dict[int, float] = field(default_factory=dict)  # document: 1, or less if only a cited title has it
    printed: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    worth: float = 1.0
    n_said: int = 0
    n_begun: int = 0
    n_ended: int = 0

    @property
    def is_whole(self) -> bool:
        least = LEAST_WHOLE * self.n_said
        return self.n_begun >= least and self.n_ended >= least

    @property
    def is_weak(self) -> bool:
        """Whether the phrase says little: all its words are weak, see `read_name_words`."""
        return self.worth < 1.0

    @property
    def name(self) -> str:
        """The phrase as a heading: in its most frequent printed form, capitalized by the rules of its
        language.
        """
        words = max(self.printed, key=lambda text: (self.printed[text], text)).split()
        if self.languages.most_common(1)[0][0] == "en":
            return " ".join(word if word in FUNCTION_WORDS["en"] else _raised(word) for word in words)
        return " ".join((_raised(words[0]), *words[1:]))


def find_phrases(texts: Sequence[TopicText]) -> list[Phrase]:
    """The complete phrases that occur in at least two of the texts; all phrases if too few are complete."""
    found: dict[str, Phrase | _Occurrence] = {}
    for row, text in enumerate(texts):
        for part in (text.title, text.abstract[:LONGEST_TEXT]):
            _gather(found, row, part, 1.0)
        for title in (*text.cited_titles, *text.citing_titles):
            _gather(found, row, title, CITED_WEIGHT)
    phrases = sorted((each for each in found.values() if isinstance(each, Phrase)), key=lambda each: each.key)
    several = [each for each in phrases if len(each.rows) > 1]
    whole = [each for each in several if each.is_whole]
    # Texts that are mere lists of words have no phrase boundaries.
    return whole if 2 * len(whole) >= len(texts) else several


def tell_groups_apart(
    phrases: Iterable[Phrase], groups: Sequence[int]
) -> dict[int, list[tuple[float, Phrase]]]:
    """For every group, the phrases that distinguish its documents from all others, the most typical first.

    `groups` has the group of every document. The score of a phrase depends on how many documents of the group
    contain it, and on how much more often they do than documents in general.
    """
    sizes = Counter(groups)
    scored: dict[int, list[tuple[float, Phrase]]] = defaultdict(list)
    for phrase in phrases:
        here: dict[int, float] = defaultdict(float)
        for row, weight in phrase.rows.items():
            here[groups[row]] += weight
        everywhere = sum(here.values())
        for group, n_here in here.items():
            expected = everywhere * sizes[group] / len(groups)
            if n_here > max(1.0, expected):
                score = n_here * math.log(n_here / (expected + 0.3)) * phrase.worth
                scored[group].append((score, phrase))
    return {group: sorted(found, key=lambda each: (-each[0], each[1].key)) for group, found in scored.items()}


def find_pairs(titles: Sequence[str], telling: Collection[str], *, most: int) -> list[str]:
    """At most `most` pairs of adjacent words, the most frequent in these titles first.

    At least one of the words is in `telling`, and at least two titles contain the pair.
    """
    pairs = Counter[str]()
    for title in titles:
        said = [token for token in split_tokens(title) if split_words(token)]
        pairs.update(
            {f"{a} {b}" for a, b in pairwise(said) if not set(split_words(f"{a} {b}")).isdisjoint(telling)}
        )
    best = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    return [pair for pair, n_titles in best if n_titles >= 2]


def _gather(found: "dict[str, Phrase | _Occurrence]", row: int, text: str, weight: float) -> None:
    """Add the phrases of one text to `found`.

    Most occur only once; a `Phrase` is made when one occurs for the second time.
    """
    language, spans = _read_spans(text)
    for span in spans:
        occurrence = _Occurrence(row, weight, language, span)
        known = found.get(span.key)
        if known is None:
            found[span.key] = occurrence
            continue
        if isinstance(known, _Occurrence):
            first, known = known, Phrase(span.key)
            known.worth = _worth(first.span.printed.split(" "), first.language)
            found[span.key] = known
            _count(known, first)
        _count(known, occurrence)


def _count(phrase: Phrase, occurrence: "_Occurrence") -> None:
    row, weight, language, span = occurrence
    phrase.rows[row] = max(weight, phrase.rows.get(row, 0.0))
    phrase.printed[span.printed] += 1
    phrase.languages[language] += 1
    phrase.n_said += 1
    phrase.n_begun += span.begins
    phrase.n_ended += span.ends


class _Span(NamedTuple):
    """A run of words that could be a name, and whether it begins and ends at a phrase boundary."""

    key: str
    printed: str
    begins: bool
    ends: bool


class _Occurrence(NamedTuple):
    """A span in the text of one document."""

    row: int
    weight: float
    language: str
    span: _Span


@lru_cache(maxsize=10_000)  # many papers cite the same titles
def _read_spans(text: str) -> tuple[str, tuple[_Span, ...]]:
    """The language of a text, and its candidate names."""
    if text.isupper():
        text = text.capitalize()
    language = guess_language(word.casefold() for word in _WORDS.findall(text))
    found = []
    for segment in _SEGMENTS.split(text):
        words = _WORDS.findall(segment)
        for first, last in _spans(words, language):
            printed = words[first:last]
            key = " ".join(_compared(word, language) for word in printed)
            begins = first == 0 or _is_boundary(words[first - 1], language)
            ends = last == len(words) or _is_boundary(words[last], language)
            found.append(_Span(key, " ".join(printed), begins, ends))
    return language, tuple(found)


def _spans(words: Sequence[str], language: str) -> Iterator[tuple[int, int]]:
    """Start and end of every run of up to three words between boundaries that could be a name."""
    empty = [_is_boundary(word, language) for word in words]
    for first in range(len(words)):
        if empty[first]:
            continue
        for last in range(first + 1, min(first + LONGEST, len(words)) + 1):
            if empty[last - 1]:
                break
            if _could_be_name(words[first:last], language):
                yield first, last


def _could_be_name(words: Sequence[str], language: str) -> bool:
    """Whether these words can be a heading: specific, complete, and a noun phrase as far as the language
    shows.
    """
    folded = [word.casefold() for word in words]
    if all(word in ALWAYS_SAID for word in folded) or any(len(word) < SHORTEST_WORD for word in folded):
        return False
    if folded[0] in ALWAYS_SAID and folded[0] not in _BEGINNINGS:
        return False
    if any("'" in word or "’" in word for word in folded):
        return False
    if language == "de":
        return words[-1][0].isupper()
    if language != "en":
        return True
    kinds = [read_name_words().get(word) for word in folded]
    return "general" not in kinds and kinds[-1] != "unfinished" and not _PARTICIPLE.search(folded[-1])


def _worth(words: Sequence[str], language: str) -> float:
    is_weak = language == "en" and all(read_name_words().get(word.casefold()) == "weak" for word in words)
    return _WORTH[len(words)] * (_WEAK if is_weak else 1.0)


# Common academic words that names of subjects may nevertheless begin with: "data mining".
_BEGINNINGS = frozenset(
    {"case-based", "change", "data", "design", "development", "evidence", "group", "information",
     "international", "life", "local", "method", "model", "modern", "object", "open", "process", "quality",
     "quantitative", "school", "science", "scientific", "state", "system", "systems", "technology", "test",
     "theoretical", "time", "user", "value", "work", "world"}
)  # fmt: skip
_PARTICIPLE = re.compile(r"[^e]ed$")


@lru_cache(maxsize=100_000)
def _is_boundary(word: str, language: str) -> bool:
    """Whether phrases begin and end at this word: a function word, a number or a symbol."""
    return word.casefold() in FUNCTION_WORDS[language] or _IS_WORD.fullmatch(word) is None


@lru_cache(maxsize=100_000)
def _compared(word: str, language: str) -> str:
    folded = word.casefold()
    if is_stemmed(language):
        return stem_tokens([folded], language)[0] or folded
    return make_singular(folded)


def _raised(word: str) -> str:
    """The word with a capital; "DNA", "pH" and "iPhone" stay as they are."""
    return word if any(letter.isupper() for letter in word) else word[:1].upper() + word[1:]
