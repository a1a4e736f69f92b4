"""How long each stage took, run by run."""

from dataclasses import asdict, dataclass

from sqlalchemy import Engine, func, insert, select

from portico.store.dialect import writing
from portico.store.schema import run


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of one stage; `started_at` in seconds since the epoch."""

    stage: str
    started_at: float
    seconds: float
    n_done: int
    n_failed: int


@dataclass(frozen=True, slots=True)
class Runs:
    """Speeds for `status`, estimates for progress bars."""

    engine: Engine

    def add(self, row: RunRow) -> None:
        with writing(self.engine) as connection:
            connection.execute(insert(run), asdict(row))

    def last(self) -> dict[str, RunRow]:
        """The latest run of every stage."""
        latest = select(func.max(run.c.id)).group_by(run.c.stage)
        columns = (run.c.stage, run.c.started_at, run.c.seconds, run.c.n_done, run.c.n_failed)
        query = select(*columns).where(run.c.id.in_(latest)).order_by(run.c.stage)
        with self.engine.connect() as connection:
            return {row.stage: RunRow(*row) for row in connection.execute(query)}
