"""Passages of pages that the builder has marked as fields: what a domain's extractor is trained from."""

from dataclasses import dataclass

from sqlalchemy import Engine, Row, delete, select

from portico.errors import PortalError
from portico.store.dialect import writing
from portico.store.schema import mark
from portico.types.mark import Mark
from portico.types.page import BodyHash, Url


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks in the order they were made; a passage has one label, the latest."""

    engine: Engine

    def add(self, new: Mark, *, at: float) -> None:
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
        with writing(self.engine) as connection:
            connection.execute(delete(mark).where(overlapping))
            connection.execute(mark.insert(), row)

    def remove(self, old: Mark) -> None:
        """Take a mark back; nothing happens where there is none."""
        same = (mark.c.body == old.body) & (mark.c.start == old.start) & (mark.c.end == old.end)
        with writing(self.engine) as connection:
            connection.execute(delete(mark).where(same))

    def undo(self) -> Mark | None:
        """Take back the mark that was made last; None where there is none."""
        with writing(self.engine) as connection:
            row = connection.execute(select(mark).order_by(mark.c.id.desc()).limit(1)).first()
            if row is None:
                return None
            connection.execute(delete(mark).where(mark.c.id == row.id))
            return _mark(row)

    def all(self) -> tuple[Mark, ...]:
        """The oldest first."""
        with self.engine.connect() as connection:
            return tuple(map(_mark, connection.execute(select(mark).order_by(mark.c.id))))


def _mark(row: "Row[tuple[object, ...]]") -> Mark:
    return Mark(Url(row.page), BodyHash(row.body), row.label, row.start, row.end, row.text)
