"""What the builder decided by hand about two records."""

from dataclasses import dataclass

from portico.types.record import RecordId


@dataclass(frozen=True, slots=True)
class Verdict:
    """Two records that mean one paper, or two, whatever the matcher thinks."""

    one: RecordId
    other: RecordId
    same: bool
    who: str = ""
    at: float = 0.0  # seconds since the epoch
