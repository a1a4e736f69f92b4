"""Which papers have changed since a stage after matching last processed them.

For each such stage `meta` holds what else its result depends on (its scope) and the papers changed since,
written in the transaction that changes them. A stage without an entry has to process everything.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, select

from portico.store.database import upsert, writing
from portico.store.schema import meta
from portico.types.record import EntityId
from portico.types.stages import StageName

FOLLOWERS = (StageName.PLACE, StageName.AUTHORS, StageName.INDEX)
"""The stages that can process only the changed papers."""

_PREFIX = "unseen_"
UNSEEN_KEYS = frozenset(f"{_PREFIX}{stage}" for stage in FOLLOWERS)
"""Their keys in `meta`."""

MOST_PAPERS = 20_000
"""With more changed papers, processing all papers is as fast."""


def note_changed_papers(
    connection: Connection, papers: Collection[EntityId], stages: Iterable[StageName] = FOLLOWERS
) -> None:
    """Record that these papers are new, changed or gone, so that the stages process them."""
    for stage in stages:
        found = connection.scalar(select(meta.c.value).where(meta.c.key == f"{_PREFIX}{stage}"))
        if found is None:
            continue  # it looks at everything anyway
        scope, known = json.loads(found)
        both = {*known, *papers}
        if len(both) > MOST_PAPERS:
            note_all_changed(connection, (stage,))
        else:
            _write(connection, stage, scope, both)


def note_all_changed(connection: Connection, stages: Iterable[StageName] = FOLLOWERS) -> None:
    """Record that any paper may have changed, so that the stages process everything."""
    connection.execute(delete(meta).where(meta.c.key.in_([f"{_PREFIX}{stage}" for stage in stages])))


def _write(connection: Connection, stage: StageName, scope: str, papers: Iterable[str]) -> None:
    value = json.dumps([scope, sorted(papers)])
    upsert(connection, meta, [{"key": f"{_PREFIX}{stage}", "value": value}])


@dataclass(frozen=True, slots=True)
class UnseenPapers:
    """Changed papers, from the point of view of the stages."""

    engine: Engine

    def read(self, stage: StageName, scope: str) -> frozenset[EntityId] | None:
        """The papers changed since the stage last ran in this scope; None if it must process everything."""
        with self.engine.connect() as connection:
            found = connection.scalar(select(meta.c.value).where(meta.c.key == f"{_PREFIX}{stage}"))
        if found is None:
            return None
        known, papers = json.loads(found)
        return frozenset(map(EntityId, papers)) if known == scope else None

    def mark_seen(self, stage: StageName, scope: str) -> None:
        """Record that the stage has run in this scope."""
        with writing(self.engine) as connection:
            _write(connection, stage, scope, ())

    def note(self, papers: Collection[EntityId] | None, *stages: StageName) -> None:
        """Record that a stage changed these papers; with None, that it may have changed any."""
        with writing(self.engine) as connection:
            if papers is None:
                note_all_changed(connection, stages)
            else:
                note_changed_papers(connection, papers, stages)

    def forget(self) -> None:
        """Make every stage process everything."""
        with writing(self.engine) as connection:
            note_all_changed(connection)
