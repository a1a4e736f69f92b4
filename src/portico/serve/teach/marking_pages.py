"""What the builder sees while marking: lines with their marks, marks as a list, and what was read."""

from collections.abc import Sequence
from dataclasses import dataclass

from portico.serve.escaping import visible
from portico.types.document import Document, Span
from portico.types.lesson import FieldMark
from portico.types.page import BodyHash, Url
from portico.types.record import Record

MOST_LINES = 2_000
"""Of a page; the rest can be marked once the first are done, on other pages."""

_LONGEST_SHOWN = 80  # characters of a mark in the list


@dataclass(frozen=True, slots=True)
class PartView:
    """A piece of a line: marked as a field, or not."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the page, with where it begins."""

    number: int
    start: int
    parts: tuple[PartView, ...]


@dataclass(frozen=True, slots=True)
class MarkLine:
    """One mark in the list of all."""

    number: int
    label: str
    text: str
    page: Url


@dataclass(frozen=True, slots=True)
class ReadField:
    """A value the extractor read, and how sure it is."""

    name: str
    value: str
    percent: int


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record the extractor read."""

    kind: str
    fields: tuple[ReadField, ...]


def line_views(document: Document, marks: Sequence[FieldMark]) -> tuple[LineView, ...]:
    here = sorted((mark.start, mark.end, mark.label) for mark in marks if mark.body == BodyHash(document.id))
    return tuple(
        LineView(number, line.span.start, _parts(document.text, line.span, here))
        for number, line in enumerate(document.lines[:MOST_LINES], start=1)
    )


def mark_lines(marks: Sequence[FieldMark]) -> tuple[MarkLine, ...]:
    """The latest first."""
    lines = [
        MarkLine(number, mark.label, mark.text[:_LONGEST_SHOWN], mark.page)
        for number, mark in enumerate(marks, start=1)
    ]
    return tuple(reversed(lines))


def record_views(records: Sequence[Record]) -> tuple[RecordView, ...]:
    return tuple(
        RecordView(
            record.kind,
            tuple(
                ReadField(field.name, field.value, round(100 * field.confidence)) for field in record.fields
            ),
        )
        for record in records
    )


def whole_words(text: str, span: Span) -> Span | None:
    """The span without white space at its ends; None where nothing else is in it."""
    words = text[span.start : span.end]
    start = span.start + len(words) - len(words.lstrip())
    end = span.end - (len(words) - len(words.rstrip()))
    return Span(start, end) if start < end else None


def _parts(text: str, line: Span, marks: Sequence[tuple[int, int, str]]) -> tuple[PartView, ...]:
    """A line cut where marks begin and end; they do not overlap."""
    parts: list[PartView] = []
    at = line.start
    for start, end, label in marks:
        if end <= line.start or start >= line.end:
            continue
        start, end = max(start, line.start), min(end, line.end)
        if start > at:
            parts.append(PartView(_shown(text[at:start])))
        parts.append(PartView(_shown(text[start:end]), label))
        at = end
    if at < line.end:
        parts.append(PartView(_shown(text[at : line.end])))
    return tuple(parts)


def _shown(text: str) -> str:
    """Safe to show, and as many characters as before: selections are counted in them."""
    return text if text.isascii() and text.isprintable() else "".join(map(_one, text))


def _one(character: str) -> str:
    return str(visible(character)) or "\N{REPLACEMENT CHARACTER}"
