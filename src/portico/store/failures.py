"""One bad input is one row: what failed, where, why, and whether trying again may help."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Select, delete, func, select

from portico.store.dialect import chunks, storable, upsert, writing
from portico.store.schema import failure, page


@dataclass(frozen=True, slots=True)
class NewFailure:
    """Why one input failed: `kind` is the error's class, `reason` is for people."""

    source: str  # what a person knows the input by
    kind: str
    reason: str
    detail: str = ""  # a traceback, where the error was not one of ours
    passing: bool = False  # trying again later may help


@dataclass(frozen=True, slots=True)
class FailureRow:
    """One failure at one source; a body found under two sources failed at both."""

    stage: str
    subject: str
    source: str
    kind: str
    reason: str
    detail: str
    passing: bool
    attempts: int
    at: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures of one stage with the same reason, and the first few sources they hit."""

    stage: str
    kind: str
    reason: str
    n_sources: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failures:
    """What could not be done, for `status` and for trying again."""

    engine: Engine

    def all(self) -> Iterator[FailureRow]:
        """Every failure at every source, by stage and source."""
        with self.engine.connect() as connection:
            rows = connection.execute(_by_source()).all()
        return (FailureRow(**row._mapping) for row in rows)

    def groups(self, *, n_examples: int = 3) -> tuple[FailureGroup, ...]:
        """Failures by stage, kind and reason, the most frequent first."""
        sources: dict[tuple[str, str, str], list[str]] = {}
        for row in self.all():
            sources.setdefault((row.stage, row.kind, row.reason), []).append(row.source)
        found = (FailureGroup(*what, len(hit), tuple(hit[:n_examples])) for what, hit in sources.items())
        return tuple(
            sorted(found, key=lambda group: (-group.n_sources, group.stage, group.kind, group.reason))
        )

    def put(self, stage: str, rows: Mapping[str, NewFailure], at: float) -> None:
        """Record failures by subject, for a stage that keeps no results (the crawl)."""
        with writing(self.engine) as connection:
            write_failures(connection, stage, rows, at=at, before=attempts(connection, stage, rows))

    def clear(self, stage: str, subjects: Iterable[str]) -> None:
        with writing(self.engine) as connection:
            remove_failures(connection, stage, subjects)

    def retryable(self, stage: str, *, max_attempts: int) -> frozenset[str]:
        """Subjects whose failure may pass and that were tried fewer times than that."""
        query = select(failure.c.subject).where(
            failure.c.stage == stage, failure.c.passing, failure.c.attempts < max_attempts
        )
        with self.engine.connect() as connection:
            return frozenset(connection.scalars(query))


def write_failures(
    connection: Connection,
    stage: str,
    rows: Mapping[str, NewFailure],
    *,
    at: float,
    before: Mapping[str, int],
) -> None:
    """Part of a larger transaction: failure rows by subject; `before` counts the attempts so far."""
    upsert(
        connection,
        failure,
        (
            {
                "stage": stage,
                "subject": subject,
                "source": storable(row.source),
                "kind": row.kind,
                "reason": storable(row.reason),
                "detail": storable(row.detail),
                "passing": row.passing,
                "attempts": before.get(subject, 0) + 1,
                "at": at,
            }
            for subject, row in rows.items()
        ),
    )


def remove_failures(connection: Connection, stage: str, subjects: Iterable[str]) -> None:
    """Part of a larger transaction: these subjects no longer fail."""
    for chunk in chunks(subjects):
        connection.execute(delete(failure).where(failure.c.stage == stage, failure.c.subject.in_(chunk)))


def attempts(connection: Connection, stage: str, subjects: Collection[str]) -> dict[str, int]:
    """How often these subjects have failed so far, where they have."""
    found: dict[str, int] = {}
    for chunk in chunks(subjects):
        query = select(failure.c.subject, failure.c.attempts).where(
            failure.c.stage == stage, failure.c.subject.in_(chunk)
        )
        found.update((subject, count) for subject, count in connection.execute(query))
    return found


def _by_source() -> Select[Any]:
    source = func.coalesce(page.c.source, failure.c.source).label("source")
    columns = (
        failure.c.kind,
        failure.c.reason,
        failure.c.detail,
        failure.c.passing,
        failure.c.attempts,
        failure.c.at,
    )
    return (
        select(failure.c.stage, failure.c.subject, source, *columns)
        .select_from(failure.outerjoin(page, page.c.body == failure.c.subject))
        .order_by(failure.c.stage, source, failure.c.subject)
    )
