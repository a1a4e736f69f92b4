"""Papers with accepted corrections applied, which take precedence over what was read."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from portico.store.schema import correction
from portico.types.correction import CorrectionKind, ProposalStatus
from portico.types.document import Span
from portico.types.record import Entity, Field, RecordId

VENUE_FIELDS = ("journal", "booktitle", "venue")
"""The field of the venue depends on the kind of venue; a correction keeps the kind."""

_NOWHERE = Span(0, 0)  # a person's correction is not in a document


def replace_field(paper: Entity, name: str, values: Sequence[str]) -> Entity:
    """The paper with these values, as certain, for this field; without values the field is removed."""
    names = [name]
    if name == "venue":
        names = [known for known in VENUE_FIELDS if paper.all(known)] or names
    for each in names:
        paper = replace(paper, fields=_replaced(paper.fields, each, values))
    return paper


def _replaced(fields: Sequence[Field], name: str, values: Sequence[str]) -> tuple[Field, ...]:
    old = [field for field in fields if field.name == name]
    spans = [*(field.span for field in old), *[_NOWHERE] * len(values)]
    new = [Field(name, value, span, 1.0) for value, span in zip(values, spans, strict=False)]
    place = next((idx for idx, field in enumerate(fields) if field.name == name), len(fields))
    before = [field for field in fields[:place] if field.name != name]
    after = [field for field in fields[place:] if field.name != name]
    return (*before, *new, *after)


def apply_corrections(connection: Connection, papers: Sequence[Entity]) -> list[Entity]:
    """The papers with every accepted correction of a field applied, the latest last."""
    fields = _accepted_fields(connection)
    return [_with_fields(paper, fields) if fields else paper for paper in papers]


def _with_fields(paper: Entity, fields: dict[RecordId, list[tuple[str, tuple[str, ...]]]]) -> Entity:
    for record in {paper.chosen: None} | dict.fromkeys(paper.records):
        for name, values in fields.get(record, ()):
            paper = replace_field(paper, name, values)
    return paper


def _accepted_fields(connection: Connection) -> dict[RecordId, list[tuple[str, tuple[str, ...]]]]:
    query = select(correction.c.record, correction.c.field, correction.c.value).where(
        correction.c.wrong == CorrectionKind.FIELD, correction.c.standing == ProposalStatus.ACCEPTED
    )
    found: dict[RecordId, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for record, name, value in connection.execute(query.order_by(correction.c.decided_at, correction.c.id)):
        values = tuple(line for line in value.split("\n") if line.strip())
        found[RecordId(record)].append((name, values))
    return dict(found)
