"""Labelled segments → fields, each with its place in the document and a probability."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from portico.extract.passage import Passage, read_lines
from portico.extract.prominence import prominent
from portico.extract.tagger import Segment, Tagged
from portico.extract.words import Word
from portico.types.document import Span
from portico.types.domain import FieldRule, Kind
from portico.types.record import Field

# A probability is never quite 0 or 1 here: no finite training set proves that.
LEAST, MOST = 0.01, 0.99


@dataclass(frozen=True, slots=True)
class FieldReader:
    """Reads the fields of one kind of record."""

    kind: Kind

    def __call__(self, tagged: Tagged, vocabulary: Collection[str]) -> tuple[Field, ...]:
        """Fields in the order of the rules; within a rule in the order of the document."""
        segments = tagged.segments()
        fields: list[Field] = []
        # A prominent passage may have grown over words that the model gave to another field.
        taken: list[Span] = []
        for rule in self.kind.rules:
            chosen = [segment for segment in segments if segment.label == rule.label]
            if rule.prominent:
                best = prominent(tagged, rule.label, other=self.kind.other)
                chosen = [_without_marks(best)] if best else []
            elif rule.once and chosen:
                chosen = [max(chosen, key=_weight)]
            read = [field for segment in chosen for field in _read(rule, segment, vocabulary)]
            if rule.prominent:
                taken += [field.span for field in read]
            else:
                read = [field for field in read if not _is_within(field.span, taken)]
            fields += _once_each(read, rule.same) if rule.same else read
        return tuple(fields)


def _is_within(span: Span, taken: Iterable[Span]) -> bool:
    return any(other.start <= span.start and span.end <= other.end for other in taken)


def _once_each(fields: Iterable[Field], same: Callable[[str, str], bool]) -> list[Field]:
    """The fields without those whose value an earlier one has said."""
    kept: list[Field] = []
    for field in fields:
        if not any(same(one.value, field.value) for one in kept):
            kept.append(field)
    return kept


def _without_marks(segment: Segment) -> Segment:
    """The segment without raised footnote marks, unless nothing else is in it."""
    kept = [not _is_mark(word) for word in segment.words]
    lines = tuple(tuple(word for word in line if not _is_mark(word)) for line in segment.lines)
    lines = tuple(line for line in lines if line)
    chances = tuple(chance for chance, keep in zip(segment.probabilities, kept, strict=True) if keep)
    return Segment(segment.label, lines, chances, segment.first_row) if lines else segment


def _is_mark(word: Word) -> bool:
    return word.raised and not any(character.isalpha() for character in word.text)


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
