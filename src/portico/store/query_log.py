"""What is searched for here, and what is not found: words and counts, nothing about who asked."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, func, select

from portico.store.dialect import chunks, upsert, writing
from portico.store.schema import query_log

MOST_KEPT = 10_000
"""Different searches kept; of more, those not asked for longest are forgotten."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How often words were searched for, and how often nothing was found."""

    words: str
    n_asked: int
    n_empty: int


@dataclass(frozen=True, slots=True)
class QueryLog:
    """Counts grow by what a running portal adds up and hands over now and then."""

    engine: Engine

    def add(self, asked: Mapping[str, tuple[int, int]], *, at: float) -> None:
        """Add counts (asked, of these in vain) by words, in one transaction."""
        with writing(self.engine) as connection:
            for chunk in chunks(asked):
                _count(connection, {words: asked[words] for words in chunk}, at)
            n_kept = connection.scalar(select(func.count()).select_from(query_log)) or 0
            if n_kept > MOST_KEPT:
                oldest = select(query_log.c.words).order_by(query_log.c.last_at, query_log.c.words)
                old = oldest.limit(n_kept - MOST_KEPT)
                connection.execute(delete(query_log).where(query_log.c.words.in_(old)))

    def most_asked(self, *, limit: int) -> tuple[Asked, ...]:
        """What is searched for most."""
        return self._top(limit, in_vain=False)

    def in_vain(self, *, limit: int) -> tuple[Asked, ...]:
        """What is searched for most without finding anything."""
        return self._top(limit, in_vain=True)

    def _top(self, limit: int, *, in_vain: bool) -> tuple[Asked, ...]:
        count = query_log.c.n_empty if in_vain else query_log.c.n_asked
        query = select(query_log.c.words, query_log.c.n_asked, query_log.c.n_empty).where(count > 0)
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(count.desc(), query_log.c.words).limit(limit)).all()
        return tuple(Asked(*row) for row in rows)


def _count(connection: Connection, asked: Mapping[str, tuple[int, int]], at: float) -> None:
    query = select(query_log.c.words, query_log.c.n_asked, query_log.c.n_empty)
    rows = connection.execute(query.where(query_log.c.words.in_(list(asked))))
    known = {row.words: (row.n_asked, row.n_empty) for row in rows}
    upsert(
        connection,
        query_log,
        (
            {
                "words": words,
                "n_asked": n_asked + known.get(words, (0, 0))[0],
                "n_empty": n_empty + known.get(words, (0, 0))[1],
                "last_at": at,
            }
            for words, (n_asked, n_empty) in asked.items()
        ),
    )
