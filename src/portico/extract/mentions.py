"""The sentences of the body in which each reference is mentioned."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from portico.text.names import letters
from portico.types.document import Span
from portico.types.record import Context

_NUMBERS = re.compile(
    r"\[\s*(\d{1,3}(?:\s*[,;–—-]\s*\d{1,3})*)\s*(?:,\s*(?:p|pp|ch|sec|chap|§)[^\]]{0,20})?\]"
)
_KEYS = re.compile(r"\[([^\[\]]{2,80})\]")
_YEAR = re.compile(r"\b((?:1[89]\d\d|20[0-4]\d)[a-z]?)\b")
_NAME = re.compile(r"[^\W\d_][\w'’-]+")
_SENTENCE_END = re.compile(r"[.?!][)\]\"”’]?\s+(?=[A-Z“\"(\[])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|cf|fig|figs|sec|eq|eqs|vs|resp|dr|prof|ref|refs|no|vol|pp|al|st)|\b[A-Z])\.$",
    re.IGNORECASE,
)

# A line end behind a hyphen is no end of a word.
_SPACE = re.compile(r"(?<![^\W\d_]-)\s+")

# Characters before a year in which the author's name stands: "Rabiner and Juang (1993".
NAME_REACH = 60
# Characters of a sentence at most, each side of the mention; formulas and tables have no full stops.
SENTENCE_REACH = 300
# Sentences kept for one reference.
MOST_MENTIONS = 10


@dataclass(frozen=True, slots=True)
class Cited:
    """What a reference can be mentioned by: its label, the surname of its first author, its year."""

    label: str
    surname: str
    year: str


def find_mentions(text: str, body: Sequence[Span], cited: Sequence[Cited]) -> tuple[tuple[Context, ...], ...]:
    """For each reference the sentences that mention it, in the order of the text."""
    found: dict[int, list[Context]] = defaultdict(list)
    by_number = {int(one.label): idx for idx, one in enumerate(cited) if one.label.isdigit()}
    by_key = {_key(one.label): idx for idx, one in enumerate(cited) if one.label and not one.label.isdigit()}
    by_name = _names(cited) if not by_number else {}
    for span in body:
        mentions = [
            *_numbered(text, span, by_number),
            *_keyed(text, span, by_key),
            *_named(text, span, by_name),
        ]
        for place, idx in sorted(mentions):
            sentence = _sentence(text, span, place)
            if (
                sentence
                and len(found[idx]) < MOST_MENTIONS
                and all(one.span != sentence.span for one in found[idx])
            ):
                found[idx].append(sentence)
    return tuple(tuple(found[idx]) for idx in range(len(cited)))


def _numbered(text: str, span: Span, by_number: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    if not by_number:
        return
    for match in _NUMBERS.finditer(text, span.start, span.end):
        for number in _expanded(match[1]):
            if number in by_number:
                yield match.start(), by_number[number]


def _expanded(numbers: str) -> Iterator[int]:
    """ "3, 5-7" is 3, 5, 6, 7."""
    for part in re.split(r"\s*[,;]\s*", numbers):
        ends = [int(end) for end in re.findall(r"\d+", part)]
        if len(ends) == 2 and 0 < ends[1] - ends[0] < 30:
            yield from range(ends[0], ends[1] + 1)
        else:
            yield from ends


def _keyed(text: str, span: Span, by_key: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    if not by_key:
        return
    for match in _KEYS.finditer(text, span.start, span.end):
        parts = [match[1], *re.split(r"[,;]", match[1])]
        for idx in {by_key[_key(part)] for part in parts if _key(part) in by_key}:
            yield match.start(), idx


def _named(
    text: str, span: Span, by_name: Mapping[tuple[str, str], Sequence[int]]
) -> Iterator[tuple[int, int]]:
    if not by_name:
        return
    for match in _YEAR.finditer(text, span.start, span.end):
        before = text[max(span.start, match.start() - NAME_REACH) : match.start()]
        years = (match[1], match[1][:4])
        for name in reversed(_NAME.findall(before)):
            hits = next(
                (by_name[name_key] for year in years if (name_key := (letters(name), year)) in by_name), ()
            )
            if hits:
                yield from ((match.start(), idx) for idx in hits)
                break


def _names(cited: Sequence[Cited]) -> dict[tuple[str, str], list[int]]:
    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    for idx, one in enumerate(cited):
        if one.surname and one.year:
            index[letters(one.surname), one.year].append(idx)
    return dict(index)


def _key(label: str) -> str:
    return re.sub(r"\s+", "", label).lower()


def _sentence(text: str, span: Span, place: int) -> Context | None:
    start = span.start if place - span.start <= SENTENCE_REACH else _word_after(text, place)
    for match in _SENTENCE_END.finditer(text, start, place):
        if not _ABBREVIATION.search(text, start, match.start() + 1):
            start = match.end()
    stop = span.end if span.end - place <= SENTENCE_REACH else _word_end_before(text, place)
    for match in _SENTENCE_END.finditer(text, place, stop):
        if not _ABBREVIATION.search(text, place, match.start() + 1):
            stop = match.start() + 1
            break
    words = re.sub(r"(?<=[^\W\d_])-\n(?=[a-z])", "", text[start:stop]).split()
    return Context(" ".join(words), Span(start, stop)) if words else None


def _word_after(text: str, place: int) -> int:
    """The first word that begins within reach before a place: a sentence does not open inside of one."""
    match = _SPACE.search(text, place - SENTENCE_REACH, place)
    return match.end() if match else place


def _word_end_before(text: str, place: int) -> int:
    """The end of the last word that ends within reach behind a place."""
    cut = place + SENTENCE_REACH
    spaces = [match.start() for match in _SPACE.finditer(text, place, cut)]
    return spaces[-1] if spaces else cut
