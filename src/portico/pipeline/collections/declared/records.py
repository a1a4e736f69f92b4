"""Converts things of declared kinds to JSON objects and back."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from portico.errors import InputError
from portico.pipeline.imported_record import ImportedRecord, RecordText, read_confidences, read_strings
from portico.pipeline.portal import Portal, is_web
from portico.store.documents.pages import CATALOGUED, name_record
from portico.types.declared_display import heading, kind_named
from portico.types.document import Document, DocumentId, Span
from portico.types.domain import SITE, Kind
from portico.types.record import Entity, EntityId, Field, Record, RecordId

VERSION = "2"
"""Raised when the same object results in other values: importing it again then replaces them."""


def export_things(portal: Portal, kinds: Sequence[Kind]) -> Iterator[dict[str, Any]]:
    """Every thing in order of id, with what it is part of and its parts."""
    parts: dict[EntityId, list[EntityId]] = defaultdict(list)
    wholes: dict[EntityId, EntityId] = {}
    for each in portal.store.catalog.things.belongings():
        parts[each.whole].append(each.part)
        wholes[each.part] = each.whole
    places: dict[str, dict[str, float]] = defaultdict(dict)
    for place in portal.store.catalog.topics.assignments():
        places[place.document]["/".join(place.path)] = place.probability
    for entity in portal.store.catalog.entities.all():
        found = [source for document in entity.documents for source in portal.sources(document)]
        sources = list(dict.fromkeys(map(without_mark, found)))
        best: dict[str, float] = {}
        for document in entity.documents:
            best |= {path: max(chance, best.get(path, 0.0)) for path, chance in places[document].items()}
        yield {
            "id": entity.id,
            "kind": entity.kind,
            "title": heading(entity, kind_named(kinds, entity.kind)),
            "source": sources[0] if sources else None,
            "sources": sources,
            "fields": _fields(entity),
            "confidence": _confidence(entity),
            "topics": [
                {"path": path, "probability": round(chance, 4)}
                for path, chance in sorted(best.items(), key=lambda item: (-item[1], item[0]))
            ],
            "part_of": wholes.get(entity.id),
            "parts": parts.get(entity.id, []),
        }


def read_thing(told: object, kinds: Sequence[Kind], *, catalog: str) -> ImportedRecord | None:
    """Convert an exported object to a record; None if it has no field besides its site.

    InputError explains what is wrong with an object.
    """
    if not isinstance(told, dict):
        raise InputError('a record is an object in braces: {"kind": …, "fields": …}')
    names = ", ".join(kind.name for kind in kinds)
    kind = kind_named(kinds, str(told.get("kind", kinds[0].name if len(kinds) == 1 else "")))
    if kind is None:
        raise InputError(f"the record's kind is none of {names}")
    fields = told.get("fields")
    if not isinstance(fields, dict):
        raise InputError('the record has no fields: {"name": ["…"]}')
    document = DocumentId(_digest(kind, fields, told))
    sheet, sure = RecordText(), read_confidences(told)
    read = tuple(
        Field(name, value, sheet.write(value), sure.get(name, 1.0))
        for name, values in fields.items()
        if name != SITE
        for value in read_strings(values, name)
    )
    if not read:
        return None
    record = Record(
        RecordId(f"{document}#{kind.name}"), kind.name, document, sheet.text, Span(0, sheet.length), read
    )
    return ImportedRecord(
        document=Document(document, CATALOGUED, sheet.text, tuple(sheet.lines), ()),
        records=(record,),
        sources=tuple(_sources(told, catalog, document)),
    )


def _fields(entity: Entity) -> dict[str, list[str]]:
    names = dict.fromkeys(field.name for field in entity.fields)
    return {name: [field.value for field in entity.all(name)] for name in names}


def _confidence(entity: Entity) -> dict[str, float]:
    """The confidence of each field; of several values with one name, the lowest."""
    names = dict.fromkeys(field.name for field in entity.fields)
    return {name: round(min(field.confidence for field in entity.all(name)), 4) for name in names}


def _digest(kind: Kind, fields: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    words = json.dumps([VERSION, kind.name, fields, told.get("confidence"), told.get("id")], sort_keys=True)
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def _sources(told: Mapping[str, Any], catalog: str, document: DocumentId) -> Iterator[str]:
    """The URLs of the record's pages, each with the record's name as a mark; else its catalog."""
    name = str(told.get("id") or document[:16])
    said = list(read_strings(told.get("sources") or told.get("source"), "sources"))
    pages = [f"{source}{_IMPORTED}{name}" for source in said if is_web(source)]
    yield from pages or [name_record(catalog, name)]


# Separates a page's URL from the name of an imported record; left out of exports.
_IMPORTED = "#portico-"


def without_mark(source: str) -> str:
    """A source as it was before import."""
    return source.partition(_IMPORTED)[0]
