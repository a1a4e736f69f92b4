"""Converts labelled segments to fields, each with its span in the document and a probability."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise

from portico.extract.passage import Passage, keep_lines, read_lines
from portico.extract.prominent_passage import BY_LOOKS, find_prominent, trim_paragraphs
from portico.extract.prose import complete_paragraphs
from portico.extract.tagger import Segment, Tagged
from portico.extract.words import Row, Word
from portico.learn.calibration import Calibration
from portico.types.document import Span
from portico.types.domain import ANY, FieldRule, Kind
from portico.types.record import Field

# No probability is ever 0 or 1, because no finite training set proves that.
LEAST, MOST = 0.01, 0.99
# Share of the best passage's weight from which an earlier passage of running text is preferred to it.
AS_GOOD = 0.5
# Minimum length of a passage with a heading to be preferred to a longer one.
HEADED_LETTERS = 200
# Maximum distance of a labelled line from an unlabelled one with the same style: the lines of an address may
# stand between two authors.
NEAR_ROWS = 6
# The end of a line that breaks a list after the first word of its last item.
_LIST_CUT = re.compile(r"(?:\b(?:and|und|et|y|e)\s|[&,]\s?)[^\W\d_]\S*$")


@dataclass(frozen=True, slots=True)
class FieldReader:
    """Reads the fields of one kind of record from labelled words, with calibrated probabilities."""

    kind: Kind
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)  # of a field, by name

    def __call__(self, tagged: Tagged, vocabulary: Collection[str]) -> tuple[Field, ...]:
        """Return the fields in the order of the rules; those of one rule in the order of the document."""
        fields = tuple(map(self._calibrated, self._read(tagged, vocabulary)))
        if tagged.runner_up is None:
            return fields
        return _with_runners_up(fields, self._read(tagged.runner_up, vocabulary, is_other=True))

    @property
    def digest(self) -> str:
        """An identifier that changes when the calibration of the probabilities changes."""
        points = sorted((name, curve.points) for name, curve in self.calibrations.items())
        return sha256(repr(points).encode()).hexdigest()[:8]

    def _calibrated(self, found: Field) -> Field:
        calibrate = self.calibrations.get(found.name)
        return replace(found, confidence=_bounded(calibrate(found.confidence))) if calibrate else found

    def _read(
        self, tagged: Tagged, vocabulary: Collection[str], *, is_other: bool = False
    ) -> tuple[Field, ...]:
        """Return the fields of a labeling; for a second-best labeling without those that need no label."""
        tagged = self._complete(tagged)
        labelled = _by_label(tagged.segments() if is_other else (*tagged.segments(), _whole(tagged)))
        fields: list[Field] = []
        # A prominent passage may have grown over words that the model gave to another field.
        taken: list[Span] = []
        passage_of = _Passages(vocabulary)
        for rule in self.kind.rules:
            chosen = labelled.get(rule.label, [])
            if rule.prominent:
                best = find_prominent(
                    tagged,
                    rule.label,
                    other=self.kind.other,
                    not_where=rule.not_where,
                    is_another=self._is_alone,
                )
                chosen = [_without_marks(best)] if best else []
            elif rule.not_where:
                chosen = _elsewhere(tagged.rows, chosen, rule.not_where)
            if not chosen:
                continue
            if rule.once and not rule.prominent:
                read = _read_best(rule, chosen, passage_of)
            else:
                read = [one for segment in chosen for one in _read(rule, segment, passage_of)]
            if rule.prominent:
                taken += [one.span for one in read]
            else:
                read = [one for one in read if not _is_within(one.span, taken)]
            if rule.same:
                read = _once_each(read, rule.same, [one for one in fields if one.name == rule.field])
            fields += read
        fields += self._read_alone(tagged, taken, fields, passage_of)
        return (*fields, *self._read_beside(tagged.rows, taken, fields, passage_of))

    def _complete(self, tagged: Tagged) -> Tagged:
        """Correct the labels of running text, and of lists that go on in another line."""
        for rule in self.kind.rules:
            if rule.prose:
                tagged = complete_paragraphs(tagged, rule.label, other=self.kind.other)
            if rule.shaped:
                tagged = _complete_lists(tagged, rule.label)
            if rule.continued:
                tagged = _complete_continued(tagged, rule.label, *rule.continued)
        return tagged

    def _is_alone(self, line: str) -> bool:
        """Whether a line holds nothing but values of a field that has a form of its own."""
        return any(rule.alone(line) for rule in self.kind.rules if rule.alone)

    def _read_alone(
        self, tagged: Tagged, taken: Sequence[Span], found: Sequence[Field], passage_of: "_Passages"
    ) -> list[Field]:
        """Return the fields of whole unlabelled lines, recognized by the line before or by their style."""
        read: list[Field] = []
        for rule in self.kind.rules:
            if rule.shaped is None:
                continue
            named = [one for one in found if one.name == rule.field]
            for idx in _lines_alone(tagged, rule, taken):
                words = tagged.rows[idx].words
                segment = Segment(rule.label, (words,), (BY_LOOKS,) * len(words), idx)
                new = [one for one in _read(rule, segment, passage_of) if not _meets_any(one.span, named)]
                read += _once_each(new, rule.same, [*named, *read]) if rule.same else new
        return read

    def _read_beside(
        self, rows: Sequence[Row], taken: Sequence[Span], found: Sequence[Field], passage_of: "_Passages"
    ) -> Iterable[Field]:
        """Yield fields that were not found but stand alone in a line close to the prominent passage."""
        names = {one.name for one in found}
        for rule in self.kind.rules if taken else ():
            if rule.alone and rule.field not in names:
                yield from _read_beside(rows, taken[0], rule, passage_of)


def _complete_lists(tagged: Tagged, label: str) -> Tagged:
    """Give the label to a word alone on its line that ends the list of the line above: "and Ann", "Bell"."""
    labels = list(tagged.labels)
    start = 0
    for row, following in pairwise(tagged.rows):
        end = start + len(row.words)
        is_rest = len(following.words) == 1 and following.text.isalpha() and following.block == row.block
        is_listed = set(labels[start:end]) == {label} and _LIST_CUT.search(row.text) is not None
        if is_rest and is_listed and _style(following) == _style(row):
            labels[end] = label
        start = end
    return replace(tagged, labels=tuple(labels)) if labels != list(tagged.labels) else tagged


def _complete_continued(
    tagged: Tagged, label: str, other: str, continues: Callable[[str, str], bool]
) -> Tagged:
    """Give the label to the first passage with another label that continues the passage before it."""
    if other not in tagged.labels:
        return tagged
    labels, words = list(tagged.labels), [word.text for row in tagged.rows for word in row.words]
    start = labels.index(other)
    if start and labels[start - 1] != label and label in labels:
        return tagged
    before = [word for word, said in zip(words[:start], labels, strict=False) if said == label]
    end = next((idx for idx in range(start, len(labels)) if labels[idx] != other), len(labels))
    if not continues(" ".join(before), " ".join(words[start:])):
        return tagged
    labels[start:end] = [label] * (end - start)
    return replace(tagged, labels=tuple(labels))


def _read_beside(
    rows: Sequence[Row], prominent: Span, rule: FieldRule, passage_of: "_Passages"
) -> Iterable[Field]:
    """Return the fields of a line close to the prominent passage that holds nothing but such a field."""
    within = [idx for idx, row in enumerate(rows) if _is_within(row.words[0].span, (prominent,))]
    if not within or rule.alone is None:
        return ()
    beside = (within[-1] + 1, within[0] - 1, within[-1] + 2, within[0] - 2)
    for idx in beside:
        if 0 <= idx < len(rows) and rule.alone(rows[idx].text):
            words = rows[idx].words
            return tuple(
                _read(rule, Segment(rule.label, (words,), (BY_LOOKS,) * len(words), idx), passage_of)
            )
    return ()


def _lines_alone(tagged: Tagged, rule: FieldRule, taken: Sequence[Span]) -> Iterable[int]:
    """Yield unlabelled lines that hold such a field, judging by the line before or by lines labelled so
    nearby.
    """
    rows = tagged.rows
    labels = [name for name, _ in tagged.row_labels()]
    styles = [_style(row) for row in rows]
    own = [idx for idx, name in enumerate(labels) if name == rule.label]
    for idx, row in enumerate(rows):
        if idx in own or _is_within(row.words[0].span, taken) or rule.shaped is None:
            continue
        is_announced = idx > 0 and rule.announced is not None and rule.announced(rows[idx - 1].text)
        is_among = _is_among(styles, own, idx) or (
            rule.alone is not None and _is_near(styles, own, idx) and rule.alone(row.text)
        )
        if (is_announced or is_among) and rule.shaped(row.text):
            yield idx


def _style(row: Row) -> tuple[float, bool, bool]:
    return round(row.size * 2) / 2, "bold" in row.looks, "italic" in row.looks


def _is_near(styles: Sequence[tuple[float, bool, bool]], own: Sequence[int], idx: int) -> bool:
    """Whether a line has the style of a labelled line nearby."""
    return any(abs(place - idx) <= NEAR_ROWS and styles[place] == styles[idx] for place in own)


def _is_among(styles: Sequence[tuple[float, bool, bool]], own: Sequence[int], idx: int) -> bool:
    """Whether a line has the style of a labelled line nearby and the lines between the two do not."""
    if not own or not styles[idx][0]:
        return False
    near = [place for place in own if abs(place - idx) <= NEAR_ROWS and styles[place] == styles[idx]]
    if not near:
        return False
    nearest = min(near, key=lambda place: abs(place - idx))
    between = styles[min(nearest, idx) + 1 : max(nearest, idx)]
    return bool(between) and styles[idx] not in between


def _meets_any(span: Span, others: Iterable[Field]) -> bool:
    return any(_shared(span, other.span) for other in others)


def _by_label(segments: Iterable[Segment]) -> dict[str, list[Segment]]:
    found: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        found[segment.label].append(segment)
    return found


def _with_runners_up(fields: Sequence[Field], others: Sequence[Field]) -> tuple[Field, ...]:
    """Return the fields, each with the value that the second-best labeling gives at its place."""
    return tuple(
        replace(found, runner_up=rival) if (rival := _rival(found, others)) else found for found in fields
    )


def _rival(found: Field, others: Sequence[Field]) -> str:
    """Return the value of the same field that overlaps most with this one, or "" if none does or it is
    the same.
    """
    named = [other for other in others if other.name == found.name]
    rival = max(named, key=lambda other: _shared(found.span, other.span), default=None)
    if rival is None or rival.value == found.value or not _shared(found.span, rival.span):
        return ""
    return rival.value


def _shared(one: Span, other: Span) -> int:
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _whole(tagged: Tagged) -> Segment:
    """Return all words as one segment, for fields with a form of their own, which no label is needed for."""
    lines = tuple(row.words for row in tagged.rows)
    return Segment(ANY, lines, (MOST,) * len(tagged.labels), 0)


def _elsewhere(
    rows: Sequence[Row], segments: Sequence[Segment], is_there: Callable[[str], bool]
) -> list[Segment]:
    """Drop the segments in paragraphs that cannot hold the field: names in a footnote are those of people
    thanked.
    """
    kept: list[Segment] = []
    for whole in segments:
        segment = trim_paragraphs(rows, whole, is_there)
        block = rows[segment.first_row].block
        is_first = not kept or block == rows[kept[0].first_row].block
        if is_first and not kept and _opens_elsewhere(rows, block, is_there) and segment is not segments[-1]:
            continue
        if is_first or not is_there("\n".join(row.text for row in rows if row.block == block)):
            kept.append(segment)
    return kept


def _opens_elsewhere(rows: Sequence[Row], block: int, is_there: Callable[[str], bool]) -> bool:
    """Whether the first line of a paragraph shows that it cannot hold the field: "Citation: …"."""
    return is_there(next(row.text for row in rows if row.block == block))


def _is_within(span: Span, taken: Iterable[Span]) -> bool:
    return any(other.start <= span.start and span.end <= other.end for other in taken)


def _once_each(
    fields: Iterable[Field], same: Callable[[str, str], bool], said: Sequence[Field]
) -> list[Field]:
    """Drop the fields whose value an earlier one, or one of `said`, already has."""
    kept: list[Field] = []
    for candidate in fields:
        if not any(same(one.value, candidate.value) for one in (*said, *kept)):
            kept.append(candidate)
    return kept


def _without_marks(segment: Segment) -> Segment:
    """Remove raised footnote marks from the segment, unless it has nothing else."""
    kept = [not _is_mark(word) for word in segment.words]
    lines = tuple(tuple(word for word in line if not _is_mark(word)) for line in segment.lines)
    lines = tuple(line for line in lines if line)
    chances = tuple(chance for chance, keep in zip(segment.probabilities, kept, strict=True) if keep)
    return Segment(segment.label, lines, chances, segment.first_row) if lines else segment


def _is_mark(word: Word) -> bool:
    return word.raised and not any(character.isalpha() for character in word.text)


def _weight(segment: Segment) -> float:
    """Return the expected number of correctly labelled words; of equals the first weighs more."""
    return sum(segment.probabilities) - 0.001 * segment.first_row


class _Passages:
    """Builds the text of segments and caches it, because several rules read the same segments."""

    def __init__(self, vocabulary: Collection[str]) -> None:
        self._vocabulary = vocabulary
        self._made: dict[tuple[int, bool], tuple[Segment, Passage]] = {}  # keeps keys valid

    def __call__(self, segment: Segment, *, by_line: bool) -> Passage:
        key = (id(segment), by_line)
        if key not in self._made:
            passage = keep_lines(segment.lines) if by_line else read_lines(segment.lines, self._vocabulary)
            self._made[key] = (segment, passage)
        return self._made[key][1]


def _read_best(rule: FieldRule, segments: Sequence[Segment], passage_of: _Passages) -> list[Field]:
    """Return the values of the best segment that has any, so that a date without a year loses to one with
    a year.
    """
    ranked = segments if rule.first else sorted(segments, key=_weight, reverse=True)
    if rule.prose and segments:
        # In an abstract in two languages, the first is the language of the document.
        enough = AS_GOOD * _weight(ranked[0])
        ranked = sorted(segments, key=lambda segment: _weight(segment) < enough)
        # A passage with a heading is an abstract, however much text after it was taken for one.
        before = [one for one in segments if one.first_row < ranked[0].first_row]
        ranked = [*(one for one in before if _is_headed(rule, one, passage_of)), *ranked]
    return next((read for segment in ranked if (read := list(_read(rule, segment, passage_of)))), [])


def _is_headed(rule: FieldRule, segment: Segment, passage_of: _Passages) -> bool:
    """Whether the segment holds a value of some length after a heading."""
    readings = rule.read(passage_of(segment, by_line=rule.by_line).text)
    return any(one.start > 0 and len(one.value) >= HEADED_LETTERS for one in readings)


def read_segment(rule: FieldRule, segment: Segment, vocabulary: Collection[str]) -> Iterable[Field]:
    """Read the fields that a rule finds in a labelled segment."""
    return _read(rule, segment, _Passages(vocabulary))


def _read(rule: FieldRule, segment: Segment, passage_of: _Passages) -> Iterable[Field]:
    passage = passage_of(segment, by_line=rule.by_line)
    for reading in rule.read(passage.text):
        span = passage.span(reading.start, reading.end)
        yield Field(rule.field, reading.value, span, _confidence(segment, span))


def _confidence(segment: Segment, span: Span) -> float:
    """Return the probability of a field: that of its least certain word."""
    starts = [word.span.start for word in segment.words]
    first = max(0, bisect_right(starts, span.start) - 1)
    last = max(first + 1, bisect_right(starts, span.end - 1))
    return _bounded(min(segment.probabilities[first:last]))


def _bounded(chance: float) -> float:
    return min(MOST, max(LEAST, chance))
