"""When each thing was first shown, last changed or removed, for feeds and harvesters."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, and_, func, or_, select, update

from portico.store.catalog.topics import best_in_topics
from portico.store.database import chunks, upsert, writing
from portico.store.schema import entity, entity_change
from portico.types.record import EntityId

SETTLES_AFTER_S = 2.0
"""Changes are dated this far in the future and hidden from harvesters until then. A harvester that asks while
a change is being written does not see it, but gets it by its date with the next request for everything
since."""


@dataclass(frozen=True, slots=True)
class EntityChange:
    """The latest change of one entity."""

    entity: EntityId
    changed_at: float  # seconds since the epoch
    removed: bool


@dataclass(frozen=True, slots=True)
class ChangeSpan:
    """The changes requested: a span of time, both ends included, and topics by their paths."""

    low: float = 0.0
    high: float = float("inf")
    topics: tuple[str, ...] | None = None  # None for all topics


@dataclass(frozen=True, slots=True)
class EntityChanges:
    """Dates of changes, recorded when a new state becomes visible, so that nothing is dated before it
    could be seen.
    """

    engine: Engine

    def note(
        self, shown: Mapping[EntityId, str], gone: Iterable[EntityId], clock: Callable[[], float]
    ) -> None:
        """Record what is shown from now on (id → digest of everything shown), and what no longer is.

        Entities with an unchanged digest keep their date. Papers only known from citations are not listed.
        """
        for chunk in chunks(shown.items()):
            with writing(self.engine) as connection:
                _note_shown(connection, dict(chunk), clock() + SETTLES_AFTER_S)
        for names in chunks(gone):
            with writing(self.engine) as connection:
                _note_gone(connection, names, clock() + SETTLES_AFTER_S)

    def listed_ids(self) -> set[EntityId]:
        """The ids of everything that is shown."""
        with self.engine.connect() as connection:
            rows = connection.scalars(select(entity_change.c.entity).where(~entity_change.c.removed))
            return {EntityId(name) for name in rows}

    def added_at(self, ids: Sequence[EntityId]) -> dict[EntityId, float]:
        """When these were first shown."""
        return self._dates(ids, "added_at")

    def changed_at(self, ids: Sequence[EntityId]) -> dict[EntityId, float]:
        """When these last changed from a visitor's point of view."""
        return self._dates(ids, "changed_at")

    def latest(self, *, limit: int, offset: int = 0) -> tuple[EntityId, ...]:
        """Entities in order of when they were first shown, the latest first."""
        query = select(entity_change.c.entity).where(~entity_change.c.removed)
        ordered = query.order_by(entity_change.c.added_at.desc(), entity_change.c.entity)
        with self.engine.connect() as connection:
            return tuple(map(EntityId, connection.scalars(ordered.limit(limit).offset(offset))))

    def _dates(self, ids: Sequence[EntityId], column: str) -> dict[EntityId, float]:
        found: dict[EntityId, float] = {}
        with self.engine.connect() as connection:
            for chunk in chunks(ids):
                query = select(entity_change.c.entity, entity_change.c[column])
                for name, at in connection.execute(query.where(entity_change.c.entity.in_(chunk))):
                    found[EntityId(name)] = at
        return found

    def get(self, name: EntityId) -> EntityChange | None:
        query = select(entity_change.c.changed_at, entity_change.c.removed)
        with self.engine.connect() as connection:
            row = connection.execute(query.where(entity_change.c.entity == name)).one_or_none()
        return EntityChange(name, row.changed_at, row.removed) if row else None

    def since(
        self, span: ChangeSpan, *, now: float, after: tuple[float, str] | None = None, limit: int
    ) -> tuple[EntityChange, ...]:
        """Changes in order of their dates, limited to those settled by `now`; `after` is the last one
        seen.
        """
        columns = (entity_change.c.entity, entity_change.c.changed_at, entity_change.c.removed)
        query = select(*columns).where(
            entity_change.c.changed_at >= span.low, entity_change.c.changed_at <= min(span.high, now)
        )
        if span.topics is not None:
            # Where a thing stood that is gone is not known any more: nobody is told of it by topic.
            query = query.where(entity_change.c.entity.in_(best_in_topics(span.topics)))
        if after is not None:
            at, name = after
            later = and_(entity_change.c.changed_at == at, entity_change.c.entity > name)
            query = query.where(or_(entity_change.c.changed_at > at, later))
        ordered = query.order_by(entity_change.c.changed_at, entity_change.c.entity).limit(limit)
        with self.engine.connect() as connection:
            rows = connection.execute(ordered).all()
        return tuple(EntityChange(EntityId(row.entity), row.changed_at, row.removed) for row in rows)

    def earliest(self) -> float:
        """The date of the first change; 0 if there is none."""
        with self.engine.connect() as connection:
            return connection.scalar(select(func.min(entity_change.c.changed_at))) or 0.0


def _note_shown(connection: Connection, shown: Mapping[EntityId, str], at: float) -> None:
    held = connection.scalars(select(entity.c.id).where(entity.c.id.in_(list(shown)), entity.c.held)).all()
    query = select(entity_change).where(entity_change.c.entity.in_(list(shown)))
    known = {row.entity: row for row in connection.execute(query)}
    rows = [
        {
            "entity": name,
            "digest": shown[EntityId(name)],
            "added_at": known[name].added_at if name in known else at,
            "changed_at": at,
            "removed": False,
        }
        for name in held
        if name not in known or known[name].removed or known[name].digest != shown[EntityId(name)]
    ]
    upsert(connection, entity_change, rows)
    _note_gone(connection, [name for name in known if name not in {*held}], at)


def _note_gone(connection: Connection, names: Sequence[str], at: float) -> None:
    gone = update(entity_change).where(entity_change.c.entity.in_(names), ~entity_change.c.removed)
    connection.execute(gone.values(removed=True, changed_at=at, digest=""))
