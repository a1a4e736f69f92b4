"""Uses the regularity of lists on a page: lines with the same look probably have the same role.

A model reads line by line and misses an uncommon name among forty in the same kind of element. Here lines of
a page are compared by their look (how they are printed, and in a table the column). If most lines with a look
begin a record, so do the others, as far as their words allow it. Names in navigation, in running text, or in
a look that mostly belongs to something else are dropped. If most names have a role beside them, the lines in
the same place beside the other names become roles too.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from portico.extract.announcements import find_columns
from portico.extract.tagger import Tagged
from portico.extract.words import Row, Word
from portico.text.names import GENERATIONS, fold_letters
from portico.types.domain import Kind

# Lines of a look that must begin records before others do too, and their share of all lines that could.
LEAST_ALIKE, ALIKE_SHARE = 2, 0.5
# Names are dropped from a look if fewer than this share of its lines has one, and another look has this many.
RARE_SHARE, MANY = 0.2, 3
# The same for a name with a role in its own line.
VERY_RARE = 0.05
# Shares of names with a role in one place: to expect it of all names, and to drop roles elsewhere.
BESIDE_SHARE, BESIDE_ONLY = 0.5, 0.7
# The same if lines of one look stand beside nearly all names, and so are likely roles anyway.
KNOWN_SHARE, ALWAYS_THERE = 0.25, 0.8
# Maximum number of words of a line that may be a list item; longer ones are running text.
STATED_WORDS = 18
# Probability of labels found by their look alone: chosen by hand, slightly below the precision of all names
# on held-out sites (`portico lab organisations`).
BY_LOOKS = 0.9

_FURNITURE = frozenset({"in=nav", "in=foot", "in=head", "in=title"})
_SEPARATORS = (",", "–", "-", "—", ":", "|", "(")
_LEADERS = re.compile(r"[.…_·]{3,}")
# Maximum number of words before a separator that may be a name.
LONGEST_HEAD = 6


@dataclass(frozen=True, slots=True)
class PageHabits:
    """Tags a page, then makes the labels of lines with the same look agree."""

    tag: Callable[[Sequence[Row]], Tagged]
    kinds: tuple[Kind, ...]

    def __call__(self, rows: Sequence[Row]) -> Tagged:
        tagged = self.tag(rows)
        for kind in self.kinds:
            if kind.begins and kind.may_begin is not None:
                tagged = _Lines(tagged, kind).settle()
        return tagged


@dataclass(frozen=True, slots=True)
class _Parts:
    """The words of a line that begin a record, and the separator from the others; "" if there are none.

    A separator before the words has "<" appended, because "Treasurer: Ann Bell" and "Ann Bell: treasurer" are
    two different habits.
    """

    words: range
    separator: str


class _Lines:
    """The labels of a page's lines while they are being harmonized."""

    def __init__(self, tagged: Tagged, kind: Kind) -> None:
        assert kind.may_begin is not None
        self._tagged, self._rows, self._kind = tagged, tagged.rows, kind
        self._may_begin = kind.may_begin
        self._name, self._beside, self._other = kind.begins, kind.beside, kind.other
        labels, chances = iter(tagged.labels), iter(tagged.probabilities)
        self._labels = [[next(labels) for _ in row.words] for row in self._rows]
        self._chances = [[next(chances) for _ in row.words] for row in self._rows]
        columns = find_columns(self._rows)
        self._looks = [_look(row, columns.get(idx)) for idx, row in enumerate(self._rows)]

    def settle(self) -> Tagged:
        """Return the harmonized labels."""
        self._take_back_furniture()
        self._add_suffixes()
        self._spread_beginnings()
        self._take_back_rare()
        if self._beside:
            self._complete_lines()
            self._settle_beside()
        return replace(
            self._tagged,
            labels=tuple(label for line in self._labels for label in line),
            probabilities=tuple(chance for line in self._chances for chance in line),
        )

    def _begun(self) -> Iterator[int]:
        return (idx for idx, labels in enumerate(self._labels) if self._name in labels)

    def _take_back_furniture(self) -> None:
        """Drop names in navigation and running text, unless the page has no others."""
        begun = list(self._begun())
        stated = [idx for idx in begun if not self._is_told(idx)]
        if len(stated) >= LEAST_ALIKE or (stated and len(stated) >= len(begun) / 2):
            for idx in set(begun) - set(stated):
                self._clear(idx, self._name)
        for idx, labels in enumerate(self._labels):
            if self._beside in labels and self._name not in labels and self._is_told(idx):
                self._clear(idx, self._beside)

    def _add_suffixes(self) -> None:
        """Make "Sr." after a name part of it."""
        for idx in self._begun():
            labels, words = self._labels[idx], self._rows[idx].words
            for place in range(1, len(words)):
                ended = labels[place - 1] == self._name and labels[place] != self._name
                if ended and fold_letters(words[place].text) in GENERATIONS:
                    self._set(idx, range(place, place + 1), self._name)

    def _is_told(self, idx: int) -> bool:
        row = self._rows[idx]
        return len(row.words) > STATED_WORDS or not _FURNITURE.isdisjoint(row.looks)

    def _spread_beginnings(self) -> None:
        """Begin records in lines that look like those beginning records, if their words allow it."""
        begun = set(self._begun())
        could: dict[tuple[tuple[str, ...], str], list[tuple[int, _Parts]]] = {}
        for idx, row in enumerate(self._rows):
            if self._is_told(idx) or (idx not in begun and self._is_said_otherwise(idx)):
                continue
            for parts in self._divide(row):
                could.setdefault((self._looks[idx], parts.separator), []).append((idx, parts))
        settled: set[int] = set()
        for group in sorted(could.values(), key=self._count_begun, reverse=True):
            n_begun = self._count_begun(group)
            if n_begun >= LEAST_ALIKE and n_begun >= ALIKE_SHARE * len(group):
                for idx, parts in group:
                    if idx not in settled and not self._is_begun(idx, parts):
                        self._clear(idx, self._name)
                        self._set(idx, parts.words, self._name)
                    settled.add(idx)

    def _count_begun(self, group: Sequence[tuple[int, _Parts]]) -> int:
        return sum(self._is_begun(idx, parts) for idx, parts in group)

    def _is_begun(self, idx: int, parts: _Parts) -> bool:
        """Whether a record begins in these words of a line and in no others."""
        places = [place for place, label in enumerate(self._labels[idx]) if label == self._name]
        return bool(places) and all(place in parts.words for place in places)

    def _is_said_otherwise(self, idx: int) -> bool:
        """Whether the line has a label that rules out a name, such as an address or a phone number."""
        return any(label not in (self._other, self._beside, self._name) for label in self._labels[idx])

    def _divide(self, row: Row) -> Iterator[_Parts]:
        """Yield the words of a line that could begin a record: all, or those on one side of a separator."""
        words = row.words
        if self._may_begin(row.text):
            yield _Parts(range(len(words)), "")
            return
        cuts = [(idx, mark) for idx in range(len(words)) if (mark := _find_separator(words, idx))]
        for idx, mark in cuts[:1]:
            head = _join(words[: idx + 1]).rstrip(",: ")
            if idx < LONGEST_HEAD and self._may_begin(head):
                yield _Parts(range(idx + 1), mark)
        for idx, mark in reversed(cuts):
            start = idx + 1
            while start < len(words) and not any(map(str.isalnum, words[start].text)):
                start += 1
            end = next((at for at in range(start, len(words)) if words[at].text[0] == "("), len(words))
            if mark not in (",", "(") and start < end and self._may_begin(_join(words[start:end])):
                yield _Parts(range(start, end), mark + "<")
                return

    def _take_back_rare(self) -> None:
        """Drop names in a look that mostly belongs to something else, such as companies below people."""
        begun = list(self._begun())
        by_look = Counter(self._looks[idx] for idx in begun)
        of_look = Counter(self._looks)
        if not any(n >= MANY and n >= ALIKE_SHARE * of_look[look] for look, n in by_look.items()):
            return
        for idx in begun:
            look = self._looks[idx]
            share = VERY_RARE if self._beside in self._labels[idx] else RARE_SHARE
            if by_look[look] < share * of_look[look]:
                self._clear(idx, self._name)

    def _complete_lines(self) -> None:
        """If names mostly have a role before or after them in their line, label it so in every such line."""
        groups: dict[tuple[tuple[str, ...], bool], list[tuple[int, range]]] = {}
        for idx in self._begun():
            for is_behind, rest in ((True, self._rest(idx)), (False, self._head(idx))):
                if rest is not None:
                    groups.setdefault((self._looks[idx], is_behind), []).append((idx, rest))
        for group in groups.values():
            n_said = sum(self._beside in self._labels[idx][rest.start : rest.stop] for idx, rest in group)
            if n_said >= LEAST_ALIKE and n_said >= BESIDE_SHARE * len(group):
                for idx, rest in group:
                    self._set(idx, rest, self._beside)

    def _rest(self, idx: int) -> range | None:
        """Return what follows the name in a line that begins with it, up to the next other label."""
        labels, words = self._labels[idx], self._rows[idx].words
        if labels[0] != self._name or len(words) > STATED_WORDS:
            return None
        start = next((at for at, label in enumerate(labels) if label != self._name), len(labels))
        while start < len(words) and not any(map(str.isalnum, words[start].text)):
            start += 1
        end = start
        while end < len(words) and labels[end] in (self._other, self._beside):
            end += 1
        return range(start, end) if end > start else None

    def _head(self, idx: int) -> range | None:
        """Return what stands before the name in its line, up to the separator between them."""
        labels, words = self._labels[idx], self._rows[idx].words
        end = labels.index(self._name)
        if not end or len(words) > STATED_WORDS or not _find_separator(words, end - 1):
            return None
        while end and not any(map(str.isalnum, words[end - 1].text)):
            end -= 1
        if not end or not set(labels[:end]) <= {self._other, self._beside}:
            return None
        return range(end)

    def _settle_beside(self) -> None:
        """Label lines where most names have their role as roles; roles elsewhere are probably headings."""
        begun = list(self._begun())
        if len(begun) < MANY:
            return
        own = sum(self._beside in self._labels[idx] for idx in begun)
        places: Counter[tuple[int, tuple[str, ...]]] = Counter()
        for idx in begun:
            for step in (1, -1):
                if self._is_beside(idx + step):
                    places[step, self._looks[idx + step]] += 1
        place, n_there = places.most_common(1)[0] if places else ((0, ()), 0)
        n_alike = sum(self._has_look(idx + place[0], place[1]) for idx in begun) if n_there else 0
        if n_alike >= ALWAYS_THERE * len(begun) and n_there >= KNOWN_SHARE * len(begun):
            n_there = n_alike
        if own >= max(n_there, BESIDE_SHARE * len(begun)):
            self._keep_beside(begun, None, only=own >= BESIDE_ONLY * len(begun))
        elif n_there >= BESIDE_SHARE * len(begun):
            self._keep_beside(begun, place, only=n_there >= BESIDE_ONLY * len(begun))

    def _has_look(self, idx: int, look: tuple[str, ...]) -> bool:
        return 0 <= idx < len(self._rows) and self._looks[idx] == look and self._name not in self._labels[idx]

    def _is_beside(self, idx: int) -> bool:
        if not 0 <= idx < len(self._rows):
            return False
        return self._beside in self._labels[idx] and self._name not in self._labels[idx]

    def _keep_beside(
        self, begun: Sequence[int], place: tuple[int, tuple[str, ...]] | None, *, only: bool
    ) -> None:
        """Label roles in the usual place; with `only`, drop those elsewhere."""
        for idx in begun if place else ():
            assert place is not None
            step, look = place
            there = idx + step
            if self._has_look(there, look) and self._may_stand_beside(there):
                self._set(there, range(len(self._rows[there].words)), self._beside)
        if only:
            usual = {idx + place[0] for idx in begun} if place else set()
            for idx in range(len(self._rows)):
                if self._is_beside(idx) and idx not in usual and not self._goes_on(idx):
                    self._clear(idx, self._beside)

    def _goes_on(self, idx: int) -> bool:
        """Whether a line continues a role that the line before it, in the same paragraph, ends with."""
        before = idx - 1
        return (
            before >= 0
            and self._rows[before].block == self._rows[idx].block
            and self._labels[before][-1] == self._beside
        )

    def _may_stand_beside(self, idx: int) -> bool:
        labels = self._labels[idx]
        text = self._rows[idx].text
        is_stated = len(labels) <= STATED_WORDS and "@" not in text and any(map(str.isalpha, text))
        return is_stated and (self._beside in labels or not any(map(str.isdigit, text)))

    def _set(self, idx: int, places: range, label: str) -> None:
        for place in places:
            if self._labels[idx][place] != label:
                self._labels[idx][place] = label
                self._chances[idx][place] = BY_LOOKS

    def _clear(self, idx: int, label: str) -> None:
        self._labels[idx] = [self._other if one == label else one for one in self._labels[idx]]


def _find_separator(words: Sequence[Word], idx: int) -> str:
    """Return what separates this word from the next (colon, comma, dash, leaders), or ""."""
    text = words[idx].text
    if _LEADERS.fullmatch(text):
        return "…"
    if text[-1] in ",:：" or (text in _SEPARATORS and idx):
        return text[-1].replace("：", ":")
    following = words[idx + 1].text if idx + 1 < len(words) else ""
    return following[0] if following and following[0] in _SEPARATORS else ""


def _join(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _look(row: Row, column: tuple[int, int] | None) -> tuple[str, ...]:
    """Return the features shared by lines that are printed alike."""
    told = (look for look in row.looks if not look.startswith(("alike=", "block=", "size=")))
    return (*told, f"{row.size:.0f}", f"column={column}")
