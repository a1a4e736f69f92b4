"""No page holds up a crawl: what takes too long to read is given up, and all else goes on meanwhile."""

import asyncio
import time

import pytest

from portico.crawl.options import Budget
from portico.crawl.page_reading import LARGE_BYTES, HtmlBody, PageReader, ReadingDepth, read_page
from portico.errors import FetchError
from portico.text.markup import MAX_ATTRIBUTES, decode, find_encoding, parse
from portico.types.page import Url
from tests.crawl.conftest import Crawl
from tests.crawl.web import Web

HTML = "text/html"
PAGE = Url("http://a.test/")
LINKED = b"<title>Papers</title><h1>All</h1><p>See <a href='paper.pdf'>the paper</a> of <a href='x'>x</a>"
HOSTILE = {
    "choices": b"<select>" + b"<option>" * 100_000,
    "choices in capitals": b"<SELECT>" + b"<OPTION>" * 100_000,
    "attributes": b"<a " + b" ".join(b"a%d" % number for number in range(100_000)) + b">",
    "attributes without space": b"<a " + b"".join(b"a%d=''" % number for number in range(100_000)) + b">",
    "attributes with brackets": b"<a " + b" ".join(b'a%d="<>"' % number for number in range(100_000)) + b">",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_parsed_in_good_time(name: str) -> None:
    html = (LINKED + HOSTILE[name]).decode()
    started = time.process_time()
    assert len(parse(html).css("a[href]")) == 2
    assert time.process_time() - started < 1


def test_pages_with_many_attributes_in_all_stay_whole() -> None:
    html = "<p title='> <a b=c' lang=en id=x>x</p>" * MAX_ATTRIBUTES
    assert len(parse(html).css("p")) == MAX_ATTRIBUTES


@pytest.mark.parametrize(
    "encoding",
    ["punycode", "idna", "rot13", "bz2_codec", "hex", "unicode_escape", "utf-7", "undefined", "no"],
)
def test_only_encodings_of_browsers_are_believed(encoding: str) -> None:
    body = f"<meta charset={encoding}><p>größer".encode() * 20_000
    started = time.process_time()
    assert decode(body, f"text/html; charset={encoding}").startswith(body.decode()[:50])
    assert decode(body).startswith(body.decode()[:50])
    assert time.process_time() - started < 1
    assert find_encoding(body, f"text/html; charset={encoding}") == "utf-8"


@pytest.mark.parametrize(
    ("declared", "encoding"), [("iso-8859-1", "cp1252"), ("windows-1251", "cp1251"), ("Shift_JIS", "cp932")]
)
def test_encodings_of_browsers_are_believed(declared: str, encoding: str) -> None:
    assert find_encoding(b"<p>x", f"text/html; charset={declared}") == encoding
    assert find_encoding(f"<meta charset={declared}><p>x".encode()) == encoding


@pytest.mark.parametrize("look", ReadingDepth)
def test_large_pages_are_read_as_small_ones_are(look: ReadingDepth) -> None:
    page = HtmlBody(PAGE, HTML, LINKED + b"<p>\xf0\x9f\x8c\x8d</p>" * LARGE_BYTES)

    async def read() -> object:
        reader = PageReader(look)
        try:
            return await reader.read(page)
        finally:
            await reader.close()

    assert page.is_large
    assert asyncio.run(read()) == read_page(page, look)


def test_page_that_takes_too_long_is_given_up_and_the_next_is_read() -> None:
    slow = HtmlBody(PAGE, HTML, b"<b><p>" * 500_000)
    large = HtmlBody(PAGE, HTML, LINKED + b" " * LARGE_BYTES)

    async def read() -> int:
        reader = PageReader(ReadingDepth.LINKS, deadline_s=0.2)
        try:
            with pytest.raises(FetchError, match="could not be read") as caught:
                await reader.read(slow)
            assert not caught.value.retryable
            return len((await reader.read(large)).sightings)
        finally:
            await reader.close()

    assert asyncio.run(read()) == 2


def test_hostile_page_beside_a_healthy_host(web: Web, crawled: Crawl) -> None:
    pages = [f"p{number}" for number in range(20)]
    web.link("http://a.test/", *pages)
    for name in pages:
        web.link(f"http://a.test/{name}")
    web.add("http://b.test/", HOSTILE["choices"] * 4 + HOSTILE["attributes"], media_type=HTML)
    web.add("http://c.test/", LINKED * 10_000, media_type="text/html; charset=punycode")
    started = time.monotonic()
    summary = crawled("http://a.test/", "http://b.test/", "http://c.test/", budget=Budget(max_minutes=1))
    assert summary.done.n_fetched >= 23
    assert time.monotonic() - started < 30
    assert crawled.failures().keys() <= {"http://c.test/paper.pdf", "http://c.test/x"}
