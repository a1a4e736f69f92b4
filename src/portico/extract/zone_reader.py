"""Finds with the zone model where a reference list ends, and where it is if it has no heading."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from portico.extract.zone_lines import REFERENCES, ZoneLine, observe_zone_lines
from portico.learn.crf import Crf, prepare_sequence

# The first words of a reference: a number, "Bell, A.", "Bell A.", "A. Bell", "Bell, Ann".
_OPENS_REFERENCE = re.compile(
    r"^\W*(?:\[?\d{1,3}[\].)]\s*\S|[^\W\d_][\w'’´-]+,?\s(?:[A-Z]\.|[A-Z]{1,3}[,\s])"
    r"|[^\W\d_][\w'’´-]+,\s[A-Z][\w'’´-]+|[A-Z]\.\s?(?:[A-Z]\.\s?)*[A-Z][\w'’´-]+)"
)
# The number of a reference: "[12]", "12.", "(12)".
_NUMBER = re.compile(r"^\s*[\[(]?(\d{1,3})[\].)]")
# Probabilities from which a line may be part of a list, and likely is. Six zones compete, and cutting off a
# reference is worse than keeping a line too many, which splitting can still leave out.
LEAST_CHANCE, LIKELY = 0.2, 0.5
# Lines before a list that the model gets as context.
LEAD_LINES = 20
# Consecutive lines without references after which a list is taken to have ended, unless its numbers continue.
# Lists contain odd lines: titles in other languages, notes.
GAP_LINES = 40
# Lines after the last sure one that may still be references, because the model errs on a list's last lines.
TRAILING_LINES = 12
# Fewest lines to cut off after a list, because the model is least sure of a document's last lines.
FEWEST_CUT = 6
# Fewest consecutive lines of references that make a list without a heading.
LIST_LINES = 6


@dataclass(frozen=True, slots=True)
class ZoneReader:
    """Applies a zone model to parts of a document."""

    model: Crf

    def list_of_references(
        self, lines: Sequence[ZoneLine], section: range, *, n_before: int
    ) -> tuple[range, ...]:
        """Return the list at the start of a section, in parts if tables interrupt it; else the section.

        `section` counts from the start of the document, `lines` begin at line `n_before`. The model needs no
        lines from more than LEAD_LINES before the section.
        """
        chances = self._chances(lines, n_before=n_before)[section.start - n_before : section.stop - n_before]
        here = [lines[idx - n_before] for idx in section]
        parts: list[range] = []
        for run in (run for is_list, run in _runs(chances) if is_list):
            if not parts or run.start - parts[-1].stop < GAP_LINES:
                parts = [*parts[:-1], range(parts[-1].start if parts else 0, run.stop)]
            elif next_part := _counted_on(here, parts[-1], run):
                parts.append(next_part)
            else:
                break
        if not parts:
            return (section,)
        last = parts.pop()
        is_cut = len(section) - last.stop >= FEWEST_CUT
        parts.append(range(last.start, _trailing_end(here, last.stop) if is_cut else len(section)))
        return tuple(range(section.start + part.start, section.start + part.stop) for part in parts)

    def references(self, lines: Sequence[ZoneLine]) -> range | None:
        """Return the last list of references in the second half of a document."""
        chances = self._chances(lines)
        runs = [
            run
            for is_list, run in _runs(chances)
            if is_list and len(run) >= LIST_LINES and run.stop > len(lines) // 2
        ]
        if not runs:
            return None
        start = runs[-1].start
        for before in reversed(runs[:-1]):
            start = before.start if start - before.stop < GAP_LINES else start
        return range(_opening(lines, chances, start), _trailing_end(lines, runs[-1].stop))

    def _chances(self, lines: Sequence[ZoneLine], *, n_before: int = 0) -> list[float]:
        if not lines:
            return []
        opinion = self.model.opinion(prepare_sequence(observe_zone_lines(lines, n_before=n_before)))
        return [opinion.chance(REFERENCES, idx) for idx in range(len(lines))]


def _runs(chances: Sequence[float]) -> list[tuple[bool, range]]:
    """Divide lines into runs that may be a list and runs that are not; a list has a likely line."""
    runs = []
    start = 0
    for may_be, group in groupby(chances, key=lambda chance: chance >= LEAST_CHANCE):
        found = list(group)
        stop = start + len(found)
        runs.append((may_be and max(found) >= LIKELY, range(start, stop)))
        start = stop
    return runs


def _counted_on(lines: Sequence[ZoneLine], before: range, run: range) -> range | None:
    """Return the part of a run that continues the numbering of the lines before, or None.

    On the last pages of a paper, tables may be set across the columns of a list.
    """
    last = next((number for idx in reversed(before) if (number := _number(lines[idx]))), None)
    first = next((idx for idx in run if _number(lines[idx])), None)
    goes_on = last is not None and first is not None and _number(lines[first]) == last + 1
    return range(first, run.stop) if goes_on and first is not None else None


def _number(line: ZoneLine) -> int | None:
    match = _NUMBER.match(line.text)
    return int(match[1]) if match else None


def _opens(line: ZoneLine) -> bool:
    return line.starts_block and _OPENS_REFERENCE.match(line.text) is not None


def _opening(lines: Sequence[ZoneLine], chances: Sequence[float], start: int) -> int:
    """Return the first likely line of a list, or one soon after it that opens like a reference."""
    first = next(idx for idx in range(start, len(lines)) if chances[idx] >= LIKELY)
    soon = range(first, min(first + LIST_LINES, len(lines)))
    return next((idx for idx in soon if _OPENS_REFERENCE.match(lines[idx].text)), first)


def _trailing_end(lines: Sequence[ZoneLine], end: int) -> int:
    """Return the end of the list's last paragraph and of following ones that open like references.

    The hanging second line of a reference may be set as a paragraph of its own.
    """
    bound = min(end + TRAILING_LINES, len(lines))
    for idx in range(end, bound):
        if lines[idx].starts_block and not (_opens(lines[idx]) or _opens(lines[idx - 1])):
            return idx
    return bound if bound == len(lines) else end
