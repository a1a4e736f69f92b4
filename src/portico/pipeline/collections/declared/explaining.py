"""Explains a thing of a declared kind: where each value was read, and which records were merged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from portico.pipeline.portal import Portal
from portico.types.declared_display import heading, kind_named
from portico.types.domain import SITE, Kind
from portico.types.explanation import ExplanationSection
from portico.types.page import BodyHash
from portico.types.record import Entity, Field, Record, RecordId

_SHOWN = 20  # records; a site may repeat its address on every page
_LONGEST = 90  # characters of a record


def explain_thing(portal: Portal, entity: Entity, kinds: Sequence[Kind]) -> Iterator[ExplanationSection]:
    """Explains what a thing is, what it is part of, its fields, its records and its pages."""
    kind = kind_named(kinds, entity.kind)
    company = _company(portal, entity, kinds)
    yield ExplanationSection(f"{entity.kind.capitalize()} {entity.id}", f"{heading(entity, kind)}{company}.")
    yield _fields(portal, entity)
    if kind is not None:
        yield _identity(portal, entity, kind)
    rows = tuple(
        (source, document[:12]) for document in entity.documents for source in portal.sources(document)
    )
    said = "one page speaks" if len(rows) == 1 else f"{len(rows)} pages speak"
    yield ExplanationSection("Where it was found", f"{said} of it.", ("source", "document"), rows)


def explain_page(portal: Portal, body: BodyHash, kinds: Sequence[Kind]) -> Iterator[ExplanationSection]:
    """What was read from one page."""
    names = portal.store.catalog.things.of_document(body)
    found = portal.store.view.entities.many(names)
    rows = tuple(
        (name, found[name].kind, heading(found[name], kind_named(kinds, found[name].kind))) for name in names
    )
    yield ExplanationSection("What was read from it", f"{len(rows)} things.", ("id", "kind", "called"), rows)


def find_headed(
    portal: Portal, words: str, kinds: Sequence[Kind], *, limit: int
) -> tuple[tuple[str, str], ...]:
    """Ids and headings of things whose headings contain these words."""
    headed = (
        (each.id, heading(each, kind_named(kinds, each.kind))) for each in portal.store.catalog.entities.all()
    )
    found = ((name, title) for name, title in headed if words.casefold() in title.casefold())
    return tuple(islice(found, limit))


def _company(portal: Portal, entity: Entity, kinds: Sequence[Kind]) -> str:
    things = portal.store.catalog.things
    whole = things.wholes([entity.id]).get(entity.id)
    found = portal.store.catalog.entities.current(whole) if whole else None
    n_parts = things.n_parts([entity.id]).get(entity.id, 0)
    of_whole = f", part of {heading(found, kind_named(kinds, found.kind))} ({found.id})" if found else ""
    return of_whole + (f", with {n_parts} parts" if n_parts else "")


def _fields(portal: Portal, entity: Entity) -> ExplanationSection:
    records = _records(portal, entity.records)
    seen: dict[str, int] = {}
    rows = []
    for field in entity.fields:
        nth = seen[field.name] = seen.get(field.name, -1) + 1
        origins = [record for name, record in entity.origins if name == field.name]
        origin = origins[nth] if nth < len(origins) else None
        rows.append(
            (
                field.name,
                field.value,
                f"{field.confidence:.2f}",
                _read_from(portal, field, origin),
                str(_n_agreeing(field, records.values())) if field.name != SITE else "",
                field.runner_up,
            )
        )
    columns = ("field", "value", "probability", "read from", "records that say so", "runner-up")
    said = "one record speaks" if len(entity.records) == 1 else f"{len(entity.records)} records speak"
    return ExplanationSection(
        "Fields", f"{said} of it; of each field the best supported values stay.", columns, tuple(rows)
    )


def _read_from(portal: Portal, field: Field, origin: RecordId | None) -> str:
    if field.name == SITE:
        return "its address"
    if origin is None:
        return "corrected by hand"
    document = origin.partition("#")[0]
    return next(iter(portal.sources(document)), document[:12])


def _n_agreeing(field: Field, records: Iterable[Record]) -> int:
    return sum(any(each.value == field.value for each in record.all(field.name)) for record in records)


def _identity(portal: Portal, entity: Entity, kind: Kind) -> ExplanationSection:
    """One row per record: the values that identify it."""
    records = _records(portal, entity.records[:_SHOWN])
    by_hand = {
        name
        for verdict in portal.store.contributions.corrections.verdicts()
        for name in (verdict.one, verdict.other)
    }
    rows = tuple(
        (
            name,
            "; ".join(record.value(field) or "" for field in kind.identity if field != SITE),
            "decided by hand" if name in by_hand else "",
            record.raw if len(record.raw) <= _LONGEST else record.raw[: _LONGEST - 1] + "…",
        )
        for name, record in records.items()
    )
    told = " and ".join(kind.identity) or "nothing"
    return ExplanationSection(
        "Identity",
        f"Records of this kind are one thing where {told} agree; names by initials and short forms too.",
        ("record", "told apart by", "decided", "printed as"),
        rows,
    )


def _records(portal: Portal, names: Sequence[RecordId]) -> Mapping[RecordId, Record]:
    found = ((name, portal.store.view.record(name)) for name in names[:_SHOWN])
    return {name: record for name, record in found if record is not None}
