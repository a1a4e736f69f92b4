"""Write the part of the citation graph that a change touched."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, delete, select

from portico.store.compared_tables import naming, occurrence
from portico.store.corrected import corrected
from portico.store.dialect import chunks, upsert
from portico.store.entities import entities_by_id, entity_row, ranks_of, with_ranks
from portico.store.ranking import is_ranked
from portico.store.schema import alias, citation, entity, entity_document
from portico.types.document import DocumentId
from portico.types.identity import Identity
from portico.types.record import Entity, EntityId, RecordId


@dataclass(frozen=True, slots=True)
class Patched:
    """What takes the place of some of the portal's entities."""

    before: frozenset[EntityId]
    entities: Sequence[Entity]
    gone: Sequence[RecordId]  # records that are no longer there
    homes: Sequence[tuple[RecordId, EntityId, float | None]]  # None: as probable as before
    identities: Sequence[tuple[EntityId, Identity]]


def patch_graph(connection: Connection, patch: Patched) -> frozenset[EntityId]:
    """Make these the entities that the change touched; `occurrence` must already tell their records.

    Returns all about which anything may have changed. Ranks stay as they are until `ranking.rerank`.
    """
    after = {each.id: each for each in corrected(connection, patch.entities)}
    old = entities_by_id(connection, patch.before | _strays(connection))
    _redirect(connection, old, after)
    _remove(connection, entity.c.id, old.keys() - after.keys())
    _remove(connection, citation.c.record, patch.gone)
    documents = {document for each in (*old.values(), *after.values()) for document in each.documents}
    _remove(connection, entity_document.c.document, documents)
    ranks = {each.id: ranks_of(each) for each in old.values()}
    ranked = (with_ranks(each, ranks.get(each.id, (0, 0.0, 0.0, 0.0))) for each in after.values())
    upsert(connection, entity, map(entity_row, ranked))
    upsert(
        connection,
        entity_document,
        ({"document": name, "entity": each.id} for each in after.values() for name in each.documents),
    )
    _cite(connection, after.keys(), documents)
    return frozenset(old.keys() | after.keys())


def _cite(connection: Connection, entities: Iterable[EntityId], documents: Iterable[DocumentId]) -> None:
    """Citations anew, to these entities and from these documents."""
    query = (
        select(occurrence.c.record, entity_document.c.entity, occurrence.c.entity, occurrence.c.confidence)
        .join(entity_document, entity_document.c.document == occurrence.c.document)
        .where(~occurrence.c.anchor)
    )
    for column, wanted in ((occurrence.c.entity, entities), (occurrence.c.document, documents)):
        for chunk in chunks(wanted):
            rows = connection.execute(query.where(column.in_(chunk))).all()
            names = ("record", "citing", "cited", "confidence")
            upsert(connection, citation, [dict(zip(names, row, strict=True)) for row in rows])


def _redirect(
    connection: Connection, old: Mapping[EntityId, Entity], after: Mapping[EntityId, Entity]
) -> None:
    """As a full matching would: to the entity that now holds the record the fields were taken from."""
    holder = {record: each.id for each in after.values() for record in each.records}
    heirs: dict[str, EntityId] = {}
    for name, each in old.items():
        heir = next((holder[record] for record in (each.chosen, *each.records) if record in holder), None)
        if name not in after and heir is not None:
            heirs[name] = heir
    vanished = old.keys() - after.keys()
    followed = dict(heirs)
    for chunk in chunks(vanished):
        rows = connection.execute(select(alias.c.old, alias.c.entity).where(alias.c.entity.in_(chunk)))
        followed |= {name: heirs[target] for name, target in rows if target in heirs}
    _remove(connection, alias.c.entity, vanished)
    _remove(connection, alias.c.old, after.keys())
    rows_ = [{"old": name, "entity": heir} for name, heir in followed.items() if name not in after]
    upsert(connection, alias, rows_)


def _strays(connection: Connection) -> frozenset[EntityId]:
    """Entities that came into the portal by hand since it was last matched."""
    if is_ranked(connection):
        return frozenset()
    query = select(entity.c.id).where(entity.c.id.not_in(select(naming.c.entity)))
    return frozenset(map(EntityId, connection.scalars(query)))


def _remove(connection: Connection, column: Column[Any], wanted: Iterable[str]) -> None:
    for chunk in chunks(wanted):
        connection.execute(delete(column.table).where(column.in_(chunk)))
