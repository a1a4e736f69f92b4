"""Features of words for the taggers: one small function per feature, listed at the end of the module."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from portico.extract.words import MEMORY_WORDS, Row
from portico.types.domain import WordFeature

Lexicon = Mapping[str, tuple[str, ...]]
"""A lower-case word → the classes it often belongs to, the most frequent first, as "class=tenths"."""

_EDGES = re.compile(r"^\W+|\W+$")


@lru_cache(maxsize=64)  # the features of one word are computed in a row and all call it
def bare(word: str) -> str:
    """Return the word in lower case without the punctuation around it."""
    return _EDGES.sub("", word).lower() or word


def lower(word: str) -> str:
    return "w=" + bare(word)


def exact(word: str) -> str:
    return "x=" + word


def shape(word: str) -> str:
    """Return the outline of a word: `Smith,` becomes `Xx,`, with each run of the same kind written once."""
    return "s=" + _outline(word)


def prefix(word: str) -> str:
    return "p=" + bare(word)[:3]


def prefix_short(word: str) -> str:
    return "p2=" + bare(word)[:2]


def prefix_long(word: str) -> str:
    return "p4=" + bare(word)[:4]


def suffix(word: str) -> str:
    return "f=" + bare(word)[-3:]


def suffix_short(word: str) -> str:
    return "f2=" + bare(word)[-2:]


def suffix_long(word: str) -> str:
    return "f4=" + bare(word)[-4:]


def ending(word: str) -> str:
    """Return the punctuation that a word ends in, the most informative of its characters."""
    return "" if word[-1].isalnum() else "e=" + word[-1]


def opening(word: str) -> str:
    return "" if word[0].isalnum() else "o=" + word[0]


@lru_cache(maxsize=64)
def letter_case(word: str) -> str:
    letters = list(filter(str.isalpha, word))
    if not letters:
        return "case=none"
    if len(letters) == 1:
        return "case=single" if letters[0].isupper() else "case=letter"
    if all(map(str.isupper, letters)):
        return "case=upper"
    if letters[0].isupper():
        return "case=title" if all(map(str.islower, letters[1:])) else "case=mixed"
    return "case=lower" if all(map(str.islower, letters)) else "case=inner"


def digits(word: str) -> str:
    n_digits = sum(map(str.isdigit, word))
    if n_digits == 0:
        return ""
    return f"digits={min(n_digits, 5)}" if n_digits == len(bare(word)) else "digits=some"


def length(word: str) -> str:
    return f"n={min(len(word), 10)}"


def _outline(word: str) -> str:
    return "".join(kind for kind, _ in groupby(word.translate(_KINDS)))[:12]


class _Kinds(dict[int, str]):
    """Maps code points to the kind of character (X, x, 9, or the character itself), filled in on demand."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        if character.isalpha():
            kind = "X" if character.isupper() else "x"
        else:
            kind = "9" if character.isdigit() else character
        self[point] = kind
        return kind


_KINDS = _Kinds()


@dataclass(frozen=True, slots=True)
class Seen:
    """The features of one word that do not depend on its position, prepared for reuse."""

    own: tuple[str, ...]
    key: str  # the word itself, for pairs
    group: str  # its class, for pairs
    mark: str  # the punctuation it ends in
    told: tuple[str, ...]  # the domain's features of it
    before: tuple[tuple[str, ...], ...]  # as seen from 1, 2 words further; then across a line end
    after: tuple[tuple[str, ...], ...]


_BEFORE, _AFTER = ("-1:", "-2:", "-1|", "-2|"), ("+1:", "+2:", "+1|", "+2|")

