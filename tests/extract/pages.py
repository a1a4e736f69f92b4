"""Build small documents by hand: lines of text with a size, a left edge and a block."""

from dataclasses import dataclass

from portico.types.document import Box, Document, DocumentId, Line, PageSize, Span, TextRun

LETTER = PageSize(612.0, 792.0)


@dataclass(frozen=True, slots=True)
class Printed:
    """One line to be printed; `gap` is extra space above it, in points."""

    text: str
    size: float = 10.0
    left: float = 72.0
    gap: float = 0.0
    block: int = 0
    page: int = 0
    raised: str = ""  # the part of the text that is raised


def document_of(*printed: Printed, pages: tuple[PageSize, ...] = (LETTER,)) -> Document:
    """A document with these lines from top to bottom of its pages."""
    lines: list[Line] = []
    position = 0
    top = 72.0
    page = 0
    for one in printed:
        if one.page != page:
            page, top = one.page, 72.0
        top += one.gap
        span = Span(position, position + len(one.text))
        box = Box(one.left, top, one.left + 5.0 * len(one.text), top + one.size)
        lines.append(Line(span, one.page, one.block, box, _runs(one, span)))
        position = span.end + 1
        top += 1.2 * one.size
    return Document(
        DocumentId("d"), "application/pdf", "\n".join(one.text for one in printed), tuple(lines), pages
    )


def plain_document(text: str) -> Document:
    """A document without layout: one line a line, one block a paragraph."""
    lines: list[Line] = []
    position = block = 0
    for row in text.split("\n"):
        if not row.strip():
            block += 1
        lines.append(Line(Span(position, position + len(row)), 0, block))
        position += len(row) + 1
    return Document(DocumentId("d"), "text/plain", text, tuple(lines), ())


def _runs(one: Printed, span: Span) -> tuple[TextRun, ...]:
    at = one.text.find(one.raised) if one.raised else -1
    if at < 0:
        return (TextRun(span, "Times", one.size),)
    start, end = span.start + at, span.start + at + len(one.raised)
    parts = ((span.start, start, False), (start, end, True), (end, span.end, False))
    return tuple(
        TextRun(Span(left, right), "Times", one.size * (0.7 if raised else 1.0), raised=raised)
        for left, right, raised in parts
        if right > left
    )
