"""Splits a reference section into references, however they are set apart."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from portico.extract.reference_lines import SeenLine, observe_list_lines, see_lines
from portico.learn.crf import Crf, Tagging
from portico.types.document import Document, Line

_LABELS: tuple[re.Pattern[str], ...] = (
    re.compile(r"^\s*\[\s*(\d{1,3})\s*\]"),
    re.compile(r"^\s*\(\s*(\d{1,3})\s*\)\s"),
    re.compile(r"^\s*(\d{1,3})\s*[.)]\s*(?=\S)"),
    re.compile(r"^\s*(\d{1,3})\s+(?=[A-Z“\"])"),
    re.compile(r"^\s*(\d{1,3})(?=[A-Z][a-z.])"),
)
_YEAR = re.compile(r"\b(?:1[89]\d\d|20[0-4]\d)[a-z]?\b|\b(?:forthcoming|in press|to appear)\b", re.IGNORECASE)
_BULLET = re.compile(r"^\s*[•▪■◦●∙·*–—-]\s+(?=\S)")
_KEY = re.compile(r"^\s*\[\s*([A-Za-z][^\]\[]{1,40}?)\s*\]")

BEGIN, INSIDE, OUTSIDE = "begin", "inside", "outside"
"""Labels of the lines of a section: a reference begins, continues, or the line is outside any reference."""

# Probability from which a line's label is sure. An unsure line gets the label of similar lines if enough of
# these are sure and a large enough share of them has one label. The values found most beginnings among .8 to
# .99, 3 to 10 and .75 to 1, in two-fold cross-validation on GROBID's sections.
SURE, FEWEST_ALIKE, ALIKE_SHARE = 0.9, 5, 0.98
# Share of the count that must be present in a list for its numbers to be labels.
COUNTING_SHARE = 0.6
# Maximum number of lines of a reference; more means that its end was missed.
MOST_LINES = 25
# Points by which lines after a list differ from it in size: biographies, advertisements.
SIZE_STEP = 0.6
# Fewest lines in another size to cut off at the end; fewer may be odd lines of the list.
TRAILING_LINES = 3


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """The lines of one reference and the label it is cited by ("12", "Smi95", or "" if it has none)."""

    lines: tuple[Line, ...]
    label: str = ""
    label_end: int = 0  # characters of the first line that the label takes


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits sections with a trained model, which knows all styles; printed numbers override it."""

    model: Crf

    @property
    def digest(self) -> str:
        """An identifier that changes when the model changes."""
        return self.model.digest

    def __call__(self, document: Document, lines: Sequence[Line]) -> tuple[ReferenceEntry, ...]:
        """Return the references of a section, in order."""
        lines = _without_tail(lines)
        if not lines:
            return ()
        sightings = see_lines(document, lines)
        labels = find_labels([one.text for one in sightings])
        decided = self.decide(sightings, labels)
        entries = [_without_bullet(document, entry) for entry in _entries(lines, decided, labels)]
        return tuple(entries if labels else _without_other_lists(document, entries))

    def decide(self, sightings: Sequence[SeenLine], labels: dict[int, tuple[str, int]]) -> list[str]:
        """Return for each line whether it begins a reference, continues one, or belongs to none."""
        return _as_alike(sightings, self.model.tag(observe_entry_lines(sightings, labels)))


def observe_entry_lines(sightings: Sequence[SeenLine], labels: dict[int, tuple[str, int]]) -> list[list[str]]:
    """Return the features of each line of a section for the model."""
    style = "none" if not labels else "number" if next(iter(labels.values()))[0].isdigit() else "key"
    return [
        [*features, f"style={style}", f"style={style},label={idx in labels}"]
        for idx, features in enumerate(observe_list_lines(sightings))
    ]


