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
    """Written whole by matching; only rows that changed are touched."""

    engine: Engine

    def replace(self, entities: Sequence[Entity], belongings: Sequence[PartOf]) -> Changes:
        """Make these the things; ids that vanish redirect to what they became. One transaction shows it."""
        rows = [{"part": each.part, "whole": each.whole} for each in belongings]
        with writing(self.engine) as connection:
            changes = replace_graph(connection, entities, ())
            return changes + apply_changes(connection, belonging, sort_by_key(belonging, rows))

    def counts(self) -> dict[str, int]:
        """How many things of each kind there are."""
        query = select(entity.c.kind, func.count()).group_by(entity.c.kind)
        with self.engine.connect() as connection:
            return dict(connection.execute(query.order_by(entity.c.kind)).all())

    def count_with_pages(self) -> dict[str, int]:
        """How many things of each kind there are that were read from a page or record that is still there."""
        query = (
            select(entity.c.kind, func.count(entity.c.id.distinct()))
            .join(entity_document, entity_document.c.entity == entity.c.id)
            .join(page, page.c.body == entity_document.c.document)
        )
        with self.engine.connect() as connection:
            return dict(connection.execute(query.group_by(entity.c.kind).order_by(entity.c.kind)).all())

    def list_held_documents(self) -> frozenset[str]:
        """Documents that are still there and that something was read from."""
        query = select(entity_document.c.document).join(page, page.c.body == entity_document.c.document)
        with self.engine.connect() as connection:
            return frozenset(connection.scalars(query))

    def belongings(self) -> Iterator[PartOf]:
        """What is part of what, by part."""
        with self.engine.connect() as connection:
            rows = connection.execute(select(belonging).order_by(belonging.c.part)).all()
        return (PartOf(EntityId(part), EntityId(whole)) for part, whole in rows)

    def wholes(self, parts: Iterable[EntityId]) -> dict[EntityId, EntityId]:
        """What each of these is part of, where it is part of something."""
        found: dict[EntityId, EntityId] = {}
        with self.engine.connect() as connection:
            for chunk in chunks(parts):
                query = select(belonging.c.part, belonging.c.whole).where(belonging.c.part.in_(chunk))
                found |= {EntityId(part): EntityId(whole) for part, whole in connection.execute(query)}
        return found

    def parts(self, whole: EntityId, *, limit: int) -> tuple[EntityId, ...]:
        """What is part of this thing, in order of id."""
        query = select(belonging.c.part).where(belonging.c.whole == whole).order_by(belonging.c.part)
        with self.engine.connect() as connection:
            return tuple(EntityId(part) for part in connection.scalars(query.limit(limit)))

    def n_parts(self, wholes: Iterable[EntityId]) -> dict[EntityId, int]:
        """How many parts each of these has, where it has any."""
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
        """Things of a kind, from those whose pages were fetched last."""
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
    """What was part of the one is part of the other, and the one is part of nothing any more."""
    connection.execute(update(belonging).where(belonging.c.whole == lost).values(whole=kept))
    drop_parts(connection, lost)


def drop_parts(connection: Connection, name: EntityId) -> None:
    """Nothing is part of this thing, nor is it part of anything."""
    gone = (belonging.c.part == name) | (belonging.c.whole == name)
    connection.execute(delete(belonging).where(gone))


def keep_part_of(connection: Connection, old: EntityId, new: EntityId) -> None:
    """What came out of a thing is part of what that thing is part of."""
    whole = connection.scalar(select(belonging.c.whole).where(belonging.c.part == old))
    if whole is not None:
        connection.execute(belonging.insert(), {"part": new, "whole": whole})
