"""Write the part of the citation graph that a change touched, and the ranks it changed everywhere."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Column, Connection, delete, select

from portico.store.codec import decode, digest, encode
from portico.store.compared_tables import naming, occurrence
from portico.store.corrected import corrected
from portico.store.dialect import chunks, upsert
from portico.store.graph import entity_row
from portico.store.schema import alias, citation, entity, entity_document
from portico.types.document import DocumentId
from portico.types.identity import Identity
from portico.types.record import Entity, EntityId, RecordId

Links = list[tuple[EntityId, EntityId]]
Ranks = Mapping[EntityId, tuple[int, float, float, float]]
"""Citations, authority, hub and PageRank of every entity."""

Rank = Callable[[Sequence[EntityId], Links], Ranks]


@dataclass(frozen=True, slots=True)
class Patched:
    """What takes the place of some of the portal's entities."""

    before: frozenset[EntityId]
    entities: Sequence[Entity]
    gone: Sequence[RecordId]  # records that are no longer there
    homes: Sequence[tuple[RecordId, EntityId, float | None]]  # None: as probable as before
    identities: Sequence[tuple[EntityId, Identity]]


def patch_graph(connection: Connection, patch: Patched) -> None:
    """Make these the entities that the change touched; `occurrence` must already tell their records.

    Ranks stay as they are until `rerank`.
    """
    after = {each.id: each for each in corrected(connection, patch.entities)}
    old = _entities(connection, patch.before | _strays(connection))
    _redirect(connection, old, after)
    _remove(connection, entity.c.id, old.keys() - after.keys())
    _remove(connection, citation.c.record, patch.gone)
    documents = {document for each in (*old.values(), *after.values()) for document in each.documents}
    _remove(connection, entity_document.c.document, documents)
    ranks = {each.id: (each.n_citations, each.authority, each.hub, each.pagerank) for each in old.values()}
    upsert(connection, entity, (_row(_ranked(each, ranks)) for each in after.values()))
    upsert(
        connection,
        entity_document,
        ({"document": name, "entity": each.id} for each in after.values() for name in each.documents),
    )
    _cite(connection, after.keys(), documents)


def rerank(connection: Connection, rank: Rank) -> int:
    """Computes all ranks anew; returns how many entities have others than before."""
    columns = (entity.c.id, entity.c.n_citations, entity.c.authority, entity.c.hub, entity.c.pagerank)
    before = {EntityId(name): tuple(ranks) for name, *ranks in connection.execute(select(*columns))}
    links = connection.execute(select(citation.c.citing, citation.c.cited).distinct()).all()
    after = rank(sorted(before), [(EntityId(citing), EntityId(cited)) for citing, cited in links])
    changed = [name for name, ranks in after.items() if before[name] != ranks]
    for chunk in chunks(changed):
        found = _entities(connection, chunk).values()
        upsert(connection, entity, [_row(_ranked(each, after)) for each in found])
    return len(changed)


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


def _entities(connection: Connection, ids: Iterable[str]) -> dict[EntityId, Entity]:
    found: dict[EntityId, Entity] = {}
    for chunk in chunks(ids):
        values = connection.scalars(select(entity.c.value).where(entity.c.id.in_(chunk)))
        found |= {each.id: each for each in (decode(Entity, value) for value in values)}
    return found


def _strays(connection: Connection) -> frozenset[EntityId]:
    """Entities that came into the portal by hand since it was last matched."""
    query = select(entity.c.id).where(entity.c.id.not_in(select(naming.c.entity)))
    return frozenset(map(EntityId, connection.scalars(query)))


def _ranked(each: Entity, ranks: Ranks) -> Entity:
    n_citations, authority, hub, pagerank = ranks.get(each.id, (0, 0.0, 0.0, 0.0))
    return replace(each, n_citations=n_citations, authority=authority, hub=hub, pagerank=pagerank)


def _row(each: Entity) -> dict[str, object]:
    value = encode(each)
    return entity_row(each, value, digest(value))


def _remove(connection: Connection, column: Column[Any], wanted: Iterable[str]) -> None:
    for chunk in chunks(wanted):
        connection.execute(delete(column.table).where(column.in_(chunk)))
