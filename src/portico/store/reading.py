"""Entities and records read by their ids, and the orders in which papers are listed."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, select, true

from portico.store.codec import decode
from portico.store.dialect import chunks
from portico.store.entities import entities_by_id
from portico.store.schema import entity, result
from portico.types.record import Entity, EntityId, Record, RecordId
from portico.types.stages import StageName

EXTRACT = StageName.EXTRACT
"""The stage whose results hold the records of a document."""

ORDERS: Mapping[str, ColumnElement[Any]] = MappingProxyType(
    {
        "citations": entity.c.n_citations.desc(),
        "seminal": entity.c.authority.desc(),
        "survey": entity.c.hub.desc(),
        "date": entity.c.published.desc().nulls_last(),
        "title": entity.c.title.asc(),
    }
)
"""Orders in which papers of a topic can be listed."""

# What a paper must have to be worth listing in an order.
HAS: Mapping[str, ColumnElement[bool]] = MappingProxyType(
    {
        "citations": entity.c.n_citations > 0,
        "seminal": entity.c.authority > 0,
        "survey": entity.c.hub > 0,
        "date": entity.c.year.is_not(None),
        "title": true(),
    }
)

# Equal papers are always listed alike.
TIES = (entity.c.n_citations.desc(), entity.c.title, entity.c.id)


def listed(engine: Engine, query: Select[*tuple[Any, ...]]) -> tuple[Entity, ...]:
    """Entities by a query of their ids: sorting ids is faster than sorting whole entities."""
    with engine.connect() as connection:
        ids = [EntityId(found) for found in connection.scalars(query)]
        found = entities_by_id(connection, ids)
    return tuple(found[name] for name in ids)


def records_by_id(connection: Connection, ids: Iterable[RecordId]) -> dict[RecordId, Record]:
    wanted = set(ids)
    found: dict[RecordId, Record] = {}
    for chunk in chunks({record.partition("#")[0] for record in wanted}):
        query = select(result.c.payload).where(result.c.stage == EXTRACT, result.c.subject.in_(chunk))
        for payload in connection.scalars(query.where(result.c.payload.is_not(None))):
            records = decode(tuple[Record, ...], payload)
            found.update((record.id, record) for record in records if record.id in wanted)
    return found