def find_labels(texts: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Map lines that open with a label to the label and its length in characters; {} without labels."""
    return _numbered(texts) or _keyed(texts)


def _as_alike(sightings: Sequence[SeenLine], tagging: Tagging) -> list[str]:
    """Return the labels, with those of uncertain lines taken from certain lines that are set alike."""
    looks = [(one.set_in, one.opens_block) for one in sightings]
    seen = list(zip(looks, tagging.labels, tagging.probabilities, strict=True))
    sure: dict[tuple[bool | None, bool | None], Counter[str]] = defaultdict(Counter)
    for look, label, chance in seen:
        if chance >= SURE:
            sure[look][label] += 1
    usual = {look: label for look, labels in sure.items() if (label := _usual(labels))}
    return [
        usual.get(look, label) if chance < SURE and label != OUTSIDE else label
        for look, label, chance in seen
    ]


def _usual(labels: Counter[str]) -> str:
    """Return the label that nearly all of enough lines have, or "" (also if they are no references)."""
    ((label, n_lines),) = labels.most_common(1)
    is_usual = n_lines >= FEWEST_ALIKE and n_lines >= ALIKE_SHARE * labels.total() and label != OUTSIDE
    return label if is_usual else ""


def _entries(
    lines: Sequence[Line], decided: Sequence[str], labels: dict[int, tuple[str, int]]
) -> list[ReferenceEntry]:
    groups: list[list[int]] = []
    for idx, decision in enumerate(decided):
        starts = idx in labels if labels else decision == BEGIN
        if starts or (decision == BEGIN and not labels):
            groups.append([idx])
        elif decision == OUTSIDE and idx not in labels:
            groups.append([])
        elif groups and groups[-1]:
            groups[-1].append(idx)
        elif not groups:
            groups.append([idx])
    return [
        ReferenceEntry(tuple(lines[idx] for idx in group[:MOST_LINES]), *labels.get(group[0], ("", 0)))
        for group in groups
        if group
    ]


def _without_bullet(document: Document, entry: ReferenceEntry) -> ReferenceEntry:
    """Skip a bullet at the start of an entry, which is no label to cite it by."""
    bullet = _BULLET.match(entry.lines[0].span.of(document.text))
    return replace(entry, label_end=bullet.end()) if bullet and not entry.label else entry


def _without_other_lists(document: Document, entries: list[ReferenceEntry]) -> list[ReferenceEntry]:
    """Cut the entries where years stop appearing: boards, tables or advertisements follow."""
    best, best_end, total = 0, len(entries), 0
    for end, entry in enumerate(entries, start=1):
        text = document.text[entry.lines[0].span.start : entry.lines[-1].span.end]
        total += 1 if _YEAR.search(text) else -1
        if total >= best:
            best, best_end = total, end
    return entries[:best_end] if best > 0 else entries


def _without_tail(lines: Sequence[Line]) -> Sequence[Line]:
    """Remove the end of the section that is set in another size."""
    sizes = [line.size for line in lines if line.size]
    if not sizes:
        return lines
    usual = median(sizes)
    end = len(lines)
    while end and abs(lines[end - 1].size - usual) > SIZE_STEP:
        end -= 1
    return lines[:end] if len(lines) - end >= TRAILING_LINES else lines


def _numbered(texts: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Return the lines that open with the next number of a count; {} if the section is not numbered."""
    best: dict[int, tuple[str, int]] = {}
    for pattern in _LABELS:
        found = _counted(pattern, texts)
        if len(found) > len(best):
            best = found
    n_lines = len(texts)
    enough = len(best) >= 2 and len(best) * MOST_LINES >= n_lines and min(best) <= n_lines // 4
    return best if enough else {}


def _counted(pattern: re.Pattern[str], texts: Sequence[str]) -> dict[int, tuple[str, int]]:
    numbers = [
        (idx, int(match[1]), match.end()) for idx, text in enumerate(texts) if (match := pattern.match(text))
    ]
    chosen: dict[int, tuple[str, int]] = {}
    last = 0
    for idx, number, end in numbers:
        # Numbers may be missing if the converter lost them, but they never decrease.
        if last < number <= last + (3 if chosen else 1):
            chosen[idx] = (str(number), end)
            last = number
    steps = len(chosen) / max(1, last)
    return chosen if steps >= COUNTING_SHARE else {}


def _keyed(texts: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Return the lines that open with a key in brackets: [Smi95], [Smith et al., 1995]."""
    found = {idx: (match[1], match.end()) for idx, text in enumerate(texts) if (match := _KEY.match(text))}
    early = bool(found) and min(found) <= 2
    return found if len(found) >= 2 and early and len(found) * MOST_LINES >= len(texts) else {}
