"""Change rates of pages, estimated from visits, and which pages are due for another visit."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import Connection, Engine, Select, and_, delete, func, select

from portico.store.database import chunks, upsert, writing
from portico.store.documents.pages import WEB
from portico.store.schema import link, page, revisit
from portico.types.frontier import ChangeRecord, FetchOutcome, LinkState
from portico.types.page import Url

_RECORD_COLUMNS = tuple(field.name for field in fields(ChangeRecord))
_AT_ONCE = 1000  # pages read or marked at a time


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page whose body is stored; without a record it has never been revisited."""

    url: Url
    host: str
    fetched_at: float
    last_modified: str | None
    record: ChangeRecord | None


@dataclass(frozen=True, slots=True)
class Urgent:
    """A page to revisit: the probability that it has changed, and its change record."""

    page: KnownPage
    urgency: float
    record: ChangeRecord


@dataclass(frozen=True, slots=True)
class FreshnessCounts:
    """How fresh the portal is."""

    n_waiting: int = 0  # pages waiting to be revisited
    n_visits: int = 0
    n_changes: int = 0
    n_gone: int = 0  # pages found missing once


@dataclass(frozen=True, slots=True)
class Freshness:
    """The pages that can be revisited, and those that will be."""

    engine: Engine

    def pages(self) -> Iterator[KnownPage]:
        """Every web page whose body is stored, in order of URL, a thousand at a time."""
        last = ""
        while rows := self._pages_after(last):
            yield from rows
            last = rows[-1].url

    def mark(self, found: Iterable[Urgent]) -> int:
        """Mark these pages for a revisit; returns their number."""
        n_marked = 0
        for chunk in chunks(found, _AT_ONCE):
            rows = [
                {"source": each.page.url, "host": each.page.host, "urgency": each.urgency}
                | asdict(each.record)
                for each in chunk
            ]
            with writing(self.engine) as connection:
                n_marked += upsert(connection, revisit, rows)
        return n_marked

    def counts(self) -> FreshnessCounts:
        query = select(
            func.count(revisit.c.urgency),
            func.coalesce(func.sum(revisit.c.n_visits), 0),
            func.coalesce(func.sum(revisit.c.n_changes), 0),
            func.count(revisit.c.gone_since),
        )
        with self.engine.connect() as connection:
            return FreshnessCounts(*connection.execute(query).one())

    def record(self, url: str) -> ChangeRecord | None:
        """The change record of one page; None if it was never revisited."""
        with self.engine.connect() as connection:
            row = connection.execute(select(revisit).where(revisit.c.source == url)).first()
        return record_of(row) if row is not None else None

    def _pages_after(self, url: str) -> list[KnownPage]:
        with self.engine.connect() as connection:
            rows = connection.execute(_PAGES.where(page.c.source > url).limit(_AT_ONCE)).all()
        return [
            KnownPage(
                row.source,
                row.of_host,
                row.fetched_at,
                row.last_modified,
                record_of(row) if row.known else None,
            )
            for row in rows
        ]


def record_of(row: Any) -> ChangeRecord:
    """The record in a row of the table."""
    return ChangeRecord(**{name: getattr(row, name) for name in _RECORD_COLUMNS})


def keep_records(connection: Connection, outcomes: Sequence[FetchOutcome]) -> None:
    """Store the records of revisited pages, which are no longer due; removed pages lose theirs."""
    again = [outcome for outcome in outcomes if outcome.link.revisit is not None]
    rows = [
        {"source": outcome.link.url, "host": outcome.link.host, "urgency": None} | asdict(outcome.record)
        for outcome in again
        if outcome.record is not None
    ]
    upsert(connection, revisit, rows)
    for chunk in chunks(outcome.link.url for outcome in again if outcome.state is not LinkState.DONE):
        connection.execute(delete(page).where(page.c.source.in_(chunk)))
        connection.execute(delete(revisit).where(revisit.c.source.in_(chunk)))


_PAGES: Select[Any] = (
    select(
        page.c.source,
        link.c.host.label("of_host"),
        page.c.fetched_at,
        page.c.last_modified,
        revisit.c.source.label("known"),
        *(revisit.c[name] for name in _RECORD_COLUMNS),
    )
    .select_from(
        page.join(link, link.c.url == page.c.source).outerjoin(revisit, revisit.c.source == page.c.source)
    )
    .where(and_(page.c.kind == WEB, page.c.body.is_not(None)))
    .order_by(page.c.source)
)
