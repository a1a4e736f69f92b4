"""Applies an accepted correction to what is served; the next build gives the same result."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from sqlalchemy import Connection, delete, func, insert, select, update

from portico.store.catalog.entities import make_entity_row, read_entities
from portico.store.catalog.graph import forget_ranking
from portico.store.catalog.things import drop_parts, hand_over_parts, keep_part_of
from portico.store.codec import decode
from portico.store.database import upsert
from portico.store.schema import alias, assignment, citation, entity, entity_document, result
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, Record, RecordId
from portico.types.stages import StageName

_EXTRACT = StageName.EXTRACT


def find_holder(connection: Connection, record: RecordId, name: EntityId) -> Entity | None:
    """The paper to which a record belongs now: the one with that id, if it still does, else any."""
    document = record.partition("#")[0]
    cited = select(citation.c.cited).where(citation.c.record == record)
    held = select(entity_document.c.entity).where(entity_document.c.document == document)
    for found in (name, connection.scalar(cited), *connection.scalars(held)):
        paper = read_entities(connection, [EntityId(found)]).get(EntityId(found)) if found else None
        if paper is not None and record in (paper.chosen, *paper.records):
            return paper
    return None


def write_entity(connection: Connection, paper: Entity) -> None:
    """Replace the paper with this id, and its documents."""
    upsert(connection, entity, [make_entity_row(paper)])
    connection.execute(delete(entity_document).where(entity_document.c.entity == paper.id))
    rows = [{"document": document, "entity": paper.id} for document in paper.documents]
    upsert(connection, entity_document, rows)


def place_at(connection: Connection, documents: Sequence[DocumentId], path: str) -> None:
    """Assign these documents to this topic only."""
    connection.execute(delete(assignment).where(assignment.c.document.in_(documents)))
    rows = [{"document": document, "topic": path, "probability": 1.0} for document in documents]
    if rows:
        connection.execute(insert(assignment), rows)


def join(connection: Connection, one: Entity, other: Entity) -> tuple[EntityId, ...]:
    """Merge two papers under the id of the better known; returns the ids whose index entries changed."""
    kept, lost = sorted((one, other), key=lambda each: (not each.documents, -each.n_citations, each.id))
    citers = _citers(connection, lost.id)
    connection.execute(update(citation).where(citation.c.citing == lost.id).values(citing=kept.id))
    connection.execute(update(citation).where(citation.c.cited == lost.id).values(cited=kept.id))
    names = {field.name for field in kept.fields}
    hand_over_parts(connection, lost.id, kept.id)
    remove(connection, lost.id)
    together = replace(
        kept,
        records=tuple(sorted({*kept.records, *lost.records})),
        documents=tuple(dict.fromkeys((*kept.documents, *lost.documents))),
        fields=(*kept.fields, *(field for field in lost.fields if field.name not in names)),
    )
    write_entity(connection, _counted(connection, together))
    connection.execute(update(alias).where(alias.c.entity == lost.id).values(entity=kept.id))
    upsert(connection, alias, [{"old": lost.id, "entity": kept.id}])
    return kept.id, lost.id, *(name for name in citers if name not in (kept.id, lost.id))


def part(connection: Connection, paper: Entity, record: RecordId) -> tuple[EntityId, ...]:
    """Make the record a paper of its own; returns the ids whose index entries changed."""
    stranger, rest = _stranger(connection, paper, record), _without(connection, paper, record)
    if stranger is None or rest is None:
        return ()
    forget_ranking(connection)
    write_entity(connection, stranger)
    own = citation.c.record.startswith(f"{record.partition('#')[0]}#", autoescape=True)
    if stranger.documents:
        connection.execute(
            update(citation).where(citation.c.citing == paper.id, own).values(citing=stranger.id)
        )
    told = citation.c.record == record
    citers = connection.scalars(select(citation.c.citing).where(told).distinct()).all()
    connection.execute(update(citation).where(told).values(cited=stranger.id))
    keep_part_of(connection, paper.id, stranger.id)
    for each in (rest, stranger):
        write_entity(connection, _counted(connection, each))
    return rest.id, stranger.id, *(EntityId(name) for name in citers if name not in (rest.id, stranger.id))


def remove(connection: Connection, name: EntityId) -> tuple[EntityId, ...]:
    """Stop serving the paper, its citations, and citations of it; returns the ids whose index entries
    changed.
    """
    forget_ranking(connection)
    citers = _citers(connection, name)
    cited = connection.scalars(select(citation.c.cited).where(citation.c.citing == name).distinct()).all()
    connection.execute(delete(entity_document).where(entity_document.c.entity == name))
    drop_parts(connection, name)
    connection.execute(delete(citation).where((citation.c.citing == name) | (citation.c.cited == name)))
    connection.execute(delete(entity).where(entity.c.id == name))
    for paper in read_entities(connection, [EntityId(each) for each in cited]).values():
        write_entity(connection, _counted(connection, paper))
    return tuple(dict.fromkeys((name, *citers, *(EntityId(each) for each in cited))))


def _citers(connection: Connection, name: EntityId) -> tuple[EntityId, ...]:
    found = select(citation.c.citing).where(citation.c.cited == name).distinct()
    return tuple(EntityId(each) for each in connection.scalars(found))


def _counted(connection: Connection, paper: Entity) -> Entity:
    citers = select(func.count(citation.c.citing.distinct())).where(
        citation.c.cited == paper.id, citation.c.citing != paper.id
    )
    return replace(paper, n_citations=connection.scalar(citers) or 0)


def _stranger(connection: Connection, paper: Entity, record: RecordId) -> Entity | None:
    """A record as a paper of its own; its id lasts until the next build, and redirects afterwards."""
    found = _record(connection, record)
    if found is None:
        return None
    name = EntityId("x" + sha256(record.encode()).hexdigest()[:12])
    documents = (found.document,) if found.kind in ("header", paper.kind) else ()
    return Entity(name, paper.kind, (record,), documents, found.fields, record)


def _without(connection: Connection, paper: Entity, record: RecordId) -> Entity | None:
    records = tuple(each for each in paper.records if each != record)
    if not records:
        return None
    document = _own_document(connection, paper, record, records)
    rest = replace(paper, records=records, documents=tuple(d for d in paper.documents if d != document))
    if paper.chosen != record:
        return rest
    instead = _record(connection, records[0])
    return replace(rest, chosen=records[0], fields=instead.fields if instead else paper.fields, origins=())


def _own_document(
    connection: Connection, paper: Entity, record: RecordId, others: Sequence[RecordId]
) -> DocumentId | None:
    """The document that leaves with a record: for a paper that of its header, for a thing one without
    other records of it.
    """
    document = DocumentId(record.partition("#")[0])
    if record.endswith("#header"):
        return document
    found = _record(connection, record)
    alone = not any(other.startswith(f"{document}#") for other in others)
    return document if found is not None and found.kind == paper.kind and alone else None


def _record(connection: Connection, name: RecordId) -> Record | None:
    query = select(result.c.payload).where(
        result.c.stage == _EXTRACT, result.c.subject == name.partition("#")[0]
    )
    payload = connection.scalar(query)
    records: Iterable[Record] = decode(tuple[Record, ...], payload) if payload is not None else ()
    return next((record for record in records if record.id == name), None)
