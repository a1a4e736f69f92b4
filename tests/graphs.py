"""A citation graph written to a store as matching writes it, for tests that need one to look at."""

from collections.abc import Iterable

from sqlalchemy import select

from portico.store.catalog.graph import replace_graph
from portico.store.database import Changes, writing
from portico.store.opening import Store
from portico.store.schema import alias
from portico.types.record import Citation, Entity


def write_graph(store: Store, entities: Iterable[Entity], citations: Iterable[Citation]) -> Changes:
    with writing(store.engine) as connection:
        return replace_graph(connection, tuple(entities), tuple(citations))


def read_aliases(store: Store) -> dict[str, str]:
    """Ids that once were, and what they became."""
    with store.engine.connect() as connection:
        return {row.old: row.entity for row in connection.execute(select(alias))}
