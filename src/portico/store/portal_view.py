"""Queries of the portal's pages: papers, counts, and the sources of each paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, Row, func, select

from portico.store.catalog.authors import Authors
from portico.store.catalog.citations import CitationReader
from portico.store.catalog.entities import EntityReader, read_records
from portico.store.catalog.entity_changes import EntityChanges
from portico.store.catalog.topics import TopicStore
from portico.store.codec import decode
from portico.store.crawl.host_claims import count_crawlers
from portico.store.database import chunks
from portico.store.documents.failures import FailureCounts, Failures
from portico.store.documents.pages import ATTACHED, FILE, RECORD
from portico.store.documents.results import RunRow, Runs
from portico.store.meta import Meta, read_tree_choice
from portico.store.schema import citation, entity, link, meta, page, result
from portico.types.document import Document, DocumentId, PagePicture
from portico.types.enrichment import CATALOGS, CatalogAnswer
from portico.types.frontier import LinkState
from portico.types.record import Entity, EntityId, Record, RecordId
from portico.types.stages import StageName
from portico.types.topic import TreeChoice

PICTURE = StageName.PICTURE
"""The stage whose results are pictures of first pages."""

GENERATION_KEY = "index_generation"
"""The key in `meta` of the index folder that is being served."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of papers, documents and citations of a portal."""

    n_held: int
    n_cited_only: int
    n_citations: int
    n_sources: int


MOST_COUNTED = 1_000_000
"""Maximum number of waiting URLs that are counted: counting a billion takes minutes."""


@dataclass(frozen=True, slots=True)
class WorkCounts:
    """The progress of crawls and builds, on whatever machines they run."""

    n_queued: int  # waiting URLs; at most `MOST_COUNTED`
    n_crawlers: int  # crawlers working together now; 0 if a single one needs no claims
    n_done: Mapping[str, int]  # documents by stage
    failures: Mapping[str, FailureCounts]
    runs: Mapping[str, RunRow]  # the last run of each stage


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document was found: a URL, or a path in a folder."""

    name: str
    kind: str  # web, file
    document: DocumentId
    media_type: str
    n_bytes: int
    fetched_at: float
    origin: str = ""  # of a file: the folder it was read from, or the catalog that names it

    @property
    def is_name(self) -> bool:
        """Whether this is the name of a record in its catalog, no URL."""
        return self.name.startswith(f"{RECORD}:")

    def show_place(self) -> str:
        """What visitors are told: an address; of a file its path below the folder of its origin, and of one
        elsewhere its name, because where folders are on this machine is nobody's business."""
        if self.kind not in (FILE, ATTACHED):
            return self.name
        parts = _list_parts(self.name)
        folder = _list_parts(self.origin)[: -1 if self.kind == ATTACHED else None]
        # The path is kept relative to the portal, so it begins with the end of the folder's own path.
        for start in range(len(folder)):
            if parts[: len(folder) - start] == folder[start:]:
                return "/".join(parts[len(folder) - start :])
        return "/".join(parts[-1:] if folder else parts)


def _list_parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", "..", ".")]


