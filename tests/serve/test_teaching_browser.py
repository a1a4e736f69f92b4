"""A person teaches in a real Chromium: clicks, names, takes back, and meets pages that mean harm."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from portico.config.reading import read_settings
from portico.crawl.paths.learning import PathModel
from portico.types.outline import Element
from tests.crawl.web import Web
from tests.serve.browsing import DESK, PHONE, barriers, width_of
from tests.serve.taught import PORTAL, Taught, publish, teaching

pytestmark = pytest.mark.browser

MILL, HARBOR, ORCHARD = "http://mill.test/", "http://harbor.test/", "http://orchard.test/"
PATIENCE_MS = 30_000

HOSTILE = """<html><head><title>owned?</title><base href="http://evil.test/">
<meta http-equiv="refresh" content="0;url=http://evil.test/refresh">
<link rel="stylesheet" href="http://evil.test/style.css"><link rel="preconnect" href="http://evil.test">
<style>@import url(http://evil.test/import.css); body { background: url(http://evil.test/back.png) }
  .panel { display: none }</style>
<script>document.title = "owned"; fetch("http://evil.test/script")</script>
<script src="http://evil.test/app.js"></script></head>
<body onload="document.title='owned'" background="http://evil.test/body.png" style="position:fixed;inset:0">
<img src="http://evil.test/pixel.png" onerror="document.title='owned'" srcset="http://evil.test/2x.png 2x">
<svg onload="document.title='owned'"><use href="http://evil.test/use.svg#x"/><script>alert(1)</script>
  <a href="javascript:alert(2)"><text>svg</text></a></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(3)&gt;">
</table></mtext></math>
<noscript><p title="</noscript><img src=x onerror=alert(4)>"></noscript>
<iframe src="http://evil.test/frame" srcdoc="<script>parent.document.title='owned'</script>"></iframe>
<object data="http://evil.test/object"></object><embed src="http://evil.test/embed">
<video src="http://evil.test/film.mp4" autoplay poster="http://evil.test/poster.png"></video>
<audio src="http://evil.test/sound.mp3" autoplay></audio>
<form action="http://evil.test/form" method="post"><input name="q" autofocus onfocus="alert(5)">
  <button formaction="http://evil.test/button">Press me</button></form>
<a href="javascript:document.title='owned'">script link</a>
<a href="data:text/html,<script>alert(6)</script>">data link</a>
<a href="vbscript:alert(7)">old link</a>
<a href="/plain" ping="http://evil.test/ping" onclick="alert(8)" target="_top" style="color:red"
   class="panel" id="main">a plain link</a>
<a href="//evil.test/&quot;onmouseover=&quot;alert(9)">quoted</a>
<p style="background:url(http://evil.test/p.png)" class="told" role="alert">Your session ran out</p>
<div contenteditable draggable="true" ondragstart="alert(10)">drag</div>
</div></article></main></body></html><h1>after the end</h1><script>alert(11)</script>
<x-element onfocus=alert(12) tabindex=1 autofocus>custom</x-element>
<template><img src=x onerror=alert(13)></template><plaintext><script>alert(14)</script>
"""


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as web:
        publish(web)
        yield web


@pytest.fixture
def taught(tmp_path: Path, web: Web) -> Iterator[Taught]:
    with teaching(tmp_path, web, MILL, HARBOR, ORCHARD) as taught:
        yield taught


def visit(browser: Browser, taught: Taught, **options: object) -> Page:
    chosen: dict[str, object] = {"viewport": DESK} | options
    page = browser.new_context(**chosen).new_page()  # type: ignore[arg-type]
    page.goto(f"{taught.root}/")
    return page


def begin(page: Page, site: str) -> None:
    page.get_by_role("link", name=re.compile("Teaching")).click()
    page.get_by_role("button", name=site).click()


def follow(page: Page, *words: str) -> None:
    for link in words:
        page.get_by_role("region", name="Content of the page").get_by_role("link", name=link).click()


def say(page: Page, ending: str) -> None:
    page.get_by_role("button", name=ending, exact=True).first.click()


def wait_for_preview(page: Page) -> None:
    """It refreshes itself where scripts run; where they do not, one clicks."""
    page.get_by_role("button", name="It looks right").wait_for(timeout=PATIENCE_MS)


def test_three_paths_on_two_sites_lead_to_the_goal_of_a_third(
    browser: Browser, taught: Taught, tmp_path: Path
) -> None:
    page = visit(browser, taught)
    complaints: list[str] = []  # of the browser: nothing of ours is refused by our own policy
    page.on("console", lambda message: complaints.append(message.text))
    begin(page, MILL)
    follow(page, "About us", "Board of directors")
    say(page, "This is it")
    begin(page, MILL)
    follow(page, "News", "Older news")
    say(page, "Dead end")
    begin(page, HARBOR)
    follow(page, "About us", "Management team")
    say(page, "This is it")
    wait_for_preview(page)
    expect(page.get_by_role("heading", level=2)).to_have_text(f"On {ORCHARD}")
    fetches = page.locator(".fetches li")
    assert fetches.count() <= 10
    expect(fetches.filter(has_text=f"{ORCHARD}society/officers")).to_have_count(1)
    page.get_by_role("button", name="It looks right").click()
    expect(page.get_by_role("status").first).to_contain_text("models/paths.npz")
    assert PathModel.load(tmp_path / "models" / "paths.npz").scheme.labels
    assert read_settings(tmp_path, for_building=False).spider.policy == "paths"
    assert complaints == []


def test_a_person_without_scripts_names_goes_back_and_takes_back(browser: Browser, taught: Taught) -> None:
    page = visit(browser, taught, java_script_enabled=False)
    begin(page, MILL)
    follow(page, "About us")
    page.get_by_role("button", name="about", exact=True).click()
    expect(page.locator(".path .milestone")).to_have_text("about")
    follow(page, "History")
    page.locator(".path").get_by_role("link", name="About us").click()
    follow(page, "Our mills")
    expect(page.locator(".path li")).to_have_text(["mill.test", re.compile("About us"), "Our mills"])
    page.get_by_role("combobox").fill("mills & more")
    page.get_by_role("button", name="Name it").click()
    for _ in range(2):  # the name, and the link that was followed
        page.get_by_role("button", name="Undo last click").click()
    expect(page.locator(".path [aria-current]")).to_have_text("History")
    say(page, "Dead end")
    page.get_by_role("button", name="Remove the example History").click()
    expect(page.get_by_role("heading", name="Examples 0")).to_be_visible()


def test_what_the_spider_came_to_becomes_an_example(browser: Browser, taught: Taught) -> None:
    page = visit(browser, taught, java_script_enabled=False)
    begin(page, MILL)
    follow(page, "About us", "Board of directors")
    say(page, "This is it")
    page.wait_for_url("**/try")
    while page.get_by_role("link", name="Look again").count():
        page.goto(f"{taught.root}/try")
    page.get_by_role("button", name="Dead end Shop").click()
    expect(page.get_by_text("You said: dead end")).to_be_visible()
    expect(page.get_by_text("You have said more since")).to_be_visible()
    lesson = taught.store.contributions.lessons.lesson()
    assert [stop.url for stop in lesson.way(lesson.at)] == [HARBOR, f"{HARBOR}shop.htm"]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_a_hostile_page_runs_nothing_and_asks_nobody(
    browser: Browser, taught: Taught, web: Web, scripts: bool
) -> None:
    web.add("http://hostile.test/", HOSTILE)
    page = visit(browser, taught, java_script_enabled=scripts)
    asked: list[Request] = []
    alarms: list[str] = []
    page.context.on("request", lambda request: asked.append(request))
    page.on("dialog", lambda dialog: alarms.append(dialog.message))
    page.on("console", lambda message: alarms.append(message.text))
    page.on("pageerror", lambda error: alarms.append(str(error)))
    page.get_by_label("Address of a page").fill("hostile.test")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_text("Your session ran out")).to_be_visible()
    page.get_by_text("script link").click()
    page.get_by_text("data link").click()
    page.get_by_text("Press me").click()
    expect(page.get_by_role("button", name="This is it")).to_be_visible()
    assert {request.url.split("/")[2] for request in asked} == {f"127.0.0.1:{taught.site.port}"}
    assert alarms == []
    assert page.title().startswith("owned?")
    assert web.fetched() == ["http://hostile.test/"]
    if scripts:
        found = page.evaluate(
            "[...document.querySelectorAll('.page *')].map(e => [e.localName, e.getAttributeNames()])"
        )
        assert {name for name, _ in found} <= {*Element, "a", "br", "span", "h2"}
        assert {one for _, names in found for one in names} <= {"href", "title", "class"}
        links = page.evaluate("[...document.querySelectorAll('.page a')].map(a => a.href)")
        assert all(link.startswith(f"{taught.root}/go?") for link in links)


def test_a_page_without_measure_is_shown_in_part(browser: Browser, taught: Taught, web: Web) -> None:
    web.add("http://deep.test/", "<body>" + "<div><table><tr><td>" * 10_000 + "deep")
    web.add("http://long.test/", "<body>" + "<p>word <a href=/x>link</a>" * 8_000)
    page = visit(browser, taught, java_script_enabled=False)
    for site in ("deep.test", "long.test"):
        page.goto(f"{taught.root}/")
        page.get_by_label("Address of a page").fill(site)
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("button", name="This is it")).to_be_visible()
    expect(page.get_by_text("the page is too long")).to_be_visible()


def test_no_other_page_can_drive_it(browser: Browser, taught: Taught, web: Web) -> None:
    """A page of another origin, with the address in its hands, gets no answer it could use."""
    target = f"{taught.root}/open"
    web.add(
        f"{web.address}/attack",
        f'<body><form method=post action="{target}"><input name=address value="{MILL}"></form>'
        f'<iframe src="{taught.root}/"></iframe><script>document.forms[0].submit()</script>',
    )
    page = browser.new_context().new_page()
    page.goto(f"{web.address}/attack")
    page.wait_for_url(target)
    assert "Another site asked" in page.content()
    assert taught.store.contributions.lessons.lesson().at == 0


def test_everyone_can_use_it(browser: Browser, taught: Taught, web: Web) -> None:
    """Each page is looked at twice: at a writable in the light, and on a telephone in the dark."""
    web.add("http://hostile.test/", HOSTILE)
    page = visit(browser, taught, bypass_csp=True)
    found = {}

    def check(name: str) -> None:
        for scheme, viewport in (("light", DESK), ("dark", PHONE)):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.set_viewport_size(viewport)
            serious = barriers(page)
            width = width_of(page)
            if serious or width > viewport["width"]:
                found[f"{name}, {scheme}"] = (serious, width)

    check("begin")
    page.get_by_label("Address of a page").fill("hostile.test")
    page.get_by_role("button", name="Open").click()
    check("hostile")
    begin(page, MILL)
    follow(page, "About us", "Board of directors")
    check("page")
    say(page, "This is it")
    wait_for_preview(page)
    check("preview")
    page.goto(f"{taught.site.url}/lost")
    check("lost")
    assert found == {}


def test_kill_and_go_on(browser: Browser, tmp_path: Path, web: Web) -> None:
    (tmp_path / "portal.toml").write_text(PORTAL.format(proxy=web.address), encoding="utf-8")
    command = [sys.executable, "-m", "portico", "teach", str(tmp_path), "--port", "0", "--site", MILL]
    page = browser.new_context(viewport=DESK).new_page()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert child.stdout is not None
    address = re.search(r"http://\S+", child.stdout.readline())
    assert address is not None
    page.goto(address[0])
    page.get_by_role("button", name=MILL).click()
    follow(page, "About us")
    expect(page.locator(".path [aria-current]")).to_have_text("About us")
    child.send_signal(signal.SIGKILL)
    child.wait()
    with teaching(tmp_path, web, MILL) as taught:  # the same portal, opened anew
        page.goto(f"{taught.root}/")
        page.get_by_role("link", name="Go on at “About us”").click()
        follow(page, "Board of directors")
        expect(page.locator(".path [aria-current]")).to_have_text("Board of directors")
        expect(page.locator(".path li")).to_have_count(3)
    assert web.fetched() == [MILL, f"{MILL}about.html", f"{MILL}people/board.html"]
