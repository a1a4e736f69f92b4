"""Journeys through the portal in a real Chromium, with scripts switched off as visitors may have them."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect

from tests.serve.browsing import DESK, PHONE, barriers, width_of
from tests.serve.conftest import Site
from tests.serve.test_pages import PAGES

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    context = browser.new_context(viewport=DESK, java_script_enabled=False, base_url=site.url)
    yield context.new_page()
    context.close()


def test_from_the_front_page_to_a_paper_its_citations_and_its_topic(page: Page) -> None:
    page.goto("/")
    page.get_by_role("searchbox").fill("hidden markov")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("mark").first).to_have_text("hidden")
    page.get_by_role("link", name="Parsing with hidden Markov models").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Parsing with hidden Markov models")
    page.locator("section:has(#references)").get_by_role("link", name="Growing decision forests").click()
    citing = page.locator(".citation").filter(has=page.get_by_role("link", name="Parsing with hidden"))
    citing.get_by_text("1 sentence").click()
    expect(citing.get_by_text("Forests vote [1].")).to_be_visible()
    expect(citing.locator(".raw")).to_be_visible()
    page.get_by_text("Cite", exact=True).click()
    expect(page.get_by_text("Journal of Trees, 1996.")).to_be_visible()
    page.locator("section:has(#references)").get_by_role("link", name="Inducing trees top down").click()
    expect(page.get_by_text("does not have the paper itself")).to_be_visible()
    page.go_back()
    page.get_by_label("Topic").get_by_role("link", name="Trees").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Trees")
    page.get_by_role("link", name="Surveys").click()
    expect(page.locator(".sorts [aria-current]")).to_have_text("Surveys")
    expect(page.locator(".paper-title").first).to_have_text("Growing decision forests")


def test_an_author_leads_to_everything_by_them(page: Page) -> None:
    page.goto("/paper/forest")
    page.get_by_role("link", name="Ada Young").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ada Young")
    expect(page.get_by_role("heading", name="2 papers")).to_be_visible()


def test_the_citation_map_is_read_and_walked_with_the_keyboard(page: Page) -> None:
    page.set_viewport_size(DESK)
    page.goto("/paper/forest")
    around = page.get_by_role("group", name="Citation map")
    expect(around.locator("svg")).to_be_visible()
    links = around.get_by_role("link")
    assert links.count() > 1
    frame = around.locator("svg").bounding_box()
    assert frame is not None
    for edge, least in (("left", frame["x"]), ("right", 0)):  # the words are inside the frame
        places = f"links => links.map(link => link.getBoundingClientRect().{edge})"
        for place in links.evaluate_all(places):
            assert least <= place <= frame["x"] + frame["width"]
    links.first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/paper/(?!forest).+#map$"))
    page.set_viewport_size(PHONE)  # where the map would be too small to read, no heading stands over nothing
    page.goto("/paper/forest#map")
    expect(page.get_by_role("link", name="Explore the map")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Citation map")).not_to_be_visible()


def test_references_have_the_numbers_they_have_in_the_paper_or_none(page: Page) -> None:
    page.goto("/paper/forest")
    numbers = [item.get_attribute("value") for item in page.locator("ol.numbered > li").all()]
    assert numbers == ["1", None]
    page.evaluate("document.querySelector('ol.numbered > li').value = 7")  # as where others stand before it
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    markers = [node["name"]["value"].strip() for node in nodes if node["role"]["value"] == "ListMarker"]
    assert [name for name in markers if name.startswith("[")] == ["[7]"]


def test_on_a_phone_the_map_is_a_page_of_its_own(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto("/paper/forest")
    expect(page.get_by_role("group", name="Citation map").locator("svg")).to_be_hidden()
    page.get_by_role("link", name="Explore the map").click()
    expect(page).to_have_url(re.compile(r"/map\?paper=forest"))


def test_a_long_page_on_a_phone_says_what_is_further_down(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto("/paper/forest")
    for name in page.get_by_label("On this page").get_by_role("link").all_inner_texts():
        page.get_by_label("On this page").get_by_role("link", name=name).click()
        expect(page.locator(":target")).to_be_in_viewport()
    page.goto("/topic/Learning")
    page.get_by_role("link", name="More about this topic").click()
    expect(page.locator(":target")).to_be_in_viewport()
    page.goto("/search?q=trees")
    page.get_by_role("link", name="Narrow these results").click()
    expect(page.get_by_label("From year")).to_be_in_viewport()
    page.set_viewport_size(DESK)
    expect(page.get_by_role("link", name="Narrow these results")).to_be_hidden()


def test_narrowing_and_widening_a_search(page: Page) -> None:
    page.goto("/search?q=trees")
    n_all = page.locator(".paper").count()
    page.get_by_label("Narrow the results").get_by_role("link", name="Learning").click()
    assert page.locator(".paper").count() < n_all
    page.get_by_role("link", name="in Learning").click()
    assert page.locator(".paper").count() == n_all
    page.get_by_label("From year").fill("1999")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".paper")).to_have_count(1)


def test_the_keyboard_reaches_the_content_first(page: Page) -> None:
    page.goto("/paper/forest")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))


def test_no_page_scrolls_sideways_or_asks_anyone_else(browser: Browser, site: Site) -> None:
    asked: list[Request] = []
    for viewport in (PHONE, DESK):
        context = browser.new_context(viewport=viewport, base_url=site.url)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request))
        for path in PAGES:
            page.goto(path)
            width = width_of(page)
            assert width <= viewport["width"], f"{path} is {width} wide"
            assert page.title() != "owned"
        context.close()
    assert {request.url.split("/")[2] for request in asked} == {f"127.0.0.1:{site.port}"}


# Share of the screen that moved, times how far: a busy browser may paint a page in two steps and round a line
# differently in between, which nobody sees. Pages count as steady below .1.
UNSEEN = 0.0005
_SHIFTS = """() => new Promise(done => {
  let shifted = 0;
  new PerformanceObserver(list => list.getEntries().forEach(each => shifted += each.value))
    .observe({type: "layout-shift", buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => done(shifted)));
})"""


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "writable"])
def test_nothing_moves_while_a_page_is_loaded(browser: Browser, site: Site, viewport: ViewportSize) -> None:
    context = browser.new_context(viewport=viewport, base_url=site.url)
    page = context.new_page()
    shifts = {}
    for path in ("/", "/search?q=trees", "/topic/Learning", "/paper/forest", "/author/young"):
        page.goto(path, wait_until="networkidle")
        shifts[path] = page.evaluate(_SHIFTS)
    context.close()
    assert {path: shift for path, shift in shifts.items() if shift > UNSEEN} == {}


def test_on_paper_there_is_the_paper_and_nothing_to_click(page: Page) -> None:
    page.emulate_media(media="print")
    page.goto("/paper/forest")
    for hidden in (
        ".masthead nav",
        ".masthead .find",
        ".take-part",
        ".actions",
        ".formats",
        "details:not([open])",
    ):
        expect(page.locator(hidden).first).to_be_hidden()
    for shown in (".brand", "h1", ".people", ".abstract", ".versions", "#references"):
        expect(page.locator(shown).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_nothing_is_refused_by_our_own_policy(browser: Browser, site: Site) -> None:
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    for path in PAGES:
        page.goto(path)
    context.close()
    assert complaints == []


@pytest.mark.parametrize(
    ("scheme", "viewport"), [("light", DESK), ("dark", PHONE)], ids=["light-writable", "dark-phone"]
)
def test_everyone_can_use_it(browser: Browser, site: Site, scheme: str, viewport: ViewportSize) -> None:
    context = browser.new_context(
        viewport=viewport,
        color_scheme=scheme,  # type: ignore[arg-type]
        base_url=site.url,
        bypass_csp=True,  # axe itself is a script
    )
    page = context.new_page()
    found = {}
    for path in [
        "/",
        "/search?q=trees",
        "/search?q=zebra",
        "/topics",
        "/topic/Learning",
        "/paper/forest",
        "/author/young",
        "/author?name=A.+Young",
        "/about",
        "/x",
    ]:
        page.goto(path)
        serious = barriers(page)
        if serious:
            found[path] = serious
    context.close()
    assert found == {}


def test_a_page_is_printed_black_on_white_and_with_addresses(browser: Browser, site: Site) -> None:
    context = browser.new_context(
        viewport={"width": 700, "height": 900}, color_scheme="dark", base_url=site.url
    )
    page = context.new_page()
    page.emulate_media(media="print")
    page.goto("/paper/forest")
    look = "body => [getComputedStyle(body).backgroundColor, getComputedStyle(body).color]"
    assert page.locator("body").evaluate(look) == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert not page.locator("form, button").filter(visible=True).count()
    edges = "map => [map.scrollWidth - map.clientWidth, document.documentElement.scrollWidth - innerWidth]"
    assert page.locator(".map").evaluate(edges) == [0, 0], "nothing is cut at the right"
    page.goto("/search?q=trees")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Results for trees")
    address = "link => getComputedStyle(link, '::after').content.includes(link.getAttribute('href'))"
    assert page.locator('.paper a[href^="http"]').first.evaluate(address), "paper cannot be clicked"
    context.close()


def test_papers_and_searches_are_saved_in_the_browser_and_exported(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport=DESK, base_url=site.url)
    page = context.new_page()
    page.goto("/paper/forest")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Reading list, 1 paper")).to_be_visible()
    page.goto("/search?q=trees")
    page.get_by_role("button", name="Save this search").click()
    page.goto("/reading-list")
    expect(page.get_by_role("link", name="Growing decision forests")).to_be_visible()
    expect(page.get_by_text("0 new since")).to_be_visible()
    exported = page.request.get(page.get_by_role("link", name="BibTeX").get_attribute("href") or "")
    assert exported.text().startswith("@article{young1996growing")
    page.get_by_role("button", name="Remove Growing decision forests").click()
    expect(page.get_by_text("None yet. Use “Save” on")).to_be_visible()
    page.get_by_role("link", name="trees", exact=True).click()
    expect(page.get_by_role("button", name="Search is saved")).to_be_visible()
    context.close()
