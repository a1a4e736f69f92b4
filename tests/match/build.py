"""Records built by hand, and all of matching in one call."""

from collections.abc import Iterable, Sequence

from portico.match.matcher import compare_all, make_entities
from portico.match.mention import PAPERS
from portico.types.correction import Verdict
from portico.types.document import DocumentId, Span
from portico.types.record import Citation, Entity, Field, Record, RecordId


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


def match_all(
    records: Iterable[Record], verdicts: Sequence[Verdict] = ()
) -> tuple[tuple[Entity, ...], tuple[Citation, ...]]:
    """Entities and citations of these records, by the steps that a build takes."""
    everything = sorted(records, key=lambda each: each.id)
    found = make_entities(everything, compare_all(everything, PAPERS, verdicts).clusters(verdicts))
    return found.entities, found.citations
