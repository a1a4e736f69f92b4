"""What the portal is made of once everything is known, part by part, and how much of it there is."""

from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from portico.store.catalog.authors import Authors
from portico.store.catalog.citations import CitationReader
from portico.store.catalog.entities import EntityReader
from portico.store.catalog.index_state import IndexedEntries, IndexStaleness
from portico.store.catalog.matches import Matches
from portico.store.catalog.things import Things
from portico.store.catalog.topics import TopicStore
from portico.store.schema import assignment, citation, entity, topic


@dataclass(frozen=True, slots=True)
class CatalogCounts:
    """How many papers the portal has, how many more it knows from citations, and how they are linked."""

    n_held: int
    n_cited_only: int
    n_citations: int
    n_topics: int
    n_assigned: int  # documents with a place in the tree


@dataclass(frozen=True, slots=True)
class Catalog:
    """Written by the whole-collection stages; only rows that changed are touched."""

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
    def staleness(self) -> IndexStaleness:
        return IndexStaleness(self.engine)

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
