"""What is marked on one page is found in the same places of pages that are printed alike."""

from collections.abc import Iterator

import pytest

from portico.convert.converter import Converter
from portico.extract.alike_places import find_alike
from portico.types.document import Document, DocumentId, Span

FOOT = "<p>Open from ten to five. Dogs are welcome in the garden but not in the house.</p>"


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter() as made:
        yield made


def convert(converter: Converter, html: str) -> Document:
    whole = f"<html><body>{html}{FOOT}</body></html>".encode()
    return converter.page(whole, media_type="text/html", name="a", document_id=DocumentId(html))


def find(converter: Converter, here: str, marked: dict[str, str], there: str) -> dict[str, str]:
    taught, other = convert(converter, here), convert(converter, there)
    passages = []
    for label, words in marked.items():
        start = taught.text.index(words)
        passages.append((Span(start, start + len(words)), label))
    return {label: span.of(other.text) for span, label in find_alike(taught, passages, other)}


MARKED = {"title": "Tea Bowl", "maker": "Ann Bell", "date": "1850"}
FOUND = {"title": "Brass Sextant", "maker": "Bo Lind", "date": "about 1780"}


@pytest.mark.parametrize(
    "layout",
    [
        "<h1>{}</h1><p>{}</p><p>{}</p>",
        "<h2>{}</h2><table><tr><th>Made by<td>{}<tr><th>When<td>{}</table>",
        "<h2>{}</h2><p>Maker: {}</p><p>Year: {}</p>",
        "<p><b>{}</b></p><dl><dt>Maker</dt><dd>{}</dd><dt>Year</dt><dd>{}</dd></dl>",
        "<table><tr><td>{}<td>{}<td>{}</table>",
    ],
)
def test_values_are_found_where_they_were_marked(converter: Converter, layout: str) -> None:
    here, there = layout.format(*MARKED.values()), layout.format(*FOUND.values())
    assert find(converter, here, MARKED, there) == FOUND


def test_a_colon_in_a_value_announces_nothing(converter: Converter) -> None:
    found = find(converter, "<h1>Slow Rivers</h1>", {"title": "Slow Rivers"}, "<h1>Soil: a Seminar</h1>")
    assert found == {"title": "Soil: a Seminar"}


def test_words_around_a_value_are_left_out(converter: Converter) -> None:
    found = find(converter, "<p>No. 17 (oak)</p>", {"number": "17"}, "<p>No. 204 (oak)</p>")
    assert found == {"number": "204"}


@pytest.mark.parametrize(
    "there",
    [
        "<h1>Tea Room</h1>",  # nothing in that place
        "<ul><li>Cups<li>Bowls<li>Spoons</ul>",  # printed otherwise
        "<p>Lot 204 (oak)</p>",  # other words before it
    ],
)
def test_what_is_not_there_is_not_found(converter: Converter, there: str) -> None:
    assert find(converter, "<p>No. 17 (oak)</p>", {"number": "17"}, there) == {}


def test_of_a_list_that_is_longer_there_no_item_is_chosen(converter: Converter) -> None:
    here = "<ul><li>oak<li>brass<li>silk</ul>"
    there = "<ul><li>oak<li>brass<li>silk<li>lead</ul>"
    assert find(converter, here, {"second": "brass", "first": "oak"}, there) == {"first": "oak"}
