"""The portal as plain files, opened by a real browser from a plain file server."""

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from portico.serve.app import create_app
from portico.serve.papers.collection import write_paper_files
from portico.serve.portal import About
from portico.serve.static_site import choose_file, write_static_site
from portico.store.opening import open_store
from tests.serve.made import SCRIPT, STORE_URL


class _Quiet(SimpleHTTPRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


@pytest.fixture(scope="module")
def files(portal_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    write(portal_folder, folder, About("Trees & Words"))
    return folder


def write(portal_folder: Path, folder: Path, about: About) -> None:
    store = open_store(STORE_URL, portal_folder, read_only=True)
    app = create_app(store, index_folder=portal_folder / "index", about=about)
    held = [entity for entity in store.catalog.entities.all() if entity.documents]
    write_static_site(app, [f"/paper/{entity.id}" for entity in held], folder)
    assert write_paper_files(held, folder / "data") == len(held)
    store.close()


@pytest.fixture(scope="module")
def address(files: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(files)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_every_link_is_relative_and_leads_to_a_file(files: Path) -> None:
    for page in files.rglob("*.html"):
        html = page.read_text()
        assert "static.invalid" not in html
        assert SCRIPT not in html
        for link in re.findall(r'(?:href|src|action)="([^"#]+)', html):
            path = unquote(urlsplit(link).path)
            if not urlsplit(link).scheme:
                assert (page.parent / path).resolve().is_file(), (page, link)


def test_without_copies_pages_lead_to_where_papers_were_found(
    files: Path, portal_folder: Path, tmp_path: Path
) -> None:
    write(portal_folder, tmp_path, About("Trees & Words", copies=False))
    assert [*files.rglob("*.pdf")]
    assert not [*tmp_path.rglob("*.pdf"), *tmp_path.rglob("*.ps")]
    html = (tmp_path / "paper" / "forest.html").read_text()
    assert 'href="http://cs.example.edu/~young/forest.pdf"' in html
    assert "/file/" not in html


def test_words_with_the_same_beginning_are_in_one_file() -> None:
    assert choose_file("tree") == choose_file("try") == "words-74-72.json"
    assert choose_file("é") != choose_file("e")


@pytest.mark.browser
def test_a_browser_finds_and_reads_a_paper(address: str, browser: Browser) -> None:
    page = browser.new_page(base_url=address)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    page.get_by_role("searchbox").fill("decision forests")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("paper")
    page.get_by_role("link", name="Growing decision forests").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Growing decision forests")
    page.get_by_role("link", name="Ada Young").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada Young")
    page.get_by_role("link", name="Search in these papers").click()
    expect(page.get_by_role("status")).to_contain_text("1 paper")
    assert all(url.startswith(address) for url in asked)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("trees", {"Growing decision forests", "Parsing with hidden Markov models", SCRIPT}),
        ("trees year:1999", {"Parsing with hidden Markov models"}),
        ("year:1990..1998", {"Growing decision forests"}),
        ("year:1997..", {"Parsing with hidden Markov models"}),
        ("trees -hidden", {"Growing decision forests", SCRIPT}),
        ("trees -hidden -author:young", {SCRIPT}),
        ("pars* title:hidden", {"Parsing with hidden Markov models"}),
        ("year:1500", set()),
    ],
)
def test_a_browser_understands_years_and_unwanted_words(
    address: str, browser: Browser, query: str, found: set[str]
) -> None:
    page = browser.new_page(base_url=address)
    page.goto(f"/search.html?q={quote(query)}")
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^\d+ papers?$"))
    titles = page.locator(".paper-title").all_inner_texts()
    assert {SCRIPT if title.startswith(SCRIPT) else title for title in titles} == found
    page.close()


@pytest.mark.browser
def test_a_browser_marks_what_was_looked_for(address: str, browser: Browser) -> None:
    page = browser.new_page(base_url=address)
    page.goto("/search.html?q=TREES+vot*+year:1996")
    expect(page.locator(".snippet mark")).to_have_text(["trees", "vote"])
    page.close()
