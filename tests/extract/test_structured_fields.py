"""Declared fields are read from a page's own data first; titles from headings, without site and brackets."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.config.declaration import read_declaration
from portico.config.template import format_domain_toml
from portico.convert.converter import Converter
from portico.domains.registry import make_declared_domain
from portico.extract.pages import load_extractor
from portico.types.document import DocumentId
from portico.types.domain import Domain

DECLARED = """
[[page]]
name = "event"
[[record]]
name = "event"
title = "title"
identity = ["title", "site"]
[[record.field]]
name = "title"
form = "heading"
once = true
[[record.field]]
name = "date"
form = "date"
cues = ["When"]
once = true
[[record.field]]
name = "place"
form = "place"
cues = ["Where", "Venue"]
once = true
[[record.field]]
name = "price"
form = "price"
cues = ["Tickets"]
once = true
[[record.field]]
name = "picture"
form = "picture"
once = true
"""
PROSE = "<p>" + "The members meet every second week of the month to talk about soil and seeds. " * 2 + "</p>"
DATA = (
    '<script type="application/ld+json">{"@type": "Event", "name": "Seed swap", "startDate": '
    '"2024-05-04T10:00", "location": {"name": "Town hall"}, '
    '"offers": {"price": "5", "priceCurrency": "EUR"}, '
    '"image": "https://a.example/x.jpg"}</script>'
)


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter() as made:
        yield made


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    folder: Path = tmp_path_factory.mktemp("events")
    (folder / "domain.toml").write_text(DECLARED, "utf-8")
    file = folder / "domain.toml"
    return make_declared_domain(read_declaration(file), file=file, models=folder / "models")


SITED = "<title>Seed swap | Gardeners</title><meta property='og:site_name' content='Gardeners'>"
FOOT = "<footer><p>&copy; 2024 Club. All rights reserved.</p></footer>"
SAID = {"date": "2024-05-04", "place": "Town hall", "price": "5 EUR", "picture": "https://a.example/x.jpg"}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (DATA + "<h1>Swap of seeds</h1>", {"title": "Swap of seeds", **SAID}),
        (DATA + "<p>When: never</p>", {"title": "Seed swap", **SAID}),
        (
            SITED + "<dl><dt>When<dd>4 May 2024<dt>Venue<dd>(Town hall)<dt>Tickets<dd>$5.50 each</dl>",
            {"title": "Seed swap", "date": "2024-05-04", "place": "Town hall", "price": "$5.50"},
        ),
        (
            "<h1>Seed swap, 4 May 2024</h1><table><tr><td>When<td>4 May 2024<tr><td>Venue<td>Hall</table>",
            {"title": "Seed swap", "date": "2024-05-04", "place": "Hall"},
        ),
        ("<h1>About us</h1>", {}),
        (  # the site's name is no title
            f"<title>Club</title><h1>Club</h1><h2>Seed swap</h2><ul><li><b>Venue</b> Hall</ul>{FOOT}",
            {"title": "Seed swap", "place": "Hall"},
        ),
        (  # a label on a line of its own
            f"<h1>Seed swap</h1><div><div>Venue</div></div><div><div>Hall</div></div>{FOOT}",
            {"title": "Seed swap", "place": "Hall"},
        ),
        (  # a property that ends in the word of a field
            """<div itemscope itemtype="http://schema.org/Event"><h1 itemprop="name">Seed swap</h1>
            <p itemprop="eventVenue">Hall</p></div>""",
            {"title": "Seed swap", "place": "Hall"},
        ),
    ],
)
def test_data_come_first_and_headings_are_titles(
    converter: Converter, events: Domain, html: str, expected: dict[str, str]
) -> None:
    page = converter.page(
        f"<html><body>{html}{PROSE}</body></html>".encode(),
        media_type="text/html",
        name="a",
        document_id=DocumentId("a"),
    )
    records = load_extractor(events)(page)
    assert {name: record.value(name) for record in records for name in expected} == expected
    assert bool(records) == bool(expected)
    for field in (field for record in records for field in record.fields):
        assert 0 <= field.span.start < field.span.end <= len(page.text)


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """The domain that `portico init --domain custom` writes."""
    file = tmp_path_factory.mktemp("courses") / "domain.toml"
    file.write_text(format_domain_toml(), "utf-8")
    return make_declared_domain(read_declaration(file), file=file, models=file.parent / "models")


@pytest.mark.parametrize(
    ("html", "title", "instructor"),
    [
        ("<h1>CS472</h1><h1>Foundations of Soil</h1><p>Number: CS 472</p>", "Foundations of Soil", None),
        ("<h1>CS 537</h1><h2>Advanced Soil</h2><p>Professor Ann Bell</p>", "Advanced Soil", "Ann Bell"),
        ("<h1>CS 611: Soil and Seeds</h1><p>CS611</p><p>Prof. Ann Bell</p>", "Soil and Seeds", "Ann Bell"),
        ("<h1>CS 681 Soil: Homepage</h1><p>It is taught by Ann Bell this term.</p>", "Soil", "Ann Bell"),
        ("<h1>Soil (CS514)</h1><p>CS514 begins in May.</p>", "Soil", None),
    ],
)
def test_a_title_is_neither_a_number_nor_a_word_for_a_page(
    converter: Converter, courses: Domain, html: str, title: str, instructor: str | None
) -> None:
    page = converter.page(
        f"<html><body>{html}{PROSE}</body></html>".encode(),
        media_type="text/html",
        name="a",
        document_id=DocumentId("a"),
    )
    (record,) = load_extractor(courses)(page)
    assert (record.value("title"), record.value("instructor")) == (title, instructor)
