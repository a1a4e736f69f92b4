"""The builder's decisions on which records are one paper: kept apart from results, so rebuilds obey them."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Engine, delete, select

from portico.errors import PortalError
from portico.store.database import upsert, writing
from portico.store.schema import verdict
from portico.types.record import Entity, RecordId
from portico.types.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The latest word on a pair of records counts, in whichever order they are named."""

    engine: Engine

    def put(self, verdicts: Iterable[Verdict]) -> None:
        rows = [_row(each) for each in verdicts]
        with writing(self.engine) as connection:
            upsert(connection, verdict, rows)

    def join(self, one: Entity, other: Entity, *, who: str, at: float) -> Verdict:
        """From the next build on the two papers are one."""
        found = Verdict(one.chosen, other.chosen, True, who, at)
        self.put([found])
        return found

    def part(self, entity: Entity, record: RecordId, *, who: str, at: float) -> Verdict:
        """From the next build on this record means another paper than the entity it was put to."""
        rest = next((name for name in (entity.chosen, *entity.records) if name != record), None)
        if rest is None:
            raise PortalError(
                f"paper {entity.id} consists of {record} alone; there is nothing to part it from"
            )
        found = Verdict(rest, record, False, who, at)
        self.put([found])
        return found

    def withdraw(self, one: RecordId, other: RecordId) -> None:
        """Leave the pair to the matcher again."""
        first, second = sorted((one, other))
        with writing(self.engine) as connection:
            connection.execute(delete(verdict).where(verdict.c.one == first, verdict.c.other == second))

    def all(self) -> tuple[Verdict, ...]:
        """Ascending by records."""
        query = select(verdict).order_by(verdict.c.one, verdict.c.other)
        with self.engine.connect() as connection:
            return tuple(
                Verdict(RecordId(row.one), RecordId(row.other), row.same, row.who, row.at)
                for row in connection.execute(query)
            )


def _row(each: Verdict) -> dict[str, object]:
    first, second = sorted((each.one, each.other))
    return {"one": first, "other": second, "same": each.same, "who": each.who, "at": each.at}
