"""The page of one thing: its values with their sources and confidence, and what it is part of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from portico.serve.declared.describing import (
    FieldView,
    ThingCard,
    find_home,
    get_display,
    get_kind,
    link_thing,
    list_facts,
    list_fields,
    make_cards,
    make_label,
)
from portico.serve.escaping import strip_hidden
from portico.serve.languages import translate
from portico.serve.links import check_outside_url, make_search_url, make_topic_url
from portico.serve.page_parts import UNCERTAIN, LinkedText, capitalize, shorten
from portico.serve.portal import ServedPortal
from portico.store.portal_view import Source
from portico.types.declared_display import heading
from portico.types.document import DocumentId, Span
from portico.types.domain import SITE, Form, Kind
from portico.types.record import Entity, EntityId, Field, RecordId

MOST_PARTS = 300
"""Maximum number of parts on a page: enough for the board and staff of a large organization."""

_MOST_OTHERS = 12
_LONGEST_RAW = 400
_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class ReadingView:
    """One value as it was read: where, in which surrounding text, and with what confidence."""

    label: str
    value: str
    percent: int
    uncertain: bool
    runner_up: str
    place: LinkedText | None
    raw: str
    by_hand: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of things with a heading."""

    title: str
    cards: tuple[ThingCard, ...]
    n_more: int
    more: str  # where the rest is


@dataclass(frozen=True, slots=True)
class ThingPage:
    """Everything known about one thing."""

    id: str
    url: str
    kind: str
    kinds: LinkedText  # all things of its kind
    title: str
    uncertain: bool
    facts: tuple[str, ...]
    fields: tuple[FieldView, ...]
    whole: LinkedText | None
    whole_label: str
    whole_fields: tuple[FieldView, ...]
    parts: Listing | None
    others: Listing | None  # other parts of the same whole
    topics: tuple[tuple[LinkedText, int], ...]
    places: tuple[LinkedText, ...]
    readings: tuple[ReadingView, ...]
    n_records: int


def make_thing_page(portal: ServedPortal, entity: Entity) -> ThingPage:
    kind = get_kind(portal, entity)
    display = get_display(kind)
    name = portal.things.wholes([entity.id]).get(entity.id)
    whole = portal.view.entities.get(name) if name else None
    whole_kind = get_kind(portal, whole) if whole else None
    title = entity.all(display.title)
    sources = portal.view.sources(entity.documents)
    home = find_home(sources)
    return ThingPage(
        id=entity.id,
        url=portal.naming.url(entity.id),
        kind=display.singular,
        kinds=LinkedText(capitalize(display.plural), make_search_url("", kind=kind.name)),
        title=heading(entity, kind),
        uncertain=bool(title) and max(field.confidence for field in title) < UNCERTAIN,
        facts=list_facts(entity, kind),
        fields=list_fields(entity, kind, home=home),
        whole=link_thing(portal, whole) if whole else None,
        whole_label=capitalize(get_display(whole_kind).singular) if whole_kind else "",
        whole_fields=list_fields(whole, whole_kind, home=home) if whole and whole_kind else (),
        parts=_list_parts(portal, entity),
        others=_list_others(portal, entity, kind, whole),
        topics=_list_topics(portal, entity),
        places=tuple(map(_link_source, sources)),
        readings=_list_readings(portal, entity, kind),
        n_records=len(entity.records),
    )


def _list_parts(portal: ServedPortal, entity: Entity) -> Listing | None:
    kind = next((kind for kind in portal.kinds if kind.parent == entity.kind), None)
    ids = portal.things.parts(entity.id, limit=MOST_PARTS)
    if kind is None or not ids:
        return None
    n_parts = portal.things.n_parts([entity.id])[entity.id]
    return Listing(
        capitalize(get_display(kind).plural),
        make_cards(portal, _sort_as_printed(portal, ids)),
        n_parts - len(ids),
        _make_more_url(portal, kind, entity),
    )


def _list_others(portal: ServedPortal, entity: Entity, kind: Kind, whole: Entity | None) -> Listing | None:
    """The other parts of the same whole."""
    if whole is None:
        return None
    ids = [name for name in portal.things.parts(whole.id, limit=MOST_PARTS) if name != entity.id]
    if not ids:
        return None
    shown = _sort_as_printed(portal, ids)[:_MOST_OTHERS]
    title = translate(
        "Other {things} of {whole}", things=get_display(kind).plural, whole=portal.naming.title(whole)
    )
    return Listing(title, make_cards(portal, shown), len(ids) - len(shown), portal.naming.url(whole.id))


def _sort_as_printed(portal: ServedPortal, ids: Sequence[EntityId]) -> list[Entity]:
    """These things in the order in which their pages list them, which is often meaningful: the chair
    comes first.
    """
    found = portal.view.entities.many(ids).values()
    return sorted(found, key=lambda each: (each.chosen.partition("#")[0], _find_position(each), each.id))


