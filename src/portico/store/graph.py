"""Write the citation graph: only what changed, and redirects from ids that vanished."""

import re
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, select

from portico.store.changes import Changes, apply_changes, remove_rows
from portico.store.codec import decode, digest, encode
from portico.store.corrected import corrected
from portico.store.dialect import chunks, upsert
from portico.store.schema import alias, citation, entity, entity_document
from portico.types.record import Citation, Entity, EntityId, RecordId

_YEAR = re.compile(r"\d{4}")


def replace_graph(
    connection: Connection, entities: Sequence[Entity], citations: Sequence[Citation]
) -> Changes:
    """Make these the entities and citations, inside the caller's transaction.

    What people corrected wins over what was read. An id that vanished becomes an alias of the
    entity that now holds the record its fields were taken from, or failing that the first of its
    records that is still known.
    """
    before = {row.id: row.digest for row in connection.execute(select(entity.c.id, entity.c.digest))}
    entities = corrected(connection, entities)
    after = {each.id: each for each in entities}
    if len(after) != len(entities):
        raise ValueError("two entities have the same id")
    vanished = before.keys() - after.keys()
    redirects = _redirects(_read(connection, vanished), entities)
    changes = _write_aliases(connection, after, redirects)
    changes += Changes(0, remove_rows(connection, entity, ((id_,) for id_ in vanished)))
    changes += Changes(upsert(connection, entity, _changed(entities, before)), 0)
    changes += apply_changes(connection, entity_document, _documents(entities))
    return changes + apply_changes(connection, citation, [_citation_row(each) for each in citations])


def _read(connection: Connection, ids: Iterable[str]) -> list[Entity]:
    found: list[Entity] = []
    for chunk in chunks(ids):
        values = connection.scalars(select(entity.c.value).where(entity.c.id.in_(chunk)))
        found.extend(decode(Entity, value) for value in values)
    return found


def _redirects(vanished: Iterable[Entity], entities: Iterable[Entity]) -> dict[EntityId, EntityId]:
    holder: dict[RecordId, EntityId] = {record: each.id for each in entities for record in each.records}
    found: dict[EntityId, EntityId] = {}
    for old in vanished:
        heir = next((holder[record] for record in (old.chosen, *old.records) if record in holder), None)
        if heir is not None:
            found[old.id] = heir
    return found


def _write_aliases(
    connection: Connection, after: Mapping[EntityId, Entity], redirects: Mapping[EntityId, EntityId]
) -> Changes:
    """Old redirects follow to where their target went, so that no redirect leads to another."""
    known = {row.old: row.entity for row in connection.execute(select(alias.c.old, alias.c.entity))}
    followed = {old: redirects.get(target, target) for old, target in known.items()} | dict(redirects)
    rows = [
        {"old": old, "entity": target}
        for old, target in sorted(followed.items())
        if target in after and old not in after
    ]
    return apply_changes(connection, alias, rows)


def _changed(entities: Iterable[Entity], before: Mapping[str, str]) -> Iterable[dict[str, object]]:
    for each in entities:
        value = encode(each)
        found = digest(value)
        if before.get(each.id) != found:
            yield entity_row(each, value, found)


def entity_row(each: Entity, value: bytes, found: str) -> dict[str, object]:
    """A paper as the table keeps it: encoded, with the columns that lists are ordered by."""
    year = _YEAR.search(each.value("year") or "")
    return {
        "id": each.id,
        "kind": each.kind,
        "held": bool(each.documents),
        "title": each.value("title") or "",
        "year": int(year.group()) if year else None,
        "n_citations": each.n_citations,
        "authority": each.authority,
        "hub": each.hub,
        "pagerank": each.pagerank,
        "value": value,
        "digest": found,
    }


def _documents(entities: Iterable[Entity]) -> list[dict[str, object]]:
    return [{"document": document, "entity": each.id} for each in entities for document in each.documents]


def _citation_row(each: Citation) -> dict[str, object]:
    return {"record": each.record, "citing": each.citing, "cited": each.cited, "confidence": each.confidence}
