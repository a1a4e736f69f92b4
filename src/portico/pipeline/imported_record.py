"""Represents an imported record as a short text, with fields that have spans in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from portico.errors import InputError
from portico.types.document import Document, Line, Span
from portico.types.record import Record

VERSION = "4"
"""Raised when the same record results in other values: importing it again then replaces them."""


@dataclass(frozen=True, slots=True)
class ImportedRecord:
    """An imported record as stored: its text, its fields, and its origin."""

    document: Document
    records: tuple[Record, ...]
    sources: tuple[str, ...]


@dataclass(slots=True)
class RecordText:
    """A text that grows line by line and returns the span of each line."""

    parts: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    length: int = 0

    @property
    def text(self) -> str:
        return "\n".join(self.parts)

    def write(self, words: str) -> Span:
        start = self.length + bool(self.parts)
        self.length = start + len(words)
        self.parts.append(words)
        self.lines.append(Line(Span(start, self.length), page=0, block=len(self.lines)))
        return Span(start, self.length)


def read_strings(values: object, name: str) -> Iterator[str]:
    if values is None:
        return
    if isinstance(values, str):
        values = [values]
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f"{name} is a list of texts")
    yield from (value.strip() for value in values if value.strip())


def read_confidences(record: Mapping[str, Any]) -> dict[str, float]:
    given = record.get("confidence") or {}
    if not isinstance(given, dict):
        raise InputError("confidence is an object: field → probability")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise InputError(f"the confidence of {name} is no probability between 0 and 1")
    return {name: float(value) for name, value in given.items()}
