"""What is known of a page that was fetched before: how to ask whether it changed, and how often it does."""

from dataclasses import dataclass

from portico.types.page import BodyHash


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """What the visits to one page showed of its changes; times are seconds since the epoch.

    A change is dated where the host told when it was (Last-Modified): then the time since was quiet. Of an
    undated one it is only known that it fell into the time since the visit before.
    """

    first_at: float  # when it was first fetched
    checked_at: float  # when its host last said what it is
    n_visits: int = 0  # answers after the first
    n_changes: int = 0  # that these showed
    n_dated: int = 0
    quiet_s: float = 0.0
    n_undated: int = 0
    undated_s: float = 0.0
    gone_since: float | None = None  # the first of its visits in a row that found it gone


@dataclass(frozen=True, slots=True)
class Revisit:
    """A page as it was when its host last gave it, for asking whether it is still so."""

    body: BodyHash
    etag: str | None
    last_modified: str | None
    record: ChangeRecord
