"""What the id of an entity is made of."""

from dataclasses import dataclass

from portico.types.record import RecordId


@dataclass(frozen=True, slots=True)
class Identity:
    """What an id is made of; `rank` says who keeps the plain id when two would have the same."""

    key: str  # title and first author, or the record where these say too little
    year: int | None
    record: RecordId  # the smallest record id of the entity
    held: bool

    @property
    def rank(self) -> tuple[bool, int, str]:
        return not self.held, self.year or 9999, self.record
