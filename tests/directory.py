"""A domain made by hand, of organisations and their officers, for tests that need no extraction."""

from dataclasses import replace
from pathlib import Path

from portico.types.document import DocumentId, Span
from portico.types.domain import (
    NOTHING,
    SITE,
    Display,
    Domain,
    FieldRule,
    Form,
    Headings,
    Kind,
    Reading,
    ShownField,
)
from portico.types.record import Field, Record, RecordId


def whole(passage: str) -> tuple[Reading, ...]:
    return (Reading(passage, 0, len(passage)),)


def _kind(name: str, display: Display, identity: tuple[str, ...]) -> Kind:
    labels = tuple(field.field for field in display.fields)
    rules = tuple(FieldRule(label, label, whole) for label in labels)
    return Kind(name, labels, rules, (), "", "other", identity=identity, display=display)


ORGANISATION = _kind(
    "organisation",
    Display(
        "organisation",
        "organisations",
        "name",
        ("place",),
        (
            ShownField("name", "Name", searchable=True),
            ShownField("address", "Address", Form.TEXT, searchable=True),
            ShownField("place", "Place", Form.PLACE, searchable=True, facet=True),
            ShownField("phone", "Telephone", Form.PHONE),
            ShownField("email", "E-mail", Form.EMAIL),
        ),
    ),
    (SITE,),
)
_OFFICER = _kind(
    "officer",
    Display(
        "officer",
        "officers",
        "name",
        ("role",),
        (
            ShownField("name", "Name", Form.NAME, searchable=True),
            ShownField("role", "Role", searchable=True, facet=True),
            ShownField("email", "E-mail", Form.EMAIL),
        ),
    ),
    ("name", SITE),
)
OFFICER = replace(_OFFICER, begins="name", parent="organisation")
KINDS = (ORGANISATION, OFFICER)

DIRECTORY = Domain(
    name="directory",
    kinds=KINDS,
    headings=Headings(NOTHING, NOTHING, NOTHING, NOTHING),
    lexicon=dict,
    models=Path("models"),
    splitting="",
    topics=Path("topics.toml"),
    topic_words=Path("words"),
    target_types=frozenset(),
    spider="",
)


def record(kind: str, page: str, number: int, **values: str | tuple[str, float]) -> Record:
    """A record as extraction would make it; a value may come with its confidence."""
    document = DocumentId(page)
    fields = tuple(
        Field(name, value, Span(number, number + 1), 0.9)
        if isinstance(value, str)
        else Field(name, value[0], Span(number, number + 1), value[1])
        for name, value in values.items()
    )
    raw = " ".join(field.value for field in fields)
    return Record(RecordId(f"{page}#{kind}-{number}"), kind, document, raw, Span(number, number + 1), fields)