SeeWord = Callable[[str], Seen]
"""Features of a printed word that do not depend on its position."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Converts rows of words to features; caches what it knows of each word."""

    lexicon: Lexicon
    observations: tuple[WordFeature, ...]
    context: "Callable[[Sequence[Row], Sequence[Seen]], list[list[str]]]"
    _memory: dict[str, Seen] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, rows: Sequence[Row]) -> list[list[str]]:
        """Return a list of features for each word of the rows, in order."""
        seen = [self.see(word.text) for row in rows for word in row.words]
        line_of = [idx for idx, row in enumerate(rows) for _ in row.words]
        out = self.context(rows, seen)
        for idx, (here, features) in enumerate(zip(seen, out, strict=True)):
            features.extend(here.own)
            _look_beside(features, seen, line_of, idx)
            _look_further(features, seen, line_of, idx)
        return out

    def see(self, word: str) -> Seen:
        """Return the position-independent features of a word, of a long one by its head and tail."""
        if len(word) > SEEN_HEAD + SEEN_TAIL:
            word = word[:SEEN_HEAD] + word[-SEEN_TAIL:]
        known = self._memory.get(word)
        if known is None:
            if len(self._memory) > MEMORY_WORDS:
                self._memory.clear()
            known = self._memory[word] = self._observe(word)
        return known

    def _observe(self, word: str) -> Seen:
        classes = self.lexicon.get(bare(word), ())
        said = [text for observe in self.observations if (text := observe(word))]
        top = classes[0] if classes else "?"
        own = [text for observe in WORD_MENU if (text := observe(word))]
        own += said + ["lex=" + name for name in classes]
        own += ["lexany=" + name.split("=")[0] for name in classes]
        group = (said[0] if said else top) + "/" + letter_case(word)[5:]
        own.append("g=" + group)
        low, mark, case = lower(word), ending(word) or "e=", letter_case(word)
        return Seen(
            own=tuple(own),
            key=bare(word),
            group=group,
            mark=mark[2:] or "x",
            told=tuple(said),
            before=tuple([(at + low, at + "g=" + group, at + mark, at + case) for at in _BEFORE]),
            after=tuple([(at + low, at + "g=" + group, at + mark, at + case) for at in _AFTER]),
        )


def _look_beside(features: list[str], seen: list[Seen], line_of: list[int], idx: int) -> None:
    """Add features of the adjacent words, alone and paired with this one."""
    here = seen[idx]
    if idx:
        before = seen[idx - 1]
        features += before.before[0 if line_of[idx] == line_of[idx - 1] else 2]
        features += (f"-1w:{before.key} {here.key}", f"-1g:{before.group} {here.group}")
    else:
        features.append("-1:start")
    if idx + 1 < len(seen):
        after = seen[idx + 1]
        features += after.after[0 if line_of[idx] == line_of[idx + 1] else 2]
        features += (f"+1g:{here.group} {after.group}", f"+1w:{here.key} {after.key}")
    else:
        features.append("+1:end")


def _look_further(features: list[str], seen: list[Seen], line_of: list[int], idx: int) -> None:
    """Add features of the words two positions away."""
    if idx > 1:
        features += seen[idx - 2].before[1 if line_of[idx] == line_of[idx - 2] else 3]
    else:
        features.append("-2:start")
    if idx + 2 < len(seen):
        features += seen[idx + 2].after[1 if line_of[idx] == line_of[idx + 2] else 3]
    else:
        features.append("+2:end")


def look_around(out: list[list[str]], seen: Sequence[Seen]) -> None:
    """Add the classes of words up to four away, class trigrams, and the punctuation of three words."""
    groups = ["^"] * FAR + [here.group for here in seen] + ["$"] * FAR
    marks = ["^", *(here.mark for here in seen), "$"]
    for idx, features in enumerate(out):
        _, before3, before2, before, here, after, after2, after3, _ = around = groups[idx : idx + 2 * FAR + 1]
        features.append(f"3g={before} {here} {after}")
        features.append(f"-2g={before2} {before}")
        features.append(f"+2g={after} {after2}")
        features.append("3e=" + marks[idx] + marks[idx + 1] + marks[idx + 2])
        features += [f"-3g={before3}", f"-4g={around[0]}", f"+3g={after3}", f"+4g={around[-1]}"]


# Maximum distance of words whose classes are used.
FAR = 4

# Characters used of the head and of the tail of a word. Longer ones are URLs, or words that lost the spaces
# between them, and must not cost time by their length alone.
SEEN_HEAD, SEEN_TAIL = 48, 16

WORD_MENU: tuple[WordFeature, ...] = (
    lower,
    exact,
    shape,
    prefix_short,
    prefix,
    prefix_long,
    suffix_short,
    suffix,
    suffix_long,
    ending,
    opening,
    letter_case,
    digits,
    length,
)
