"""A portal behind a proxy: links, redirects, feeds and harvesting go by the configured address."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from portico.serve.app import create_app
from portico.serve.portal import About
from portico.serve.public_address import BaseUrl, add_prefix
from portico.store.opening import open_store
from tests.serve.conftest import Site, serving
from tests.serve.made import STORE_URL

BASE = "https://library.example.org/papers"
LINK = re.compile(r'(?:href|src|action)="([^"]*)"')


@pytest.fixture(scope="module")
def below(portal_folder: Path) -> Iterator[Site]:
    """The portal as it answers below a path."""
    store = open_store(STORE_URL, portal_folder, read_only=True)
    about = About("Trees & Words", base_url=BASE)
    with serving(create_app(store, index_folder=portal_folder / "index", about=about)) as site:
        yield site
    store.close()


PAGES = [
    "/",
    "/search?q=forests",
    "/paper/forest",
    "/topics",
    "/topic/Learning/Trees",
    "/about",
    "/author/young",
]


@pytest.mark.parametrize("stripped", [True, False], ids=["proxy strips the path", "proxy keeps it"])
@pytest.mark.parametrize("path", PAGES)
def test_every_link_stays_below_the_path(below: Site, path: str, stripped: bool) -> None:
    answer = below.ask(path if stripped else f"/papers{path}", headers={"Host": "127.0.0.1:8000"})
    inner = [link for link in LINK.findall(answer.text) if link.startswith("/")]
    assert answer.status == 200
    assert inner
    assert all(link.startswith("/papers/") for link in inner)
    for link in {link.partition("#")[0] for link in inner}:
        assert below.ask(link.replace("&amp;", "&")).status in (200, 301, 302), link


@pytest.mark.parametrize(
    ("asked", "location"),
    [
        ("/paper/merged", "/papers/paper/forest"),
        ("/papers/paper/merged", "/papers/paper/forest"),
        ("/papers/about/", "/papers/about"),
    ],
)
def test_redirects_stay_below_the_path(below: Site, asked: str, location: str) -> None:
    answer = below.ask(asked)
    assert (answer.status, answer.headers["Location"]) == (301, location)


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "evil.example", "library.example.org"])
@pytest.mark.parametrize(
    "path",
    ["/feed", "/sitemap.xml", "/robots.txt", "/oai?verb=ListRecords&metadataPrefix=oai_dc", "/paper/forest"],
)
def test_what_others_keep_names_the_configured_address(below: Site, path: str, host: str) -> None:
    text = below.ask(path, headers={"Host": host}).text
    named = [urlsplit(address) for address in re.findall(r"https?://[^\s\"<&]+", text)]
    assert {each.netloc for each in named} & {"library.example.org", host} == {"library.example.org"}
    assert all(each.path.startswith("/papers") for each in named if each.netloc == "library.example.org")


@pytest.mark.parametrize(
    ("html", "prefixed"),
    [
        ('<a href="/paper/x">', '<a href="/papers/paper/x">'),
        ('<form action="/search">', '<form action="/papers/search">'),
        ('<a href="//elsewhere.example/">', '<a href="//elsewhere.example/">'),
        ('<a href="https://elsewhere.example/">', '<a href="https://elsewhere.example/">'),
        ("<p>href=&quot;/paper&quot;</p>", "<p>href=&quot;/paper&quot;</p>"),
        ('<a href="#cite">', '<a href="#cite">'),
    ],
)
def test_only_links_of_the_portal_get_the_prefix(html: str, prefixed: str) -> None:
    assert add_prefix(html, BaseUrl.parse(BASE).prefix) == prefixed
    assert add_prefix(html, BaseUrl.parse("https://library.example.org/").prefix) == html


def test_the_description_of_the_api_says_where_it_is(below: Site) -> None:
    told = json.loads(below.ask("/papers/api/openapi.json").text)
    assert told["servers"] == [{"url": BASE}]


def test_suggestions_are_asked_for_below_the_path(below: Site, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(urljoin(below.url, "/papers/"))
    page.locator("input[type=search]").first.press_sequentially("hidden mar")
    expect(page.get_by_role("option").first).to_have_text("hidden markov")
    page.close()


@pytest.fixture(scope="module")
def named(portal_folder: Path) -> Iterator[Site]:
    """The portal as it answers to some names alone."""
    store = open_store(STORE_URL, portal_folder, read_only=True)
    about = About("Trees & Words", hosts=("Library.example.org", "box"))
    with serving(create_app(store, index_folder=portal_folder / "index", about=about)) as site:
        yield site
    store.close()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("192.168.1.5:8000", 200),  # a number cannot be led to another machine
        ("localhost:8000", 200),
        ("papers.localhost", 200),
        ("library.example.org", 200),
        ("LIBRARY.EXAMPLE.ORG.:443", 200),
        ("box:8000", 200),
        ("evil.example", 421),
        ("evil.example:8000", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example", 421),
        ("library.example.org.evil.example", 421),
        ("library.example.org@evil.example", 421),
        ("evil.example#127.0.0.1", 421),
        ("2130706433", 421),
        ("[::1]evil.example", 421),
        ("<script>", 421),
    ],
)
def test_only_its_own_names_are_answered_to(named: Site, host: str, status: int) -> None:
    for path in ("/", "/feed", "/oai?verb=Identify"):
        answer = named.ask(path, headers={"Host": host})
        assert (answer.status == 421) == (status == 421)
    answer = named.ask("/", headers={"Host": host})
    if status == 421:
        assert "[serve] hosts" in answer.text
        assert "<script>" not in answer.text
