"""Records built by hand."""

from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId


def header(document: str, title: str = "", *authors: str, year: str = "") -> Record:
    return record(f"{document}#header", "header", title, *authors, year=year)


def reference(
    document: str, number: int, title: str = "", *authors: str, year: str = "", **more: str
) -> Record:
    return record(f"{document}#ref-{number}", "reference", title, *authors, year=year, **more)


def record(name: str, kind: str, title: str, *authors: str, raw: str = "", **more: str) -> Record:
    named = [("title", title), *(("author", author) for author in authors), *more.items()]
    values = [(label, value) for label, value in named if value]
    text = raw or ". ".join(value for _, value in values)
    fields = tuple(Field(label, value, Span(0, len(value)), 0.9) for label, value in values)
    return Record(RecordId(name), kind, DocumentId(name.split("#")[0]), text, Span(0, len(text)), fields)