def _find_position(entity: Entity) -> int:
    return min((field.span.start for field in entity.fields if field.span != _NOWHERE), default=0)


def _make_more_url(portal: ServedPortal, kind: Kind, whole: Entity) -> str:
    return make_search_url("", kind=kind.name, **{kind.parent: portal.naming.title(whole)})


def _list_topics(portal: ServedPortal, entity: Entity) -> tuple[tuple[LinkedText, int], ...]:
    best: dict[tuple[str, ...], float] = {}
    for place in portal.view.topics.of_documents(entity.documents):
        best[place.path] = max(place.probability, best.get(place.path, 0.0))
    ordered = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        (LinkedText(" › ".join(path), make_topic_url(path)), round(100 * chance)) for path, chance in ordered
    )


def _list_readings(portal: ServedPortal, entity: Entity, kind: Kind) -> tuple[ReadingView, ...]:
    """Every value with the record it was read from; `origins` lists these records field by field, in the
    order of the values.
    """
    origins: dict[str, list[RecordId]] = {}
    for name, record in entity.origins:
        origins.setdefault(name, []).append(record)
    homes = {DocumentId(record.partition("#")[0]) for records in origins.values() for record in records}
    sources: dict[DocumentId, Source] = {}
    for source in portal.view.sources(sorted(homes)):
        sources.setdefault(source.document, source)
    seen: dict[str, int] = {}
    readings = []
    for field in entity.fields:
        if field.name == SITE:
            continue
        nth = seen[field.name] = seen.get(field.name, -1) + 1
        known = origins.get(field.name, [])
        origin = known[nth] if nth < len(known) else None
        readings.append(_make_reading(portal, field, kind, origin, sources))
    return tuple(readings)


def _make_reading(
    portal: ServedPortal,
    field: Field,
    kind: Kind,
    record: RecordId | None,
    sources: Mapping[DocumentId, Source],
) -> ReadingView:
    shown = get_display(kind).shown(field.name)
    source = sources.get(DocumentId(record.partition("#")[0])) if record else None
    told = portal.view.record(record) if record else None
    return ReadingView(
        label=shown.label if shown else make_label(field.name),
        value=field.value,
        percent=round(100 * field.confidence),
        uncertain=field.confidence < UNCERTAIN,
        runner_up=field.runner_up,
        place=_link_source(source) if source else None,
        raw=shorten(" ".join(told.raw.split()), _LONGEST_RAW) if told else "",
        by_hand=told is None or field.value not in {each.value for each in told.fields},
    )


# schema.org properties by form of value and by common field names.
_BY_FORM: Mapping[Form, str] = MappingProxyType(
    {Form.EMAIL: "email", Form.PHONE: "telephone", Form.URL: "url"}
)
_BY_NAME: Mapping[str, str] = MappingProxyType(
    {"role": "jobTitle", "address": "address", "place": "location", "description": "description"}
)
_PERSON, _ORGANIZATION, _THING = "Person", "Organization", "Thing"
_MOST_MEMBERS = 50


def describe_thing(portal: ServedPortal, entity: Entity, host: str) -> dict[str, Any]:
    """The thing in the vocabulary of schema.org, for search engines. Unknown properties are left out."""
    kind = get_kind(portal, entity)
    described = _describe_briefly(portal, entity, host) | _describe_values(entity, kind)
    name = portal.things.wholes([entity.id]).get(entity.id)
    whole = portal.view.entities.get(name) if name else None
    if whole is not None and described["@type"] == _PERSON:
        described["worksFor"] = _describe_briefly(portal, whole, host)
    if described["@type"] == _ORGANIZATION:
        members = portal.view.entities.many(portal.things.parts(entity.id, limit=MOST_PARTS)[:_MOST_MEMBERS])
        described["member"] = [_describe_briefly(portal, each, host) for each in members.values()]
    return {"@context": "https://schema.org"} | {key: value for key, value in described.items() if value}


def _describe_briefly(portal: ServedPortal, entity: Entity, host: str) -> dict[str, Any]:
    address = host + portal.naming.url(entity.id)
    kind = get_kind(portal, entity)
    return {
        "@type": _choose_type(kind),
        "@id": address,
        "url": address,
        "name": strip_hidden(portal.naming.title(entity)),
    }


def _choose_type(kind: Kind) -> str:
    title = get_display(kind).shown(get_display(kind).title)
    if title is not None and title.form is Form.NAME:
        return _PERSON
    return _ORGANIZATION if kind.identity == (SITE,) else _THING


def _describe_values(entity: Entity, kind: Kind) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for shown in get_display(kind).fields:
        name = _BY_FORM.get(shown.form) or _BY_NAME.get(shown.field)
        values = [strip_hidden(field.value) for field in entity.all(shown.field)]
        if name and values and name != "url":
            found[name] = values[0] if len(values) == 1 else values
    return found


def _link_source(source: Source) -> LinkedText:
    return LinkedText(source.show_place(), check_outside_url(source.name) or "")
