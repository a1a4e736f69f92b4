"""Whatever a value is, it is written into a page once, escaped, and hides nothing."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from portico.serve.charts import draw_year_chart
from portico.serve.escaping import escape_html, strip_hidden
from portico.serve.page_parts import LinkedText, PaperCard, Piece
from portico.serve.pages import Choice
from portico.serve.portal import About
from portico.serve.rendering import (
    Renderer,
    write_byline,
    write_chart,
    write_facets,
    write_marked,
    write_papers,
)

OVERRIDE = chr(0x202E)
HOSTILE = f"<b>&\"'{OVERRIDE}\0"
AS_WRITTEN = "&lt;b&gt;&amp;&#34;&#39; "


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "plain"),
        (HOSTILE, AS_WRITTEN),
        (f"a{OVERRIDE}b\0c", "ab c"),
        ("é\n<", "é\n&lt;"),
        ("\ud800", "\ufffd"),
    ],
)
def test_escaped(value: str, expected: str) -> None:
    assert escape_html(value) == expected


@given(st.text())
def test_nothing_escaped_can_open_a_tag_or_leave_an_attribute(text: str) -> None:
    assert not set(escape_html(text)) & set("<>\"'")
    assert html.unescape(escape_html(text)) == strip_hidden(text)


def test_templates_escape_what_they_are_given() -> None:
    page = bytes(Renderer(About("A portal")).message(404, HOSTILE, HOSTILE).body).decode()
    assert page.count(AS_WRITTEN.strip()) >= 2
    assert HOSTILE not in page
    assert OVERRIDE not in page


def test_what_a_page_was_not_given_is_an_error_not_an_empty_place() -> None:
    with pytest.raises(UndefinedError):
        Renderer(About("A portal")).page("about.html")


def test_functions_that_write_markup_escape_every_text_they_are_given() -> None:
    """Each text is hostile and has a number, so that one that is missing or bare is named."""
    texts = [f"{number}{HOSTILE}" for number in range(11)]
    link, topic, source, choice = (LinkedText(*texts[i : i + 2]) for i in (0, 2, 4, 6))
    card = PaperCard(
        url=texts[8],
        title=texts[9],
        authors=(link,),
        n_more_authors=1,
        venue=texts[10],
        year=HOSTILE,
        n_citations=1234,
        held=False,
        topic=topic,
        snippet=(Piece("plain <", False), Piece("marked <", True)),
        source=source,
    )
    choices = [Choice(choice.text, choice.url, count=1000)]
    written = write_papers([card]) + write_facets([(HOSTILE, choices), ("empty", [])])
    assert [text for text in texts if escape_html(text) not in written] == []
    assert "<b>" not in written
    assert "plain &lt;<mark>marked &lt;</mark>" in written
    assert "cited 1,234 times" in written
    assert "1,000" in written
    assert "empty" not in written


def test_parts_that_have_nothing_to_say_are_left_out() -> None:
    card = PaperCard("/paper/x", "A title", (), 0, "", "", 0, held=True)
    assert write_byline(card) == ""
    assert write_marked(()) == ""
    assert write_chart(None, "Papers") == ""
    written = write_papers([card], "h2")
    assert '<h2 class="paper-title"><a href="/paper/x" dir="auto">A title</a></h2>' in written
    assert not [each for each in ("cited", "byline", "snippet", "badge", "source") if each in written]


def test_bars_lead_to_their_year_where_there_is_an_address() -> None:
    chart = draw_year_chart([(1999, 3), (2001, 1)])
    assert "<a" not in write_chart(chart, "Papers")
    linked = write_chart(chart, HOSTILE, "/search?q=<&")
    assert f'href="/search?q={escape_html("<&")}from=2001&amp;to=2001"' in linked
    assert "<b>" not in linked
