"""Finds the sentences in which a paper cites its references."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from portico.extract.mentions import Cited, find_mentions
from portico.extract.splitting import ReferenceEntry
from portico.extract.zones import Zones
from portico.text.names import parse_name
from portico.types.document import Document, Line, Span
from portico.types.record import Record

# A corporate author: "Deutsche Bank Research, 2000."
_OPENING_NAME = re.compile(r"[A-ZÀ-Þ][\w'’&-]*(?: [\w'’&-]+){0,6}(?=[,.(:]| \()")
# Maximum length of a one-line paragraph that is taken for a heading, unless it ends like a sentence.
HEADING_CHARACTERS = 60
_SENTENCE = re.compile(r"(?:\S+\s+){3}.*[.?!][)”\"’]?\s*", re.DOTALL)
# Points by which the letters of footnotes, captions or foot lines differ in size from those of the text.
SIZE_STEP = 0.6


def add_contexts(
    document: Document, zones: Zones, entries: Sequence[ReferenceEntry], references: Sequence[Record]
) -> tuple[Record, ...]:
    """Return the references, each with the sentences that cite it."""
    cited = [
        Cited(entry.label, _surname(record), record.value("year") or "")
        for entry, record in zip(entries, references, strict=True)
    ]
    raised = [run.span for line in zones.body for run in line.runs if run.raised]
    # If no heading separates them, the header includes the first paragraphs of the text. Superscripts in it
    # are affiliation marks.
    stretches = _stretches(document.text, zones.header) + _stretches(document.text, zones.body)
    found = find_mentions(document.text, stretches, cited, raised)
    return tuple(
        replace(record, contexts=contexts) for record, contexts in zip(references, found, strict=True)
    )


def _surname(record: Record) -> str:
    """Return the first author's or editor's surname, or else the name at the start of the reference."""
    people = record.all("author") or record.all("editor")
    if people:
        return parse_name(people[0].value).surname
    opening = _OPENING_NAME.match(record.raw)
    return opening[0].strip() if opening else ""


def _stretches(text: str, lines: Sequence[Line]) -> list[Span]:
    """Join the lines into stretches of text, because sentences continue across line ends but not across
    headings.

    A change of letter size also ends a stretch: it marks a footnote at the end of the page.
    """
    stretches: list[Span] = []
    is_open = False
    size = 0.0
    last: dict[int, str] = {}  # size → last line of that size; a text continues after its footnotes
    for _, group in groupby(lines, key=lambda line: line.block):
        block = tuple(group)
        if len(block) == 1 and _is_heading(block[0].span.of(text)):
            is_open = False
            continue
        for line in block:
            before, size = size, line.size
            follows = is_open and line.span.start - stretches[-1].end <= 1
            if follows and abs(size - before) <= SIZE_STEP:
                stretches[-1] = Span(stretches[-1].start, line.span.end)
            else:
                stretches.append(_whole_words(text, line.span, last.get(round(size), "")))
            is_open = True
            last[round(size)] = line.span.of(text)
    return stretches


def _is_heading(line: str) -> bool:
    return len(line) <= HEADING_CHARACTERS and not _SENTENCE.fullmatch(line)


def _whole_words(text: str, span: Span, before: str) -> Span:
    """Return the span without the second half of a word hyphenated at the end of the line before."""
    if not before.endswith("-") or not text[span.start].islower():
        return span
    rest = span.of(text).split()[0]
    return Span(span.start + len(rest), span.end)
