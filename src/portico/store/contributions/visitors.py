"""Data from visitors: searches, suggested URLs, and events counted for rate limits."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import inf, nextafter

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from portico.errors import PortalError
from portico.store.database import chunks, upsert, writing
from portico.store.match_tables import deed
from portico.store.meta import Meta
from portico.store.schema import query_log, submission
from portico.store.seals import writing_sealed
from portico.types.correction import ProposalStatus
from portico.types.page import Url

MOST_KEPT = 10_000
"""Maximum number of different searches kept; beyond it, those not repeated for longest are dropped."""


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """How often a query was searched for, and how often nothing was found."""

    words: str
    n_asked: int
    n_empty: int


@dataclass(frozen=True, slots=True)
class QueryLog:
    """Counts of queries; a running portal adds to them from time to time."""

    engine: Engine

    def add(self, asked: Mapping[str, tuple[int, int]], *, at: float) -> None:
        """Add counts (searches, and those without results) by query, in one transaction."""
        with writing(self.engine) as connection:
            for chunk in chunks(asked):
                _count(connection, {words: asked[words] for words in chunk}, at)
            n_kept = connection.scalar(select(func.count()).select_from(query_log)) or 0
            if n_kept > MOST_KEPT:
                oldest = select(query_log.c.words).order_by(query_log.c.last_at, query_log.c.words)
                old = oldest.limit(n_kept - MOST_KEPT)
                connection.execute(delete(query_log).where(query_log.c.words.in_(old)))

    def most_asked(self, *, limit: int) -> tuple[LoggedQuery, ...]:
        """The most frequent queries."""
        return self._top(limit, in_vain=False)

    def in_vain(self, *, limit: int) -> tuple[LoggedQuery, ...]:
        """The most frequent queries without results."""
        return self._top(limit, in_vain=True)

    def _top(self, limit: int, *, in_vain: bool) -> tuple[LoggedQuery, ...]:
        count = query_log.c.n_empty if in_vain else query_log.c.n_asked
        query = select(query_log.c.words, query_log.c.n_asked, query_log.c.n_empty).where(count > 0)
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(count.desc(), query_log.c.words).limit(limit)).all()
        return tuple(LoggedQuery(*row) for row in rows)


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


_META_NAME = "visitor_secret"


@dataclass(frozen=True, slots=True)
class RateEvents:
    """Times at which somebody did something of a kind."""

    engine: Engine

    def times(self, kind: str, visitor: str, *, since: float, until: float) -> tuple[float, ...]:
        """When this visitor did it, ascending. Times in the future were written by another clock."""
        query = select(deed.c.at).where(
            deed.c.kind == kind, deed.c.visitor == self._name(visitor), deed.c.at > since, deed.c.at <= until
        )
        with self.engine.connect() as connection:
            return tuple(connection.scalars(query.order_by(deed.c.at)))

    def add(self, kind: str, visitor: str, *, at: float, since: float) -> None:
        """It was done now; what happened up to `since` counts no more, whoever did it."""
        name = self._name(visitor)
        with writing(self.engine) as connection:
            connection.execute(delete(deed).where(deed.c.kind == kind, deed.c.at <= since))
            connection.execute(
                insert(deed), {"kind": kind, "visitor": name, "at": _free(connection, kind, name, at)}
            )

    def forget(self, kind: str, visitor: str) -> None:
        """Remove all events of this kind by this visitor."""
        mine = (deed.c.kind == kind) & (deed.c.visitor == self._name(visitor))
        with writing(self.engine) as connection:
            connection.execute(delete(deed).where(mine))

    def _name(self, visitor: str) -> str:
        meta = Meta(self.engine)
        if meta.get(_META_NAME) is None:
            meta.set(_META_NAME, secrets.token_hex())
        secret = meta.get(_META_NAME) or ""
        return hmac.new(secret.encode(), visitor.encode("utf-8", "replace"), sha256).hexdigest()


def _free(connection: Connection, kind: str, name: str, at: float) -> float:
    """The latest unused time up to now: two events at one tick of the clock are two."""
    mine = (deed.c.kind == kind) & (deed.c.visitor == name)
    taken = set(connection.scalars(select(deed.c.at).where(mine)))
    while at in taken:
        at = nextafter(at, -inf)
    return at


MOST_SUBMISSIONS = 2_000
"""Maximum number of unreviewed URLs; more are refused, so that no visitor can fill the disk."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A URL that somebody wants fetched: one paper, or a site with everything it links to."""

    url: Url
    whole_site: bool
    note: str = ""
    at: float = 0.0  # seconds since the epoch
    standing: ProposalStatus = ProposalStatus.PROPOSED


@dataclass(frozen=True, slots=True)
class Submissions:
    """One row per URL, so that submitting it again changes nothing: what was rejected stays rejected."""

    engine: Engine

    def add(self, wanted: Submission) -> ProposalStatus:
        """Keep an address; the standing it has, where it was known before."""
        with writing_sealed(self.engine) as connection:
            known = connection.scalar(select(submission.c.standing).where(submission.c.url == wanted.url))
            if known is not None:
                return ProposalStatus(known)
            waiting = select(func.count()).where(submission.c.standing == ProposalStatus.PROPOSED)
            if (connection.scalar(waiting) or 0) >= MOST_SUBMISSIONS:
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

    def decide(self, url: Url, standing: ProposalStatus, *, at: float) -> None:
        changed = {"standing": standing, "decided_at": at}
        with writing_sealed(self.engine) as connection:
            connection.execute(update(submission).where(submission.c.url == url).values(changed))

    def standing(self, standing: ProposalStatus, *, limit: int | None = None) -> tuple[Submission, ...]:
        """URLs with this status, the oldest first."""
        query = select(submission).where(submission.c.standing == standing)
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(submission.c.at, submission.c.url).limit(limit)).all()
        return tuple(
            Submission(Url(row.url), row.whole_site, row.note, row.at, ProposalStatus(row.standing))
            for row in rows
        )
