"""Finds the label of a line on a web page: the cell to its left, a column head, a term, a colon above."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from portico.extract.page_context import read_announcement
from portico.extract.tagger import Tagged
from portico.extract.words import Row
from portico.types.domain import Announced, Kind

# Maximum length, in characters, of a line that may label another one: "Office hours and place:".
LONGEST_LEAD = 40
# Probability of a value that has a printed label; chosen by hand.
ANNOUNCED = 0.95

_CELLS = frozenset({"in=td", "in=th", "first=dt"})
_ANNOUNCING = frozenset({"first=dt", "first=th", "heading"})


def find_leads(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """Return for each line the texts that may be its label, nearest first."""
    heads = _column_heads(rows)
    return [tuple(dict.fromkeys((*_lead_before(rows, idx), *heads.get(idx, ())))) for idx in range(len(rows))]


def _lead_before(rows: Sequence[Row], idx: int) -> Iterable[str]:
    """Yield the line before if it may be a label: a cell, a term, or a line ending in a colon."""
    if not idx:
        return
    before, here = rows[idx - 1], rows[idx]
    is_last_of_row = "in=th" in before.looks and idx > 1 and rows[idx - 2].block == before.block
    announces = before.text.endswith(":") or (not _ANNOUNCING.isdisjoint(before.looks) and not is_last_of_row)
    if (before.block == here.block or announces) and len(before.text) <= LONGEST_LEAD:
        yield before.text


def _column_heads(rows: Sequence[Row]) -> dict[int, tuple[str, ...]]:
    """Return for each table cell its column head, as long as the rows have equally many cells."""
    return {
        idx: (rows[head[place]].text,)
        for idx, (place, head) in _find_head_rows(rows).items()
        if len(rows[head[place]].text) <= LONGEST_LEAD
    }


def _find_head_rows(rows: Sequence[Row]) -> dict[int, tuple[int, list[int]]]:
    """Return for each table cell its column and the cells of the row that may head its table."""
    found: dict[int, tuple[int, list[int]]] = {}
    head: list[int] = []
    for block in _list_table_rows(rows):
        follows = bool(head) and len(block) == len(head) and len(block) > 1
        if not follows or all("in=th" in rows[idx].looks for idx in block):
            head = block
            continue
        found |= {idx: (place, head) for place, idx in enumerate(block)}
    return found


def _list_table_rows(rows: Sequence[Row]) -> list[list[int]]:
    """Group the lines of tables by table row; a cell with several lines contributes each of them."""
    blocks: list[list[int]] = []
    for idx, row in enumerate(rows):
        if "in=td" not in row.looks and "in=th" not in row.looks:
            continue
        if blocks and rows[blocks[-1][0]].block == row.block:
            blocks[-1].append(idx)
        else:
            blocks.append([idx])
    return blocks


def find_columns(rows: Sequence[Row]) -> dict[int, tuple[int, int]]:
    """Return for each line of a table row its position in the row and the row's number of lines.

    Rows whose number of lines occurs only once are left out.
    """
    blocks = _list_table_rows(rows)
    sizes = Counter(map(len, blocks))
    return {
        idx: (place, len(block))
        for block in blocks
        if len(block) > 1 and sizes[len(block)] > 1
        for place, idx in enumerate(block)
    }


@dataclass(frozen=True, slots=True)
class AnnouncedValues:
    """Overrides a model's labels for values that are certain if they have a label ("Fax: …")."""

    tag: Callable[[Sequence[Row]], Tagged]
    kinds: tuple[Kind, ...]
    _rules: tuple[tuple[Announced, re.Pattern[str], re.Pattern[str]], ...] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        rules = dict.fromkeys(rule for kind in self.kinds for rule in kind.announced)
        compiled = tuple(
            (rule, re.compile(rule.cue, re.IGNORECASE), re.compile(rule.value, re.IGNORECASE))
            for rule in rules
        )
        object.__setattr__(self, "_rules", compiled)

    def __call__(self, rows: Sequence[Row]) -> Tagged:
        tagged = self.tag(rows)
        if not self._rules:
            return tagged
        labels, chances = list(tagged.labels), list(tagged.probabilities)
        position = 0
        heads = self._list_sure_heads(rows)
        for number, (row, leads) in enumerate(zip(rows, find_leads(rows), strict=True)):
            for place, label in self._headed(row, heads.get(number, ()), rows[number - 1 : number]):
                labels[position + place], chances[position + place] = label, ANNOUNCED
            for idx, announced in self._announced(row, leads):
                labels[position + idx], chances[position + idx] = announced, ANNOUNCED
            position += len(row.words)
        return replace(tagged, labels=tuple(labels), probabilities=tuple(chances))

    def _headed(self, row: Row, heads: Sequence[str], before: Sequence[Row]) -> Iterable[tuple[int, str]]:
        """Yield the labels of words in a line, if a column head, a term, or a cue in the line gives one.

        A column head itself has no value.
        """
        in_table = not _CELLS.isdisjoint(row.looks)
        if in_table and any(rule.at_head and cue.search(row.text) for rule, cue, _ in self._rules):
            yield from ((idx, self.kinds[0].other) for idx in range(len(row.words)))
            return
        own, end = read_announcement(row.text)
        start = len(row.text[:end].split())
        if own and start < len(row.words):
            heads = (own,)
        elif before and _is_term(before[0], row):
            heads, start = (before[0].text,), 0
        else:
            start = 0
        value = " ".join(word.text for word in row.words[start:])
        label = self._find_head(heads, value)
        if label:
            yield from ((idx, self.kinds[0].other) for idx in range(start))
            yield from ((idx, label) for idx in range(start, len(row.words)))

    def _list_sure_heads(self, rows: Sequence[Row]) -> dict[int, tuple[str, ...]]:
        """Return for each table cell its column head, if its row is marked as one or has two known heads."""
        sure: dict[int, bool] = {}
        found = _find_head_rows(rows)
        for _, head in found.values():
            if head[0] not in sure:
                n_known = sum(any(cue.search(rows[idx].text) for _, cue, _ in self._rules) for idx in head)
                is_marked = all("in=th" in rows[idx].looks for idx in head)
                sure[head[0]] = is_marked or n_known >= LEAST_HEADS
        return {idx: (rows[head[at]].text,) for idx, (at, head) in found.items() if sure[head[0]]}

    def _find_head(self, heads: Sequence[str], value: str) -> str:
        """Return the label that one of these heads gives a value, or "" if none gives one."""
        return next(
            (
                rule.label
                for rule, cue, pattern in self._rules
                if rule.at_head and any(map(cue.search, heads)) and pattern.search(value)
            ),
            "",
        )

    def _announced(self, row: Row, leads: Sequence[str]) -> Iterable[tuple[int, str]]:
        """Yield the positions of words that have a printed label, each with the label of its field."""
        text = row.text[:SEARCHED]
        rules = [each for each in self._rules if not each[0].at_head]
        cues = sorted(
            (match.start(), match.end(), rule.label) for rule, cue, _ in rules for match in cue.finditer(text)
        )
        if not cues and len(row.words) > WORDS_OF_A_CELL:
            return
        by_lead = next((rule.label for lead in leads for rule, cue, _ in rules if cue.search(lead)), "")
        ends = list(accumulate((len(word.text) + 1 for word in row.words), initial=0))
        for rule, _, value in rules:
            for match in value.finditer(text):
                said = next((label for _, end, label in reversed(cues) if end <= match.start()), by_lead)
                if said == rule.label:
                    yield from (
                        (idx, said)
                        for idx in range(len(row.words))
                        if ends[idx] < match.end() and match.start() < ends[idx + 1] - 1
                    )


def _is_term(before: Row, row: Row) -> bool:
    """Whether a line is the term of the next one: "Name" in a <dt> or in the first of two cells."""
    is_term = "first=dt" in before.looks and "in=dd" in row.looks
    is_head = "in=th" in before.looks and "in=td" in row.looks and before.block == row.block
    return (is_term or is_head) and len(before.text) <= LONGEST_LEAD


# Characters of a line that are searched, and the most words of a line that holds nothing but a value.
SEARCHED, WORDS_OF_A_CELL = 400, 8
# Known heads in a row of a table that make it the head of the table.
LEAST_HEADS = 2
