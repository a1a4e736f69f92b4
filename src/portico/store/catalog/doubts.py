"""The least certain fields, topics and matches of the portal."""

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from portico.store.catalog.entities import EntityReader
from portico.store.schema import assignment, citation, entity_document
from portico.types.record import Entity, EntityId

READ = ("title", "author", "year", "venue", "journal", "booktitle", "abstract")
"""Fields whose uncertain values are worth a person's time."""

LEAST = 0.2
"""Minimum information of a value that is shown for review; a value of 97 % has .19 bits."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One value that may be wrong; `told` is the expected information of checking it, in bits times its
    weight.
    """

    entity: EntityId
    title: str
    about: str  # title, author, …, topic, citation
    value: str
    confidence: float
    told: float


@dataclass(frozen=True, slots=True)
class Doubts:
    """Reads every paper once, so use it rarely."""

    engine: Engine
    read: tuple[str, ...] | None = READ  # None for all fields, in domains that declare their own

    def first(self, *, limit: int) -> tuple[Doubt, ...]:
        """The most informative first: doubts about much-cited papers count more."""
        return tuple(heapq.nlargest(limit, self._all(), key=lambda doubt: (doubt.told, doubt.entity)))

    def _all(self) -> Iterator[Doubt]:
        topics, links = self._topics(), self._links()
        for paper in EntityReader(self.engine).all():
            found = [*_fields(paper, self.read)] if paper.documents else []
            if paper.id in topics and paper.documents:
                found.append(("topic", *topics[paper.id]))
            if paper.id in links:
                found.append(("citation", *links[paper.id]))
            yield from _doubts(paper, found)

    def _topics(self) -> dict[EntityId, tuple[str, float]]:
        """The most probable topic of every paper that has one."""
        query = (
            select(entity_document.c.entity, assignment.c.topic, assignment.c.probability)
            .join(assignment, assignment.c.document == entity_document.c.document)
            .order_by(assignment.c.probability, assignment.c.topic.desc())
        )
        with self.engine.connect() as connection:  # the last of each paper stays
            return {EntityId(name): (path, chance) for name, path, chance in connection.execute(query)}

    def _links(self) -> dict[EntityId, tuple[str, float]]:
        """The least certain reference matched with each paper."""
        least = select(citation.c.cited, func.min(citation.c.confidence).label("chance"))
        doubtful = least.group_by(citation.c.cited).subquery()
        is_it = (citation.c.cited == doubtful.c.cited) & (citation.c.confidence == doubtful.c.chance)
        query = select(citation.c.cited, func.min(citation.c.record), doubtful.c.chance).join(doubtful, is_it)
        with self.engine.connect() as connection:
            rows = connection.execute(query.group_by(citation.c.cited, doubtful.c.chance))
            return {EntityId(name): (record, chance) for name, record, chance in rows}


def _fields(paper: Entity, read: tuple[str, ...] | None) -> Iterator[tuple[str, str, float]]:
    for name in read if read is not None else dict.fromkeys(field.name for field in paper.fields):
        fields = paper.all(name)
        if fields:
            doubtful = min(fields, key=lambda field: field.confidence)
            yield name, doubtful.value, doubtful.confidence


def _doubts(paper: Entity, found: Iterable[tuple[str, str, float]]) -> Iterator[Doubt]:
    weight = 1 + math.log1p(paper.n_citations)
    title = paper.value("title") or ""
    for about, value, confidence in found:
        information = _entropy(confidence)
        if information >= LEAST:
            yield Doubt(paper.id, title, about, value, confidence, information * weight)


def _entropy(chance: float) -> float:
    """The bits of information in the answer to a question of this probability; below one half a full bit."""
    if chance <= 0.5:
        return 1.0
    return -sum(part * math.log2(part) for part in (chance, 1 - chance) if part > 0)
