"""Merges the records of an entity: which values it shows, and which it borrows from citations."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from portico.match.clustering import Cluster
from portico.match.editions import split_editions
from portico.match.mention import Mention, Roles, fold_words, parse_mention
from portico.types.document import DocumentId
from portico.types.record import Edition, Entity, EntityId, Field, Record, RecordId

Value = TypeVar("Value", int, str)


NEARLY_CERTAIN = 0.95
"""Probability that a reference means a paper from which fields borrowed from it are not marked as doubtful.

As for `clustering.STRONG`, the same title and the same authors together reach it; either alone does not."""


def merge_records(name: EntityId, found: Cluster, roles: Roles) -> Entity:
    """The entity of these records (at least one), with the fields of the best of them.

    The paper's own header is best, then the most complete reference with the most frequent title. Fields
    missing from the best record (a header rarely has year and venue) are borrowed from the others, the most
    frequent value first. `origins` names the record of every borrowed field, and `doubtful` the fields whose
    record is not almost certain to mean this paper.
    """
    ordered = sorted(found.records, key=lambda record: record.id)
    anchors = [record for record in ordered if record.kind == roles.anchor]
    chosen = choose_best_record(anchors or ordered, roles)
    meant = {record.id: sure for record, sure in zip(found.records, found.confidences, strict=True)}
    held = {record.document for record in anchors}
    # A paper that cites itself cites another edition, whose year and venue are not its own.
    lenders = [record for record in ordered if record.kind == roles.anchor or record.document not in held]
    borrowed = _borrowed(chosen, lenders, meant, roles)
    return Entity(
        id=name,
        kind=roles.entity,
        records=tuple(record.id for record in ordered),
        documents=tuple(sorted(held)),
        fields=chosen.fields + tuple(field for loan in borrowed for field in loan.fields),
        chosen=chosen.id,
        origins=tuple((name, loan.record) for loan in borrowed for name in loan.names),
        editions=_editions(ordered, roles) if anchors else (),
        doubtful=tuple(name for loan in borrowed if loan.is_doubtful for name in loan.names),
    )


def make_bare_entity(name: EntityId, document: DocumentId, roles: Roles) -> Entity:
    """A held document without data of its own but with references, so it still cites."""
    return Entity(name, roles.entity, (), (document,), (), RecordId(f"{document}#{roles.anchor}"))


def choose_best_record(records: Sequence[Record], roles: Roles) -> Record:
    """The most complete and certain record among those with the most frequent title."""
    if len(records) == 1:
        return records[0]
    titles = Counter(_title(record, roles) for record in records)
    titles.pop("", None)
    return min(
        records, key=lambda record: (-titles[_title(record, roles)], -_completeness(record), record.id)
    )


def _editions(records: Sequence[Record], roles: Roles) -> tuple[Edition, ...]:
    """The editions that the records of one work mention; none if there is only one."""
    if len(records) == 1:
        return ()
    mentions = [parse_mention(record, roles) for record in records]
    numbers = split_editions(mentions)
    if not any(numbers):
        return ()
    found = [
        _edition(
            [record for record, number in zip(records, numbers, strict=True) if number == wanted],
            [mention for mention, number in zip(mentions, numbers, strict=True) if number == wanted],
            roles,
        )
        for wanted in range(max(numbers) + 1)
    ]
    return tuple(sorted(found, key=lambda edition: (edition.year or 9999, edition.records)))


def _edition(records: Sequence[Record], mentions: Sequence[Mention], roles: Roles) -> Edition:
    venues = [
        next((value for name in roles.venue if (value := record.value(name))), "") for record in records
    ]
    return Edition(
        records=tuple(record.id for record in records),
        documents=tuple(sorted({record.document for record in records if record.kind == roles.anchor})),
        year=_most(mention.year for mention in mentions if mention.year is not None),
        venue=_most(venue for venue in venues if venue) or "",
        form=_most(mention.form for mention in mentions if mention.form) or "",
    )


def _most(values: Iterable[Value]) -> Value | None:
    """The most frequent value, the first of equally frequent ones."""
    return next((value for value, _ in Counter(values).most_common(1)), None)


@dataclass(frozen=True, slots=True)
class _Loan:
    """Fields that an entity takes from a record other than its best; their confidence combines reading
    and match.
    """

    record: RecordId
    fields: tuple[Field, ...]
    is_doubtful: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(field.name for field in self.fields))


def _borrowed(
    chosen: Record, records: Sequence[Record], meant: Mapping[RecordId, float], roles: Roles
) -> list[_Loan]:
    """The fields missing from the best record; from a match that is not almost certain, only fields that
    no other match has.
    """
    borrowed: list[_Loan] = []
    if len(records) == 1:
        return borrowed
    for group in roles.borrowable:
        if any(chosen.all(name) for name in group):
            continue
        lenders = [(record, fields) for record in records if (fields := _lent(record, group))]
        certain = [lender for lender in lenders if meant[lender[0].id] >= NEARLY_CERTAIN]
        if lenders:
            record, fields = _commonest(certain or lenders)
            sure = meant[record.id]
            lent = tuple(replace(field, confidence=round(field.confidence * sure, 6)) for field in fields)
            borrowed.append(_Loan(record.id, lent, is_doubtful=not certain))
    return borrowed


def _lent(record: Record, names: tuple[str, ...]) -> tuple[Field, ...]:
    return tuple(field for field in record.fields if field.name in names)


def _commonest(lenders: list[tuple[Record, tuple[Field, ...]]]) -> tuple[Record, tuple[Field, ...]]:
    """The lender with the most frequent value; of these the most confident, then the first."""
    values = [fold_words(" ".join(field.value for field in fields)) for _, fields in lenders]
    counts = Counter(values)
    best = max(
        range(len(lenders)),
        key=lambda idx: (counts[values[idx]], min(field.confidence for field in lenders[idx][1]), -idx),
    )
    return lenders[best]


def _title(record: Record, roles: Roles) -> str:
    return next((fold_words(value) for name in roles.title if (value := record.value(name))), "")


def _completeness(record: Record) -> float:
    """The sum of the confidence of every kind of field."""
    best: dict[str, float] = {}
    for field in record.fields:
        best[field.name] = max(field.confidence, best.get(field.name, 0.0))
    return round(sum(best.values()), 6)
