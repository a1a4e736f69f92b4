"""Converts a paper from another catalog to a record."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from portico.errors import InputError
from portico.pipeline.imported_record import (
    VERSION,
    ImportedRecord,
    RecordText,
    read_confidences,
    read_strings,
)
from portico.store.documents.pages import CATALOGUED, RECORD, name_record
from portico.text.names import split_names
from portico.text.tex import make_readable
from portico.types.document import Document, DocumentId, Span
from portico.types.record import Context, Field, Record, RecordId

# A record's values are certain, unless it gives probabilities itself.
_CERTAIN = 1.0

# Names that other catalogs use for the same field; the first one present counts.
_TITLE = ("title", "name")
_ABSTRACT = ("abstract", "summary", "description")
_AUTHORS = ("authors", "author", "creator", "creators")
_YEAR = ("year", "date", "published", "publication_date", "created", "update_date")
_VENUE = ("venue", "journal", "booktitle", "journal-ref", "journal_ref", "conference", "container-title")
_ADDRESS = ("source", "url", "link", "pdf_url")
# Fields kept under their own name.
_OTHERS = (
    *("doi", "journal", "booktitle", "volume", "number", "pages", "publisher", "institution"),
    *("issn", "isbn", "language"),
)
_KEYWORDS = ("keywords", "keyword")
# What a portal derives itself, and the record's source: neither makes it a different record.
_DERIVED = frozenset({"id", "source", "sources", "topics", "cited_by", "contexts"})
# Keys of a reference that are no fields, or are read separately.
_SPOKEN = frozenset({"raw", "title", "authors", "author", "year", "venue", "confidence", "contexts", "cites"})
_DAY = re.compile(r"(\d{4})-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?!\d)")
# arXiv records have no URL, but are recognized by an id ("0704.0002" or "cs/0112017") and categories.
_ARXIV, _ARXIV_ID = "categories", re.compile(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}")
_FOUR_DIGITS = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")

# URLs of no page or file, which could be mistaken for paths: javascript:, data:, mailto:
_NO_PLACE = re.compile(rf"\s*(?!(?:https?|ftp|{RECORD}):)[a-z][a-z0-9+.-]+:", re.IGNORECASE)

# Maximum length of a value; a whole book of 1,000 pages has about 3 million characters.
_LONGEST = 4_000_000


def read_paper(record: object, *, catalog: str) -> ImportedRecord | None:
    """Convert a paper of another catalog to a record; InputError explains what is wrong.

    Reads what `portico export jsonl` writes, and plain records with a title. Returns None for a paper that is
    only cited, because the papers that cite it bring it along.
    """
    if not isinstance(record, dict):
        raise InputError('a record is an object in braces: {"title": …}')
    if "cited_by" in record and record.get("source", "") is None:
        return None
    if not _words(record, _TITLE):
        raise InputError("the record has no title")
    document = DocumentId(_digest(record))
    sheet = RecordText()
    fields = tuple(_header_fields(record, sheet))
    header = Record(
        RecordId(f"{document}#header"), "header", document, sheet.text, Span(0, sheet.length), fields
    )
    references = tuple(_references(record, document, sheet))
    return ImportedRecord(
        document=Document(document, CATALOGUED, sheet.text, tuple(sheet.lines), ()),
        records=(header, *references),
        sources=tuple(dict.fromkeys(_sources(record, catalog, document))),
    )


def _digest(record: Mapping[str, Any]) -> str:
    """The id of the record's document: a hash of its stored contents, not of its position in the file."""
    kept = {name: value for name, value in record.items() if name not in _DERIVED}
    words = json.dumps([VERSION, kept], sort_keys=True)
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def _header_fields(record: Mapping[str, Any], sheet: RecordText) -> Iterator[Field]:
    sure = read_confidences(record)
    yield _field("title", _words(record, _TITLE), sheet, sure)
    for name in _authors(record):
        yield _field("author", name, sheet, sure)
    for name, value in (("year", _year(record)), ("venue", _words(record, _VENUE))):
        if value:
            yield _field(name, value, sheet, sure)
    for name, value in _others(record):
        yield _field(name, value, sheet, sure)
    abstract = _words(record, _ABSTRACT)
    if abstract:
        yield _field("abstract", abstract, sheet, sure)


def _references(record: Mapping[str, Any], document: DocumentId, sheet: RecordText) -> Iterator[Record]:
    given = record.get("references") or []
    if not isinstance(given, list) or not all(isinstance(each, dict | str) for each in given):
        raise InputError("references are a list of objects, or of references as printed")
    for number, each in enumerate(given, start=1):
        cited: Mapping[str, Any] = {"raw": each} if isinstance(each, str) else each
        yield _reference(cited, RecordId(f"{document}#ref-{number}"), document, sheet)


