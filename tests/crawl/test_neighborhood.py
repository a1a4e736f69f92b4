"""What surrounds a link on real markup, and the bags of words made of it."""

import pytest

from portico.crawl.links import view_page
from portico.crawl.policies.trained import FULL_PAGE, RELATED
from portico.types.page import PageView, Url

PAGE = """<html><head><title>Jane Doe</title><base href="http://a.org/~doe/"></head><body>
<h1>Jane Doe</h1><p>I work on <b>spiders</b>.
<h2>Publications</h2><ul><li>Webs, <a href="pubs/cs-tr99.ps.gz">postscript</a>, 1999</ul>
<h2>Teaching</h2><p><a href="teach/">Courses</a></body></html>"""


@pytest.fixture
def page() -> PageView:
    return view_page(PAGE, Url("http://a.org/index.html"))


def test_links_know_the_heading_above_and_the_elements_around(page: PageView) -> None:
    assert [(one.link.target, one.heading, one.tags) for one in page.sightings] == [
        ("http://a.org/~doe/pubs/cs-tr99.ps.gz", "Publications", "a li ul"),
        ("http://a.org/~doe/teach/", "Teaching", "a p"),
    ]


def test_a_page_says_what_it_is_about(page: PageView) -> None:
    assert (page.title, page.headings) == ("Jane Doe", "Jane Doe Publications Teaching")
    assert "I work on spiders" in " ".join(page.text.split())


def test_parts_have_vocabularies_of_their_own(page: PageView) -> None:
    sighting = page.sightings[0]
    assert "publications (head)" in RELATED.of_page(page)
    own = RELATED.of_link(sighting)
    assert {"postscript (link)", "pubs (url)", "ps (url)", "webs (near)"} <= set(own)
    assert "spiders (page)" in FULL_PAGE.of_page(page)
    assert set(FULL_PAGE.of_link(sighting)) >= {"postscript (link)", "gz (link)"}


@pytest.mark.parametrize("html", ["", "<", "plain words", "<a href=x>" * 70_000, "<title><a href=y>"])
def test_odd_pages_are_looked_at_too(html: str) -> None:
    assert view_page(html, Url("http://a.org/")).url == "http://a.org/"
