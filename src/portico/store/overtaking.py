"""Whether the search index knows what the store says of papers, or has been overtaken."""

from dataclasses import dataclass

from sqlalchemy import Connection, Engine, select

from portico.store.dialect import upsert, writing
from portico.store.schema import meta

# Names in `meta`: how often papers changed without the index, and up to which of these changes it has seen.
_NOTED, _SEEN = "paper_changes", "paper_changes_indexed"


@dataclass(frozen=True, slots=True)
class Overtaking:
    """Counted by whoever changes papers, before they do, and marked as seen by whoever indexes them."""

    engine: Engine

    def note(self) -> None:
        """Papers are about to change, or have changed, and the index does not know."""
        with writing(self.engine) as connection:
            number = int(_numbers(connection).get(_NOTED, "0")) + 1
            upsert(connection, meta, [{"key": _NOTED, "value": str(number)}])

    def noted(self) -> int:
        """How many there were so far; asked before papers are read for the index."""
        with self.engine.connect() as connection:
            return int(_numbers(connection).get(_NOTED, "0"))

    def seen(self, number: int) -> None:
        """The index holds papers as they were when so many were noted, or later."""
        with writing(self.engine) as connection:
            upsert(connection, meta, [{"key": _SEEN, "value": str(number)}])

    def are_unseen(self) -> bool:
        """Whether papers may differ from the index; so too where nobody ever said that they do not."""
        with self.engine.connect() as connection:
            numbers = _numbers(connection)
        return _SEEN not in numbers or numbers[_SEEN] != numbers.get(_NOTED, "0")


def _numbers(connection: Connection) -> dict[str, str]:
    rows = connection.execute(select(meta.c.key, meta.c.value).where(meta.c.key.in_((_NOTED, _SEEN))))
    return {row.key: row.value for row in rows}
