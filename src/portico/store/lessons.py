"""What the builder clicked while teaching: kept click by click, so that any number can be taken back."""

from dataclasses import dataclass

from sqlalchemy import Engine, Row, insert, select, update

from portico.store.codec import decode, encode
from portico.store.dialect import writing
from portico.store.schema import lesson_act
from portico.types.lesson import Act, ActKind, Lesson, replayed
from portico.types.page import Sighting, Url


@dataclass(frozen=True, slots=True)
class Lessons:
    """The clicks of one portal's lesson, so that it goes on wherever it was broken off."""

    engine: Engine

    def add(self, act: Act) -> int:
        """Keep a click; gives its number, which is never given again."""
        row = {
            "kind": act.kind,
            "stop": act.stop,
            "url": act.url,
            "link": encode(act.link) if act.link is not None else None,
            "words": act.words,
            "at": act.at,
            "undone": False,
        }
        with writing(self.engine) as connection:
            (number,) = connection.execute(insert(lesson_act).returning(lesson_act.c.id), row).one()
        return int(number)

    def undo(self) -> Act | None:
        """Take the last click back; None where nothing is left."""
        with writing(self.engine) as connection:
            row = connection.execute(_LIVING.order_by(lesson_act.c.id.desc()).limit(1)).first()
            if row is None:
                return None
            connection.execute(update(lesson_act).where(lesson_act.c.id == row.id).values(undone=True))
        return _act(row)

    def lesson(self) -> Lesson:
        """All that stands."""
        with self.engine.connect() as connection:
            rows = connection.execute(_LIVING.order_by(lesson_act.c.id)).all()
        return replayed(map(_act, rows))


_LIVING = select(lesson_act).where(~lesson_act.c.undone)


def _act(row: "Row[tuple[object, ...]]") -> Act:
    return Act(
        ActKind(row.kind),
        stop=row.stop,
        url=Url(row.url),
        link=decode(Sighting, row.link) if row.link is not None else None,
        words=row.words,
        at=row.at,
        id=row.id,
    )
