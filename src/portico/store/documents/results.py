"""Results of the one-document stages, with the key they were made under and the time taken."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

from sqlalchemy import ColumnElement, Connection, Engine, Select, and_, delete, func, insert, select

from portico.store.codec import digest
from portico.store.database import CHUNK, chunks, upsert, writing
from portico.store.documents.failures import NewFailure, remove_failures, write_failures
from portico.store.documents.pages import CATALOGUED
from portico.store.schema import page, result, run

DONE = "done"
FAILED = "failed"
PAYLOADS_AT_ONCE = 64
"""Payloads read in one query: a converted document is about 100 kB, so they take some megabytes."""


@dataclass(frozen=True, slots=True)
class Done:
    """A finished subject of a stage: its encoded value, and the key it was made under."""

    subject: str
    key: str  # fingerprint of input, stage version and model
    payload: bytes
    seconds: float
    at: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class Failed:
    """A subject that a stage could not process: the reason for people, and the error's class for
    grouping.
    """

    subject: str
    key: str
    source: str
    kind: str
    reason: str
    seconds: float
    at: float  # seconds since the epoch
    detail: str = ""
    passing: bool = False


@dataclass(frozen=True, slots=True)
class StageCounts:
    """How far a stage has come."""

    n_done: int
    n_failed: int
    seconds: float  # total work of all processes


@dataclass(frozen=True, slots=True)
class StageResults:
    """Finished work by stage and subject. An equal key means that nothing is left to do."""

    engine: Engine

    def get(self, stage: str, subject: str) -> bytes | None:
        """The payload, or None if the subject failed or was never processed."""
        query = select(result.c.payload).where(result.c.stage == stage, result.c.subject == subject)
        with self.engine.connect() as connection:
            return connection.scalar(query)

    def keys(self, stage: str, *, records: bool = True) -> dict[str, str]:
        """The key under which each subject was last processed, with or without imported records."""
        query = select(result.c.subject, result.c.key).where(result.c.stage == stage)
        if not records:
            query = query.where(_IS_DOCUMENT)
        with self.engine.connect() as connection:
            return dict(connection.execute(query).all())

    def times(self, stage: str) -> dict[str, float]:
        """When each subject was last processed, in seconds since the epoch."""
        query = select(result.c.subject, result.c.at).where(result.c.stage == stage)
        with self.engine.connect() as connection:
            return dict(connection.execute(query).all())

    def digests(
        self, stage: str, subjects: Collection[str] | None = None, *, records: bool = True
    ) -> dict[str, str]:
        """The digest of the payload of each finished subject, of all or of these: the next stage's input.

        With or without imported records.
        """
        query = select(result.c.subject, result.c.digest).where(_done(stage))
        if not records:
            query = query.where(_IS_DOCUMENT)
        if subjects is not None:
            query = query.where(result.c.subject.in_(subjects))
        with self.engine.connect() as connection:
            return dict(connection.execute(query).all())

    def n_done(self, stage: str) -> int:
        """The number of subjects that the stage has finished."""
        query = select(func.count()).select_from(result).where(_done(stage))
        with self.engine.connect() as connection:
            return connection.scalar(query) or 0

    def n_bytes(self, stage: str) -> int:
        """The size of all payloads of the stage."""
        query = select(func.sum(func.length(result.c.payload))).where(_done(stage))
        with self.engine.connect() as connection:
            return int(connection.scalar(query) or 0)

    def digest_of(self, stage: str) -> str:
        """One digest of everything the stage has finished: part of the key of a whole-collection stage."""
        total = sha256()
        query = select(result.c.subject, result.c.digest).where(_done(stage)).order_by(result.c.subject)
        with self.engine.connect() as connection:
            for rows in connection.execute(query).partitions(CHUNK):
                total.update("".join([f"{subject} {found}\n" for subject, found in rows]).encode())
        return total.hexdigest()

    def put_many(self, stage: str, rows: Iterable[Done | Failed]) -> None:
        """Write the results and failures of a batch in one transaction."""
        outcomes = tuple(rows)
        failed = tuple(row for row in outcomes if isinstance(row, Failed))
        with writing(self.engine) as connection:
            afresh = _changed(connection, stage, failed)
            write_failures(connection, [_failure(stage, row) for row in failed], afresh=afresh)
            remove_failures(connection, stage, (row.subject for row in outcomes if isinstance(row, Done)))
            upsert(connection, result, (_columns(stage, row) for row in outcomes))

    def payloads(
        self, stage: str, subjects: Collection[str] | None = None
    ) -> Iterator[tuple[str, str, bytes]]:
        """(subject, digest, payload) of everything finished, or of these subjects, in order of subject."""
        if subjects is None:
            yield from self._all_payloads(stage)
            return
        for chunk in chunks(sorted(subjects), PAYLOADS_AT_ONCE):
            query = _payloads(stage).where(result.c.subject.in_(chunk))
            with self.engine.connect() as connection:
                rows = connection.execute(query).all()
            yield from ((row.subject, row.digest, row.payload) for row in rows)

    def drop(self, stage: str, subjects: Iterable[str]) -> None:
        """Remove results and failures: their source is gone, or they shall be computed again."""
        with writing(self.engine) as connection:
            for chunk in chunks(subjects, CHUNK):
                remove_failures(connection, stage, chunk)
                connection.execute(delete(result).where(result.c.stage == stage, result.c.subject.in_(chunk)))

    def counts(self) -> dict[str, StageCounts]:
        """The progress of every stage."""
        columns = (result.c.stage, result.c.outcome, func.count(), func.sum(result.c.seconds))
        query = select(*columns).group_by(result.c.stage, result.c.outcome)
        found: dict[str, StageCounts] = {}
        with self.engine.connect() as connection:
            for stage, outcome, count, seconds in connection.execute(query):
                before = found.get(stage, StageCounts(0, 0, 0.0))
                found[stage] = StageCounts(
                    n_done=before.n_done + (count if outcome == DONE else 0),
                    n_failed=before.n_failed + (count if outcome == FAILED else 0),
                    seconds=before.seconds + seconds,
                )
        return found

    def _all_payloads(self, stage: str) -> Iterator[tuple[str, str, bytes]]:
        # A few at a time by key instead of one long query: a reader that pauses for minutes must
        # not keep the write-ahead log from being folded into the database.
        last = ""
        while True:
            query = _payloads(stage).where(result.c.subject > last).limit(PAYLOADS_AT_ONCE)
            with self.engine.connect() as connection:
                rows = connection.execute(query).all()
            if not rows:
                return
            yield from ((row.subject, row.digest, row.payload) for row in rows)
            last = rows[-1].subject


_IS_DOCUMENT = result.c.subject.not_in(
    select(page.c.body).where(page.c.media_type == CATALOGUED, page.c.body.is_not(None))
)
"""Excludes records of other catalogs, whose results are written by `portico import`."""


def _done(stage: str) -> ColumnElement[bool]:
    # Only what is done has a digest; asking for it stays inside the index.
    return and_(result.c.stage == stage, result.c.digest.is_not(None))


def _payloads(stage: str) -> Select[tuple[str, str, bytes]]:
    return (
        select(result.c.subject, result.c.digest, result.c.payload)
        .where(_done(stage))
        .order_by(result.c.subject)
    )


def _columns(stage: str, row: Done | Failed) -> dict[str, object]:
    payload = row.payload if isinstance(row, Done) else None
    return {
        "stage": stage,
        "subject": row.subject,
        "key": row.key,
        "outcome": FAILED if payload is None else DONE,
        "digest": None if payload is None else digest(payload),
        "seconds": row.seconds,
        "at": row.at,
        "payload": payload,
    }


def _failure(stage: str, row: Failed) -> NewFailure:
    return NewFailure(stage, row.subject, row.source, row.kind, row.reason, row.at, row.detail, row.passing)


def _changed(connection: Connection, stage: str, rows: Sequence[Failed]) -> frozenset[str]:
    """Subjects last processed under another key: with new input or a new model, attempts start again."""
    now = {row.subject: row.key for row in rows}
    changed: set[str] = set()
    for chunk in chunks(now):
        query = select(result.c.subject, result.c.key).where(
            result.c.stage == stage, result.c.subject.in_(chunk)
        )
        changed.update(subject for subject, key in connection.execute(query) if now[subject] != key)
    return frozenset(changed)


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
    """Runs of stages: speeds for `status`, estimates for progress bars."""

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
