"""Exports papers as JSON objects, with their references and citing papers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from portico.pipeline.portal import Portal
from portico.store.codec import decode
from portico.types.record import Citation, Entity, EntityId, Field, Record, RecordId
from portico.types.stages import StageName
from portico.types.topic import Assignment

_ONE_VALUE = ("title", "abstract", "year", "venue")


@dataclass(frozen=True, slots=True)
class _Graph:
    """The citation graph by the questions an export asks of it."""

    by_record: Mapping[RecordId, Citation]
    into: Mapping[EntityId, Sequence[Citation]]
    places: Mapping[str, Sequence[Assignment]]
    contexts: Mapping[RecordId, Sequence[str]]
    known: frozenset[EntityId]  # what will be written: a reference to anything else cites null


def export_papers(portal: Portal, *, cited: bool) -> Iterator[dict[str, Any]]:
    """The objects of the public contract, in order of id."""
    graph = _graph(portal, cited=cited)
    for entity in portal.store.catalog.entities.all():
        if entity.id in graph.known:
            yield _paper(portal, entity, graph)


def _graph(portal: Portal, *, cited: bool) -> _Graph:
    catalog = portal.store.catalog
    citations = tuple(catalog.citations.all())
    into: dict[EntityId, list[Citation]] = defaultdict(list)
    for citation in citations:
        into[citation.cited].append(citation)
    places: dict[str, list[Assignment]] = defaultdict(list)
    for assignment in catalog.topics.assignments():
        places[assignment.document].append(assignment)
    known = frozenset(entity.id for entity in catalog.entities.all() if cited or entity.documents)
    return _Graph(
        by_record={citation.record: citation for citation in citations},
        into=into,
        places=places,
        contexts=dict(_all_contexts(portal)),
        known=known,
    )


def _all_contexts(portal: Portal) -> Iterator[tuple[RecordId, tuple[str, ...]]]:
    for _subject, _digest, payload in portal.store.documents.results.payloads(StageName.EXTRACT):
        for record in decode(tuple[Record, ...], payload):
            if record.contexts:
                yield record.id, tuple(context.text for context in record.contexts)


def _paper(portal: Portal, entity: Entity, graph: _Graph) -> dict[str, Any]:
    sources = [source for document in entity.documents for source in portal.sources(document)]
    references = _references(portal, entity, graph)
    citing = [each for each in graph.into.get(entity.id, ()) if each.citing != entity.id]
    return {
        "id": entity.id,
        "source": sources[0] if sources else None,
        "sources": sources,
        "title": entity.value("title"),
        "authors": [field.value for field in entity.all("author")],
        "abstract": entity.value("abstract"),
        "year": _year(entity.value("year")),
        "venue": entity.value("venue"),
        "fields": _others(entity),
        "topics": _topics(entity, graph),
        "confidence": _confidence(entity.fields),
        "references": [_reference(record, graph) for record in references],
        "cited_by": sorted({citation.citing for citation in citing if citation.citing in graph.known}),
        "contexts": _contexts(citing, graph),
    }


def _records(portal: Portal, document: str) -> tuple[Record, ...]:
    payload = portal.store.documents.results.get(StageName.EXTRACT, document)
    return decode(tuple[Record, ...], payload) if payload is not None else ()


def _references(portal: Portal, entity: Entity, graph: _Graph) -> list[Record]:
    """The references of the first version, and those that only other versions have."""
    shown: list[Record] = []
    cited: set[EntityId] = set()
    for document in entity.documents:
        listed = [record for record in _records(portal, document) if record.kind == "reference"]
        new = [record for record in listed if _cited(record, graph) not in cited]
        cited |= {name for record in new if (name := _cited(record, graph)) is not None}
        shown += new
    return shown


def _cited(record: Record, graph: _Graph) -> EntityId | None:
    citation = graph.by_record.get(record.id)
    return citation.cited if citation else None


def _others(entity: Entity) -> dict[str, list[str]]:
    """All other extracted fields, by name."""
    names = dict.fromkeys(field.name for field in entity.fields if field.name not in (*_ONE_VALUE, "author"))
    return {name: [field.value for field in entity.all(name)] for name in sorted(names)}


def _topics(entity: Entity, graph: _Graph) -> list[dict[str, Any]]:
    best: dict[str, float] = {}
    for document in entity.documents:
        for place in graph.places.get(document, ()):
            path = "/".join(place.path)
            best[path] = max(best.get(path, 0.0), place.probability)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [{"path": path, "probability": round(probability, 4)} for path, probability in ranked]


def _reference(record: Record, graph: _Graph) -> dict[str, Any]:
    cited = _cited(record, graph)
    others = sorted({field.name for field in record.fields} - {*_ONE_VALUE, "author"})
    return {
        "raw": record.raw,
        "title": record.value("title"),
        "authors": [field.value for field in record.all("author")],
        "year": _year(record.value("year")),
        "venue": record.value("venue"),
        **{name: record.value(name) for name in others},
        "confidence": _confidence(record.fields),
        "contexts": [context.text for context in record.contexts],
        "cites": cited if cited in graph.known else None,
    }


def _contexts(citing: Sequence[Citation], graph: _Graph) -> list[dict[str, str]]:
    """Sentences of other papers that cite this one, without duplicates from versions of the same paper."""
    spoken = (
        (citation.citing, text) for citation in citing for text in graph.contexts.get(citation.record, ())
    )
    return [{"citing": citing, "text": text} for citing, text in sorted(set(spoken))]


def _confidence(fields: Sequence[Field]) -> dict[str, float]:
    """The confidence of each field; of several values with one name (authors), the lowest."""
    least: dict[str, float] = {}
    for field in fields:
        least[field.name] = min(least.get(field.name, 1.0), field.confidence)
    return {name: round(confidence, 4) for name, confidence in sorted(least.items())}


def _year(value: str | None) -> int | None:
    return int(value) if value and value.isdecimal() else None
