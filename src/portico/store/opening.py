"""Open a portal's store: make it, bring it up to date, or say clearly why that cannot be."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError

from portico.errors import ConfigError, PortalError, StoreTooNew
from portico.store import migrations, schema
from portico.store.archive import Archive
from portico.store.authors import Authors
from portico.store.blobs import Blobs
from portico.store.catalog import Catalog
from portico.store.corrections import Corrections
from portico.store.deeds import Deeds
from portico.store.dialect import sqlite_engine, writing
from portico.store.failures import Failures
from portico.store.faults import disk_faults
from portico.store.freshness import Freshness
from portico.store.frontier import SqlFrontier
from portico.store.harvest import Harvests
from portico.store.indexed import Indexed
from portico.store.lessons import Lessons
from portico.store.marks import Marks
from portico.store.matches import Matches
from portico.store.meta import Meta
from portico.store.overtaking import Overtaking
from portico.store.pages import Pages
from portico.store.portal_view import PortalView
from portico.store.prefixes import SqlPrefixes
from portico.store.query_log import QueryLog
from portico.store.ranks import SqlRanks
from portico.store.results import Results
from portico.store.revisits import Revisits
from portico.store.runs import Runs
from portico.store.submissions import Submissions
from portico.store.things import Things
from portico.store.topic_ranks import TopicRanks
from portico.store.trails import Trails
from portico.store.verdicts import Verdicts

BLOBS_FOLDER = "blobs"


@dataclass(frozen=True, slots=True)
class Store:
    """Everything a portal keeps, by what it is about."""

    engine: Engine
    blobs: Blobs
    meta: Meta
    pages: Pages
    results: Results
    failures: Failures
    catalog: Catalog
    matches: Matches
    authors: Authors
    topic_ranks: TopicRanks
    indexed: Indexed
    overtaking: Overtaking
    runs: Runs
    frontier: SqlFrontier
    revisits: Revisits
    freshness: Freshness
    archive: Archive
    ranks: SqlRanks
    prefixes: SqlPrefixes
    harvests: Harvests
    view: PortalView
    trails: Trails
    verdicts: Verdicts
    corrections: Corrections
    submissions: Submissions
    lessons: Lessons
    query_log: QueryLog
    deeds: Deeds
    things: Things
    marks: Marks

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
    engine = sqlite_engine(path, read_only=read_only)
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
    return Store(
        engine=engine,
        blobs=blobs,
        meta=Meta(engine),
        pages=Pages(engine),
        results=Results(engine),
        failures=Failures(engine),
        catalog=Catalog(engine),
        matches=Matches(engine),
        authors=Authors(engine),
        topic_ranks=TopicRanks(engine),
        indexed=Indexed(engine),
        overtaking=Overtaking(engine),
        runs=Runs(engine),
        frontier=SqlFrontier(engine, blobs),
        revisits=Revisits(engine, blobs),
        freshness=Freshness(engine),
        archive=Archive(engine),
        ranks=SqlRanks(engine),
        prefixes=SqlPrefixes(engine),
        harvests=Harvests(engine),
        view=PortalView(engine),
        trails=Trails(engine),
        verdicts=Verdicts(engine),
        corrections=Corrections(engine),
        submissions=Submissions(engine),
        lessons=Lessons(engine),
        query_log=QueryLog(engine),
        deeds=Deeds(engine),
        things=Things(engine),
        marks=Marks(engine),
    )
