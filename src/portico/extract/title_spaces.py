"""Repairs missing and superfluous spaces in a title, using the words of the rest of the document."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

from portico.text.function_words import FUNCTION_WORDS
from portico.text.words import dehyphenate
from portico.types.document import Document, Span
from portico.types.record import Field

_LETTERS = re.compile(r"[^\W\d_]+")
_SMALL_WORDS = frozenset().union(*FUNCTION_WORDS.values())
# Fewest letters of a word that may be two words, and how often the document must print these apart: a title
# may write as one word what its text does not ("Healthcare"). For small words once is enough: "ofa".
FEWEST_LETTERS, PRINTED_APART = 3, 3
# Pieces of this length that occur only together are words ("Acropora muricata"); shorter ones are a word
# split by the text layer: "ob ject".
LETTERS_APART = 5
# How much more often the two must be printed apart than as one word.
COMMONER = 4
# How often a word must be printed as one to join two pieces: "specifi c".
PRINTED_TOGETHER = 2


@dataclass(frozen=True, slots=True)
class _PrintedWords:
    """How often a document prints words and pairs of adjacent words, outside its title."""

    words: Counter[str]
    pairs: Counter[tuple[str, str]]


def restore_spaces(document: Document, title: Field) -> Field:
    """Split and join words of the title as the rest of the document prints them."""
    printed = _count_words(document.text, title.span)
    value = _LETTERS.sub(lambda match: _apart(match[0], printed), title.value)
    pieces = value.split(" ")
    idx = 0
    while idx + 1 < len(pieces):
        if _are_one(pieces[idx], pieces[idx + 1], printed):
            pieces[idx : idx + 2] = [pieces[idx] + pieces[idx + 1]]
        else:
            idx += 1
    return replace(title, value=" ".join(pieces))


def _count_words(text: str, but_not: Span) -> _PrintedWords:
    words: list[str] = []
    for part in (text[: but_not.start], text[but_not.end :]):
        words += _LETTERS.findall(dehyphenate(part).lower())
        words.append("")  # no pair spans the title
    return _PrintedWords(Counter(words), Counter(pairwise(words)))


def _apart(word: str, printed: _PrintedWords) -> str:
    lower = word.lower()
    if len(word) < FEWEST_LETTERS or len(lower) != len(word) or lower in _SMALL_WORDS:
        return word
    cuts = [
        (printed.pairs[lower[:cut], lower[cut:]], cut)
        for cut in range(1, len(word))
        if _are_two(lower[:cut], lower[cut:], printed)
    ]
    if not cuts:
        return word
    _, cut = max(cuts)
    return f"{word[:cut]} {word[cut:]}"


def _are_two(first: str, second: str, printed: _PrintedWords) -> bool:
    n_printed = printed.pairs[first, second]
    if n_printed <= COMMONER * printed.words[first + second] or (
        n_printed < PRINTED_APART and not {first, second} & _SMALL_WORDS
    ):
        return False
    is_long = min(len(first), len(second)) >= LETTERS_APART
    return is_long or min(printed.words[first], printed.words[second]) > n_printed


def _are_one(word: str, following: str, printed: _PrintedWords) -> bool:
    """Whether two pieces are one word: the document prints it whole, never the pair, nor both pieces."""
    first, second = word.lower(), following.lower()
    return (
        first.isalpha()
        and second.isalpha()
        and second[0] == following[0]
        and printed.words[first + second] >= PRINTED_TOGETHER
        and not printed.pairs[first, second]
        and not (printed.words[first] and printed.words[second])
    )
