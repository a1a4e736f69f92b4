"""Every reference is found by the name a text has for it, wherever in the text it is cited."""

import pytest

from portico.extract.citing_sentences import add_contexts
from portico.extract.splitting import ReferenceEntry
from portico.extract.zones import Zones
from portico.types.document import Span
from portico.types.record import Field, Record, RecordId
from tests.extract.pages import Printed, document_of


def sentences(raw: str, *fields: tuple[str, str], header: str = "", body: tuple[str, ...]) -> list[str]:
    """The sentences that cite one reference of 1999 in a text with these paragraphs of one line each."""
    printed = [Printed(text, block=block) for block, text in enumerate((header, *body, raw))]
    document = document_of(*printed)
    lines = document.lines
    found = (*fields, ("year", "1999"))
    place = lines[-1].span
    record = Record(
        RecordId("r"),
        "reference",
        document.id,
        raw,
        place,
        tuple(Field(*one, Span(0, 1), 0.9) for one in found),
    )
    zones = Zones(lines[:1], lines[1:-1], lines[-1:], has_abstract=True, has_introduction=True)
    (cited,) = add_contexts(document, zones, [ReferenceEntry(lines[-1:])], [record])
    return [context.text for context in cited.contexts]


@pytest.mark.parametrize(
    ("raw", "fields", "text"),
    [
        ("Bell, A. 1999. On Edges.", [("author", "Bell, A.")], "It was shown long ago (Bell 1999)."),
        ("Bell, A. (ed.) 1999. On Edges.", [("editor", "Bell, A.")], "It was shown long ago (Bell 1999)."),
        ("Northfield Bank Research, 1999. On Edges.", [], "It grew (Northfield Bank Research, 1999)."),
        ("OECD (1999): On Edges.", [], "It grew, too (OECD 1999)."),
    ],
)
def test_who_is_cited(raw: str, fields: list[tuple[str, str]], text: str) -> None:
    assert sentences(raw, *fields, body=(text,)) == [text]


BELL = ("Bell, A. 1999. On Edges.", ("author", "Bell, A."))


def test_a_note_of_one_line_is_no_heading() -> None:
    assert sentences(*BELL, body=("7 See, for example, Bell 1999.",)) == ["7 See, for example, Bell 1999."]
    assert sentences(*BELL, body=("Edges after Bell (1999)",)) == []


def test_paragraphs_that_were_taken_for_the_header_cite_too() -> None:
    text = "Edges have been of interest for a long time, as one can read in Bell (1999)."
    assert sentences(*BELL, header=text, body=("Nothing here.",)) == [text]
