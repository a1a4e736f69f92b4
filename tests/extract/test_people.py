"""Authors are given the affiliations and addresses that were printed for them."""

import pytest

from portico.extract.people import drop_later_people, find_people, restore_brackets
from portico.types.document import Span
from portico.types.record import Field, Person
from tests.extract.pages import Printed, document_of


def header(*printed: tuple[str, str]) -> tuple[str, list[Field]]:
    """A text of "name", "value" pairs; names other than those of fields are printed, and no more."""
    text, fields = "", []
    for name, value in printed:
        start = len(text)
        text += value
        if name:
            fields.append(Field(name, value, Span(start, len(text)), 0.9))
    return text, fields


NORTH, SOUTH = "University of Northfield", "Southfield College"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (  # one affiliation is everybody's; addresses by surname
            [("author", "Ann Bell"), ("", " and "), ("author", "Carl Dorn"), ("", "\n"),
             ("affiliation", NORTH), ("", "\n"), ("email", "{dorn,bell}@nf.test")],
            [Person("Ann Bell", "Ann", "Bell", (NORTH,), "bell@nf.test"),
             Person("Carl Dorn", "Carl", "Dorn", (NORTH,), "dorn@nf.test")],
        ),
        (  # numbers behind names and before affiliations
            [("author", "Ann Bell"), ("", "1,2 "), ("author", "Carl Dorn"), ("", "2\n1 "),
             ("affiliation", NORTH), ("", "\n2 "), ("affiliation", SOUTH)],
            [Person("Ann Bell", "Ann", "Bell", (NORTH, SOUTH)),
             Person("Carl Dorn", "Carl", "Dorn", (SOUTH,))],
        ),
        (  # signs, one of them inside the affiliation
            [("author", "Ann Bell"), ("", "∗ "), ("author", "Carl Dorn"), ("", "†\n"),
             ("affiliation", "∗ " + NORTH), ("", "\n"), ("affiliation", "†" + SOUTH)],
            [Person("Ann Bell", "Ann", "Bell", (NORTH,)), Person("Carl Dorn", "Carl", "Dorn", (SOUTH,))],
        ),
        (  # one under the other
            [("author", "Ann Bell"), ("", "\n"), ("affiliation", NORTH), ("", "\n"), ("email", "ab@nf.test"),
             ("", "\n"), ("author", "Carl van Dorn"), ("", "\n"), ("affiliation", SOUTH), ("", "\n"),
             ("email", "x12@sf.test")],
            [Person("Ann Bell", "Ann", "Bell", (NORTH,), "ab@nf.test"),
             Person("Carl van Dorn", "Carl", "van Dorn", (SOUTH,), "x12@sf.test")],
        ),
        (  # fewer addresses than authors: none is guessed
            [("author", "Ann Bell"), ("", " and "), ("author", "Carl Dorn"), ("", "\n"),
             ("email", "office@nf.test")],
            [Person("Ann Bell", "Ann", "Bell"), Person("Carl Dorn", "Carl", "Dorn")],
        ),
        ([("affiliation", NORTH)], []),
    ],
)  # fmt: skip
def test_people(printed: list[tuple[str, str]], expected: list[Person]) -> None:
    assert list(find_people(*header(*printed))) == expected


@pytest.mark.parametrize(
    ("before", "value", "expected"),
    [
        ("Southfield {ann, ", "bob}@sf.test", "{ann, bob}@sf.test"),
        ("Southfield {\nann, carl,\n", "bob }@sf.test", "{ ann, carl, bob }@sf.test"),
        ("{eva}@nf.test, ", "bob}@sf.test", "bob}@sf.test"),
        ("{ann@nf.test, ", "bob@sf.test", "bob@sf.test"),
        ("Southfield ", "{ann,bob}@sf.test", "{ann,bob}@sf.test"),
    ],
)
def test_names_before_an_address_get_their_bracket_back(before: str, value: str, expected: str) -> None:
    text, fields = header(("", before), ("email", value))
    (email,) = restore_brackets(text, fields)
    assert email.value == expected
    assert " ".join(email.span.of(text).split()) == expected


def test_people_of_later_pages_are_no_authors() -> None:
    document = document_of(Printed("Ann Bell"), Printed("Carl Dorn"), Printed("Eva Fox", page=1))
    fields = [
        Field("author", name, Span(start, start + len(name)), 0.9)
        for name in ("Ann Bell", "Carl Dorn", "Eva Fox")
        for start in [document.text.index(name)]
    ]
    assert [one.value for one in drop_later_people(document, fields)] == ["Ann Bell", "Carl Dorn"]
