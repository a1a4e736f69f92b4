"""Fetched pages and files of folders, several of which may share one body."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, bindparam, delete, func, select, true, update

from portico.store.database import CHUNK, chunks, upsert, writing
from portico.store.schema import page
from portico.types.page import BodyHash

WEB = "web"
FILE = "file"
RECORD = "record"
ATTACHED = "attached"
"""A file that a record of another catalog names as its full text."""


def name_record(catalog: str, name: str) -> str:
    """The source of a record of another catalog that has no URL, or may lose it."""
    return f"{RECORD}:{catalog}#{name}"


CATALOGUED = "application/vnd.portico.record+json"
"""The media type of records from other catalogs, for which only the results of the stages are stored."""


def is_sought(target_types: Collection[str]) -> ColumnElement[bool]:
    """Whether a crawl looks for such a page: by its media type, or because it is of a wanted kind."""
    return page.c.media_type.in_(tuple(target_types)) | (page.c.page_kind != "")


@dataclass(frozen=True, slots=True)
class PageRow:
    """One source: a URL, or a file's path relative to the portal."""

    source: str
    kind: str  # WEB, FILE, RECORD or ATTACHED
    fetched_at: float  # seconds since the epoch
    origin: str = ""  # file: the folder source; web: the final URL
    body: BodyHash | None = None  # None if the response was not usable
    media_type: str = ""
    n_bytes: int = 0
    status: int = 200
    etag: str | None = None
    last_modified: str | None = None
    mtime_ns: int | None = None
    depth: int = 0
    page_kind: str = ""  # which of the wanted kinds of pages it is


@dataclass(frozen=True, slots=True)
class BodyRow:
    """One distinct body, with its first source: the one of least depth, then of least name."""

    body: BodyHash
    source: str
    media_type: str
    n_bytes: int


@dataclass(frozen=True, slots=True)
class FileState:
    """The data that shows whether a file has changed since it was read."""

    n_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class PageCounts:
    """The number of sources by kind, and of distinct bodies."""

    n_web: int
    n_files: int
    n_bodies: int
    n_records: int = 0


