"""A citation graph, and verdicts on it, written to a store as the product writes them, for tests."""

from collections.abc import Iterable

from sqlalchemy import delete, select

from portico.store.catalog.graph import replace_graph
from portico.store.database import Changes, upsert, writing
from portico.store.opening import Store
from portico.store.schema import alias, verdict
from portico.types.correction import Verdict
from portico.types.record import Citation, Entity


def write_graph(store: Store, entities: Iterable[Entity], citations: Iterable[Citation]) -> Changes:
    with writing(store.engine) as connection:
        return replace_graph(connection, tuple(entities), tuple(citations))


def read_aliases(store: Store) -> dict[str, str]:
    """Ids that once were, and what they became."""
    with store.engine.connect() as connection:
        return {row.old: row.entity for row in connection.execute(select(alias))}


def write_verdicts(store: Store, verdicts: Iterable[Verdict]) -> None:
    """The builder's word on pairs of records, in either order, as an accepted correction leaves it."""
    pairs = [(sorted((each.one, each.other)), each) for each in verdicts]
    with writing(store.engine) as connection:
        upsert(
            connection,
            verdict,
            [
                {"one": one, "other": other, "same": each.same, "who": each.who, "at": each.at}
                for (one, other), each in pairs
            ],
        )


def remove_verdict(store: Store, old: Verdict) -> None:
    one, other = sorted((old.one, old.other))
    with writing(store.engine) as connection:
        connection.execute(delete(verdict).where(verdict.c.one == one, verdict.c.other == other))
