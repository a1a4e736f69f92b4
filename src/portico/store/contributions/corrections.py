"""Corrections, stored separately from results: accepted ones take effect at once and permanently."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, delete, func, insert, or_, select, update

from portico.errors import PortalError
from portico.store.catalog.corrected import replace_field
from portico.store.contributions.applied_corrections import (
    find_holder,
    join,
    part,
    place_at,
    remove,
    write_entity,
)
from portico.store.database import upsert
from portico.store.schema import assignment, correction, entity_document, meta, verdict
from portico.store.seals import writing_sealed
from portico.types.correction import Correction, CorrectionKind, Proposal, ProposalStatus, Verdict
from portico.types.document import DocumentId
from portico.types.record import Entity, EntityId, RecordId
from portico.types.stages import StageName

MOST_WAITING = 2_000
"""Maximum number of unreviewed proposals; more are refused, so that no visitor can fill the disk."""


_INDEX_KEY = StageName.INDEX  # the key in `meta` of the fingerprint of the last finished indexing


@dataclass(frozen=True, slots=True)
class Corrections:
    """Corrections, proposed by anybody and decided by the builder."""

    engine: Engine

    def propose(self, proposal: Proposal) -> int:
        """Store a proposal for the builder; returns its number, or that of an identical one."""
        with writing_sealed(self.engine) as connection:
            known = connection.scalar(_alike(proposal))
            if known is not None:
                return int(known)
            waiting = select(func.count()).where(correction.c.standing == ProposalStatus.PROPOSED)
            if (connection.scalar(waiting) or 0) >= MOST_WAITING:
                raise PortalError("too many proposals are waiting; the builder has to look at them first")
            return _add(connection, proposal, ProposalStatus.PROPOSED)

    def make(self, proposal: Proposal) -> tuple[EntityId, ...]:
        """The builder's own correction, accepted at once; returns the ids whose index entries changed."""
        with writing_sealed(self.engine) as connection:
            _add(connection, proposal, ProposalStatus.ACCEPTED)
            return _amend(connection, proposal)

    def accept(self, number: int, *, value: str | None = None, at: float) -> tuple[EntityId, ...]:
        """Accept a proposal, with another `value` if given; returns the ids whose index entries changed."""
        with writing_sealed(self.engine) as connection:
            found = _one(connection, number)
            if found is None or found.standing is not ProposalStatus.PROPOSED:
                return ()
            said = found.proposal.value if value is None else value
            changed = {"standing": ProposalStatus.ACCEPTED, "value": said, "decided_at": at}
            connection.execute(update(correction).where(correction.c.id == number).values(changed))
            accepted = _one(connection, number)
            assert accepted is not None, "it was there a moment ago"
            return _amend(connection, accepted.proposal)

    def reject(self, number: int, *, at: float) -> None:
        """Reject a proposal; one that was accepted stops counting with the next build."""
        with writing_sealed(self.engine) as connection:
            found = _one(connection, number)
            if found is None:
                return
            said = found.proposal
            if found.standing is ProposalStatus.ACCEPTED and said.wrong in (
                CorrectionKind.SAME,
                CorrectionKind.DIFFERENT,
            ):
                named = or_(verdict.c.one == said.value, verdict.c.other == said.value)
                connection.execute(delete(verdict).where(named, verdict.c.at == said.at))
            was_accepted = found.standing is ProposalStatus.ACCEPTED
            standing = ProposalStatus.WITHDRAWN if was_accepted else ProposalStatus.REJECTED
            changed = {"standing": standing, "decided_at": at}
            connection.execute(update(correction).where(correction.c.id == number).values(changed))

    def get(self, number: int) -> Correction | None:
        with self.engine.connect() as connection:
            return _one(connection, number)

    def standing(self, standing: ProposalStatus, *, limit: int = 200) -> tuple[Correction, ...]:
        """Corrections with this status: open proposals oldest first, decided ones latest first."""
        order = (
            correction.c.id.asc() if standing is ProposalStatus.PROPOSED else correction.c.decided_at.desc()
        )
        query = select(correction).where(correction.c.standing == standing).order_by(order).limit(limit)
        with self.engine.connect() as connection:
            return tuple(_correction(row) for row in connection.execute(query))

    def accepted(self, *wrong: CorrectionKind) -> tuple[Correction, ...]:
        """All accepted corrections of these kinds, in the order of the decisions."""
        query = select(correction).where(
            correction.c.standing == ProposalStatus.ACCEPTED, correction.c.wrong.in_(wrong)
        )
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(correction.c.decided_at, correction.c.id))
            return tuple(_correction(row) for row in rows)

    def labels(self) -> dict[DocumentId, tuple[str, ...]]:
        """The topics that people gave to documents, also for other versions of the same papers."""
        found: dict[DocumentId, tuple[str, ...]] = {}
        given = self.accepted(CorrectionKind.TOPIC)
        with self.engine.connect() as connection:
            for each in given:
                path = tuple(each.proposal.value.split("/"))
                found |= dict.fromkeys(_documents(connection, each.proposal.record), path)
        return found

    def not_papers(self) -> frozenset[str]:
        """Documents and records that people marked as not being papers."""
        return frozenset(
            name for each in self.accepted(CorrectionKind.NOT_A_PAPER) for name in each.proposal.values
        )

    def decided(self) -> list[str]:
        """Decisions after which matching must start over: which records are one paper, and decisions
        taken back.
        """
        on_identity = correction.c.wrong.in_(
            (CorrectionKind.SAME, CorrectionKind.DIFFERENT, CorrectionKind.NOT_A_PAPER)
        )
        stands = on_identity & (correction.c.standing == ProposalStatus.ACCEPTED)
        query = select(correction.c.id, correction.c.standing).where(
            stands | (correction.c.standing == ProposalStatus.WITHDRAWN)
        )
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(correction.c.id))
            return [f"{number} {standing}" for number, standing in rows]

    def verdicts(self) -> tuple[Verdict, ...]:
        """Decisions on pairs of records, ascending by records; matching obeys them in every build."""
        query = select(verdict).order_by(verdict.c.one, verdict.c.other)
        with self.engine.connect() as connection:
            return tuple(
                Verdict(RecordId(row.one), RecordId(row.other), row.same, row.who, row.at)
                for row in connection.execute(query)
            )

    def decide(self, verdicts: Sequence[Verdict]) -> None:
        """Store decisions on pairs of records; a person's decision on a pair is kept."""
        known = {(each.one, each.other) for each in self.verdicts()} if verdicts else set()
        rows = [
            {"one": each.one, "other": each.other, "same": each.same, "who": each.who, "at": each.at}
            for each in verdicts
            if (each.one, each.other) not in known
        ]
        if rows:
            with writing_sealed(self.engine) as connection:
                upsert(connection, verdict, rows)

    def places(self, documents: Sequence[DocumentId]) -> dict[DocumentId, tuple[float, tuple[str, ...]]]:
        """The most probable topic of each of these documents, and its probability."""
        columns = (assignment.c.document, assignment.c.probability, assignment.c.topic)
        query = select(*columns).where(assignment.c.document.in_(documents))
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(assignment.c.probability, assignment.c.topic.desc()))
            return {DocumentId(name): (chance, tuple(path.split("/"))) for name, chance, path in rows}