@dataclass(frozen=True, slots=True)
class PortalView:
    """Read-only queries, each in one short transaction, so that a build can continue meanwhile."""

    engine: Engine

    @property
    def citations(self) -> CitationReader:
        return CitationReader(self.engine)

    @property
    def entities(self) -> EntityReader:
        return EntityReader(self.engine)

    @property
    def topics(self) -> TopicStore:
        return TopicStore(self.engine)

    @property
    def changes(self) -> EntityChanges:
        return EntityChanges(self.engine)

    @property
    def authors(self) -> Authors:
        return Authors(self.engine)

    def tree_choice(self) -> TreeChoice | None:
        """The topic tree that the portal uses, and why."""
        return read_tree_choice(Meta(self.engine))

    def index_generation(self) -> str | None:
        with self.engine.connect() as connection:
            return connection.scalar(select(meta.c.value).where(meta.c.key == GENERATION_KEY))

    def counts(self) -> Counts:
        with self.engine.connect() as connection:
            rows = connection.execute(select(entity.c.held, func.count()).group_by(entity.c.held))
            by_held = {bool(held): int(count) for held, count in rows}
            n_citations = connection.scalar(select(func.count()).select_from(citation)) or 0
            n_sources = connection.scalar(select(func.count()).select_from(page)) or 0
        return Counts(by_held.get(True, 0), by_held.get(False, 0), n_citations, n_sources)

    def count_work(self) -> WorkCounts:
        waiting = select(link.c.id).where(link.c.state == LinkState.QUEUED).limit(MOST_COUNTED).subquery()
        done = select(result.c.stage, func.count()).where(result.c.digest.is_not(None))
        with self.engine.connect() as connection:
            n_queued = connection.scalar(select(func.count()).select_from(waiting)) or 0
            n_done = {stage: int(count) for stage, count in connection.execute(done.group_by(result.c.stage))}
        return WorkCounts(
            n_queued,
            count_crawlers(self.engine),
            n_done,
            Failures(self.engine).counts(),
            Runs(self.engine).last(),
        )

    def found_at(self, entities: Sequence[Entity]) -> dict[EntityId, float]:
        """When the documents of these papers were last found, in seconds since the epoch."""
        homes = {document: each.id for each in entities for document in each.documents}
        found: dict[EntityId, float] = {}
        with self.engine.connect() as connection:
            for chunk in chunks(homes):
                rows = connection.execute(
                    select(page.c.body, page.c.fetched_at).where(page.c.body.in_(chunk))
                )
                for body, at in rows:
                    found[homes[body]] = max(at, found.get(homes[body], 0.0))
        return found

    def record(self, record_id: RecordId) -> Record | None:
        """A header or reference as it was read."""
        with self.engine.connect() as connection:
            return read_records(connection, [record_id]).get(record_id)

    def document(self, document: DocumentId) -> Document | None:
        """The text of a document with its layout; None if it was not converted."""
        query = select(result.c.payload).where(
            result.c.stage == StageName.CONVERT, result.c.subject == document, result.c.payload.is_not(None)
        )
        with self.engine.connect() as connection:
            payload = connection.scalar(query)
        return decode(Document, payload) if payload is not None else None

    def picture(self, documents: Sequence[DocumentId]) -> PagePicture | None:
        """The picture of the first page of the first of these documents that has one."""
        query = select(result.c.subject, result.c.payload).where(
            result.c.stage == PICTURE, result.c.subject.in_(documents), result.c.payload.is_not(None)
        )
        with self.engine.connect() as connection:
            found = {name: decode(PagePicture, payload) for name, payload in connection.execute(query)}
        pictures = (found[name] for name in documents if name in found)
        return next((each for each in pictures if each.png), None)

    def catalog_answers(self, documents: Sequence[DocumentId]) -> tuple[CatalogAnswer, ...]:
        """The answers of external catalogs about these documents."""
        subjects = [f"{document}:{catalog}" for document in documents for catalog in CATALOGS]
        query = select(result.c.payload).where(
            result.c.stage == StageName.ENRICH, result.c.subject.in_(subjects), result.c.payload.is_not(None)
        )
        with self.engine.connect() as connection:
            return tuple(decode(CatalogAnswer, payload) for payload in connection.scalars(query))

    def sources(self, documents: Sequence[DocumentId]) -> tuple[Source, ...]:
        """Every place where these documents were found, in the order of the documents."""
        query = select(page).where(page.c.body.in_(documents)).order_by(page.c.source)
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        places = {document: place for place, document in reversed([*enumerate(documents)])}
        found = sorted(map(_source, rows), key=lambda source: places[source.document])
        # The name of a harvested record is there to find it again; people are told its URL.
        located = {source.document for source in found if not source.is_name}
        return tuple(source for source in found if not source.is_name or source.document not in located)

    def sources_of(self, entities: Sequence[Entity]) -> dict[EntityId, tuple[Source, ...]]:
        """The same for the documents of several entities, in one query."""
        by_document: dict[DocumentId, list[Source]] = {}
        for source in self.sources([document for each in entities for document in each.documents]):
            by_document.setdefault(source.document, []).append(source)
        return {
            each.id: tuple(source for document in each.documents for source in by_document.get(document, ()))
            for each in entities
        }


def _source(row: Row[*tuple[Any, ...]]) -> Source:
    return Source(
        name=row.source,
        kind=row.kind,
        document=DocumentId(row.body),
        media_type=row.media_type,
        n_bytes=row.n_bytes,
        fetched_at=row.fetched_at,
        origin=row.origin,
    )
