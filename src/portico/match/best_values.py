"""One thing from all records that speak of it: for each field the best value, and where that was read."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from portico.match.alike import comparable, form_of, person, spelled
from portico.text.names import same_person
from portico.types.document import DocumentId, Span
from portico.types.domain import SITE, Form, Kind
from portico.types.record import Entity, EntityId, Field, Record, RecordId

MOST_VALUES = 6
"""Values a thing keeps of a field that may have several: a page has room for them; the rest is rarer."""

_NOWHERE = Span(0, 0)  # a site is no passage of a document


@dataclass(slots=True)
class _Value:
    """One value, however it is spelled, and everywhere it was read."""

    readings: list[tuple[Field, Record]] = field(default_factory=list)

    @property
    def support(self) -> float:
        """Over documents the surest reading each, summed: what a whole site says beats what one page says."""
        surest: dict[DocumentId, float] = {}
        for read, record in self.readings:
            surest[record.document] = max(read.confidence, surest.get(record.document, 0.0))
        return round(sum(surest.values()), 6)

    def best(self) -> tuple[Field, Record]:
        """The surest reading of the spelling that is read most; among equals plain and short, then first."""
        spellings: dict[str, float] = defaultdict(float)
        for read, _ in self.readings:
            spellings[read.value] += read.confidence
        return min(
            self.readings,
            key=lambda pair: (
                -round(spellings[pair[0].value], 6), "," in pair[0].value, len(pair[0].value),
                -pair[0].confidence, pair[1].id, pair[0].span,
            ),
        )  # fmt: skip


def thing(
    name: EntityId,
    records: Sequence[Record],
    kind: Kind,
    sites: Iterable[str] = (),
    documents: Sequence[DocumentId] = (),
) -> Entity:
    """The thing that these records of a kind speak of; `origins` names the record of every field, in order.

    A thing that no record speaks of has only its site, and the documents through which it is known.
    """
    kept = [pair for name_ in _names(records, kind) for pair in _kept(name_, records, kind)]
    places = [Field(SITE, site, _NOWHERE, 1.0) for site in sites]
    chosen = best_record(records).id if records else RecordId(f"{documents[0]}#{kind.name}")
    return Entity(
        id=name,
        kind=kind.name,
        records=tuple(record.id for record in records),
        documents=tuple(documents) or tuple(sorted({record.document for record in records})),
        fields=(*(read for read, _ in kept), *places),
        chosen=chosen,
        origins=tuple((read.name, record.id) for read, record in kept),
    )


def best_record(records: Sequence[Record]) -> Record:
    """The record that says most, and most surely."""
    return min(records, key=lambda record: (-_completeness(record), record.id))


def _names(records: Sequence[Record], kind: Kind) -> list[str]:
    """Fields in the order in which the kind declares them, then any others as they come."""
    declared = dict.fromkeys(rule.field for rule in kind.rules)
    return list(declared | dict.fromkeys(read.name for record in records for read in record.fields))


def _kept(name: str, records: Sequence[Record], kind: Kind) -> list[tuple[Field, Record]]:
    """The readings whose values the thing has under this name: the best supported first."""
    form = form_of(kind, name)
    values: dict[str, _Value] = defaultdict(_Value)
    for record in records:
        for read in record.all(name):
            values[spelled(comparable(read.value, form)) or read.value].readings.append((read, record))
    ordered = sorted(values, key=lambda key: (_rank(key, values[key], form), key))
    kept: list[str] = []
    for key in ordered[:1] if _is_one(name, kind) else ordered:
        if not any(_says(better, key, values, form) for better in kept):
            kept.append(key)
    return [values[key].best() for key in kept[:MOST_VALUES]]


def _rank(key: str, value: _Value, form: Form) -> tuple[float, float]:
    """Of names the fullest is best, of everything else what is read most often and most surely."""
    if form is Form.NAME:
        return -float(len(key)), -value.support
    return -value.support, -float(len(key))


def _is_one(name: str, kind: Kind) -> bool:
    """Whether a thing has one such value: what identifies it, what heads it, what a record has once."""
    heads = kind.display is not None and kind.display.title == name
    return heads or name in kind.identity or any(rule.once for rule in kind.rules if rule.field == name)


def _says(better: str, key: str, values: Mapping[str, _Value], form: Form) -> bool:
    """Whether a better value says all that this one does, as "Managing Director" does of "Director"."""
    if form is Form.NAME:
        one, other = (person(values[each].readings[0][0].value) for each in (better, key))
        return same_person(one, other)
    return f" {key} " in f" {better} "


def _completeness(record: Record) -> float:
    best: dict[str, float] = {}
    for read in record.fields:
        best[read.name] = max(read.confidence, best.get(read.name, 0.0))
    return round(sum(best.values()), 6)
