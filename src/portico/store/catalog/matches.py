"""The last matching and what it was made of, changed together in one transaction."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import Connection, Engine, delete, select

from portico.store.catalog.graph import Patched, patch_graph, replace_graph
from portico.store.catalog.match_memory import Compared, Likeness, write_compared
from portico.store.catalog.ranking import GraphRanker, rank_all, rerank
from portico.store.database import chunks, upsert, writing
from portico.store.match_tables import matched, occurrence
from portico.store.schema import meta
from portico.types.record import Citation, Entity, RecordId

_BASIS = "match_basis"

Decision = tuple[str, str, bool]
"""Two records, and whether they are one paper."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What a matching was made of: its method, the builder's decisions, and documents."""

    method: str  # fingerprint of what, if it changes, makes all comparisons void
    verdicts: tuple[Decision, ...]
    digests: Mapping[str, str] = field(default_factory=dict)  # documents that are new or changed
    gone: frozenset[str] = frozenset()  # documents that are no longer there


@dataclass(frozen=True, slots=True)
class Matches:
    """What was matched; one transaction makes a new matching visible."""

    engine: Engine

    def basis(self) -> Basis | None:
        """What the last matching was made of, all documents included; None where there was none."""
        with self.engine.connect() as connection:
            value = connection.scalar(select(meta.c.value).where(meta.c.key == _BASIS))
            digests = dict(connection.execute(select(matched.c.document, matched.c.digest)).all())
        if value is None:
            return None
        method, verdicts = json.loads(value)
        return Basis(method, tuple((one, other, same) for one, other, same in verdicts), digests)

    def records_of(self, documents: Iterable[str]) -> list[RecordId]:
        """The records that these documents had then."""
        found: list[RecordId] = []
        with self.engine.connect() as connection:
            for chunk in chunks(documents):
                query = select(occurrence.c.record).where(occurrence.c.document.in_(chunk))
                found += map(RecordId, connection.scalars(query))
        return sorted(found)

    def known(self, records: Iterable[RecordId]) -> list[RecordId]:
        """Those of the records that were matched."""
        found: list[RecordId] = []
        with self.engine.connect() as connection:
            for chunk in chunks(records):
                query = select(occurrence.c.record).where(occurrence.c.record.in_(chunk))
                found += map(RecordId, connection.scalars(query))
        return sorted(found)

    def replace(
        self,
        entities: Sequence[Entity],
        citations: Sequence[Citation],
        compared: Compared,
        basis: Basis,
        ranker: GraphRanker,
    ) -> None:
        """Make this the matching, whole."""
        with writing(self.engine) as connection:
            replace_graph(connection, tuple(entities), tuple(citations))
            rank_all(connection, ranker)
            write_compared(connection, compared)
            connection.execute(delete(matched))
            _write_basis(connection, basis)

    def forget(self) -> None:
        """Let the next matching compare everything, however little has changed."""
        with writing(self.engine) as connection:
            connection.execute(delete(meta).where(meta.c.key == _BASIS))

    @contextmanager
    def changing(self) -> Iterator[Likeness]:
        """What is kept, open to be changed; nothing changes if the block is left by an error."""
        with writing(self.engine) as connection:
            yield Likeness(connection)

    @staticmethod
    def change(memory: Likeness, patched: Patched, basis: Basis, ranker: GraphRanker) -> None:
        """Make these the entities that a change touched, and rank all anew."""
        memory.settle(patched.homes)
        memory.rename(patched.before, patched.identities)
        touched = patch_graph(memory.connection, patched)
        rerank(memory.connection, ranker, touched)
        _write_basis(memory.connection, basis)


def _write_basis(connection: Connection, basis: Basis) -> None:
    for chunk in chunks(basis.gone):
        connection.execute(delete(matched).where(matched.c.document.in_(chunk)))
    rows = ({"document": name, "digest": found} for name, found in basis.digests.items())
    upsert(connection, matched, rows)
    value = json.dumps([basis.method, basis.verdicts])
    upsert(connection, meta, [{"key": _BASIS, "value": value}])
