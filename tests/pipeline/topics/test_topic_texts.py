"""What classification reads of a document: what its header prints."""

import pytest

from portico.pipeline.topics.topic_texts import make_topic_text
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId


def a_header(*fields: tuple[str, str]) -> Record:
    return Record(
        RecordId("d/0"),
        "header",
        DocumentId("d"),
        raw="",
        span=Span(0, 0),
        fields=tuple(Field(name, value, Span(0, 0), 0.9) for name, value in fields),
    )


@pytest.mark.parametrize(
    ("affiliation", "departments"),
    [
        (
            "Department of Psychology, University of Warwick, Coventry CV4 7AL, UK",
            ("Department of Psychology",),
        ),
        ("Universität Trier, Institut für Soziologie, D-54286 Trier", ("Institut für Soziologie",)),
        ("Facultad de Medicina, Universidad de Chile", ("Facultad de Medicina",)),
        ("IBM Research, Yorktown Heights", ()),
    ],
)
def test_departments_are_read_and_towns_and_universities_are_not(
    affiliation: str, departments: tuple[str, ...]
) -> None:
    header = a_header(("title", "Simplicity"), ("affiliation", affiliation), ("affiliation", affiliation))
    assert make_topic_text("d", (header,)).departments == departments


def test_printed_keywords_are_read_in_their_order() -> None:
    header = a_header(("title", "Simplicity"), ("keyword", "Bayes"), ("keyword", "coding"))
    assert make_topic_text("d", (header,)).keywords == ("Bayes", "coding")
