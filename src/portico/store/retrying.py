"""What failed for one reason is due again at the next build."""

import re
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, select, update

from portico.store.dialect import chunks, writing
from portico.store.failures import remove_failures
from portico.store.schema import failure, link, page, result
from portico.types.stages import StageName

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")  # two reasons that differ only in numbers are one
_FAILED, _QUEUED = "failed", "queued"


@dataclass(frozen=True, slots=True)
class Retrying:
    """Forgets that something was tried; nothing is fetched or read before the builder builds."""

    engine: Engine

    def retry(self, stage: str, kind: str, reason: str) -> int:
        """Make everything due again that failed in this stage with this reason; how many."""
        with writing(self.engine) as connection:
            subjects = _subjects(connection, stage, kind, reason)
            for chunk in chunks(subjects):
                _forget(connection, stage, chunk)
                remove_failures(connection, stage, chunk)
        return len(subjects)


def _subjects(connection: Connection, stage: str, kind: str, reason: str) -> list[str]:
    query = select(failure.c.subject, failure.c.reason).where(
        failure.c.stage == stage, failure.c.kind == kind
    )
    alike = _NUMBER.sub("0", reason)
    return [row.subject for row in connection.execute(query) if _NUMBER.sub("0", row.reason) == alike]


def _forget(connection: Connection, stage: str, subjects: list[str]) -> None:
    if stage == StageName.CRAWL:
        failed = update(link).where(link.c.url.in_(subjects), link.c.state == _FAILED)
        connection.execute(failed.values(state=_QUEUED, reason=None))
    elif stage == StageName.READ:
        connection.execute(delete(page).where(page.c.source.in_(subjects)))
    else:
        connection.execute(delete(result).where(result.c.stage == stage, result.c.subject.in_(subjects)))
