"""Selects the passage of a text that best matches a query, and marks the matching words."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from portico.index.query import QueryWords
from portico.index.schema import PARTED, split_words

# About three lines on a wide screen, five on a phone.
LENGTH = 280
# Marks beyond this many in one text cannot all be shown, and finding them costs time.
_MOST_MARKS = 400

# Share of the words found in any text that a preferred text must have: with half of them, an abstract
# still tells more about the paper than a passage with all of them.
_ENOUGH = 0.5

_WORD_START, _WORD_END = r"(?<![^\W_])", r"(?![^\W_])"
_ELLIPSIS = "…"


class Snippet(NamedTuple):
    """Plain text and the half-open ranges of it that match."""

    text: str
    marks: tuple[tuple[int, int], ...]


_Mark = tuple[int, int, str]
"""Where a word begins and ends, and which word of the query it is a form of; a plain tuple, because there are
a hundred per page."""


class PassageFinder:
    """Finds the passage of a text to show for one query; used for every hit."""

    def __init__(self, sought: tuple[QueryWords, ...]) -> None:
        self._enough = _ENOUGH * len(sought)
        self._find = _finder(sought) if sought else None

    def best(self, texts: Iterable[str]) -> Snippet:
        """The best passage of the first text with its share of the query words, else of the one with most.

        Texts are given in the order in which people prefer to read them: the abstract before the body, which
        may contain the words only in its list of references.
        """
        found: list[tuple[int, str, list[_Mark]]] = []
        for text in texts:
            line = _one_line(text)
            if not line:
                continue
            if self._find is None:
                return _cut(line, [])
            marks = self._find(line.lower() if line.isascii() else _folded(line))
            n_words = len({mark[2] for mark in marks})
            if n_words >= self._enough and not found:
                return _cut(line, marks)
            found.append((n_words, line, marks))
            if n_words >= self._enough:
                break  # no other text can have more than its share
        if not found:
            return Snippet("", ())
        enough = _ENOUGH * max(n_words for n_words, _, _ in found)
        _, line, marks = next(each for each in found if each[0] >= enough)
        return _cut(line, marks)


def _finder(sought: tuple[QueryWords, ...]) -> Callable[[str], list[_Mark]]:
    """Finds these words in a folded text; for plain words, as in most queries, in a quarter of the time."""
    typed = {" ".join(form): " ".join(words.words) for words in sought for form in words.forms}
    typed |= {" ".join(words.words): " ".join(words.words) for words in sought}
    if not any(" " in form for form in typed) and not any(words.prefix for words in sought):
        return lambda folded: _find_words(typed, folded)
    pattern = _pattern(sought)
    return lambda folded: _find_pattern(pattern, typed, folded)


def _pattern(sought: Sequence[QueryWords]) -> re.Pattern[str]:
    alternatives = []
    for words in sought:
        for form in (words.words, *words.forms):
            between = r"[\W_]+".join(map(re.escape, form))
            alternatives.append(between + (r"[^\W_]*" if words.prefix else ""))
    longest_first = sorted(set(alternatives), key=len, reverse=True)
    return re.compile(f"{_WORD_START}(?:{'|'.join(longest_first)}){_WORD_END}")


def _one_line(text: str) -> str:
    """Without line ends and wide gaps; most texts have none, which is checked quickly."""
    return " ".join(text.split()) if "\n" in text or "  " in text or "\t" in text else text.strip()


def _find_pattern(pattern: re.Pattern[str], typed: Mapping[str, str], folded: str) -> list[_Mark]:
    marks = []
    for match in pattern.finditer(folded):
        form = " ".join(split_words(match.group()))
        marks.append((match.start(), match.end(), typed.get(form, form)))
        if len(marks) == _MOST_MARKS:
            break
    return marks


def _find_words(typed: Mapping[str, str], folded: str) -> list[_Mark]:
    marks: list[_Mark] = []
    find = folded.find
    for word, meant in typed.items():
        start = find(word)
        while start != -1:
            end = start + len(word)
            if not (folded[end : end + 1].isalnum() or (start and folded[start - 1].isalnum())):
                marks.append((start, end, meant))
            start = find(word, end)
    marks.sort()
    return marks[:_MOST_MARKS]


def _cut(text: str, marks: list[_Mark]) -> Snippet:
    if len(text) <= LENGTH:
        return _together(text, [(start, end) for start, end, _ in marks])
    begin = _start(text, _densest(marks))
    stop = _end(text, begin + LENGTH)
    before, after = _ELLIPSIS if begin else "", _ELLIPSIS if stop < len(text) else ""
    shift = len(before) - begin
    shown = [(start + shift, end + shift) for start, end, _ in marks if start >= begin and end <= stop]
    return _together(f"{before}{text[begin:stop]}{after}", shown)


def _together(text: str, marks: list[tuple[int, int]]) -> Snippet:
    """Without the separators inside words that are written together."""
    if text.isascii() or PARTED not in text:
        return Snippet(text, tuple(marks))
    places = [[place - text.count(PARTED, 0, place) for place in mark] for mark in marks]
    return Snippet(text.replace(PARTED, ""), tuple([(start, end) for start, end in places]))


def _densest(marks: list[_Mark]) -> int:
    """The start of the window with most different words, then most marks."""
    if not marks or marks[-1][1] <= marks[0][0] + LENGTH:
        return marks[0][0] if marks else 0
    best, position = (0, 0), 0
    n_words = len({word for _, _, word in marks})
    for idx, (start, _, _) in enumerate(marks):
        if best[0] == n_words and best[1] >= len(marks) - idx:
            break  # nothing that is left can have more
        inside = [word for _, end, word in marks[idx : idx + LENGTH] if end <= start + LENGTH]
        score = (len(set(inside)), len(inside))
        if score > best:
            best, position = score, start
    return position


def _start(text: str, position: int) -> int:
    """A little before the first mark: at the start of a sentence if one is near, else of a word."""
    earliest = max(0, min(position - LENGTH // 3, len(text) - LENGTH))
    if earliest == 0:
        return 0
    sentence = text.find(". ", earliest, position)
    if sentence != -1:
        return sentence + 2
    space = text.find(" ", earliest, position)
    return space + 1 if space != -1 else earliest


def _end(text: str, limit: int) -> int:
    if limit >= len(text):
        return len(text)
    space = text.rfind(" ", limit - LENGTH // 4, limit)
    return space if space != -1 else limit


def _folded(text: str) -> str:
    """Lower case without accents, character by character; only non-ASCII text needs extra work."""
    return _NOT_ASCII.sub(lambda match: _FOLDED[ord(match.group())], text).lower()


_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class _Fold(dict[int, str]):
    """Lower case without accents, one character for one, so that positions in the text stay valid."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        plain = unicodedata.normalize("NFD", character)[0].lower()
        self[code] = plain if len(plain) == 1 else character
        return self[code]


_FOLDED = _Fold()
