"""Writes the citation graph, completely or the changed part, and its ranks."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Column, Connection, delete, func, select

from portico.store.bulk import read_rows, stream_rows
from portico.store.catalog.corrected import apply_corrections
from portico.store.catalog.entities import (
    RANKS,
    Ranks,
    get_ranks,
    make_entity_row,
    read_entities,
    set_ranks,
    write_ranks,
)
from portico.store.catalog.unseen import note_all_changed
from portico.store.database import Changes, apply_changes, chunks, remove_rows, sort_by_key, upsert
from portico.store.match_tables import naming, occurrence, ranked_graph
from portico.store.schema import alias, citation, entity, entity_document
from portico.types.document import DocumentId
from portico.types.record import Citation, Entity, EntityId, Identity, RecordId


def replace_graph(
    connection: Connection, entities: Sequence[Entity], citations: Sequence[Citation]
) -> Changes:
    """Make these the entities and citations, inside the caller's transaction.

    Corrections override what was read. A removed id becomes an alias of the entity that now holds the record
    its fields were taken from, or else the first of its records that still exists.
    """
    before = {
        EntityId(name): (digest, tuple(ranks))
        for name, digest, *ranks in connection.execute(select(entity.c.id, entity.c.digest, *RANKS))
    }
    entities = apply_corrections(connection, entities)
    after = {each.id: each for each in entities}
    if len(after) != len(entities):
        raise ValueError("two entities have the same id")
    forget_ranking(connection)
    vanished = before.keys() - after.keys()
    redirects = _redirects(read_entities(connection, vanished).values(), entities)
    changes = _write_aliases(connection, after.keys(), redirects)
    changes += Changes(0, remove_rows(connection, entity, ((id_,) for id_ in vanished)))
    changes += Changes(_write_changed(connection, entities, before), 0)
    changes += apply_changes(connection, entity_document, sort_by_key(entity_document, _documents(entities)))
    ordered = sorted(citations, key=lambda each: each.record)
    return changes + apply_changes(connection, citation, map(_citation_row, ordered))


ENTITIES_AT_ONCE = 400


def write_parted_graph(connection: Connection, entities: Iterable[Entity]) -> None:
    """Like `replace_graph`, in batches of entities that are not ranked yet.

    `naming` and `occurrence` must already contain the new ones.
    """
    forget_ranking(connection)
    documents: list[dict[str, object]] = []
    for chunk in chunks(entities, ENTITIES_AT_ONCE):
        rows = [make_entity_row(each) for each in apply_corrections(connection, chunk)]
        known = select(entity.c.id, entity.c.digest).where(entity.c.id.in_([row["id"] for row in rows]))
        before = dict(connection.execute(known).all())
        upsert(connection, entity, (row for row in rows if before.get(str(row["id"])) != row["digest"]))
        documents += _documents(chunk)
    is_gone = entity.c.id.not_in(select(naming.c.entity))
    vanished = [EntityId(name) for name in connection.scalars(select(entity.c.id).where(is_gone))]
    redirects: dict[EntityId, EntityId] = {}
    for some in chunks(vanished):
        redirects |= _find_heirs(connection, read_entities(connection, some).values())
    remove_rows(connection, entity, ((name,) for name in vanished))
    _write_aliases(connection, _find_present(connection, redirects), redirects)
    apply_changes(connection, entity_document, sort_by_key(entity_document, documents))
    apply_changes(connection, citation, _read_found_citations(connection))


def _find_heirs(connection: Connection, vanished: Iterable[Entity]) -> dict[EntityId, EntityId]:
    """Like `_redirects`, from the table of records."""
    old = {each.id: (each.chosen, *each.records) for each in vanished}
    holder: dict[str, str] = {}
    for chunk in chunks({record for records in old.values() for record in records}):
        query = select(occurrence.c.record, occurrence.c.entity).where(occurrence.c.record.in_(chunk))
        holder |= dict(connection.execute(query).all())
    heirs = {
        name: next((holder[each] for each in told if each in holder), None) for name, told in old.items()
    }
    return {name: EntityId(heir) for name, heir in heirs.items() if heir is not None}


def _find_present(connection: Connection, redirects: Mapping[EntityId, EntityId]) -> frozenset[EntityId]:
    """Those ids at either end of a redirect that are entities now."""
    known = connection.execute(select(alias.c.old, alias.c.entity)).all()
    named = {name for row in (*known, *redirects.items()) for name in row}
    found: set[EntityId] = set()
    for chunk in chunks(named):
        found |= {
            EntityId(name) for name in connection.scalars(select(entity.c.id).where(entity.c.id.in_(chunk)))
        }
    return frozenset(found)


CITATIONS_AT_ONCE = 10_000


def _read_found_citations(connection: Connection) -> Iterator[dict[str, object]]:
    """What records other than headers cite, by record."""
    query = (
        select(occurrence.c.record, entity_document.c.entity, occurrence.c.entity, occurrence.c.confidence)
        .join(entity_document, entity_document.c.document == occurrence.c.document)
        .where(~occurrence.c.anchor)
        .order_by(occurrence.c.record)
        .limit(CITATIONS_AT_ONCE)
    )
    names, last = ("record", "citing", "cited", "confidence"), ""
    while rows := connection.execute(query.where(occurrence.c.record > last)).all():
        yield from (dict(zip(names, row, strict=True)) for row in rows)
        last = rows[-1][0]


def _redirects(vanished: Iterable[Entity], entities: Iterable[Entity]) -> dict[EntityId, EntityId]:
    holder: dict[RecordId, EntityId] = {record: each.id for each in entities for record in each.records}
    found: dict[EntityId, EntityId] = {}
    for old in vanished:
        heir = next((holder[record] for record in (old.chosen, *old.records) if record in holder), None)
        if heir is not None:
            found[old.id] = heir
    return found


def _write_aliases(
    connection: Connection, after: Collection[EntityId], redirects: Mapping[EntityId, EntityId]
) -> Changes:
    """Update redirects to their final targets, so that no redirect leads to another."""
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
    """Write entities whose content changed; of those with only new ranks, write the ranks."""
    reranked: dict[EntityId, Ranks] = {}

    def changed() -> Iterable[dict[str, object]]:
        for each in entities:
            row, (digest, ranks) = make_entity_row(each), before.get(each.id, ("", ()))
            if row["digest"] != digest:
                yield row
            elif get_ranks(each) != ranks:
                reranked[each.id] = get_ranks(each)

    n_written = upsert(connection, entity, changed())
    write_ranks(connection, reranked)
    return n_written + len(reranked)


def _documents(entities: Iterable[Entity]) -> list[dict[str, object]]:
    return [{"document": document, "entity": each.id} for each in entities for document in each.documents]


def _citation_row(each: Citation) -> dict[str, object]:
    return {"record": each.record, "citing": each.citing, "cited": each.cited, "confidence": each.confidence}


@dataclass(frozen=True, slots=True)
class Patched:
    """What replaces some of the portal's entities."""

    before: frozenset[EntityId]
    entities: Sequence[Entity]
    gone: Sequence[RecordId]  # records that no longer exist
    homes: Sequence[tuple[RecordId, EntityId, float | None]]  # None for an unchanged probability
    identities: Sequence[tuple[EntityId, Identity]]


