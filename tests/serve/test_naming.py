"""Things are called by what heads them, by what identifies them, or by where they are from."""

from dataclasses import replace

import pytest

from portico.serve.declared.describing import name_things
from portico.serve.page_parts import join_with_and
from portico.types.declared_display import heading, searched_fields
from portico.types.document import Span
from portico.types.domain import SITE
from portico.types.record import Entity, EntityId, Field, RecordId
from tests.directory import KINDS, OFFICER, ORGANISATION

CODED = replace(ORGANISATION, identity=("code", SITE))


def thing(**values: str) -> Entity:
    fields = tuple(Field(name, value, Span(0, 1), 0.9) for name, value in values.items())
    return Entity(EntityId("x1"), "organisation", (), (), fields, RecordId("d#1"))


@pytest.mark.parametrize(
    ("kind", "values", "called"),
    [
        (ORGANISATION, {"name": "Acme", "site": "acme.example"}, "Acme"),
        (ORGANISATION, {"place": "Ems", "site": "acme.example"}, "acme.example"),
        (CODED, {"code": "CS 1", "place": "Ems", "site": "acme.example"}, "CS 1"),
        (CODED, {"place": "Ems", "site": "acme.example"}, "Ems"),
        (ORGANISATION, {"place": "Ems"}, "Ems"),
        (OFFICER, {}, "x1"),
        (None, {"name": "Acme", "site": "acme.example"}, "acme.example"),
    ],
)
def test_a_thing_has_a_heading(kind: object, values: dict[str, str], called: str) -> None:
    assert heading(thing(**values), kind) == called  # type: ignore[arg-type]


def test_what_can_be_asked_for_is_declared_inherited_or_the_site() -> None:
    names = {field.name: field.facet for field in searched_fields(KINDS)}
    assert names == {
        "name": False,
        "address": False,
        "place": True,
        "role": True,
        "organisation": True,
        "site": False,
    }


def test_a_portal_is_named_by_its_kinds() -> None:
    both = name_things(KINDS)
    assert (both.one, both.many, both.url(EntityId("a b"))) == (
        "entry",
        "organisations and officers",
        "/item/a%20b",
    )
    assert name_things([OFFICER]).one == "officer"
    assert both.named(" http://x.example/item/ABC/wrong ") == "abc"
    assert join_with_and(["a", "b", "c"]) == "a, b and c"
