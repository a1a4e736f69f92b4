"""A portal of declared kinds as plain files, opened by a real browser from a plain file server."""

import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from portico.serve.app import create_app
from portico.serve.declared.collection import ServedThings
from portico.serve.portal import About
from portico.serve.static_site import write_static_site
from portico.store.opening import open_store
from tests.directory import KINDS
from tests.serve.made import SCRIPT, STORE_URL
from tests.serve.made_directory import make_directory


class _Quiet(SimpleHTTPRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, written = tmp_path_factory.mktemp("directory"), tmp_path_factory.mktemp("static")
    make_directory(folder)
    store = open_store(STORE_URL, folder, read_only=True)
    collection = ServedThings(KINDS)
    app = create_app(store, index_folder=folder / "index", about=About("Who & Where"), collection=collection)
    things = [*store.catalog.entities.all()]
    write_static_site(app, [f"/item/{entity.id}" for entity in things], written)
    assert collection.write_static_index(things, store.catalog.things, written / "data") == len(things)
    store.close()
    return written


def test_as_plain_files_every_link_is_relative_and_leads_to_a_file(files: Path) -> None:
    for page in files.rglob("*.html"):
        html = page.read_text()
        assert "static.invalid" not in html
        assert SCRIPT not in html
        for link in re.findall(r'(?:href|src|action)="([^"#]+)', html):
            if not urlsplit(link).scheme:
                path = unquote(urlsplit(link).path)
                assert (page.parent / path).resolve().is_file(), (page, link)


@pytest.mark.browser
def test_plain_files_are_searched_in_the_browser(files: Path, browser: Browser) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(files)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
    page.get_by_role("searchbox").fill("role:treasurer acme")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#found")).to_have_text("1 result")
    page.get_by_role("link", name="Bo Old").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bo Old")
    page.get_by_label("Portal").get_by_role("link", name="Organisations").click()
    expect(page.locator(".thing")).to_have_count(4)
    server.shutdown()
