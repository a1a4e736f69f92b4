"""Why these records are one paper, which of its editions they mean, and why it ranks where it does."""

from portico.match.compare import compare
from portico.match.mention import parse_own_mention
from portico.match.scoring import to_probability, weigh
from portico.pipeline.portal import Portal
from portico.types.explanation import ExplanationSection
from portico.types.record import Entity, EntityId, Record, RecordId

_SHOWN = 12  # records; the rest say the same
_LONGEST = 90  # characters of a record


def explain_identity(portal: Portal, paper_id: EntityId) -> ExplanationSection | None:
    """One row a record: how it agrees with the one the paper's fields were taken from."""
    entity = portal.store.catalog.entities.current(paper_id)
    if entity is None:
        return None
    chosen = portal.store.view.record(entity.chosen)
    if chosen is None:
        return None
    records = [
        found
        for name in entity.records[:_SHOWN]
        if name != entity.chosen and (found := portal.store.view.record(name)) is not None
    ]
    rows = tuple(_row(portal, entity, chosen, found) for found in records)
    columns = ("record", "probability", "agreement", "printed as")
    return ExplanationSection("Identity", _summary(entity), columns, rows)


def _row(portal: Portal, entity: Entity, chosen: Record, record: Record) -> tuple[str, ...]:
    levels = compare(parse_own_mention(chosen), parse_own_mention(record))
    told = ", ".join(level.replace(":", " ") for level in levels if not level.endswith(":none"))
    by_hand = _by_hand(portal, entity, record.id)
    printed = record.raw if len(record.raw) <= _LONGEST else record.raw[: _LONGEST - 1] + "…"
    return record.id, f"{to_probability(weigh(levels)):.3f}", by_hand + told, printed


def _by_hand(portal: Portal, entity: Entity, record: RecordId) -> str:
    """What the builder decided about the record and others of this paper."""
    company = set(entity.records)
    for verdict in portal.store.people.corrections.verdicts():
        if (
            verdict.same
            and record in (verdict.one, verdict.other)
            and {verdict.one, verdict.other} <= company
        ):
            return f"joined by {verdict.who or 'hand'}; "
    return ""


def _summary(entity: Entity) -> str:
    borrowed = "; ".join(f"{name} from {record}" for name, record in entity.origins)
    return (
        f"{len(entity.records)} records are this paper. Its fields are those of {entity.chosen}"
        + (f", except {borrowed}" if borrowed else "")
        + f". Cited by {entity.n_citations} papers; authority {entity.authority:g} and hub {entity.hub:g}"
        + " times the average."
    )
