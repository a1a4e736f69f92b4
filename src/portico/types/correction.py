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

    FIELD = "field"  # a value is wrong
    TOPIC = "topic"  # the paper belongs elsewhere in the tree
    SAME = "same"  # another paper of the portal is the same
    DIFFERENT = "different"  # one of its records is about another paper
    NOT_A_PAPER = "not-a-paper"


class ProposalStatus(StrEnum):
    """The state of a correction, or of a URL submitted by a visitor."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"  # accepted, and later withdrawn


@dataclass(frozen=True, slots=True)
class Proposal:
    """A correction as submitted.

    `record` identifies the paper in later builds, in which its id may change. `value` depends on the kind:
    for a field the right values, one per line (empty if the paper has no such field); for a topic its path;
    for another paper, or a record that does not belong, the id of that record; for "not a paper" the paper's
    documents and its other records.
    """

    wrong: CorrectionKind
    entity: EntityId
    record: RecordId
    field: str = ""
    value: str = ""
    before: str = ""  # the value before, for display
    note: str = ""
    who: str = "visitor"
    at: float = 0.0  # seconds since the epoch

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(line for line in self.value.split("\n") if line.strip())


@dataclass(frozen=True, slots=True)
class Correction:
    """A proposal with its number and status."""

    id: int
    proposal: Proposal
    standing: ProposalStatus
    decided_at: float = 0.0