def _reference(cited: Mapping[str, Any], name: RecordId, document: DocumentId, sheet: RecordText) -> Record:
    sure = read_confidences(cited)
    raw = _words(cited, ("raw",)) or ", ".join([*_authors(cited), _words(cited, _TITLE), _year(cited)])
    span = sheet.write(raw)

    def found(kind: str, value: str) -> Field:
        start = raw.find(value)
        place = Span(span.start + start, span.start + start + len(value)) if start >= 0 else span
        return Field(kind, value, place, sure.get(kind, _CERTAIN))

    simple = (("title", _words(cited, _TITLE)), ("year", _year(cited)), ("venue", _words(cited, ("venue",))))
    fields = [found(kind, value) for kind, value in simple if value]
    fields += [found("author", author) for author in _authors(cited)]
    others = ((kind, value) for kind, value in cited.items() if kind not in _SPOKEN)
    fields += [found(kind, value) for kind, value in others if isinstance(value, str) and value]
    contexts = tuple(
        Context(sentence, sheet.write(sentence))
        for sentence in read_strings(cited.get("contexts"), "contexts")
    )
    return Record(name, "reference", document, raw, span, tuple(fields), contexts)


def _field(name: str, value: str, sheet: RecordText, sure: Mapping[str, float]) -> Field:
    return Field(name, value, sheet.write(value), sure.get(name, _CERTAIN))


def _others(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the fields listed in an export's `fields`, or else those under their own names."""
    fields = record.get("fields")
    if isinstance(fields, dict):
        for name, values in fields.items():
            yield from ((name, value) for value in read_strings(values, name))
        return
    day = _day(record)
    if day:
        yield "published", day
    for name in _OTHERS:
        value = _text(record, (name,))
        if value and value != _text(record, _VENUE):
            yield name, value
    given = next((record[name] for name in _KEYWORDS if record.get(name)), None)
    for each in given if isinstance(given, list) else [given]:
        if isinstance(each, str) and (word := make_readable(each).strip()):
            yield "keyword", word


def _authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Read names from a list of names, a list of people with name parts, or one printed line."""
    given: object = next((record[name] for name in _AUTHORS if record.get(name)), [])
    if isinstance(given, str):
        return split_names(" ".join(make_readable(given).split()))
    if not isinstance(given, list):
        raise InputError("authors are a list of names, or one line of them")
    names = (_person(each) for each in given)
    return tuple(name for name in names if name)


def _person(given: object) -> str:
    if isinstance(given, str):
        return " ".join(make_readable(given).split())
    if isinstance(given, dict):
        whole = _words(given, ("name", "full_name", "literal"))
        parts = (_words(given, ("given", "first", "forenames")), _words(given, ("family", "last", "keyname")))
        return whole or " ".join(part for part in parts if part)
    if isinstance(given, list):  # [surname, forenames, suffix], as in arXiv's dumps
        parts_of_name = [part for part in given if isinstance(part, str) and part]
        return make_readable(" ".join([*parts_of_name[1:2], *parts_of_name[:1], *parts_of_name[2:3]]))
    raise InputError("an author is a name, or an object with a name")


def _year(record: Mapping[str, Any]) -> str:
    for name in _YEAR:
        value = record.get(name)
        found = _FOUR_DIGITS.search(str(value)[:40]) if isinstance(value, int | str) else None
        if found:
            return found.group()
    return ""


def _day(record: Mapping[str, Any]) -> str:
    """The date as 1999-07 or 1999-07-04, if it agrees with the record's year."""
    dates = (_DAY.match(value) for name in _YEAR if isinstance(value := record.get(name), str))
    return next((date.group() for date in dates if date and date[1] == _year(record)), "")


def _words(record: Mapping[str, Any], names: Sequence[str]) -> str:
    """A value as readable text, with its TeX converted."""
    return make_readable(_text(record, names)).strip()


def _text(record: Mapping[str, Any], names: Sequence[str]) -> str:
    for name in names:
        value = record.get(name)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, str) and value.strip():
            if len(value) > _LONGEST:
                raise InputError(f"{name} has more than {_LONGEST:,} characters")
            return value.strip()
    return ""


def _sources(record: Mapping[str, Any], catalog: str, document: DocumentId) -> Iterator[str]:
    """Yield the paper's sources, the first one first; a record without a URL is named after its catalog."""
    given = list(read_strings(record.get("sources"), "sources")) or [_text(record, _ADDRESS)]
    places = [source for source in given if source and not _NO_PLACE.match(source)]
    if places:
        yield from places
        return
    doi = _text(record, ("doi",)).removeprefix("https://doi.org/")
    if doi:
        yield f"https://doi.org/{doi}"
        return
    name = record.get("id")
    if _ARXIV in record and isinstance(name, str) and _ARXIV_ID.fullmatch(name):
        yield f"https://arxiv.org/abs/{name}"
        return
    number = str(name) if isinstance(name, str | int) and str(name) else document[:16]
    yield name_record(catalog, number)
