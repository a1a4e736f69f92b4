"""What a builder does while teaching, action by action, and the passages they marked."""

from dataclasses import dataclass

from sqlalchemy import Engine, Row, delete, insert, select, update

from portico.errors import PortalError
from portico.store.codec import decode, encode
from portico.store.schema import lesson_act, mark
from portico.store.seals import writing_sealed
from portico.types.lesson import Act, ActKind, FieldMark, Lesson, replay_acts
from portico.types.page import BodyHash, PageLink, Url


@dataclass(frozen=True, slots=True)
class TeachingLog:
    """The actions of one portal's lesson, so that it continues wherever it was interrupted."""

    engine: Engine

    def add(self, act: Act) -> int:
        """Store an action; returns its number, which is never reused."""
        row = {
            "kind": act.kind,
            "stop": act.stop,
            "url": act.url,
            "link": encode(act.link) if act.link is not None else None,
            "words": act.words,
            "at": act.at,
            "undone": False,
        }
        with writing_sealed(self.engine) as connection:
            (number,) = connection.execute(insert(lesson_act).returning(lesson_act.c.id), row).one()
        return int(number)

    def undo(self) -> Act | None:
        """Undo the last action; None if nothing is left."""
        with writing_sealed(self.engine) as connection:
            row = connection.execute(_LIVING.order_by(lesson_act.c.id.desc()).limit(1)).first()
            if row is None:
                return None
            connection.execute(update(lesson_act).where(lesson_act.c.id == row.id).values(undone=True))
        return _act(row)

    def lesson(self) -> Lesson:
        """All actions that have not been undone."""
        with self.engine.connect() as connection:
            rows = connection.execute(_LIVING.order_by(lesson_act.c.id)).all()
        return replay_acts(map(_act, rows))


_LIVING = select(lesson_act).where(~lesson_act.c.undone)


def _act(row: "Row[tuple[object, ...]]") -> Act:
    return Act(
        ActKind(row.kind),
        stop=row.stop,
        url=Url(row.url),
        link=decode(PageLink, row.link) if row.link is not None else None,
        words=row.words,
        at=row.at,
        id=row.id,
    )


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks in the order in which they were made; a passage has one label, the latest."""

    engine: Engine

    def add(self, new: FieldMark, *, at: float) -> None:
        """Keep a mark; marks of the same body that it overlaps give way to it."""
        if not 0 <= new.start < new.end:
            raise PortalError(f"{new.page}: the passage from {new.start} to {new.end} is empty")
        row = {
            "page": new.page,
            "body": new.body,
            "label": new.label,
            "start": new.start,
            "end": new.end,
            "text": new.text,
            "at": at,
        }
        overlapping = (mark.c.body == new.body) & (mark.c.start < new.end) & (mark.c.end > new.start)
        with writing_sealed(self.engine) as connection:
            connection.execute(delete(mark).where(overlapping))
            connection.execute(mark.insert(), row)

    def remove(self, old: FieldMark) -> None:
        """Take a mark back; nothing happens where there is none."""
        same = (mark.c.body == old.body) & (mark.c.start == old.start) & (mark.c.end == old.end)
        with writing_sealed(self.engine) as connection:
            connection.execute(delete(mark).where(same))

    def undo(self) -> FieldMark | None:
        """Take back the mark that was made last; None where there is none."""
        with writing_sealed(self.engine) as connection:
            row = connection.execute(select(mark).order_by(mark.c.id.desc()).limit(1)).first()
            if row is None:
                return None
            connection.execute(delete(mark).where(mark.c.id == row.id))
            return _mark_of(row)

    def all(self) -> tuple[FieldMark, ...]:
        """The oldest first."""
        with self.engine.connect() as connection:
            return tuple(map(_mark_of, connection.execute(select(mark).order_by(mark.c.id))))


def _mark_of(row: "Row[tuple[object, ...]]") -> FieldMark:
    return FieldMark(Url(row.page), BodyHash(row.body), row.label, row.start, row.end, row.text)
