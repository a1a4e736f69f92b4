"""Papers and sites that visitors want in the portal, until the builder lets them in."""

from dataclasses import dataclass

from sqlalchemy import Engine, func, select, update

from portico.errors import PortalError
from portico.store.dialect import upsert, writing
from portico.store.schema import submission
from portico.types.correction import Standing
from portico.types.page import Url

MOST_WAITING = 2_000
"""Addresses nobody has looked at; more are refused, so that no visitor can fill the disk."""


@dataclass(frozen=True, slots=True)
class Submission:
    """An address somebody wants fetched: one paper, or a site with all it leads to."""

    url: Url
    whole_site: bool
    note: str = ""
    at: float = 0.0  # seconds since the epoch
    standing: Standing = Standing.PROPOSED


@dataclass(frozen=True, slots=True)
class Submissions:
    """One row an address, so that asking again changes nothing: what was rejected stays rejected."""

    engine: Engine

    def add(self, wanted: Submission) -> Standing:
        """Keep an address; the standing it has, where it was known before."""
        with writing(self.engine) as connection:
            known = connection.scalar(select(submission.c.standing).where(submission.c.url == wanted.url))
            if known is not None:
                return Standing(known)
            waiting = select(func.count()).where(submission.c.standing == Standing.PROPOSED)
            if (connection.scalar(waiting) or 0) >= MOST_WAITING:
                raise PortalError("too many submissions are waiting; the builder has to look at them first")
            row = {
                "url": wanted.url,
                "whole_site": wanted.whole_site,
                "note": wanted.note,
                "at": wanted.at,
                "standing": wanted.standing,
                "decided_at": 0.0,
            }
            upsert(connection, submission, [row])
        return wanted.standing

    def decide(self, url: Url, standing: Standing, *, at: float) -> None:
        changed = {"standing": standing, "decided_at": at}
        with writing(self.engine) as connection:
            connection.execute(update(submission).where(submission.c.url == url).values(changed))

    def standing(self, standing: Standing, *, limit: int | None = None) -> tuple[Submission, ...]:
        """Addresses of that standing, the oldest first."""
        query = select(submission).where(submission.c.standing == standing)
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(submission.c.at, submission.c.url).limit(limit)).all()
        return tuple(
            Submission(Url(row.url), row.whole_site, row.note, row.at, Standing(row.standing)) for row in rows
        )
