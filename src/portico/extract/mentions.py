"""Finds the sentences of the body in which each reference is cited."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from portico.text.names import fold_letters
from portico.types.document import Span
from portico.types.record import Context

_LIST = r"\d{1,3}(?:\s*[,;–—-]\s*\d{1,3})*"
_NUMBERS = re.compile(rf"\[\s*({_LIST})\s*(?:,\s*(?:p|pp|ch|sec|chap|§)[^\]]{{0,20}})?\]")
_SUPERSCRIPT = re.compile(rf"{_LIST}\Z")
# Superscripts follow a word or the end of a clause; after a single letter they are powers.
_BEFORE_SUPERSCRIPT = re.compile(r"[^\W\d_]{3}\Z|[.,;:)\]”’\"]\Z")
# Patterns that scan a whole text begin with a literal character and check what precedes it by look-behind,
# which is faster than trying them at every position.
_IN_PARENTHESES = re.compile(rf"\((?<=[^\W\d_] \()\s*({_LIST})\s*\)(?!\s*\n)")
# Other things numbered in parentheses.
_NOT_CITED = re.compile(
    r"\b(?:eqs?|equations?|formulas?|steps?|cases?|conditions?|rules?|lines?)\.? \Z", re.I
)
_KEYS = re.compile(r"\[([^\[\]]{2,80})\]")
# "1993", "1993a", "1993a, b"; "’93" and "93]" if a name precedes them.
_YEAR = re.compile(r"(1(?<!\w1)[89]\d\d|2(?<!\w2)0[0-4]\d)((?:[a-z](?:\s?,\s?[a-z])*)?)(?![^\W_])")
_SHORT_YEAR = re.compile(
    r"(\d(?:(?<=[’'].)|(?<=[^\W\d_][ ,] .)|(?<=[^\W\d_] [\[(].))\d)(?=[\])};,])|(\d(?<=[’'].)\d)\b"
)
_NAME = re.compile(r"[^\W\d_][\w'’-]+")
# What separates the authors of two works, but not those of one.
_PARTS_GROUPS = re.compile(r"[\d;()\[\]]")
_BROKEN = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")
# Lower-case words allowed between a name and its year.
_BETWEEN = frozenset(
    {
        "and",
        "et",
        "al",
        "und",
        "y",
        "e",
        "van",
        "von",
        "der",
        "den",
        "de",
        "la",
        "le",
        "di",
        "in",
        "see",
        "also",
    }
)
# The end of a sentence, with superscripts that may follow its full stop.
_SENTENCE_END = re.compile(
    rf"[.?!][)\]\"”’]?(?:(?:(?<=[^\W\d_][.?!])|(?<=[^\W\d_][.?!].))(?:{_LIST})?)?\s+(?=[A-Z“\"(\[])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|cf|fig|figs|sec|eq|eqs|vs|resp|dr|prof|ref|refs|no|vol|pp|al|st)|\b[A-Z])\.$",
    re.IGNORECASE,
)

# A line break after a hyphen does not end a word.
_SPACE = re.compile(r"(?<![^\W\d_]-)\s+")

# Characters before a year in which the author's name is searched: "Rabiner and Juang (1993".
NAME_REACH = 60
# Share of the references that superscripts, or numbers in parentheses, must reach to count as citations:
# footnotes and equations have small numbers too.
RAISED_SHARE = 0.3
PARENTHESES_SHARE = 0.5
# Maximum length of a sentence on each side of the citation, because formulas and tables have no full stops.
SENTENCE_REACH = 300
# Maximum number of sentences kept for one reference.
MOST_MENTIONS = 10


@dataclass(frozen=True, slots=True)
class Cited:
    """What a reference can be cited by: its label, the surname of its first author, its year."""

    label: str
    surname: str
    year: str


def find_mentions(
    text: str, body: Sequence[Span], cited: Sequence[Cited], raised: Sequence[Span] = ()
) -> tuple[tuple[Context, ...], ...]:
    """Return for each reference the sentences that cite it, in order; `raised` are superscripts."""
    found: dict[int, list[Context]] = defaultdict(list)
    by_key = {_key(one.label): idx for idx, one in enumerate(cited) if one.label and not one.label.isdigit()}
    mentions = _by_style(text, body, cited, raised)
    for span in body:
        here = [mention for mention in mentions if span.start <= mention[0] < span.end]
        for place, idx in sorted([*here, *_keyed(text, span, by_key)]):
            sentence = _sentence(text, span, place)
            if (
                sentence
                and len(found[idx]) < MOST_MENTIONS
                and all(one.span != sentence.span for one in found[idx])
            ):
                found[idx].append(sentence)
    return tuple(tuple(found[idx]) for idx in range(len(cited)))


def _by_style(
    text: str, body: Sequence[Span], cited: Sequence[Cited], raised: Sequence[Span]
) -> list[tuple[int, int]]:
    """Find citations by number or by name, whichever the paper uses.

    A paper with a numbered list may still cite by name; raised numbers are then those of footnotes.
    """
    by_number = {int(one.label): idx for idx, one in enumerate(cited) if one.label.isdigit()}
    bracketed = [mention for span in body for mention in _matched(_NUMBERS, text, span, by_number)]
    if bracketed:
        return bracketed
    bare = _bare_numbers(text, body, by_number, raised)
    by_name = _names(cited)
    named = [mention for span in body for mention in _named(text, span, by_name)]
    return named if _n_reached(named) > _n_reached(bare) else bare


def _n_reached(mentions: Sequence[tuple[int, int]]) -> int:
    return len({idx for _, idx in mentions})


def _bare_numbers(
    text: str, body: Sequence[Span], by_number: Mapping[int, int], raised: Sequence[Span]
) -> list[tuple[int, int]]:
    """Find citations by numbers without square brackets: raised, or else in parentheses."""
    if not by_number:
        return []
    superscripts = [mention for span in raised for mention in _raised(text, span, by_number)]
    if _n_reached(superscripts) >= RAISED_SHARE * len(by_number):
        return superscripts
    bare = [mention for span in body for mention in _matched(_IN_PARENTHESES, text, span, by_number)]
    return bare if _n_reached(bare) >= PARENTHESES_SHARE * len(by_number) else []


def _matched(
    pattern: re.Pattern[str], text: str, span: Span, by_number: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    if not by_number:
        return
    for match in pattern.finditer(text, span.start, span.end):
        if not _NOT_CITED.search(text, max(span.start, match.start() - 20), match.start()):
            yield from ((match.start(), idx) for idx in _known(match[1], by_number))


def _raised(text: str, span: Span, by_number: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    said = span.of(text).strip().rstrip(",;")
    before = text[max(0, span.start - 3) : span.start]
    if _SUPERSCRIPT.match(said) and _BEFORE_SUPERSCRIPT.search(before):
        # The position is that of the word before, because a sentence may end before its superscript.
        yield from ((span.start - 1, idx) for idx in _known(said, by_number))


def _known(numbers: str, by_number: Mapping[int, int]) -> list[int]:
    """Return the references with these numbers; none if a number exceeds the list (an interval, a year)."""
    wanted = list(_expanded(numbers))
    last = max(by_number)
    if not all(0 < number <= last for number in wanted):
        return []
    return [by_number[number] for number in wanted if number in by_number]


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
        letters_behind = re.findall(r"[a-z]", match[2])
        years = [match[1] + letter for letter in letters_behind] or [match[1]]
        yield from _by_name(text, span, match.start(), years, by_name)
    for match in _SHORT_YEAR.finditer(text, span.start, span.end):
        yield from _by_name(text, span, match.start(), [match[1] or match[2]], by_name)


def _by_name(
    text: str, span: Span, place: int, years: Sequence[str], by_name: Mapping[tuple[str, str], Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """Find the references cited before a year, by the first name there that has a reference of that year."""
    before = _BROKEN.sub("", text[max(span.start, place - NAME_REACH) : place])
    for name in _names_before(before):
        hits = [
            idx
            for year in years
            for idx in by_name.get((fold_letters(name), year))
            or by_name.get((fold_letters(name), year[:4]), ())
        ]
        if hits:
            yield from ((place, idx) for idx in dict.fromkeys(hits))
            return


def _names_before(before: str) -> list[str]:
    """Return the names at the end of a text, those of the last group first, then those further back.

    "Bell (1990); Lee & Dorn, " gives Lee, Dorn, then Bell. A lower-case word stops the search, unless it can
    stand between names.
    """
    names: list[str] = []
    n_near = 0  # names of the last group, counted from the end
    is_near = True
    end = len(before.rstrip(" \n([{,"))  # the year's own bracket
    for match in reversed(list(_NAME.finditer(before))):
        is_near = is_near and not _PARTS_GROUPS.search(before, match.end(), end)
        end = match.start()
        if match[0][0].islower():
            if match[0].rstrip(".") not in _BETWEEN:
                break
            continue
        names.append(match[0])
        n_near += is_near
    return [*reversed(names[:n_near]), *names[n_near:]]


def _names(cited: Sequence[Cited]) -> dict[tuple[str, str], list[int]]:
    """Index references by the first author's surname (whole or last word) and year (long or short)."""
    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    for idx, one in enumerate(cited):
        if one.surname and one.year:
            names = {fold_letters(one.surname), fold_letters(one.surname.split()[-1])}
            for name in sorted(names):
                for year in (one.year, one.year[2:4]):
                    index[name, year].append(idx)
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
    """Return the start of the first word within reach before a place: no sentence begins inside a word."""
    match = _SPACE.search(text, place - SENTENCE_REACH, place)
    return match.end() if match else place


def _word_end_before(text: str, place: int) -> int:
    """Return the end of the last word that ends within reach after a place."""
    cut = place + SENTENCE_REACH
    spaces = [match.start() for match in _SPACE.finditer(text, place, cut)]
    return spaces[-1] if spaces else cut
