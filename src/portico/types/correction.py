"""A correction of a paper by a person, and its state."""

from dataclasses import dataclass
from enum import StrEnum

from portico.types.record import EntityId, RecordId


@dataclass(frozen=True, slots=True)
class Verdict:
    """A person's decision that two records are, or are not, the same paper."""

    one: RecordId
    other: RecordId
    same: bool
    who: str = ""
    at: float = 0.0  # seconds since the epoch


class CorrectionKind(StrEnum):
    """The subject of a correction."""

    FIELD = "field"  # a value was read wrongly
    TOPIC = "topic"  # the paper belongs elsewhere in the tree
    SAME = "same"  # another paper of the portal is this one
    DIFFERENT = "different"  # one of its records speaks of another paper
    NOT_A_PAPER = "not-a-paper"


class ProposalStatus(StrEnum):
    """The state of a correction, or of a URL submitted by a visitor."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"  # accepted once, and taken back


@dataclass(frozen=True, slots=True)
class Proposal:
    """A correction as submitted.

    `record` finds the paper again after rebuilds, in which its id may change. `value` is what ought to be: of
    a field one value a line (none: the paper has no such field), of a topic its path, of another paper or
    of a stranger among the records the record's id, of no paper its documents and its other records.
    """

    wrong: CorrectionKind
    entity: EntityId
    record: RecordId
    field: str = ""
    value: str = ""
    before: str = ""  # what the portal said, for people
    note: str = ""
    who: str = "visitor"
    at: float = 0.0  # seconds since the epoch

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(line for line in self.value.split("\n") if line.strip())


@dataclass(frozen=True, slots=True)
class Correction:
    """A proposal with its number and its standing."""

    id: int
    proposal: Proposal
    standing: ProposalStatus
    decided_at: float = 0.0
