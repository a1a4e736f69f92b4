"""Exports papers as JSON objects, with their references and citing papers.

Papers are written in batches, so that a portal may be larger than memory. For the same reason the sentences
that cite papers are first sorted by cited paper, in temporary files.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from portico.pipeline.portal import Portal
from portico.spilling import sort_rows
from portico.store.codec import decode
from portico.store.database import chunks
from portico.types.record import Entity, EntityId, Field, Record, RecordId
from portico.types.stages import StageName
from portico.types.topic import Assignment

PAPERS_AT_ONCE = 200

MEMORY_A_CONTEXT = 1_000
"""Bytes of memory of a sentence with two ids."""

_ONE_VALUE = ("title", "abstract", "year", "venue")

_Context = tuple[str, str, str]
"""The cited paper, the citing paper, and the sentence."""


@dataclass(frozen=True, slots=True)
class _Neighborhood:
    """What an export needs to know about a batch of papers."""

    records: Mapping[str, tuple[Record, ...]]  # by document
    cites: Mapping[RecordId, EntityId]
    citing: Mapping[EntityId, set[EntityId]]
    places: Mapping[str, Sequence[Assignment]]
    contexts: Mapping[EntityId, Sequence[_Context]]
    known: frozenset[EntityId]  # the exported papers: references to others cite null


def export_papers(portal: Portal, *, cited: bool) -> Iterator[dict[str, Any]]:
    """Yield papers in the public format of exports, in order of id."""
    entities = portal.store.catalog.entities
    known = entities.all_ids() if cited else frozenset(entities.iterate_held_ids())
    written = (each for each in entities.all() if each.id in known)
    with TemporaryDirectory() as folder:
        at_once = max(1, portal.memory // (4 * MEMORY_A_CONTEXT))
        said = sort_rows(_list_contexts(portal), Path(folder), at_once=at_once)
        told = _ContextsInOrder(said)
        for papers in chunks(written, PAPERS_AT_ONCE):
            around = _look_around(portal, papers, {each.id: told.about(each.id) for each in papers}, known)
            for each in papers:
                yield _paper(portal, each, around)


def _look_around(
    portal: Portal,
    papers: Sequence[Entity],
    contexts: Mapping[EntityId, Sequence[_Context]],
    known: frozenset[EntityId],
) -> _Neighborhood:
    store = portal.store
    documents = [document for each in papers for document in each.documents]
    payloads = store.documents.results.payloads(StageName.EXTRACT, documents)
    records = {subject: decode(tuple[Record, ...], payload) for subject, _, payload in payloads}
    proven = store.catalog.citations.of_records([each.id for found in records.values() for each in found])
    places: dict[str, list[Assignment]] = defaultdict(list)
    for assignment in store.catalog.topics.assignments_of(documents):
        places[assignment.document].append(assignment)
    return _Neighborhood(
        records,
        {record: cited for record, (_, cited) in proven.items()},
        store.catalog.citations.citing([each.id for each in papers]),
        places,
        contexts,
        known,
    )


def _list_contexts(portal: Portal) -> Iterator[_Context]:
    """Yield the sentences in which papers cite others, each with both papers."""
    store = portal.store
    for some in chunks(store.documents.results.payloads(StageName.EXTRACT), PAPERS_AT_ONCE):
        said = {
            record.id: [context.text for context in record.contexts]
            for _, _, payload in some
            for record in decode(tuple[Record, ...], payload)
            if record.contexts
        }
        for record, (citing, cited) in store.catalog.citations.of_records(said).items() if said else ():
            if citing != cited:
                yield from ((cited, citing, text) for text in said[record])


class _ContextsInOrder:
    """Contexts sorted by cited paper, read sequentially."""

    def __init__(self, said: Iterable[_Context]) -> None:
        self._groups = groupby(said, key=itemgetter(0))
        self._next = next(self._groups, None)

    def about(self, paper: EntityId) -> list[_Context]:
        """The contexts of this paper, without duplicates; calls must be in ascending order of paper."""
        while self._next is not None and self._next[0] < paper:
            self._next = next(self._groups, None)
        if self._next is None or self._next[0] != paper:
            return []
        found = sorted(set(self._next[1]))
        self._next = next(self._groups, None)
        return found


def _paper(portal: Portal, entity: Entity, around: _Neighborhood) -> dict[str, Any]:
    sources = [source for document in entity.documents for source in portal.sources(document)]
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
        "topics": _topics(entity, around),
        "confidence": _confidence(entity.fields),
        "references": [_reference(record, around) for record in _references(entity, around)],
        "cited_by": sorted(around.known.intersection(around.citing.get(entity.id, ()))),
        "contexts": [{"citing": citing, "text": text} for _, citing, text in around.contexts[entity.id]],
    }


def _references(entity: Entity, around: _Neighborhood) -> list[Record]:
    """The references of the first version, then those that only other versions have."""
    shown: list[Record] = []
    cited: set[EntityId] = set()
    for document in entity.documents:
        listed = [record for record in around.records.get(document, ()) if record.kind == "reference"]
        new = [record for record in listed if around.cites.get(record.id) not in cited]
        cited |= {around.cites[record.id] for record in new if record.id in around.cites}
        shown += new
    return shown


def _others(entity: Entity) -> dict[str, list[str]]:
    """All other extracted fields, by name."""
    names = dict.fromkeys(field.name for field in entity.fields if field.name not in (*_ONE_VALUE, "author"))
    return {name: [field.value for field in entity.all(name)] for name in sorted(names)}


def _topics(entity: Entity, around: _Neighborhood) -> list[dict[str, Any]]:
    best: dict[str, float] = {}
    for document in entity.documents:
        for place in around.places.get(document, ()):
            path = "/".join(place.path)
            best[path] = max(best.get(path, 0.0), place.probability)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [{"path": path, "probability": round(probability, 4)} for path, probability in ranked]


def _reference(record: Record, around: _Neighborhood) -> dict[str, Any]:
    cited = around.cites.get(record.id)
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
        "cites": cited if cited in around.known else None,
    }


def _confidence(fields: Sequence[Field]) -> dict[str, float]:
    """The confidence of each field; of several values with one name (authors), the lowest."""
    least: dict[str, float] = {}
    for field in fields:
        least[field.name] = min(least.get(field.name, 1.0), field.confidence)
    return {name: round(confidence, 4) for name, confidence in sorted(least.items())}


def _year(value: str | None) -> int | None:
    return int(value) if value and value.isdecimal() else None
