"""A title is as metadata and covers tell it where the page agrees, and spaced as the text spaces words."""

from dataclasses import replace

import pytest

from portico.extract.title_spaces import restore_spaces
from portico.extract.told_titles import correct_title
from portico.extract.zones import Zones
from portico.types.document import Span
from portico.types.record import Field
from tests.extract.pages import Printed, document_of

LINES = (
    "FS I 01 - 301", "First line supervision", "without any supervisor at Hanover", "Ann Bell",
    "Cornell University",
)  # fmt: skip


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("First line supervision without any supervisor at Hannover", " ".join(LINES[1:3])),
        ("First line supervision without any supervisor at Hanover", " ".join(LINES[1:3])),
        ("Something else altogether, by another hand", " ".join(LINES[:3])),
        ("05_08.pdf", " ".join(LINES[:3])),
    ],
)
def test_the_lines_that_metadata_tells_are_the_title(told: str, expected: str) -> None:
    document = document_of(*(Printed(line) for line in LINES))
    document = replace(document, asides=(("info:title", told),))
    end = document.text.index("\nAnn")
    found = Field("title", " ".join(LINES[:3]), Span(0, end), 0.6)
    zones = Zones(document.lines, (), (), has_abstract=False, has_introduction=False)
    title = correct_title(document, zones, (found,))[0]
    assert title.value == expected


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Evidence ofa Fossil", "of a reef, of trees, a coral", "Evidence of a Fossil"),
        (
            "Growth of Acroporamuricata",
            "Acropora muricata here, Acropora muricata there, and Acropora muricata",
            "Growth of Acropora muricata",
        ),
        ("Healthcare for All", "health care, and health care too", "Healthcare for All"),
        ("Kinderbetreuung heute", "die Kinder-\nbetreuung, Kinder-\nbetreuung", "Kinderbetreuung heute"),
        ("A Single Object", "an ob ject, the ob ject, that ob ject", "A Single Object"),
        ("Specifi c Trees", "specific woods and specific trees", "Specific Trees"),
        ("Up Date", "update and update, each up to its date", "Up Date"),
    ],
)
def test_spaces_are_as_the_text_has_them(title: str, text: str, expected: str) -> None:
    document = document_of(Printed(title), *(Printed(line) for line in text.split("\n")))
    found = Field("title", title, Span(0, len(title)), 0.9)
    assert restore_spaces(document, found).value == expected
