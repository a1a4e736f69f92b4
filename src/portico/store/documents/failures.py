"""Failures, one row per bad input: what failed, where, why, and whether it is retryable."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Connection, Engine, Select, and_, delete, func, or_, select, update

from portico.errors import NotAPaper
from portico.store.database import chunks, upsert, writing
from portico.store.schema import failure, link, page, result
from portico.types.stages import StageName

SET_ASIDE = NotAPaper.__name__
"""The failure kind of documents that were read but are not what the portal collects, and so did not really
fail."""


@dataclass(frozen=True, slots=True)
class NewFailure:
    """Why one input failed: `kind` is the error's class, `reason` is for people."""

    stage: str
    subject: str  # the input of the stage
    source: str  # the name people know it by
    kind: str
    reason: str
    at: float  # seconds since the epoch
    detail: str = ""  # a traceback, unless the error is one of ours
    passing: bool = False  # whether trying again later may help


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
    n_failed: int  # files and URLs; a file found in two places counts once
    examples: tuple[str, ...]
    passing: bool = False  # whether trying again later may help
    n_copies: int = 0  # further files and URLs with the same content as one of these

    @property
    def is_set_aside(self) -> bool:
        """Whether this is no failure: the document was read, and is not what the portal collects."""
        return self.kind == SET_ASIDE


@dataclass(frozen=True, slots=True)
class FailureCounts:
    """How many inputs of a stage failed, and how many it set aside."""

    n_failed: int = 0
    n_set_aside: int = 0


@dataclass(frozen=True, slots=True)
class Failures:
    """What failed, for `status` and for retries."""

    engine: Engine

    def all(self) -> Iterator[FailureRow]:
        """Every failure at every source, by stage and source."""
        with self.engine.connect() as connection:
            rows = connection.execute(_by_source()).all()
        return (FailureRow(**row._mapping) for row in rows)

    def groups(self, *, n_examples: int = 3) -> tuple[FailureGroup, ...]:
        """Failures by stage, kind and reason, the most frequent first; numbers within a reason are
        ignored.
        """
        alike: dict[tuple[str, str, str], list[FailureRow]] = {}
        for row in self.all():
            alike.setdefault((row.stage, row.kind, _NUMBER.sub("0", row.reason)), []).append(row)
        found = (_group(rows, n_examples) for rows in alike.values())
        return tuple(
            sorted(found, key=lambda group: (-group.n_failed, group.stage, group.kind, group.reason))
        )

    def counts(self) -> dict[str, FailureCounts]:
        """By stage: the current numbers, whichever run they are from."""
        query = select(failure.c.stage, failure.c.kind, func.count()).group_by(
            failure.c.stage, failure.c.kind
        )
        found: dict[str, FailureCounts] = {}
        with self.engine.connect() as connection:
            for stage, kind, count in connection.execute(query):
                known = found.get(stage, FailureCounts())
                found[stage] = (
                    replace(known, n_set_aside=count)
                    if kind == SET_ASIDE
                    else replace(known, n_failed=known.n_failed + count)
                )
        return found

    def of_source(self, source: str) -> tuple[FailureRow, ...]:
        """The failures of one URL or file."""
        query = _by_source()
        of_it = or_(page.c.source == source, and_(page.c.source.is_(None), failure.c.source == source))
        with self.engine.connect() as connection:
            return tuple(FailureRow(**row._mapping) for row in connection.execute(query.where(of_it)))

    def put(self, *rows: NewFailure) -> None:
        """Record failures of a stage without results (the crawl, reading folders)."""
        with writing(self.engine) as connection:
            write_failures(connection, rows)

    def clear(self, stage: str, subjects: Iterable[str]) -> None:
        with writing(self.engine) as connection:
            remove_failures(connection, stage, subjects)

    def retry(self, stage: str, kind: str, reason: str) -> int:
        """Make everything due again that failed in this stage for this reason; returns the number."""
        with writing(self.engine) as connection:
            subjects = _subjects_failed_so(connection, stage, kind, reason)
            for chunk in chunks(subjects):
                _make_due(connection, stage, chunk)
                remove_failures(connection, stage, chunk)
        return len(subjects)

    def leave_out(self, stage: str, kind: str, reason: str) -> int:
        """Forget these failures, and never request their URLs again; returns the number."""
        with writing(self.engine) as connection:
            subjects = _subjects_failed_so(connection, stage, kind, reason)
            for chunk in chunks(subjects):
                if stage == StageName.CRAWL:
                    failed = update(link).where(link.c.url.in_(chunk), link.c.state == _FAILED)
                    connection.execute(failed.values(state=_SKIPPED, reason="the builder left it out"))
                remove_failures(connection, stage, chunk)
        return len(subjects)


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def _group(rows: Sequence[FailureRow], n_examples: int) -> FailureGroup:
    first = rows[0]
    once = {row.subject: row for row in reversed(rows)}
    firsts = sorted(row.source for row in once.values())
    copies = sorted({row.source for row in rows} - set(firsts))
    examples = (*firsts, *copies)[:n_examples]
    return FailureGroup(
        first.stage, first.kind, first.reason, len(once), examples, first.passing, len(copies)
    )


def write_failures(
    connection: Connection, rows: Sequence[NewFailure], *, afresh: Collection[str] = ()
) -> None:
    """Part of a larger transaction: an existing failure counts one more attempt.

    For subjects in `afresh`, whose input or model changed, counting starts again.
    """
    before = _attempts(connection, rows)
    upsert(
        connection,
        failure,
        (
            asdict(row)
            | {
                "attempts": 1 if row.subject in afresh else 1 + before.get((row.stage, row.subject), 0),
            }
            for row in rows
        ),
    )


def remove_failures(connection: Connection, stage: str, subjects: Iterable[str]) -> None:
    """Part of a larger transaction: remove the failures of these subjects."""
    for chunk in chunks(subjects):
        connection.execute(delete(failure).where(failure.c.stage == stage, failure.c.subject.in_(chunk)))


def _attempts(connection: Connection, rows: Sequence[NewFailure]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    columns = (failure.c.stage, failure.c.subject, failure.c.attempts)
    for chunk in chunks(row.subject for row in rows):
        for stage, subject, count in connection.execute(select(*columns).where(failure.c.subject.in_(chunk))):
            found[stage, subject] = count
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


_FAILED, _QUEUED, _SKIPPED = "failed", "queued", "skipped"


def _subjects_failed_so(connection: Connection, stage: str, kind: str, reason: str) -> list[str]:
    query = select(failure.c.subject, failure.c.reason).where(
        failure.c.stage == stage, failure.c.kind == kind
    )
    alike = _NUMBER.sub("0", reason)
    return [row.subject for row in connection.execute(query) if _NUMBER.sub("0", row.reason) == alike]


def _make_due(connection: Connection, stage: str, subjects: list[str]) -> None:
    if stage == StageName.CRAWL:
        failed = update(link).where(link.c.url.in_(subjects), link.c.state == _FAILED)
        connection.execute(failed.values(state=_QUEUED, reason=None))
    elif stage == StageName.READ:
        connection.execute(delete(page).where(page.c.source.in_(subjects)))
    else:
        connection.execute(delete(result).where(result.c.stage == stage, result.c.subject.in_(subjects)))
