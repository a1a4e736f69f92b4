"""Records are read from web pages: by the shipped model, by one of a few marked pages, by patterns alone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.convert.converter import Converter
from portico.domains.organisations import ORGANISATIONS
from portico.domains.readers import READERS, read_people
from portico.errors import ExtractionError
from portico.extract.page_learning import label_passages, learn_fields
from portico.extract.page_patterns import PatternTagger
from portico.extract.page_records import build_records
from portico.extract.page_rows import read_page_rows
from portico.extract.pages import PageExtractor, load_extractor, make_page_extractor, make_page_observer
from portico.extract.tagger import Tagged
from portico.types.document import Document, DocumentId, Span
from portico.types.domain import NO_HEADINGS, Domain, FieldRule, Form, Kind
from portico.types.record import Record

HEADED = """<title>Board - Greenfield Gardeners</title><h1>Our board</h1>
<h3>Anna Miller</h3><p>President</p><p>{prose}</p>
<h3>Robert Smith</h3><p>Treasurer</p><p>{prose}</p>
<h3>Linda Johnson</h3><p>Secretary</p><p>{prose}</p>
<div class=footer>© 2024 Greenfield Gardeners. All rights reserved</div>"""
LISTED = """<title>Staff directory</title><h2>Office of the President</h2><ul>
<li>Anna Miller, President and CEO<li>Robert Smith, Chief Financial Officer
<li>Linda Johnson, Director of Marketing<li>David Brown, Manager, Member Services</ul><p>{prose}</p>"""
CONTACT = """<title>Contact</title><h1>Contact us</h1><p>12 Elm Street<br>Hudson, OH 44236</p>
<p>Phone: (330) 555-0142</p><p>info@greenfield.example</p><p>{prose}</p>"""
PROSE = "The members meet every second week of the month to talk about soil, seeds and the weather. " * 2


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter() as made:
        yield made


def document(converter: Converter, html: str, name: str = "a") -> Document:
    return converter.page(
        html.replace("{prose}", PROSE).encode(),
        media_type="text/html",
        name=name,
        document_id=DocumentId(name),
    )


def officers(records: tuple[Record, ...]) -> list[tuple[str | None, str | None]]:
    return [(one.value("name"), one.value("role")) for one in records if one.kind == "officer"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            HEADED,
            [("Anna Miller", "President"), ("Robert Smith", "Treasurer"), ("Linda Johnson", "Secretary")],
        ),
        (
            LISTED,
            [
                ("Anna Miller", "President and CEO"),
                ("Robert Smith", "Chief Financial Officer"),
                ("Linda Johnson", "Director of Marketing"),
                ("David Brown", "Manager, Member Services"),
            ],
        ),
    ],
    ids=["headed", "listed"],
)
def test_officers_are_read_with_their_roles(
    converter: Converter, html: str, expected: list[tuple[str, str]]
) -> None:
    assert officers(load_extractor(ORGANISATIONS)(document(converter, html))) == expected


def test_an_organisation_is_read_with_its_contacts(converter: Converter) -> None:
    page = document(converter, CONTACT)
    organisation = next(one for one in load_extractor(ORGANISATIONS)(page) if one.kind == "organisation")
    assert organisation.value("phone") == "(330) 555-0142"
    assert organisation.value("email") == "info@greenfield.example"
    assert organisation.value("address") == "12 Elm Street Hudson, OH 44236"
    assert organisation.value("place") == "Hudson, OH"


def test_every_field_stands_where_it_says(converter: Converter) -> None:
    page = document(converter, HEADED)
    for record in load_extractor(ORGANISATIONS)(page):
        assert record.id.startswith("a#")
        for field in record.fields:
            assert field.span.of(page.text) == field.value
            assert 0 < field.confidence < 1


BOTH = [("Ann Bell", "Chair"), ("Bo Lind", "Clerk")]
GROUPED = [
    # Roles as headings over names, as small print below them, before the name, behind it; two on one line.
    (
        "<h3>Chair</h3><p>Ann Bell</p><h3>Clerk</h3><p>Bo Lind</p>",
        BOTH,
    ),
    (
        "<h4>Ann Bell</h4><h6>Chair</h6><h4>Bo Lind</h4><h6>Clerk</h6>",
        BOTH,
    ),
    ("<li>Chair: Ann Bell<li>Clerk: Bo Lind", BOTH),
    ("<p>Ann Bell, Chair</p><p>Bo Lind, Clerk</p>", BOTH),
    (
        "<table><tr><td>Chair<td>Ann Bell<tr><td>Clerk<td>Bo Lind</table>",
        BOTH,
    ),
    ("<p>Ann Bell</p><p>Bo Lind</p><p>Clerk</p>", [("Ann Bell", None), ("Bo Lind", "Clerk")]),
    ("<p>Ann Bell</p>" + "<p>no more</p>" * 6 + "<p>Chair</p>", [("Ann Bell", None)]),
]


@pytest.mark.parametrize(("html", "expected"), GROUPED)
def test_passages_go_to_the_record_they_stand_by(
    converter: Converter, html: str, expected: list[tuple[str, str | None]]
) -> None:
    page = document(converter, html + "<p>{prose}</p>")
    words = {"Ann Bell": "name", "Bo Lind": "name", "Chair": "role", "Clerk": "role"}
    passages = [
        (Span(match.start(), match.end()), label)
        for text, label in words.items()
        for match in re.finditer(text, page.text)
    ]
    marked = label_passages(page, passages, other="other")
    tagged = Tagged(marked.rows, marked.labels, (0.9,) * len(marked.labels))
    assert officers(build_records(page, tagged, ORGANISATIONS.kinds)) == expected


def test_somebody_named_twice_is_one_record(converter: Converter) -> None:
    overview = "<ul><li>Anna Miller<li>Robert Smith<li>Linda Johnson</ul>"
    page = document(converter, HEADED.replace("<h3>Anna", overview + "<h3>Anna", 1))
    assert len(officers(load_extractor(ORGANISATIONS)(page))) == 3


def test_a_page_without_text_is_an_error() -> None:
    with pytest.raises(ExtractionError, match="no text"):
        load_extractor(ORGANISATIONS)(Document(DocumentId("a"), "text/html", "", (), ()))


COURSE = Kind(
    name="course",
    labels=("title", "number", "teacher", "other"),
    rules=(
        FieldRule("title", "title", READERS[Form.TEXT], once=True),
        FieldRule("number", "number", READERS[Form.TEXT], once=True),
        FieldRule("teacher", "teacher", read_people),
    ),
    observations=ORGANISATIONS.kinds[0].observations,
    model="fields.zip",
    other="other",
    patterns=(("number", r"\bCS ?\d{3}\b"),),
    cues=(("teacher", ("Teacher", "Taught by")), ("title", ("Title",))),
)
COURSES = Domain(
    name="courses",
    kinds=(COURSE,),
    headings=NO_HEADINGS,
    lexicon=ORGANISATIONS.lexicon,
    models=Path("nowhere"),
    splitting="",
    topics=Path("nowhere"),
    topic_words=Path("nowhere"),
    target_types=frozenset(),
    spider="",
    page_kinds=("course",),
)


@pytest.mark.parametrize(
    ("html", "fields"),
    [
        ("<h1>CS 101</h1><p>Teacher: Anna Miller</p>{prose}", {"number": "CS 101", "teacher": "Anna Miller"}),
        ("<table><tr><td>Taught by<td>Anna Miller</table>{prose}", {"teacher": "Anna Miller"}),
        ("<dl><dt>Teacher<dd>Anna Miller and Bo Lind</dl>{prose}", {"teacher": "Anna Miller"}),
        ("<h2>Title</h2><p>Soil and Seeds</p>{prose}", {"title": "Soil and Seeds"}),
        ("<p>Nothing of the kind.</p>{prose}", {}),
        (
            "<table><tr><th>Title<th>Teacher</tr><tr><td>Seeds<td>Bo Lind</tr></table>{prose}",
            {"teacher": "Bo Lind"},
        ),
    ],
)
def test_without_a_model_patterns_and_cues_are_read(
    converter: Converter, html: str, fields: dict[str, str]
) -> None:
    records = load_extractor(COURSES)(document(converter, html))
    assert {name: record.value(name) for record in records for name in fields} == fields
    assert bool(records) == bool(fields)


SHEET = (
    "<title>CS {number}: {title}</title><h1>CS {number}: {title}</h1><h3>{teacher}</h3>{prose}"
    "<h3>Homework</h3>"
)
MARKED = [
    ("101", "Soil and Seeds", "Anna Miller"),
    ("204", "Applied Weather", "Robert Smith"),
    ("310", "Growing Mushrooms", "Linda Johnson"),
    ("322", "Theory of Hedges", "David Brown"),
]


def sheet(converter: Converter, number: str, title: str, teacher: str) -> Document:
    html = SHEET.replace("{number}", number).replace("{title}", title).replace("{teacher}", teacher)
    return document(converter, html)


def test_a_few_marked_pages_teach_what_patterns_cannot(converter: Converter) -> None:
    pages = []
    for number, title, teacher in MARKED:
        page = sheet(converter, number, title, teacher)
        passages = [
            (Span(start, start + len(value)), label)
            for label, value in (("number", f"CS {number}"), ("title", title), ("teacher", teacher))
            if (start := page.text.rindex(value)) >= 0
        ]
        pages.append(label_passages(page, passages, other="other"))
    model = learn_fields(pages, make_page_observer(COURSES))
    unseen = sheet(converter, "415", "Advanced Composting", "Maria Garcia")
    record = make_page_extractor(COURSES, model)(unseen)[0]
    assert record.value("title") == "Advanced Composting"
    assert record.value("teacher") == "Maria Garcia"
    bare = PageExtractor(COURSES.kinds, PatternTagger(COURSES.kinds))(unseen)[0]
    assert bare.value("title") is None


def test_a_long_page_is_read_to_a_bound(converter: Converter) -> None:
    rows = read_page_rows(document(converter, "<p>word</p>" * 30_000))
    assert sum(len(row.words) for row in rows) == 20_000
