"""What each generation of the index holds, entity by entity."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Engine, delete, select

from portico.store.dialect import chunks, upsert, writing
from portico.store.schema import indexed


@dataclass(frozen=True, slots=True)
class Indexed:
    """Compared with what the index should hold, it tells which entries must be written again."""

    engine: Engine

    def digests(self, generation: str) -> dict[str, str]:
        """The digest each entity was last indexed with."""
        query = select(indexed.c.entity, indexed.c.digest).where(indexed.c.generation == generation)
        with self.engine.connect() as connection:
            return dict(connection.execute(query).all())

    def update(self, generation: str, written: Mapping[str, str], removed: Iterable[str] = ()) -> None:
        """Note, in one transaction, what was written (entity → digest) and what was removed."""
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