@dataclass(frozen=True, slots=True)
class Pages:
    """The sources of the portal, and the body of each."""

    engine: Engine

    def put(self, rows: Iterable[PageRow]) -> None:
        with writing(self.engine) as connection:
            upsert(connection, page, (asdict(row) for row in rows))

    def get(self, source: str) -> PageRow | None:
        with self.engine.connect() as connection:
            row = connection.execute(_PAGES.where(page.c.source == source)).first()
        return PageRow(**row._mapping) if row else None

    def bodies(self, *, records: bool = True, among: Collection[BodyHash] | None = None) -> Iterator[BodyRow]:
        """Every distinct body by its first source, in order of hash; all, those that are no records from
        elsewhere, or some `among` these hashes."""
        first = (
            select(
                page.c.body,
                page.c.source,
                page.c.media_type,
                page.c.n_bytes,
                func.row_number()
                .over(partition_by=page.c.body, order_by=(page.c.depth, page.c.source))
                .label("nth"),
            )
            .where(page.c.body.is_not(None) if among is None else page.c.body.in_(among))
            .where(true() if records else page.c.media_type != CATALOGUED)
            .subquery()
        )
        query = select(first.c.body, first.c.source, first.c.media_type, first.c.n_bytes).where(
            first.c.nth == 1
        )
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(first.c.body)).all()
        return (BodyRow(*row) for row in rows)

    def sources(self, bodies: Collection[BodyHash]) -> dict[BodyHash, tuple[str, ...]]:
        """All sources of each body, the first source first."""
        found: dict[BodyHash, tuple[str, ...]] = {}
        query = select(page.c.body, page.c.source).order_by(page.c.depth, page.c.source)
        with self.engine.connect() as connection:
            for chunk in chunks(bodies):
                for row in connection.execute(query.where(page.c.body.in_(chunk))):
                    found[row.body] = (*found.get(row.body, ()), row.source)
        return found

    def sought(self) -> tuple[BodyRow, ...]:
        """Every distinct body of a page of a wanted kind, with its first such source."""
        columns = (page.c.body, page.c.source, page.c.media_type, page.c.n_bytes)
        query = select(*columns).where(page.c.page_kind != "", page.c.body.is_not(None))
        found: dict[BodyHash, BodyRow] = {}
        with self.engine.connect() as connection:
            for row in connection.execute(query.order_by(page.c.depth, page.c.source)):
                found.setdefault(row.body, BodyRow(*row))
        return tuple(found.values())

    def web_pages(self, media_type: str) -> tuple[BodyRow, ...]:
        """Every URL that returned a body of this media type, whatever its character set."""
        columns = (page.c.body, page.c.source, page.c.media_type, page.c.n_bytes)
        is_such = page.c.media_type.startswith(media_type, autoescape=True)
        query = select(*columns).where(page.c.kind == WEB, page.c.body.is_not(None), is_such)
        with self.engine.connect() as connection:
            return tuple(BodyRow(*row) for row in connection.execute(query.order_by(page.c.source)))

    def set_kinds(self, kinds: Mapping[str, str]) -> None:
        """Record the kind of page at each URL, "" for none that is wanted."""
        changed = update(page).where(page.c.source == bindparam("of_source"))
        rows = [{"of_source": source, "new_kind": kind} for source, kind in kinds.items()]
        with writing(self.engine) as connection:
            for chunk in chunks(rows):
                connection.execute(changed.values(page_kind=bindparam("new_kind")), list(chunk))

    def catalogued(self, among: Collection[BodyHash] | None = None) -> frozenset[str]:
        """The bodies that are imported records, all or those among these."""
        is_meant = page.c.body.is_not(None) if among is None else page.c.body.in_(among)
        query = select(page.c.body).where(page.c.media_type == CATALOGUED, is_meant)
        with self.engine.connect() as connection:
            return frozenset(connection.scalars(query))

    def bodies_of(self, sources: Collection[str]) -> dict[str, BodyHash]:
        """The body of each of these sources that has one."""
        found: dict[str, BodyHash] = {}
        query = select(page.c.source, page.c.body).where(page.c.body.is_not(None))
        with self.engine.connect() as connection:
            for chunk in chunks(sources):
                found.update(connection.execute(query.where(page.c.source.in_(chunk))).all())
        return found

    def file_bodies(self) -> frozenset[BodyHash]:
        """The bodies from folders and attached files, whatever other sources they have."""
        is_put = page.c.kind.in_((FILE, ATTACHED))
        query = select(page.c.body).where(is_put, page.c.body.is_not(None)).distinct()
        with self.engine.connect() as connection:
            return frozenset(connection.scalars(query))

    def files(self, origin: str) -> dict[str, FileState]:
        """The files read from a folder source, by source."""
        query = select(page.c.source, page.c.n_bytes, page.c.mtime_ns).where(
            page.c.kind == FILE, page.c.origin == origin
        )
        with self.engine.connect() as connection:
            return {
                row.source: FileState(row.n_bytes, row.mtime_ns or 0) for row in connection.execute(query)
            }

    def origins(self) -> tuple[str, ...]:
        """The folder sources from which files were read; one may since have been removed from the
        configuration.
        """
        query = select(page.c.origin).where(page.c.kind == FILE).distinct().order_by(page.c.origin)
        with self.engine.connect() as connection:
            return tuple(connection.scalars(query))

    def remove(self, sources: Iterable[str]) -> None:
        with writing(self.engine) as connection:
            for chunk in chunks(sources, CHUNK):
                connection.execute(delete(page).where(page.c.source.in_(chunk)))

    def counts(self) -> PageCounts:
        by_kind = select(page.c.kind, func.count()).group_by(page.c.kind)
        distinct = select(func.count(page.c.body.distinct()))
        with self.engine.connect() as connection:
            counted: dict[str, int] = dict(connection.execute(by_kind).all())
            n_bodies = connection.scalar(distinct) or 0
        return PageCounts(
            n_web=counted.get(WEB, 0),
            n_files=counted.get(FILE, 0) + counted.get(ATTACHED, 0),
            n_bodies=n_bodies,
            n_records=counted.get(RECORD, 0),
        )


_PAGES: Select[Any] = select(page)
