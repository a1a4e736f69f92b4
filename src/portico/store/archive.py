"""Everything the web answered, in order of address, for whoever writes it to an archive."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, Select, select

from portico.store.pages import WEB
from portico.store.schema import link, page
from portico.types.page import BodyHash, Url

_AT_ONCE = 1000  # rows read in one go: a portal may have millions


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer as it is kept: a body, or where a redirect leads, with what was kept of its headers."""

    url: Url
    origin: Url  # where a redirect leads, else the address itself
    status: int
    fetched_at: float  # seconds since the epoch
    body: BodyHash | None
    media_type: str
    etag: str | None
    last_modified: str | None
    depth: int
    via: Url | None  # the page it was found on


@dataclass(frozen=True, slots=True)
class Archive:
    """Reads the pages of the web; nothing is held in memory but a thousand rows."""

    engine: Engine

    def answers(self) -> Iterator[Answered]:
        last = ""
        while rows := self._after(last):
            yield from rows
            last = rows[-1].url

    def _after(self, url: str) -> list[Answered]:
        query = _ANSWERS.where(page.c.source > url).limit(_AT_ONCE)
        with self.engine.connect() as connection:
            return [Answered(*row) for row in connection.execute(query)]


_ANSWERS: Select[Any] = (
    select(
        page.c.source,
        page.c.origin,
        page.c.status,
        page.c.fetched_at,
        page.c.body,
        page.c.media_type,
        page.c.etag,
        page.c.last_modified,
        page.c.depth,
        link.c.via,
    )
    .select_from(page.outerjoin(link, link.c.url == page.c.source))
    .where(page.c.kind == WEB)
    .order_by(page.c.source)
)
