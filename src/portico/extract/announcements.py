"""Finds the label of a line on a web page: the cell to its left, a column head, a term, a colon above."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from portico.extract.tagger import Tagged
from portico.extract.words import Row
from portico.types.domain import Announced, Kind

# Maximum length, in characters, of a line that may label another one: "Office hours and place:".
LONGEST_LEAD = 40
# Probability of a value that has a printed label; chosen by hand.
ANNOUNCED = 0.95

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
    found: dict[int, tuple[str, ...]] = {}
    head: list[int] = []
    for block in _list_table_rows(rows):
        follows = bool(head) and len(block) == len(head) and len(block) > 1
        if not follows or all("in=th" in rows[idx].looks for idx in block):
            head = block
            continue
        for idx, above in zip(block, head, strict=True):
            if len(rows[above].text) <= LONGEST_LEAD:
                found[idx] = (rows[above].text,)
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
        heads = _column_heads(rows)
        for number, (row, leads) in enumerate(zip(rows, find_leads(rows), strict=True)):
            label = self._headed(row, heads.get(number, ()))
            for place in range(position, position + len(row.words)) if label else ():
                labels[place], chances[place] = label, ANNOUNCED
            for idx, announced in self._announced(row, leads):
                labels[position + idx], chances[position + idx] = announced, ANNOUNCED
            position += len(row.words)
        return replace(tagged, labels=tuple(labels), probabilities=tuple(chances))

    def _headed(self, row: Row, heads: Sequence[str]) -> str:
        """Return the label that the column head gives a cell, or "" if it gives none."""
        return next(
            (
                rule.label
                for rule, cue, value in self._rules
                if rule.at_head and any(map(cue.search, heads)) and value.search(row.text)
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


# Characters of a line that are searched, and the most words of a line that holds nothing but a value.
SEARCHED, WORDS_OF_A_CELL = 400, 8
