"""Journeys through a portal of declared kinds in a real Chromium, with and without scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.serve.browsing import DESK, PHONE, barriers, width_of
from tests.serve.conftest import Site
from tests.serve.made_directory import HOSTILE, id_of, make_directory, serving_directory

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("directory")
    make_directory(folder)
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Site]:
    with serving_directory(folder) as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    context = browser.new_context(viewport=DESK, java_script_enabled=False, base_url=site.url)
    yield context.new_page()
    context.close()


def paths(folder: Path) -> list[str]:
    names = ("Ada Young", "Acme Gardening Society", HOSTILE)
    things = [f"/item/{id_of(folder, name)}" for name in names]
    return [
        "/",
        "/search?q=treasurer",
        "/search?kind=officer",
        "/search?q=zebra",
        "/about",
        "/api",
        "/x",
        *things,
    ]


def test_from_a_role_to_a_person_to_the_organisation_and_its_other_officers(page: Page) -> None:
    page.goto("/")
    page.get_by_role("searchbox").fill("role:treasurer place:ems")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Bo Old").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bo Old")
    page.locator(".people").get_by_role("link", name="Acme Gardening Society").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Acme Gardening Society")
    expect(page.get_by_role("link", name="+49 555 0100")).to_be_visible()
    page.locator("#parts + .briefs").get_by_role("link", name="Ada Young").click()
    page.get_by_text("Extracted values, sources and confidence").click()
    expect(page.get_by_role("table")).to_contain_text("“Ada Young Chair ada@acme.example”")


def test_kinds_and_facets_narrow_and_widen(page: Page) -> None:
    page.goto("/search")
    n_all = page.locator(".small-title").inner_text()
    page.get_by_label("Kind").get_by_role("link", name="Officers").click()
    page.get_by_label("Narrow the results").get_by_role("link", name="Treasurer").click()
    expect(page.locator(".thing")).to_have_count(2)
    page.get_by_role("link", name="Role: Treasurer").click()
    page.get_by_label("Kind").get_by_role("link", name="All").click()
    expect(page.locator(".small-title")).to_have_text(n_all)


def test_no_page_scrolls_sideways_or_runs_what_it_shows(browser: Browser, site: Site, folder: Path) -> None:
    complaints: list[str] = []
    for viewport in (PHONE, DESK):
        context = browser.new_context(viewport=viewport, base_url=site.url)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        for path in paths(folder):
            page.goto(path)
            width = width_of(page)
            assert width <= viewport["width"], f"{path} is {width} wide"
            assert page.title() != "owned"
        context.close()
    assert [each for each in complaints if "404" not in each] == []


@pytest.mark.parametrize(
    ("scheme", "viewport"), [("light", DESK), ("dark", PHONE)], ids=["light-writable", "dark-phone"]
)
def test_everyone_can_use_it(
    browser: Browser, site: Site, folder: Path, scheme: str, viewport: ViewportSize
) -> None:
    context = browser.new_context(
        viewport=viewport,
        color_scheme=scheme,  # type: ignore[arg-type]
        base_url=site.url,
        bypass_csp=True,  # axe itself is a script
    )
    page = context.new_page()
    found = {}
    for path in paths(folder):
        page.goto(path)
        serious = barriers(page)
        if serious:
            found[path] = serious
    context.close()
    assert found == {}
