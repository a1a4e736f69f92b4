"""Journeys of those who change a portal, in a real Chromium: propose, accept, submit, sign in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from portico.store.crawl.harvest import Harvest, HarvestPoint
from portico.store.documents.failures import NewFailure
from portico.store.meta import keep_suggested
from tests.serve.browsing import DESK, PHONE, barriers, width_of
from tests.serve.hearing import PASSWORD, Hearing, hearing
from tests.serve.made import HOSTILE_TITLE, LONG_TITLE, make_portal
from tests.serve.test_builder_topics import BLUE, GIANT

pytestmark = pytest.mark.browser

BUILDERS = [
    f"/builder{path}"
    for path in ("", "/corrections", "/submissions", "/topics", "/doubts", "/failures", "/searches")
]
VISITORS = ["/submit", "/paper/forest/wrong", "/paper/hostile/wrong", "/paper/long/wrong", "/builder/sign-in"]


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Hearing]:
    make_portal(tmp_path)
    with hearing(tmp_path) as heard:
        keep_suggested(heard.store.meta, (GIANT, BLUE))
        yield heard


def visit(browser: Browser, heard: Hearing, **options: object) -> Page:
    """A browser of its own, scripts switched off as visitors may have them."""
    chosen: dict[str, object] = {"viewport": DESK, "java_script_enabled": False} | options
    return browser.new_context(base_url=heard.site.url, **chosen).new_page()  # type: ignore[arg-type]


def sign_in(page: Page, password: str = PASSWORD) -> None:
    page.goto("/builder")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_what_a_visitor_proposes_and_the_builder_accepts_is_seen(browser: Browser, heard: Hearing) -> None:
    visitor, builder = visit(browser, heard), visit(browser, heard)
    visitor.goto("/paper/forest")
    visitor.get_by_role("link", name="Correct this page").click()
    visitor.get_by_label("Title").fill("Growing <b>zebra</b> forests")
    visitor.get_by_label("Anything the builder should know").fill("Look at the first page.")
    visitor.get_by_role("button", name="Send").click()
    expect(visitor.get_by_role("status")).to_contain_text("The builder of this portal will look at it")
    sign_in(builder)
    builder.get_by_role("link", name="corrections proposed").click()
    expect(builder.get_by_label("It should say")).to_have_value("Growing <b>zebra</b> forests")
    expect(builder.get_by_text("Look at the first page.")).to_be_visible()
    builder.get_by_label("It should say").fill("Growing zebra & lion forests")
    builder.get_by_role("button", name="Accept").click()
    expect(builder.get_by_role("heading", name="Accepted corrections")).to_be_visible()
    heard.clock.now += 10
    visitor.goto("/paper/forest")
    expect(visitor.get_by_role("heading", level=1)).to_contain_text("Growing zebra & lion forests")
    visitor.goto("/search?q=zebra")
    expect(visitor.locator(".paper-title")).to_have_text("Growing zebra & lion forests")


def test_what_is_in_doubt_is_found_right_or_corrected(browser: Browser, heard: Hearing) -> None:
    page = visit(browser, heard, viewport=PHONE)
    sign_in(page)
    page.get_by_role("link", name="Review", exact=True).click()
    doubts = page.locator(".doubts > li")
    n_doubts, first = doubts.count(), doubts.first.inner_text()
    doubts.first.get_by_role("button", name="It is right").click()
    expect(doubts).to_have_count(n_doubts - 1)
    assert doubts.first.inner_text() != first
    doubts.filter(has_text="Topic of Parsing").get_by_role("link", name="Correct it").click()
    expect(page.locator(":target")).to_be_in_viewport()
    page.get_by_label("Topic", exact=True).select_option("Learning/Rules")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Topic").get_by_role("link", name="Rules")).to_be_visible()


def test_a_wrong_password_is_said_and_the_right_one_opens(browser: Browser, heard: Hearing) -> None:
    page = visit(browser, heard)
    sign_in(page, "not the password")
    expect(page.get_by_role("alert")).to_have_text("Wrong password.")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    page.get_by_role("button", name="Sign out").click()
    page.goto("/builder")
    expect(page.get_by_label("Password")).to_be_visible()


def test_a_submission_reaches_the_builder(browser: Browser, heard: Hearing) -> None:
    visitor, builder = visit(browser, heard), visit(browser, heard)
    visitor.goto("/")
    visitor.get_by_role("link", name="Submit a paper or a site").click()
    visitor.get_by_label("URL").fill("http://localhost/secret.pdf")
    visitor.get_by_role("button", name="Submit").click()
    expect(visitor.get_by_role("alert")).to_contain_text("private network")
    visitor.get_by_label("URL").fill("https://www.example.edu/papers/")
    visitor.get_by_label("a site").check()
    visitor.get_by_role("button", name="Submit").click()
    expect(visitor.get_by_role("status")).to_contain_text("Thank you")
    sign_in(builder)
    builder.get_by_role("link", name="submissions waiting").click()
    builder.get_by_role("button", name="Accept https://www.example.edu/papers/").click()
    expect(builder.get_by_role("heading", name="Accepted")).to_be_visible()


@pytest.fixture
def busy(heard: Hearing) -> Hearing:
    """A portal with something on every page, some of it hostile."""
    points = (HarvestPoint(0, 0), HarvestPoint(50, 40), HarvestPoint(100, 50))
    heard.store.crawl.harvests.put(Harvest(points, points))
    heard.store.documents.failures.put(
        NewFailure("convert", "a", LONG_TITLE, "ConvertError", HOSTILE_TITLE, at=0.0)
    )
    visitor = heard.visitor()
    for title in (LONG_TITLE, HOSTILE_TITLE):
        visitor.post("/paper/parser/wrong", title=title, note=title[:900])
    visitor.post("/paper/cited/wrong", same="/paper/forest", not_a_paper="yes")
    visitor.post("/submit", url=f"https://www.example.edu/{'x' * 500}", note=HOSTILE_TITLE)
    visitor.get(f"/search?q={'w' * 190}")
    return heard


@pytest.mark.parametrize(
    ("scheme", "viewport"), [("light", DESK), ("dark", PHONE)], ids=["light-writable", "dark-phone"]
)
def test_everyone_can_use_it(browser: Browser, busy: Hearing, scheme: str, viewport: ViewportSize) -> None:
    page = visit(
        browser, busy, viewport=viewport, color_scheme=scheme, java_script_enabled=True, bypass_csp=True
    )
    found = {}
    for path in [*VISITORS, "sign in", *BUILDERS]:
        if path == "sign in":
            sign_in(page)
            continue
        page.goto(path)
        serious = barriers(page)
        width = width_of(page)
        if serious or width > viewport["width"] or page.title() == "owned":
            found[path] = (serious, width, page.title())
    assert found == {}


def test_nothing_is_refused_by_our_own_policy(browser: Browser, busy: Hearing) -> None:
    page = visit(browser, busy, java_script_enabled=True)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    sign_in(page)
    for path in [*BUILDERS, *VISITORS]:
        page.goto(path)
    assert complaints == []