def patch_graph(connection: Connection, patch: Patched) -> frozenset[EntityId]:
    """Replace the entities affected by a change; `occurrence` must already contain their records.

    Returns the ids of everything that may have changed. Ranks stay as they are until `ranking.rerank`.
    """
    after = {each.id: each for each in apply_corrections(connection, patch.entities)}
    old = read_entities(connection, patch.before | _entities_added_by_hand(connection))
    _redirect_patched(connection, old, after)
    _remove_where(connection, entity.c.id, old.keys() - after.keys())
    _remove_where(connection, citation.c.record, patch.gone)
    documents = {document for each in (*old.values(), *after.values()) for document in each.documents}
    _remove_where(connection, entity_document.c.document, documents)
    ranks = {each.id: get_ranks(each) for each in old.values()}
    ranked = (set_ranks(each, ranks.get(each.id, (0, 0.0, 0.0, 0.0))) for each in after.values())
    upsert(connection, entity, map(make_entity_row, ranked))
    upsert(
        connection,
        entity_document,
        ({"document": name, "entity": each.id} for each in after.values() for name in each.documents),
    )
    _write_citations(connection, after.keys(), documents)
    return frozenset(old.keys() | after.keys())


def _write_citations(
    connection: Connection, entities: Iterable[EntityId], documents: Iterable[DocumentId]
) -> None:
    """Replace the citations to these entities and from these documents."""
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


