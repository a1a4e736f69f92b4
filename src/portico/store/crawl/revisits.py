"""The frontier of pages to revisit: the same store, another queue."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import and_, bindparam, func, select

from portico.store.crawl.freshness import record_of
from portico.store.crawl.frontier import SqlFrontier
from portico.store.documents.pages import Pages
from portico.store.schema import link, page, revisit
from portico.types.frontier import (
    NOTHING_LEARNED,
    FetchOutcome,
    FrontierChange,
    FrontierCounts,
    LearnedRanks,
    QueuedLink,
    Revisit,
)
from portico.types.page import BodyHash


@dataclass(frozen=True, slots=True)
class Revisits(SqlFrontier):
    """Returns the pages marked in `Freshness`, the most likely changed first; otherwise behaves like the
    frontier.

    Links found on them are queued in the frontier itself, for the next crawl.
    """

    def commit(
        self,
        outcomes: Sequence[FetchOutcome],
        asked: Mapping[str, float],
        lesson: LearnedRanks = NOTHING_LEARNED,
    ) -> FrontierChange:
        SqlFrontier.commit(self, outcomes, asked, lesson)
        self._forget_bodies({outcome.link.revisit.body for outcome in outcomes if outcome.link.revisit})
        return FrontierChange(n_queued=-len(outcomes))

    def waiting_hosts(self) -> list[str]:
        with self.engine.connect() as connection:
            return list(connection.scalars(_WAITING_HOSTS))

    def next(self, host: str, *, limit: int, excluding: Collection[int] = ()) -> list[QueuedLink]:
        with self.engine.connect() as connection:
            rows = connection.execute(_NEXT, {"of_host": host, "wanted": limit + len(excluding)}).all()
        found = [
            QueuedLink(
                row.id,
                row.source,
                host,
                row.depth,
                row.chain,
                priority=row.urgency,
                revisit=Revisit(row.body, row.etag, row.last_modified, record_of(row)),
            )
            for row in rows
            if row.id not in excluding
        ]
        return found[:limit]

    def counts(self, document_types: Collection[str]) -> FrontierCounts:
        counted = SqlFrontier.counts(self, document_types)
        with self.engine.connect() as connection:
            return replace(counted, n_queued=connection.scalar(_N_WAITING) or 0)

    def _forget_bodies(self, bodies: set[BodyHash]) -> None:
        """Remove bodies that no page has any more."""
        for name in bodies - Pages(self.engine).sources(bodies).keys():
            self.blobs.remove(name)


# A page that was forgotten in the meantime (its body was damaged) is fetched by the crawl, not here.
_there = and_(revisit.c.urgency.is_not(None), page.c.body.is_not(None))
_with_page = revisit.join(page, page.c.source == revisit.c.source)
_WAITING_HOSTS = (
    select(revisit.c.host).select_from(_with_page).where(_there).distinct().order_by(revisit.c.host)
)
_N_WAITING = select(func.count()).select_from(_with_page).where(_there)
_NEXT = (
    select(
        link.c.id,
        link.c.depth,
        link.c.chain,
        page.c.body,
        page.c.etag,
        page.c.last_modified,
        revisit,
    )
    .select_from(_with_page.join(link, link.c.url == revisit.c.source))
    .where(revisit.c.host == bindparam("of_host"), _there)
    .order_by(revisit.c.urgency.desc(), revisit.c.source)
    .limit(bindparam("wanted"))
)
