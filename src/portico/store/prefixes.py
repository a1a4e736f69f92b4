"""What a crawl by learned paths keeps of its links: how they were reached, and what they promise by now."""

from array import array
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, select

from portico.store.bulk import select_in
from portico.store.dialect import upsert, writing
from portico.store.schema import link, prefix
from portico.types.frontier import LinkState
from portico.types.page import Url


@dataclass(frozen=True, slots=True)
class SqlPrefixes:
    """Implements `portico.crawl.frontier.Prefixes`."""

    engine: Engine

    def of(self, urls: Collection[Url]) -> dict[Url, tuple[float, ...]]:
        with self.engine.connect() as connection:
            return {
                url: _unpacked(chances)
                for url, chances in select_in(connection, _PREFIXES, prefix.c.url, urls)
            }

    def promised(self, urls: Collection[Url]) -> dict[Url, tuple[int, str, float]]:
        with self.engine.connect() as connection:
            rows = list(select_in(connection, _PROMISES, link.c.url, urls))
        return {url: (id_, host, priority) for url, id_, host, priority in rows}

    def forget(self) -> None:
        """Another model calls pages by other names."""
        with writing(self.engine) as connection:
            connection.execute(delete(prefix))


def keep_prefixes(connection: Connection, prefixes: Mapping[Url, tuple[float, ...]]) -> None:
    """Write how links were reached, in the caller's transaction."""
    rows = [{"url": url, "chances": array("d", chances).tobytes()} for url, chances in prefixes.items()]
    upsert(connection, prefix, rows)


_PREFIXES = select(prefix.c.url, prefix.c.chances)
_PROMISES = select(link.c.url, link.c.id, link.c.host, link.c.priority).where(
    link.c.state == LinkState.QUEUED
)


def _unpacked(chances: bytes) -> tuple[float, ...]:
    numbers = array("d")
    numbers.frombytes(chances)
    return tuple(numbers)
