"""Open a portal's store: make it, bring it up to date, keep it for one builder, or say why that cannot be."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError

from portico.errors import ConfigError, PortalBusy, PortalError, StoreTooNew
from portico.store import migrations, schema
from portico.store.catalog.catalog import Catalog
from portico.store.contributions.corrections import Corrections
from portico.store.contributions.teaching import Marks, TeachingLog
from portico.store.contributions.visitors import QueryLog, RateEvents, Submissions
from portico.store.crawl.freshness import Freshness
from portico.store.crawl.frontier import SqlFrontier
from portico.store.crawl.harvest import Harvests
from portico.store.crawl.history import CrawlHistory
from portico.store.crawl.link_ranks import LinkPrefixes, LinkRanks
from portico.store.crawl.revisits import Revisits
from portico.store.database import open_sqlite, writing
from portico.store.documents.blobs import Blobs
from portico.store.documents.failures import Failures
from portico.store.documents.pages import Pages
from portico.store.documents.results import Runs, StageResults
from portico.store.faults import disk_faults
from portico.store.meta import Meta
from portico.store.portal_view import PortalView

BLOBS_FOLDER = "blobs"


@dataclass(frozen=True, slots=True)
class CrawlStore:
    """What the crawl knows and has learned."""

    frontier: SqlFrontier
    revisits: Revisits
    freshness: Freshness
    link_ranks: LinkRanks
    prefixes: LinkPrefixes
    harvests: Harvests
    history: CrawlHistory


@dataclass(frozen=True, slots=True)
class DocumentStore:
    """What was obtained, what each stage made of it, and what failed."""

    pages: Pages
    results: StageResults
    failures: Failures
    runs: Runs


@dataclass(frozen=True, slots=True)
class ContributionStore:
    """What visitors and the builder say, decide and teach."""

    corrections: Corrections
    submissions: Submissions
    lessons: TeachingLog
    marks: Marks
    query_log: QueryLog
    rate_events: RateEvents


@dataclass(frozen=True, slots=True)
class Store:
    """Everything a portal keeps, by subject."""

    engine: Engine
    blobs: Blobs
    meta: Meta
    crawl: CrawlStore
    documents: DocumentStore
    catalog: Catalog
    contributions: ContributionStore
    view: PortalView

    def close(self) -> None:
        self.engine.dispose()
        self.blobs.close()


def open_store(url: str, folder: Path, *, create: bool = False, read_only: bool = False) -> Store:
    """The store of the portal in `folder`; a relative `url` is relative to it.

    With `create` a store is made where there is none; without it that is a PortalError. An older
    store is brought up to date in one transaction.
    """
    path = store_path(url, folder)
    if not create and not path.exists():
        raise _no_store(path)
    if create:
        with disk_faults(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
    engine = open_sqlite(path, read_only=read_only)
    try:
        _prepare(engine, path, create=create, read_only=read_only)
    except BaseException:
        engine.dispose()
        raise
    return _store(engine, Blobs(folder / BLOBS_FOLDER))


def store_path(url: str, folder: Path) -> Path:
    """The file behind `sqlite:///name` (in the portal's folder) or `sqlite:////absolute/name`."""
    try:
        parsed = make_url(url)
    except ArgumentError as fault:
        raise ConfigError(f"store url {url!r} is not an address; {_ALLOWED}") from fault
    if parsed.get_backend_name() != "sqlite" or parsed.host or parsed.query:
        raise ConfigError(f"store url {url!r}: this version keeps portals in SQLite only; {_ALLOWED}")
    if parsed.database in (None, "", ":memory:"):
        raise ConfigError(f"store url {url!r} names no file; {_ALLOWED}")
    return folder / str(parsed.database)


_ALLOWED = "write sqlite:///portico.db for a file in the portal's folder"


def _prepare(engine: Engine, path: Path, *, create: bool, read_only: bool) -> None:
    if read_only:
        with engine.connect() as connection:
            _check_readable(connection, path)
        return
    with engine.connect() as connection:
        current = migrations.read_version(connection) == schema.VERSION
    if current:
        return  # the everyday case takes no write lock, so it never waits for a running build
    with writing(engine) as connection:
        if not migrations.is_empty(connection):
            _migrate(connection, path)
        elif create:
            migrations.create(connection)
        else:
            raise _no_store(path)


def _migrate(connection: Connection, path: Path) -> None:
    if migrations.read_version(connection) is None:
        raise _foreign(path)
    try:
        migrations.migrate(connection)
    except StoreTooNew as error:
        raise StoreTooNew(f"{path}: {error}") from error


def _check_readable(connection: Connection, path: Path) -> None:
    if migrations.is_empty(connection):
        raise _no_store(path)
    version = migrations.read_version(connection)
    if version is None:
        raise _foreign(path)
    if version > schema.VERSION:
        _migrate(connection, path)
    if version < schema.VERSION:
        raise PortalError(
            f"{path}: was written by an older Portico (store version {version}, now {schema.VERSION}). "
            f"Run `portico build` once to bring it up to date."
        )


def _no_store(path: Path) -> PortalError:
    return PortalError(f"{path}: there is no store yet. Run `portico build` for this portal first.")


def _foreign(path: Path) -> PortalError:
    return PortalError(
        f"{path}: is a database, but not a portal's. Name another file under [store] url in portal.toml, "
        f"or move this one away."
    )


def _store(engine: Engine, blobs: Blobs) -> Store:
    crawl = CrawlStore(
        frontier=SqlFrontier(engine, blobs),
        revisits=Revisits(engine, blobs),
        freshness=Freshness(engine),
        link_ranks=LinkRanks(engine),
        prefixes=LinkPrefixes(engine),
        harvests=Harvests(engine),
        history=CrawlHistory(engine),
    )
    documents = DocumentStore(Pages(engine), StageResults(engine), Failures(engine), Runs(engine))
    contributions = ContributionStore(
        corrections=Corrections(engine),
        submissions=Submissions(engine),
        lessons=TeachingLog(engine),
        marks=Marks(engine),
        query_log=QueryLog(engine),
        rate_events=RateEvents(engine),
    )
    return Store(
        engine, blobs, Meta(engine), crawl, documents, Catalog(engine), contributions, PortalView(engine)
    )


LOCK_NAME = "build.lock"
INDEX_LOCK_NAME = "index.lock"

# Descriptors of locks this process holds. A forked child gets copies of them and would keep the
# portal locked after its parent was killed, so every child closes its copies at once.
_held: set[int] = set()


@contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Hold the portal for this process; PortalBusy, naming the holder, if another has it."""
    path = folder / LOCK_NAME
    with disk_faults(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    _held.add(descriptor)
    try:
        _take(descriptor, path)
        yield
    finally:
        # The file stays: removing it could take the lock from under a process that just opened it.
        _held.discard(descriptor)
        os.close(descriptor)


@contextmanager
def index_lock(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the index against a second writer: a build, or a correction. Yields whether it is held.

    Only without `wait` can it be that another writer is at work and it is not.
    """
    with disk_faults(folder):
        descriptor = os.open(folder / INDEX_LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as fault:
        holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip()
        raise PortalBusy(
            f"{path.parent}: this portal is being built by {holder or 'another process'}. "
            f"Wait until it has finished, or stop it; nothing will be lost."
        ) from fault
    with disk_faults(path):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} since {datetime.now():%Y-%m-%d %H:%M:%S}\n".encode(), 0)


def _close_copies() -> None:
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_copies)
