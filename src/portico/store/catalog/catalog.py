"""The contents of the portal after matching, part by part, with counts."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, func, select

from portico.store.catalog.authors import Authors
from portico.store.catalog.citations import CitationReader
from portico.store.catalog.entities import EntityReader
from portico.store.catalog.entity_changes import EntityChanges
from portico.store.catalog.matches import Matches
from portico.store.catalog.things import Things
from portico.store.catalog.topics import TopicStore
from portico.store.catalog.unseen import UnseenPapers
from portico.store.database import chunks, upsert, writing
from portico.store.schema import assignment, citation, entity, indexed, meta, topic
from portico.types.record import EntityId


@dataclass(frozen=True, slots=True)
class IndexedEntries:
    """The digests of indexed entries: comparing with them shows which entries must be written again."""

    engine: Engine

    def digests(self, generation: str, among: Collection[EntityId] | None = None) -> dict[str, str]:
        """The digest with which each entity was last indexed, for all or these."""
        query = select(indexed.c.entity, indexed.c.digest).where(indexed.c.generation == generation)
        with self.engine.connect() as connection:
            if among is None:
                return dict(connection.execute(query).all())
            return {
                name: digest
                for chunk in chunks(among)
                for name, digest in connection.execute(query.where(indexed.c.entity.in_(chunk)))
            }

    def update(
        self,
        generation: str,
        written: Mapping[EntityId, str] | Mapping[str, str],
        removed: Iterable[str] = (),
    ) -> None:
        """Record, in one transaction, which entries were written (entity → digest) and which removed."""
        with writing(self.engine) as connection:
            for chunk in chunks(removed):
                connection.execute(
                    delete(indexed).where(indexed.c.generation == generation, indexed.c.entity.in_(chunk))
                )
            rows = (
                {"generation": generation, "entity": key, "digest": value} for key, value in written.items()
            )
            upsert(connection, indexed, rows)

    def keep_only(self, generation: str) -> None:
        """Forget every other generation."""
        with writing(self.engine) as connection:
            connection.execute(delete(indexed).where(indexed.c.generation != generation))


# Keys in `meta`: the number of changes of papers outside indexing, and the last of them that the index
# includes.
_NOTED, _SEEN = "paper_changes", "paper_changes_indexed"


@dataclass(frozen=True, slots=True)
class IndexStaleness:
    """A counter of changes to papers, incremented before each change and marked as seen by the index
    stage.
    """

    engine: Engine

    def note_change(self) -> None:
        """Record that papers are about to change, or have changed, without the index."""
        with writing(self.engine) as connection:
            number = int(_change_counts(connection).get(_NOTED, "0")) + 1
            upsert(connection, meta, [{"key": _NOTED, "value": str(number)}])

    def n_changes(self) -> int:
        """The number of changes so far; read it before reading papers for the index."""
        with self.engine.connect() as connection:
            return int(_change_counts(connection).get(_NOTED, "0"))

    def mark_seen(self, number: int) -> None:
        """Record that the index holds papers at least as recent as this number of changes."""
        with writing(self.engine) as connection:
            upsert(connection, meta, [{"key": _SEEN, "value": str(number)}])

    def is_stale(self) -> bool:
        """Whether papers may differ from the index, also if that was never recorded."""
        with self.engine.connect() as connection:
            numbers = _change_counts(connection)
        return _SEEN not in numbers or numbers[_SEEN] != numbers.get(_NOTED, "0")


def _change_counts(connection: Connection) -> dict[str, str]:
    rows = connection.execute(select(meta.c.key, meta.c.value).where(meta.c.key.in_((_NOTED, _SEEN))))
    return {row.key: row.value for row in rows}


@dataclass(frozen=True, slots=True)
class CatalogCounts:
    """The number of held papers, of papers only known from citations, and of citations."""

    n_held: int
    n_cited_only: int
    n_citations: int
    n_topics: int
    n_assigned: int  # documents with a place in the tree


@dataclass(frozen=True, slots=True)
class Catalog:
    """The contents of the portal. Written by the whole-collection stages; only changed rows are written."""

    engine: Engine

    @property
    def entities(self) -> EntityReader:
        return EntityReader(self.engine)

    @property
    def topics(self) -> TopicStore:
        return TopicStore(self.engine)

    @property
    def citations(self) -> CitationReader:
        return CitationReader(self.engine)

    @property
    def authors(self) -> Authors:
        return Authors(self.engine)

    @property
    def things(self) -> Things:
        return Things(self.engine)

    @property
    def matches(self) -> Matches:
        return Matches(self.engine)

    @property
    def indexed(self) -> IndexedEntries:
        return IndexedEntries(self.engine)

    @property
    def changes(self) -> EntityChanges:
        return EntityChanges(self.engine)

    @property
    def staleness(self) -> IndexStaleness:
        return IndexStaleness(self.engine)

    @property
    def unseen(self) -> UnseenPapers:
        return UnseenPapers(self.engine)

    def counts(self) -> CatalogCounts:
        with self.engine.connect() as connection:
            by_held = select(entity.c.held, func.count()).group_by(entity.c.held)
            held: dict[bool, int] = dict(connection.execute(by_held).all())
            return CatalogCounts(
                n_held=held.get(True, 0),
                n_cited_only=held.get(False, 0),
                n_citations=connection.scalar(select(func.count()).select_from(citation)) or 0,
                n_topics=connection.scalar(select(func.count()).select_from(topic)) or 0,
                n_assigned=connection.scalar(select(func.count(assignment.c.document.distinct()))) or 0,
            )
