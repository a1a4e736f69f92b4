"""Write the citation graph: only what changed, and redirects from ids that vanished."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, select

from portico.store.changes import Changes, apply_changes, remove_rows
from portico.store.corrected import corrected
from portico.store.dialect import upsert
from portico.store.entities import RANKS, Ranks, entities_by_id, entity_row, ranks_of, write_ranks
from portico.store.ranking import forget_ranking
from portico.store.schema import alias, citation, entity, entity_document
from portico.types.record import Citation, Entity, EntityId, RecordId


def replace_graph(
    connection: Connection, entities: Sequence[Entity], citations: Sequence[Citation]
) -> Changes:
    """Make these the entities and citations, inside the caller's transaction.

    What people corrected wins over what was read. An id that vanished becomes an alias of the
    entity that now holds the record its fields were taken from, or failing that the first of its
    records that is still known.
    """
    before = {
        EntityId(name): (digest, tuple(ranks))
        for name, digest, *ranks in connection.execute(select(entity.c.id, entity.c.digest, *RANKS))
    }
    entities = corrected(connection, entities)
    after = {each.id: each for each in entities}
    if len(after) != len(entities):
        raise ValueError("two entities have the same id")
    forget_ranking(connection)
    vanished = before.keys() - after.keys()
    redirects = _redirects(entities_by_id(connection, vanished).values(), entities)
    changes = _write_aliases(connection, after, redirects)
    changes += Changes(0, remove_rows(connection, entity, ((id_,) for id_ in vanished)))
    changes += Changes(_write_changed(connection, entities, before), 0)
    changes += apply_changes(connection, entity_document, _documents(entities))
    return changes + apply_changes(connection, citation, [_citation_row(each) for each in citations])


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


def _write_changed(
    connection: Connection,
    entities: Iterable[Entity],
    before: Mapping[EntityId, tuple[str, tuple[object, ...]]],
) -> int:
    """Entities that say something new are written, of those that only rank otherwise their ranks."""
    reranked: dict[EntityId, Ranks] = {}

    def changed() -> Iterable[dict[str, object]]:
        for each in entities:
            row, (digest, ranks) = entity_row(each), before.get(each.id, ("", ()))
            if row["digest"] != digest:
                yield row
            elif ranks_of(each) != ranks:
                reranked[each.id] = ranks_of(each)

    n_written = upsert(connection, entity, changed())
    write_ranks(connection, reranked)
    return n_written + len(reranked)


def _documents(entities: Iterable[Entity]) -> list[dict[str, object]]:
    return [{"document": document, "entity": each.id} for each in entities for document in each.documents]


def _citation_row(each: Citation) -> dict[str, object]:
    return {"record": each.record, "citing": each.citing, "cited": each.cited, "confidence": each.confidence}