def _redirect_patched(
    connection: Connection, old: Mapping[EntityId, Entity], after: Mapping[EntityId, Entity]
) -> None:
    """Redirect as a full matching would: to the entity that now holds the record the fields were taken
    from.
    """
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
    _remove_where(connection, alias.c.entity, vanished)
    _remove_where(connection, alias.c.old, after.keys())
    rows_ = [{"old": name, "entity": heir} for name, heir in followed.items() if name not in after]
    upsert(connection, alias, rows_)


def _entities_added_by_hand(connection: Connection) -> frozenset[EntityId]:
    """Entities that people added since the portal was last matched."""
    if is_ranked(connection):
        return frozenset()
    query = select(entity.c.id).where(entity.c.id.not_in(select(naming.c.entity)))
    return frozenset(map(EntityId, connection.scalars(query)))


def _remove_where(connection: Connection, column: Column[Any], wanted: Iterable[str]) -> None:
    for chunk in chunks(wanted):
        connection.execute(delete(column.table).where(column.in_(chunk)))


Links = Iterable[tuple[EntityId, EntityId]]
"""Pairs of citing and cited papers, in any order, possibly repeated."""


class GraphRanker(Protocol):
    """Computes ranks; between runs, its state is kept as bytes."""

    def all(self, entities: Sequence[EntityId], citations: Links) -> tuple[bytes, Sequence[Ranks]]:
        """The ranks of all entities, ascending."""
        ...

    def again(
        self,
        packed: bytes,
        gone: Collection[EntityId],
        come: Collection[EntityId],
        citations: Links,
    ) -> tuple[bytes, Mapping[EntityId, Ranks], frozenset[EntityId]] | None:
        """Who ranks otherwise after some have gone and some have come, with all citations by and of these.

        Last, those of them whose entries in the index say so.

        None where the bytes cannot be read.
        """
        ...


def rank_all(connection: Connection, ranker: GraphRanker) -> None:
    """Rank the whole graph as it is in the tables."""
    before = sorted(read_rows(connection, select(entity.c.id, *RANKS)))
    links = stream_rows(connection, select(citation.c.citing, citation.c.cited))
    packed, after = ranker.all([row[0] for row in before], links)
    changed = {row[0]: ranks for row, ranks in zip(before, after, strict=True) if row[1:] != ranks}
    write_ranks(connection, changed)
    _remember(connection, packed)


def rerank(
    connection: Connection, ranker: GraphRanker, touched: Collection[EntityId]
) -> frozenset[EntityId] | None:
    """Rank all entities again after these changed, with the same result as `rank_all`.

    Returns the entities whose index entries change; None if it may be any.
    """
    there: list[EntityId] = []
    links: list[tuple[EntityId, EntityId]] = []
    for chunk in chunks(touched):
        there += map(EntityId, connection.scalars(select(entity.c.id).where(entity.c.id.in_(chunk))))
        for end in (citation.c.citing, citation.c.cited):
            rows = connection.execute(select(citation.c.citing, citation.c.cited).where(end.in_(chunk)))
            links += [(EntityId(citing), EntityId(cited)) for citing, cited in rows]
    packed = connection.scalar(select(ranked_graph.c.value))
    found = ranker.again(packed, touched, there, links) if packed is not None else None
    if found is None:
        rank_all(connection, ranker)
        return None
    packed, ranks, noticed = found
    write_ranks(connection, ranks)
    _remember(connection, packed)
    return noticed


def forget_ranking(connection: Connection) -> None:
    """Record that the graph was replaced or changed by hand: the next run ranks everything and checks all
    papers.
    """
    connection.execute(delete(ranked_graph))
    note_all_changed(connection)


def is_ranked(connection: Connection) -> bool:
    """Whether nobody has changed the graph by hand since it was last ranked."""
    return connection.scalar(select(func.count(ranked_graph.c.id))) == 1


def _remember(connection: Connection, packed: bytes) -> None:
    upsert(connection, ranked_graph, [{"id": 1, "value": packed}])
