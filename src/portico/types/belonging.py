"""What is part of what: an officer of an organisation."""

from dataclasses import dataclass

from portico.types.record import EntityId


@dataclass(frozen=True, slots=True)
class Belonging:
    """One thing is part of another."""

    part: EntityId
    whole: EntityId
