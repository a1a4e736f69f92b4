"""Labelled segments → fields, each with its place in the document and a probability."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from portico.extract.passage import Passage, read_lines
from portico.extract.tagger import Segment
from portico.types.document import Span
from portico.types.domain import FieldRule, Kind
from portico.types.record import Field

# A probability is never quite 0 or 1 here: no finite training set proves that.
LEAST, MOST = 0.01, 0.99


@dataclass(frozen=True, slots=True)
class FieldReader:
    """Reads the fields of one kind of record."""

    kind: Kind

    def __call__(self, segments: Sequence[Segment], vocabulary: Collection[str]) -> tuple[Field, ...]:
        """Fields in the order of the rules; within a rule in the order of the document."""
        fields: list[Field] = []
        for rule in self.kind.rules:
            chosen = [segment for segment in segments if segment.label == rule.label]
            if rule.once:
                chosen = [max(chosen, key=_weight)] if chosen else []
            for segment in chosen:
                fields.extend(_read(rule, segment, vocabulary))
        return tuple(fields)


def _weight(segment: Segment) -> float:
    """Expected number of rightly labelled words, the first of equals first."""
    return sum(segment.probabilities) - 0.001 * segment.first_row


def _read(rule: FieldRule, segment: Segment, vocabulary: Collection[str]) -> Iterable[Field]:
    passage = _by_line(segment) if rule.by_line else read_lines(segment.lines, vocabulary)
    for reading in rule.read(passage.text):
        span = passage.span(reading.start, reading.end)
        yield Field(rule.field, reading.value, span, _confidence(segment, span))


def _by_line(segment: Segment) -> Passage:
    characters: list[str] = []
    places: list[int] = []
    for line in segment.lines:
        for idx, word in enumerate(line):
            if characters:
                characters.append(" " if idx else "\n")
                places.append(max(0, word.span.start - 1))
            characters.extend(word.text)
            places.extend(range(word.span.start, word.span.start + len(word.text)))
    return Passage("".join(characters), tuple(places))


def _confidence(segment: Segment, span: Span) -> float:
    """A field is as certain as its least certain word."""
    starts = [word.span.start for word in segment.words]
    first = max(0, bisect_right(starts, span.start) - 1)
    last = max(first + 1, bisect_right(starts, span.end - 1))
    return min(MOST, max(LEAST, min(segment.probabilities[first:last])))
