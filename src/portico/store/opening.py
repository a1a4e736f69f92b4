"""Opens a portal's store: creates, migrates and locks it for one builder, or reports why it cannot."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError

from portico.errors import ConfigError, PortalBusy, PortalError, StoreMissing, StoreTooNew
from portico.store import migrations, schema
from portico.store.catalog.catalog import Catalog
from portico.store.contributions.corrections import Corrections
from portico.store.contributions.teaching import Marks, TeachingLog
from portico.store.contributions.visitors import QueryLog, RateEvents, Submissions
from portico.store.crawl.freshness import Freshness
from portico.store.crawl.frontier import SqlFrontier
from portico.store.crawl.harvest import Harvests
from portico.store.crawl.history import CrawlHistory
from portico.store.crawl.host_claims import HostClaims, SharedFrontier, prepare_claims
from portico.store.crawl.link_ranks import LinkPrefixes, LinkRanks
from portico.store.crawl.revisits import Revisits
from portico.store.database import writing
from portico.store.documents.blobs import Blobs, open_blobs
from portico.store.documents.failures import Failures
from portico.store.documents.pages import Pages
from portico.store.documents.results import Runs, StageResults
from portico.store.faults import disk_faults
from portico.store.meta import Meta
from portico.store.portal_view import PortalView
from portico.store.postgresql import hold_postgresql, hold_postgresql_index, open_postgresql, say_url
from portico.store.seals import drop_seals, prepare_seals
from portico.store.sqlite import open_sqlite

BLOBS_FOLDER = "blobs"


@dataclass(frozen=True, slots=True)
class CrawlStore:
    """What the crawl knows and has learned."""

    frontier: SqlFrontier
    claims: HostClaims | None  # if several crawlers may share it
    revisits: Revisits
    freshness: Freshness
    link_ranks: LinkRanks
    prefixes: LinkPrefixes
    harvests: Harvests
    history: CrawlHistory


@dataclass(frozen=True, slots=True)
class DocumentStore:
    """What was obtained, the results of each stage, and what failed."""

    pages: Pages
    results: StageResults
    failures: Failures
    runs: Runs


@dataclass(frozen=True, slots=True)
class ContributionStore:
    """What visitors and the builder contribute, decide and teach."""

    corrections: Corrections
    submissions: Submissions
    lessons: TeachingLog
    marks: Marks
    query_log: QueryLog
    rate_events: RateEvents


@dataclass(frozen=True, slots=True)
class Store:
    """Everything a portal stores, by subject."""

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


def open_store(
    url: str, folder: Path, *, blobs: str = "", create: bool = False, read_only: bool = False
) -> Store:
    """The store of the portal in `folder`; a relative `url` is relative to it.

    `blobs` is the location of bodies, if not in that folder too. With `create` a store is created if there is
    none; without it that is a PortalError. An older store is migrated in one transaction.
    """
    engine, place = open_database(url, folder, create=create, read_only=read_only)
    try:
        _prepare(engine, place, create=create, read_only=read_only)
        if not read_only:
            prepare_seals(engine)
            prepare_claims(engine)
    except BaseException:
        engine.dispose()
        raise
    return _store(engine, open_blobs(blobs or str(folder / BLOBS_FOLDER)))


def open_database(
    url: str, folder: Path, *, create: bool = False, read_only: bool = False
) -> tuple[Engine, Path | str]:
    """The database at a URL, whatever it holds, and its name for messages."""
    parsed = parse_store_url(url)
    if parsed.get_backend_name() == POSTGRESQL:
        return open_postgresql(parsed, read_only=read_only), say_url(parsed)
    path = folder / str(parsed.database)
    if not create and not path.exists():
        raise _no_store(path)
    if create:
        with disk_faults(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
    return open_sqlite(path, read_only=read_only), path


POSTGRESQL = "postgresql"


def parse_store_url(url: str) -> URL:
    """`sqlite:///name` (in the portal's folder), `sqlite:////absolute/name` or `postgresql://user@host/name`."""
    try:
        parsed = make_url(url)
    except ArgumentError as fault:
        raise ConfigError(f"store url {url!r} is not a database URL; {_ALLOWED}") from fault
    if parsed.drivername == POSTGRESQL and parsed.database:
        return parsed
    if parsed.drivername == POSTGRESQL:
        raise ConfigError(f"store url {url!r} names no database; {_ALLOWED}")
    if parsed.drivername != "sqlite" or parsed.host or parsed.query:
        raise ConfigError(f"store url {url!r}: portals are kept in SQLite or PostgreSQL; {_ALLOWED}")
    if parsed.database in (None, "", ":memory:"):
        raise ConfigError(f"store url {url!r} names no file; {_ALLOWED}")
    return parsed


_ALLOWED = (
    "write sqlite:///portico.db for a file in the portal's folder, "
    "or postgresql://user@host/name for a database of a server"
)


def is_on_server(url: str) -> bool:
    """Whether processes of several machines may write to the store at once."""
    return parse_store_url(url).get_backend_name() == POSTGRESQL


def is_writable(url: str, folder: Path) -> bool:
    """Whether a store could be written, as far as can be known without opening it."""
    parsed = parse_store_url(url)
    if parsed.get_backend_name() == POSTGRESQL:
        return True
    path = folder / str(parsed.database)
    return all(os.access(place, os.W_OK) for place in (path, path.parent))


def _prepare(engine: Engine, place: Path | str, *, create: bool, read_only: bool) -> None:
    if read_only:
        with engine.connect() as connection:
            _check_readable(connection, place)
        return
    with engine.connect() as connection:
        current = migrations.read_version(connection) == schema.VERSION
    if current:
        return  # the everyday case takes no write lock, so it never waits for a running build
    with writing(engine) as connection:
        if not migrations.is_empty(connection):
            _migrate(connection, place)
        elif create:
            migrations.create(connection)
        else:
            raise _no_store(place)


def _migrate(connection: Connection, place: Path | str) -> None:
    found = migrations.read_version(connection)
    if found is None:
        raise _foreign(place)
    if found < schema.VERSION:
        drop_seals(connection)
    try:
        migrations.migrate(connection)
    except StoreTooNew as error:
        raise StoreTooNew(f"{place}: {error}") from error


def _check_readable(connection: Connection, place: Path | str) -> None:
    if migrations.is_empty(connection):
        raise _no_store(place)
    version = migrations.read_version(connection)
    if version is None:
        raise _foreign(place)
    if version > schema.VERSION:
        _migrate(connection, place)
    if version < schema.VERSION:
        raise PortalError(
            f"{place}: was written by an older Portico (store version {version}, now {schema.VERSION}). "
            f"Run `portico build` once to bring it up to date."
        )


def _no_store(place: Path | str) -> StoreMissing:
    return StoreMissing(f"{place}: there is no database yet. Run `portico build` for this portal first.")


def _foreign(place: Path | str) -> PortalError:
    return PortalError(
        f"{place}: is a database, but not a portal's. Name another under [store] url in portal.toml, "
        f"or move this one away."
    )


def _store(engine: Engine, blobs: Blobs) -> Store:
    claims = HostClaims(engine) if engine.dialect.name == POSTGRESQL else None
    crawl = CrawlStore(
        frontier=SharedFrontier(engine, blobs, claims.news) if claims else SqlFrontier(engine, blobs),
        claims=claims,
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

# Descriptors of locks this process holds. A forked child inherits copies, which would keep the portal locked
# after its parent was killed, so every child closes them at once.
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
def store_lock(store: Store, *, shared: bool = False) -> Iterator[None]:
    """Hold the store as well, against builders on other machines. For an SQLite file the folder's lock
    suffices.

    Crawlers share it.
    """
    if store.engine.dialect.name != POSTGRESQL:
        yield
        return
    with hold_postgresql(store.engine, shared=shared):
        yield


@contextmanager
def index_lock(folder: Path, *, wait: bool, store: Store | None = None) -> Iterator[bool]:
    """Hold the index against a second writer: a build, or a correction. Yields whether it is held.

    Without `wait`, it may not be held because another writer is at work. With a `store` on a server, it is
    held against writers on other machines, too.
    """
    if store is not None and store.engine.dialect.name == POSTGRESQL:
        with hold_postgresql_index(store.engine, wait=wait) as is_ours:
            if not is_ours:
                yield False
                return
            with index_lock(folder, wait=wait) as held:
                yield held
        return
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
