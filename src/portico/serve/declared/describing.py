"""Describes a thing for readers: its heading, its values with links, and what it is part of."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from portico.serve.languages import format_number
from portico.serve.links import add_parameters, check_outside_url, make_search_url
from portico.serve.page_parts import (
    UNCERTAIN,
    LinkedText,
    Naming,
    Piece,
    capitalize,
    join_with_and,
    shorten,
    split_at_marks,
)
from portico.serve.portal import ServedPortal
from portico.store.portal_view import Source
from portico.text.telephones import find_dialled
from portico.types.declared_display import heading, kind_named
from portico.types.domain import SITE, Display, Form, Kind, ShownField
from portico.types.record import Entity, EntityId, Field
from portico.types.search import Hit

# In lists, a heading may take about two lines and a value about one; the thing's own page shows everything.
_LONGEST_HEADING, _LONGEST_VALUE = 160, 90
_EMAIL = re.compile(r"[^\s@<>\"']+@[^\s@<>\"']+\.[^\s@<>\"']+")


@dataclass(frozen=True, slots=True)
class ValueView:
    """One value, with its link and its confidence."""

    text: str
    url: str | None
    outside: bool  # whether the URL leads outside the portal
    percent: int
    uncertain: bool


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field with its label for visitors and all its values."""

    label: str
    form: str
    values: tuple[ValueView, ...]


@dataclass(frozen=True, slots=True)
class ThingCard:
    """A thing in a list."""

    url: str
    title: str
    kind: str
    facts: tuple[str, ...]
    whole: LinkedText | None
    parts: str = ""  # "12 officers"
    snippet: tuple[Piece, ...] = ()


def make_cards(
    portal: ServedPortal, entities: Sequence[Entity], hits: Mapping[EntityId, Hit] | None = None
) -> tuple[ThingCard, ...]:
    """A card for each of these things, with the whole it is part of and, for hits, the matching passage."""
    wholes = portal.things.wholes(entity.id for entity in entities)
    found = portal.view.entities.many(set(wholes.values()))
    n_parts = portal.things.n_parts(entity.id for entity in entities)
    return tuple(
        _make_card(
            portal,
            entity,
            found.get(wholes.get(entity.id, EntityId(""))),
            n_parts.get(entity.id, 0),
            hits or {},
        )
        for entity in entities
    )


def name_things(kinds: Sequence[Kind]) -> Naming:
    """The words that a portal of these kinds uses for what it holds."""
    displays = [kind.display for kind in kinds if kind.display is not None]
    one = displays[0].singular if len(displays) == 1 else "entry"
    many = join_with_and([display.plural for display in displays])
    return Naming(one, many, "/item/", lambda entity: heading(entity, kind_named(kinds, entity.kind)))


def link_thing(portal: ServedPortal, entity: Entity) -> LinkedText:
    """A link to a thing, with its name as text."""
    return LinkedText(portal.naming.title(entity), portal.naming.url(entity.id))


def list_fields(entity: Entity, kind: Kind, *, home: str | None = None) -> tuple[FieldView, ...]:
    """All fields, first those that the kind displays, in its order, then any others."""
    display = get_display(kind)
    declared = {shown.field: shown for shown in display.fields}
    others = {field.name: ShownField(field.name, make_label(field.name)) for field in entity.fields}
    return tuple(
        FieldView(
            shown.label, shown.form, tuple(_make_value(field, shown, home) for field in entity.all(name))
        )
        for name, shown in (
            declared | {name: shown for name, shown in others.items() if name not in declared}
        ).items()
        if entity.all(name) and name != display.title
    )


def list_facts(entity: Entity, kind: Kind) -> tuple[str, ...]:
    """The values shown below the heading: the best supported one of each field, which matching puts
    first.
    """
    values = (field.value for name in get_display(kind).subtitle for field in entity.all(name)[:1])
    title = heading(entity, kind)
    return tuple(shorten(" ".join(value.split()), _LONGEST_VALUE) for value in values if value != title)


def find_home(sources: Sequence[Source]) -> str | None:
    """The front page of the site on which something was found; None if it is from no site."""
    for source in sources:
        address = check_outside_url(source.name)
        if address:
            parts = urlsplit(address)
            return f"{parts.scheme}://{parts.netloc}/"
    return None


def get_display(kind: Kind) -> Display:
    """How a kind is displayed. Every kind shown here has a display, since `shown_kinds` leaves out the
    others.
    """
    assert kind.display is not None, "kinds without a display have pages of their own making"
    return kind.display


def get_kind(portal: ServedPortal, entity: Entity) -> Kind:
    """The kind of a thing; the first kind if the domain no longer declares the thing's own."""
    return kind_named(portal.kinds, entity.kind) or portal.kinds[0]


def make_label(name: str) -> str:
    """The label of a field for which the domain declares none."""
    return capitalize(name.replace("_", " "))


def make_query(field: str, value: str) -> str:
    """The query that finds everything with this value, however it is spelled."""
    plain = value.replace('"', " ").lower()
    return f"{field}:{plain}" if plain.isalnum() else f'{field}:"{plain}"'


def make_narrowing_url(facet: str, value: str) -> str:
    """The URL of everything that has this value."""
    return add_parameters("/search", {name_parameter(facet): value})


def name_parameter(facet: str) -> str:
    """The URL parameter that filters by a facet. It gets an underscore if one of our own parameters has
    the name of the field.
    """
    return f"{facet}_" if facet in _OUR_OWN else facet


_OUR_OWN = frozenset({"q", "sort", "page", "kind", "topic"})


def _make_card(
    portal: ServedPortal, entity: Entity, whole: Entity | None, n_parts: int, hits: Mapping[EntityId, Hit]
) -> ThingCard:
    kind = get_kind(portal, entity)
    hit = hits.get(entity.id)
    return ThingCard(
        url=portal.naming.url(entity.id),
        title=shorten(heading(entity, kind), _LONGEST_HEADING),
        kind=get_display(kind).singular,
        facts=list_facts(entity, kind),
        whole=link_thing(portal, whole) if whole else None,
        parts=_count_parts(portal, kind, n_parts),
        snippet=split_at_marks(hit.snippet, hit.marks) if hit and hit.marks else (),
    )


def _count_parts(portal: ServedPortal, kind: Kind, count: int) -> str:
    display = next((get_display(each) for each in portal.kinds if each.parent == kind.name), None)
    if not count or display is None:
        return ""
    return f"{format_number(count)} {display.singular if count == 1 else display.plural}"


def _make_value(field: Field, shown: ShownField, home: str | None) -> ValueView:
    url, outside = (home, True) if shown.field == SITE else _find_address(field.value, shown, home)
    return ValueView(
        text=field.value,
        url=url,
        outside=outside,
        percent=round(100 * field.confidence),
        uncertain=field.confidence < UNCERTAIN,
    )


def _find_address(value: str, shown: ShownField, home: str | None) -> tuple[str | None, bool]:
    """The link of a value: a mailbox, a telephone number, a site, or everything else with this value. The
    second item says whether it leads outside the portal.
    """
    if shown.form is Form.EMAIL and _EMAIL.fullmatch(value.strip()):
        return f"mailto:{value.strip()}", True
    if shown.form is Form.PHONE:
        dialled = find_dialled(value, urlsplit(home or "").hostname or "")
        return (f"tel:{dialled}", True) if dialled.strip("+") else (None, False)
    if shown.form in (Form.URL, Form.PICTURE):
        return check_outside_url(value), True
    return (make_search_url(make_query(shown.field, value)), False) if shown.facet else (None, False)
