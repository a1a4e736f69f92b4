"""Host claims in PostgreSQL, with expiry, for several crawlers that share a frontier.

Only one crawler at a time sends requests to a host, so its delay and its robots.txt are observed across all
crawlers. The time of the last request is passed on with the claim. All times are the server's, so the clocks
of different machines are never compared.
"""

import secrets
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    MetaData,
    Table,
    TextClause,
    bindparam,
    inspect,
    select,
    text,
)

from portico.store.crawl.frontier import SqlFrontier
from portico.store.database import writing
from portico.store.postgresql import count_holders
from portico.store.safe_text import PLAIN_TEXT
from portico.types.frontier import ClaimedHost

LEASE_S = 30.0
"""How long a claim is valid unless it is renewed; then other crawlers may claim the hosts of one that
died."""

# Not part of the schema, so that it is neither copied nor migrated: it is worthless an hour later.
claim = Table(
    "host_claim",
    MetaData(),
    Column("host", PLAIN_TEXT, primary_key=True),
    Column("crawler", PLAIN_TEXT),  # the crawler that holds it, or held it last; NULL once it was given back
    Column("until", Float, nullable=False),  # when the claim expires
    Column("asked_at", Float, nullable=False),  # when it had its last request before it was given back
    Column("news", BigInteger, nullable=False),  # how many times it got links
    Column("waiting", Boolean, nullable=False),  # whether it may have links that no crawler has read
    Index("host_claim_free", "waiting", "until"),
)


def _statement(words: str) -> TextClause:
    return text(words.replace("server_time", "extract(epoch from clock_timestamp())::float"))


_CLAIM = _statement(
    """
    UPDATE host_claim SET crawler = :crawler, until = server_time + :lease_s FROM (
        SELECT host, crawler, until, asked_at FROM host_claim WHERE waiting AND until < server_time
        ORDER BY waiting, until LIMIT :wanted FOR UPDATE SKIP LOCKED
    ) AS free WHERE host_claim.host = free.host
    RETURNING free.host,
        server_time - CASE WHEN free.crawler IS NULL THEN free.asked_at ELSE free.until END AS seconds_ago
    """
)
_RENEW = _statement(
    "UPDATE host_claim SET until = server_time + :lease_s "
    "WHERE crawler = :crawler AND until >= server_time RETURNING host"
)
_RELEASE = _statement(
    """
    UPDATE host_claim SET crawler = NULL, until = 0, asked_at = server_time - :seconds_ago,
        waiting = waiting AND (news <> :news OR :unfinished)
    WHERE host = :host AND crawler = :crawler
    """
)
_NOTE = text(
    "INSERT INTO host_claim VALUES (:host, NULL, 0, 0, 1, true) "
    "ON CONFLICT (host) DO UPDATE SET waiting = true, news = host_claim.news + 1"
)
_FILL = text(
    "INSERT INTO host_claim SELECT DISTINCT host, NULL, 0::float, 0::float, 1, true FROM link "
    "WHERE state = 'queued' ON CONFLICT (host) DO UPDATE SET waiting = true, news = host_claim.news + 1"
)
_BUSY = _statement(
    "SELECT count(*) FROM host_claim WHERE waiting OR (crawler IS NOT NULL AND until >= server_time)"
)
_AT_WORK = _statement("SELECT count(DISTINCT crawler) FROM host_claim WHERE until >= server_time")
_NEWS = select(claim.c.news).where(claim.c.host == bindparam("of_host"))


def prepare_claims(engine: Engine) -> None:
    """Create the table if it does not exist."""
    if engine.dialect.name == "postgresql" and not inspect(engine).has_table(claim.name):
        with writing(engine) as connection:
            claim.create(connection, checkfirst=True)


def count_crawlers(engine: Engine) -> int:
    """The number of crawlers that have claims now; 0 if several crawlers never shared the frontier."""
    if engine.dialect.name != "postgresql" or not inspect(engine).has_table(claim.name):
        return 0
    with engine.connect() as connection:
        return connection.scalar(_AT_WORK) or 0


@dataclass(frozen=True, slots=True)
class HostClaims:
    """Implements `portico.crawl.sharing.Claims` for one crawler of a store in PostgreSQL."""

    engine: Engine
    crawler: str = field(default_factory=lambda: secrets.token_hex(8))
    lease_s: float = LEASE_S
    news: dict[str, int] = field(default_factory=dict)  # of hosts, when their links were last read

    def join(self) -> None:
        with writing(self.engine) as connection:
            connection.execute(_FILL)
            # A server that has not looked at a table since it was filled sorts all links of a host for the
            # best of them: 20 ms instead of 1.
            connection.execute(text("ANALYZE link, host_claim"))

    def take(self, n_hosts: int) -> list[ClaimedHost]:
        values = {"crawler": self.crawler, "lease_s": self.lease_s, "wanted": n_hosts}
        with self._short_transaction() as connection:
            return [ClaimedHost(*row) for row in connection.execute(_CLAIM, values)]

    def renew(self) -> set[str]:
        values = {"crawler": self.crawler, "lease_s": self.lease_s}
        with self._short_transaction() as connection:
            return {row.host for row in connection.execute(_RENEW, values)}

    def give_back(self, hosts: Mapping[str, float], unfinished: Collection[str]) -> None:
        rows = [
            {
                "host": name,
                "seconds_ago": seconds_ago,
                "news": self.news.pop(name, -1),
                "unfinished": name in unfinished,
                "crawler": self.crawler,
            }
            for name, seconds_ago in sorted(hosts.items())
        ]
        if rows:
            with writing(self.engine) as connection:
                connection.execute(_RELEASE, rows)

    def share(self) -> tuple[int, int]:
        with self.engine.connect() as connection:
            n_hosts = int(connection.scalar(_BUSY) or 0)
            return n_hosts, max(1, count_holders(connection))

    def _short_transaction(self) -> AbstractContextManager[Connection]:
        """A transaction without the store's write lock: claims and commits never wait for each other."""
        return self.engine.execution_options(isolation_level="READ COMMITTED").begin()


@dataclass(frozen=True, slots=True)
class SharedFrontier(SqlFrontier):
    """The frontier in PostgreSQL: hosts with new links become available to every crawler."""

    news: dict[str, int]  # shared with `HostClaims`

    def _note_look(self, connection: Connection, host: str) -> None:
        self.news[host] = connection.scalar(_NEWS, {"of_host": host}) or 0

    def _note_hosts(self, connection: Connection, hosts: Collection[str]) -> None:
        if hosts:
            connection.execute(_NOTE, [{"host": name} for name in sorted(hosts)])
