"""Things of declared kinds: counts, and what is part of what."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, func, select, update

from portico.store.catalog.graph import replace_graph
from portico.store.database import Changes, apply_changes, chunks, sort_by_key, writing
from portico.store.schema import belonging, entity, entity_document, page
from portico.types.record import Entity, EntityId, PartOf


@dataclass(frozen=True, slots=True)
class Things:
    """The things of declared kinds. Replaced as a whole by matching; only changed rows are written."""

    engine: Engine

    def replace(self, entities: Sequence[Entity], belongings: Sequence[PartOf]) -> Changes:
        """Replace the things in one transaction; removed ids redirect to what they became."""
        rows = [{"part": each.part, "whole": each.whole} for each in belongings]
        with writing(self.engine) as connection:
            changes = replace_graph(connection, entities, ())
            return changes + apply_changes(connection, belonging, sort_by_key(belonging, rows))

    def counts(self) -> dict[str, int]:
        """The number of things of each kind."""
        query = select(entity.c.kind, func.count()).group_by(entity.c.kind)
        with self.engine.connect() as connection:
            return dict(connection.execute(query.order_by(entity.c.kind)).all())

    def count_with_pages(self) -> dict[str, int]:
        """The number of things of each kind that were read from a page or record that still exists."""
        query = (
            select(entity.c.kind, func.count(entity.c.id.distinct()))
            .join(entity_document, entity_document.c.entity == entity.c.id)
            .join(page, page.c.body == entity_document.c.document)
        )
        with self.engine.connect() as connection:
            return dict(connection.execute(query.group_by(entity.c.kind).order_by(entity.c.kind)).all())

    def list_held_documents(self) -> frozenset[str]:
        """Documents that still exist and from which something was read."""
        query = select(entity_document.c.document).join(page, page.c.body == entity_document.c.document)
        with self.engine.connect() as connection:
            return frozenset(connection.scalars(query))

    def belongings(self) -> Iterator[PartOf]:
        """Each part with its whole."""
        with self.engine.connect() as connection:
            rows = connection.execute(select(belonging).order_by(belonging.c.part)).all()
        return (PartOf(EntityId(part), EntityId(whole)) for part, whole in rows)

    def wholes(self, parts: Iterable[EntityId]) -> dict[EntityId, EntityId]:
        """The whole of each of these things, if it is part of one."""
        found: dict[EntityId, EntityId] = {}
        with self.engine.connect() as connection:
            for chunk in chunks(parts):
                query = select(belonging.c.part, belonging.c.whole).where(belonging.c.part.in_(chunk))
                found |= {EntityId(part): EntityId(whole) for part, whole in connection.execute(query)}
        return found

    def parts(self, whole: EntityId, *, limit: int) -> tuple[EntityId, ...]:
        """The parts of this thing, in order of id."""
        query = select(belonging.c.part).where(belonging.c.whole == whole).order_by(belonging.c.part)
        with self.engine.connect() as connection:
            return tuple(EntityId(part) for part in connection.scalars(query.limit(limit)))

    def n_parts(self, wholes: Iterable[EntityId]) -> dict[EntityId, int]:
        """The number of parts of each of these things, if it has any."""
        found: dict[EntityId, int] = {}
        with self.engine.connect() as connection:
            for chunk in chunks(wholes):
                query = select(belonging.c.whole, func.count()).where(belonging.c.whole.in_(chunk))
                rows = connection.execute(query.group_by(belonging.c.whole))
                found |= {EntityId(whole): int(count) for whole, count in rows}
        return found

    def of_document(self, document: str) -> tuple[EntityId, ...]:
        """The things that were read from a page, in order of id."""
        query = select(entity_document.c.entity).where(entity_document.c.document == document)
        with self.engine.connect() as connection:
            found = connection.scalars(query.order_by(entity_document.c.entity))
            return tuple(EntityId(name) for name in found)

    def newest(self, kind: str, *, limit: int) -> tuple[EntityId, ...]:
        """Things of a kind, the most recently fetched first."""
        fetched = func.max(page.c.fetched_at)
        query = (
            select(entity.c.id)
            .join(entity_document, entity_document.c.entity == entity.c.id)
            .join(page, page.c.body == entity_document.c.document)
            .where(entity.c.kind == kind)
            .group_by(entity.c.id)
            .order_by(fetched.desc(), entity.c.id)
        )
        with self.engine.connect() as connection:
            return tuple(EntityId(found) for found in connection.scalars(query.limit(limit)))


def hand_over_parts(connection: Connection, lost: EntityId, kept: EntityId) -> None:
    """Make the parts of one thing parts of the other; the first is no longer part of anything."""
    connection.execute(update(belonging).where(belonging.c.whole == lost).values(whole=kept))
    drop_parts(connection, lost)


def drop_parts(connection: Connection, name: EntityId) -> None:
    """Remove all part-of relations of this thing, in both directions."""
    gone = (belonging.c.part == name) | (belonging.c.whole == name)
    connection.execute(delete(belonging).where(gone))


def keep_part_of(connection: Connection, old: EntityId, new: EntityId) -> None:
    """Make what was split off a thing part of the same whole."""
    whole = connection.scalar(select(belonging.c.whole).where(belonging.c.part == old))
    if whole is not None:
        connection.execute(belonging.insert(), {"part": new, "whole": whole})
