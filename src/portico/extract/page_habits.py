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

from portico.extract.doubtful_names import (
    ALIKE_SHARE,
    LEAST_ALIKE,
    MANY,
    drop_doubtful_names,
    drop_rare_names,
)
from portico.extract.labelled_lines import STATED_WORDS, LabelledLines, find_separator, join_words
from portico.extract.tagger import Tagged
from portico.extract.words import Row, Word
from portico.text.names import GENERATIONS, fold_letters
from portico.types.domain import Kind

# The share of lines that must begin records before others with the same look do too, for lines such as
# "Treasurer: Ann Bell" and looks of which all lines could begin records.
REGULAR_SHARE = 1 / 3
# Shares of names with a role in one place: to expect it of all names, and to drop roles elsewhere.
BESIDE_SHARE, BESIDE_ONLY = 0.5, 0.7
# The same if lines of one look stand beside nearly all names, and so are likely roles anyway.
KNOWN_SHARE, ALWAYS_THERE = 0.25, 0.8
# Maximum number of words before a separator that may be a name, and of titles between it and a name.
LONGEST_HEAD, LONGEST_TITLE = 6, 2


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


class _Lines(LabelledLines):
    """The labels of a page's lines while they are being harmonized."""

    def __init__(self, tagged: Tagged, kind: Kind) -> None:
        super().__init__(tagged, kind)
        self._cues = [re.compile(rule.cue, re.IGNORECASE) for rule in kind.announced if not rule.at_head]
        self._is_turned = self._is_any_turned()

    def _may_end_at_comma(self, words: Sequence[Word]) -> bool:
        """Whether the words before the first comma could begin a record, and no "Sr." follows."""
        ends = (idx for idx, word in enumerate(words[:LONGEST_HEAD]) if word.text.endswith(","))
        at = next(ends, len(words))
        if at + 1 >= len(words) or fold_letters(words[at + 1].text) in GENERATIONS:
            return False
        return self.may_begin(join_words(words[: at + 1]).rstrip(","))

    def _is_any_turned(self) -> bool:
        """Whether names go on after a comma ("Bell, Ann") more often than they end ("Ann Bell, chair")."""
        n_turned = n_ended = 0
        for row, labels in zip(self.rows, self.labels, strict=True):
            at = next((idx for idx, word in enumerate(row.words) if word.text.endswith(",")), len(labels))
            if at + 1 < len(labels) and labels[at] == self.name:
                n_turned += labels[at + 1] == self.name
                n_ended += labels[at + 1] != self.name
        return n_turned > n_ended

    def settle(self) -> Tagged:
        """Return the harmonized labels."""
        drop_doubtful_names(self)
        self._add_suffixes()
        self._spread_beginnings()
        drop_rare_names(self)
        if self.beside:
            self._complete_lines()
            self._settle_beside()
        return self.as_tagged()

    def _add_suffixes(self) -> None:
        """Make "Sr." after a name part of it."""
        for idx in self.list_begun():
            labels, words = self.labels[idx], self.rows[idx].words
            for place in range(1, len(words)):
                ended = labels[place - 1] == self.name and labels[place] != self.name
                if ended and fold_letters(words[place].text) in GENERATIONS:
                    self.relabel(idx, range(place, place + 1), self.name)

    def _spread_beginnings(self) -> None:
        """Begin records in lines that look like those beginning records, if their words allow it."""
        begun = set(self.list_begun())
        could: dict[tuple[tuple[str, ...], str], list[tuple[int, _Parts]]] = {}
        for idx, row in enumerate(self.rows):
            if self.is_told(idx):
                continue
            for parts in self._divide(row if idx in begun else self._before_others(idx)):
                could.setdefault((self.looks[idx], parts.separator), []).append((idx, parts))
        settled: set[int] = set()
        mixed = self._list_mixed_looks()
        for group in sorted(could.values(), key=self._count_begun, reverse=True):
            n_begun = self._count_begun(group)
            share = ALIKE_SHARE
            if group[0][1].separator.endswith("<") or self._is_whole_look(group):
                share = REGULAR_SHARE
            if n_begun >= LEAST_ALIKE and n_begun >= share * len(group):
                for idx, parts in group:
                    if self.looks[idx] in mixed and self.is_beside(idx) and self.stands_at_name(idx):
                        continue
                    if idx not in settled and not self._is_begun(idx, parts):
                        self.drop(idx, self.name)
                        self.relabel(idx, parts.words, self.name)
                    settled.add(idx)

    def _is_whole_look(self, group: Sequence[tuple[int, _Parts]]) -> bool:
        """Whether all lines of a look that are no running text could begin records."""
        look = self.looks[group[0][0]]
        n_lines = sum(each == look and not self.is_told(idx) for idx, each in enumerate(self.looks))
        return n_lines >= MANY and len({idx for idx, _ in group}) == n_lines

    def _list_mixed_looks(self) -> set[tuple[str, ...]]:
        """List the looks that names share with lines beside them, as in cards without markup."""
        names = Counter(self.looks[idx] for idx in self.list_begun())
        beside = Counter(
            self.looks[idx]
            for idx in range(len(self.rows))
            if self.is_beside(idx) and self.stands_at_name(idx)
        )
        return {look for look, n in beside.items() if n >= max(LEAST_ALIKE, ALIKE_SHARE * names[look])}

    def _count_begun(self, group: Sequence[tuple[int, _Parts]]) -> int:
        return sum(self._supports(idx, parts) for idx, parts in group)

    def _is_begun(self, idx: int, parts: _Parts) -> bool:
        """Whether a record begins in these words of a line and in no others."""
        places = [place for place, label in enumerate(self.labels[idx]) if label == self.name]
        return bool(places) and all(place in parts.words for place in places)

    def _supports(self, idx: int, parts: _Parts) -> bool:
        """Whether a record begins in these words, or in all of them and more words in another typeface."""
        if self._is_begun(idx, parts):
            return True
        return parts.separator == "/" and all(self.labels[idx][place] == self.name for place in parts.words)

    def _before_others(self, idx: int) -> Row:
        """Return a line up to what cannot be a name, such as a telephone number and the cue before it."""
        row, labels = self.rows[idx], self.labels[idx]
        known = (self.other, self.beside, self.name)
        end = next((at for at, label in enumerate(labels) if label not in known), len(labels))
        while 0 < end < len(labels) and any(cue.search(row.words[end - 1].text) for cue in self._cues):
            end -= 1
        return row if end == len(labels) else replace(row, words=row.words[:end])

    def _divide(self, row: Row) -> Iterator[_Parts]:
        """Yield the words of a line that could begin a record: all, or those on one side of a separator."""
        words = row.words
        if not words:
            return
        if row.cuts and 0 < row.cuts[0] < min(len(words), LONGEST_HEAD):
            head = join_words(words[: row.cuts[0]]).rstrip(",: ")
            if self.may_begin(head):
                yield _Parts(range(row.cuts[0]), "/")
        if self.may_begin(row.text) and (self._is_turned or not self._may_end_at_comma(words)):
            yield _Parts(range(len(words)), "")
            return
        cuts = [(idx, mark) for idx in range(len(words)) if (mark := find_separator(words, idx))]
        for idx, mark in cuts[:1]:
            head = join_words(words[: idx + 1]).rstrip(",: ")
            if idx < LONGEST_HEAD and self.may_begin(head):
                yield _Parts(range(idx + 1), mark)
        for idx, mark in reversed(cuts):
            start = idx + 1
            while start < len(words) and not any(map(str.isalnum, words[start].text)):
                start += 1
            end = next((at for at in range(start, len(words)) if words[at].text[0] == "("), len(words))
            if mark not in (",", "(") and start < end and self.may_begin(join_words(words[start:end])):
                yield _Parts(range(start, end), mark + "<")
                return

    def _complete_lines(self) -> None:
        """If names mostly have a role before or after them in their line, label it so in every such line."""
        groups: dict[tuple[tuple[str, ...], bool], list[tuple[int, range]]] = {}
        for idx in self.list_begun():
            for is_behind, rest in ((True, self._rest(idx)), (False, self._head(idx))):
                if rest is not None:
                    groups.setdefault((self.looks[idx], is_behind), []).append((idx, rest))
        for group in groups.values():
            n_said = sum(self.beside in self.labels[idx][rest.start : rest.stop] for idx, rest in group)
            if n_said >= LEAST_ALIKE and n_said >= BESIDE_SHARE * len(group):
                for idx, rest in group:
                    self.relabel(idx, rest, self.beside)

    def _rest(self, idx: int) -> range | None:
        """Return what follows the name in a line that begins with it, up to the next other label."""
        labels, words = self.labels[idx], self.rows[idx].words
        if labels[0] != self.name or len(words) > STATED_WORDS:
            return None
        start = next((at for at, label in enumerate(labels) if label != self.name), len(labels))
        while start < len(words) and not any(map(str.isalnum, words[start].text)):
            start += 1
        end = start
        while end < len(words) and labels[end] in (self.other, self.beside):
            end += 1
        return range(start, end) if end > start else None

    def _head(self, idx: int) -> range | None:
        """Return what stands before the name in its line, up to the separator between them."""
        labels, words = self.labels[idx], self.rows[idx].words
        begun = labels.index(self.name)
        # Titles may stand between the separator and the name.
        ends = range(begun, max(0, begun - 1 - LONGEST_TITLE), -1)
        end = next((end for end in ends if find_separator(words, end - 1)), 0)
        if not end or len(words) > STATED_WORDS:
            return None
        while end and not any(map(str.isalnum, words[end - 1].text)):
            end -= 1
        if not end or not set(labels[:end]) <= {self.other, self.beside}:
            return None
        return range(end)

    def _settle_beside(self) -> None:
        """Label lines where most names have their role as roles; roles elsewhere are probably headings."""
        begun = list(self.list_begun())
        if len(begun) < MANY:
            return
        own = sum(self.beside in self.labels[idx] for idx in begun)
        places: Counter[tuple[int, tuple[str, ...]]] = Counter()
        for idx in begun:
            for step in (1, -1):
                if self.is_beside(idx + step):
                    places[step, self.looks[idx + step]] += 1
        place, n_there = places.most_common(1)[0] if places else ((0, ()), 0)
        n_alike = sum(self.has_look(idx + place[0], place[1]) for idx in begun) if n_there else 0
        if n_alike >= ALWAYS_THERE * len(begun) and n_there >= KNOWN_SHARE * len(begun):
            n_there = n_alike
        if own >= max(n_there, BESIDE_SHARE * len(begun)):
            self._keep_beside(begun, None, only=own >= BESIDE_ONLY * len(begun))
        elif n_there >= BESIDE_SHARE * len(begun):
            self._keep_beside(begun, place, only=n_there >= BESIDE_ONLY * len(begun))

    def _keep_beside(
        self, begun: Sequence[int], place: tuple[int, tuple[str, ...]] | None, *, only: bool
    ) -> None:
        """Label roles in the usual place; with `only`, drop those elsewhere."""
        for idx in begun if place else ():
            assert place is not None
            step, look = place
            there = idx + step
            if self.has_look(there, look) and self.may_stand_beside(there):
                self.relabel(there, range(len(self.rows[there].words)), self.beside)
        if only:
            usual = {idx + place[0] for idx in begun} if place else set()
            for idx in range(len(self.rows)):
                if self.is_beside(idx) and idx not in usual and not self._goes_on(idx):
                    self.drop(idx, self.beside)

    def _goes_on(self, idx: int) -> bool:
        """Whether a line continues a role that the line before it, in the same paragraph, ends with."""
        before = idx - 1
        return (
            before >= 0
            and self.rows[before].block == self.rows[idx].block
            and self.labels[before][-1] == self.beside
        )