def _alike(said: Proposal) -> Select[int]:
    return select(correction.c.id).where(
        correction.c.standing == ProposalStatus.PROPOSED,
        correction.c.record == said.record,
        correction.c.wrong == said.wrong,
        correction.c.field == said.field,
        correction.c.value == said.value,
    )


def _amend(connection: Connection, said: Proposal) -> tuple[EntityId, ...]:
    # Where the index cannot be brought up to date at once, the next build does it.
    connection.execute(delete(meta).where(meta.c.key == _INDEX_KEY))
    paper = find_holder(connection, said.record, said.entity)
    if paper is None:
        return ()  # gone from the portal meanwhile: the correction counts when it comes back
    if said.wrong is CorrectionKind.FIELD:
        write_entity(connection, replace_field(paper, said.field, said.values))
        return (paper.id,)
    if said.wrong is CorrectionKind.TOPIC:
        place_at(connection, paper.documents, said.value)
        return (paper.id,)
    if said.wrong is CorrectionKind.NOT_A_PAPER:
        return remove(connection, paper.id)
    _judge(connection, said, paper)
    if said.wrong is CorrectionKind.DIFFERENT:
        return part(connection, paper, RecordId(said.value))
    other = find_holder(connection, RecordId(said.value), said.entity)
    return join(connection, paper, other) if other is not None and other.id != paper.id else ()


def _judge(connection: Connection, said: Proposal, paper: Entity) -> None:
    """Store verdicts on pairs of records, which matching obeys in every build.

    A record that does not belong is separated from all other records of the paper: otherwise the next build
    would merge it with those similar to both.
    """
    same = said.wrong is CorrectionKind.SAME
    others = {said.record} if same else {*paper.records, said.record} - {said.value}
    pairs = [sorted((other, said.value)) for other in sorted(others)]
    rows = [
        {"one": one, "other": other, "same": same, "who": said.who, "at": said.at} for one, other in pairs
    ]
    upsert(connection, verdict, rows)


def _documents(connection: Connection, record: RecordId) -> Collection[DocumentId]:
    document = DocumentId(record.partition("#")[0])
    one, other = entity_document.alias(), entity_document.alias()
    query = (
        select(other.c.document).join(one, one.c.entity == other.c.entity).where(one.c.document == document)
    )
    return {document} | {DocumentId(each) for each in connection.scalars(query)}


def _add(connection: Connection, said: Proposal, standing: ProposalStatus) -> int:
    row = {
        "wrong": said.wrong,
        "entity": said.entity,
        "record": said.record,
        "field": said.field,
        "value": said.value,
        "before": said.before,
        "note": said.note,
        "who": said.who,
        "at": said.at,
        "standing": standing,
        "decided_at": said.at if standing is ProposalStatus.ACCEPTED else 0.0,
    }
    key = connection.execute(insert(correction), row).inserted_primary_key
    assert key is not None, "every correction has a number"
    return int(key[0])


def _one(connection: Connection, number: int) -> Correction | None:
    row = connection.execute(select(correction).where(correction.c.id == number)).one_or_none()
    return _correction(row) if row is not None else None


def _correction(row: Row[*tuple[Any, ...]]) -> Correction:
    said = Proposal(
        wrong=CorrectionKind(row.wrong),
        entity=EntityId(row.entity),
        record=RecordId(row.record),
        field=row.field,
        value=row.value,
        before=row.before,
        note=row.note,
        who=row.who,
        at=row.at,
    )
    return Correction(row.id, said, ProposalStatus(row.standing), row.decided_at)
