"""Small facts about the portal, by name."""

from dataclasses import dataclass

from sqlalchemy import Engine, delete, select

from portico.store.dialect import upsert, writing
from portico.store.schema import meta


@dataclass(frozen=True, slots=True)
class Meta:
    """Fingerprints of finished global stages, the index generation being served, the schema's version."""

    engine: Engine

    def get(self, key: str) -> str | None:
        with self.engine.connect() as connection:
            return connection.scalar(select(meta.c.value).where(meta.c.key == key))

    def set(self, key: str, value: str) -> None:
        with writing(self.engine) as connection:
            upsert(connection, meta, [{"key": key, "value": value}])

    def delete(self, key: str) -> None:
        with writing(self.engine) as connection:
            connection.execute(delete(meta).where(meta.c.key == key))
