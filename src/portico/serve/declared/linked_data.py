"""A thing in the words of schema.org, for search engines: a person, an organization, or just a thing."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from portico.serve.declared.describing import display_of, kind_of
from portico.serve.declared.thing_page import MOST_PARTS
from portico.serve.escaping import visible
from portico.serve.portal import ServedPortal
from portico.types.domain import SITE, Form, Kind
from portico.types.record import Entity

# What schema.org calls a field, by what its values are, and by common names of fields.
_BY_FORM: Mapping[Form, str] = MappingProxyType(
    {Form.EMAIL: "email", Form.PHONE: "telephone", Form.URL: "url"}
)
_BY_NAME: Mapping[str, str] = MappingProxyType(
    {"role": "jobTitle", "address": "address", "place": "location", "description": "description"}
)
_PERSON, _ORGANIZATION, _THING = "Person", "Organization", "Thing"
_MOST_MEMBERS = 50


def schema_org(portal: ServedPortal, entity: Entity, host: str) -> dict[str, Any]:
    """What is known of the thing; what is not known is left out."""
    kind = kind_of(portal, entity)
    described = _described(portal, entity, host) | _properties(entity, kind)
    name = portal.things.wholes([entity.id]).get(entity.id)
    whole = portal.view.entities.get(name) if name else None
    if whole is not None and described["@type"] == _PERSON:
        described["worksFor"] = _described(portal, whole, host)
    if described["@type"] == _ORGANIZATION:
        members = portal.view.entities.many(portal.things.parts(entity.id, limit=MOST_PARTS)[:_MOST_MEMBERS])
        described["member"] = [_described(portal, each, host) for each in members.values()]
    return {"@context": "https://schema.org"} | {key: value for key, value in described.items() if value}


def _described(portal: ServedPortal, entity: Entity, host: str) -> dict[str, Any]:
    address = host + portal.naming.url(entity.id)
    kind = kind_of(portal, entity)
    return {
        "@type": _type(kind),
        "@id": address,
        "url": address,
        "name": visible(portal.naming.title(entity)),
    }


def _type(kind: Kind) -> str:
    title = display_of(kind).shown(display_of(kind).title)
    if title is not None and title.form is Form.NAME:
        return _PERSON
    return _ORGANIZATION if kind.identity == (SITE,) else _THING


def _properties(entity: Entity, kind: Kind) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for shown in display_of(kind).fields:
        name = _BY_FORM.get(shown.form) or _BY_NAME.get(shown.field)
        values = [visible(field.value) for field in entity.all(shown.field)]
        if name and values and name != "url":
            found[name] = values[0] if len(values) == 1 else values
    return found
