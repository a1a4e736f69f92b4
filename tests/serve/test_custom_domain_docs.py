"""docs/custom-domain.md taken literally: its commands in their order, and a browser where it says to look."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from portico.sample.generate import PLAIN_RULES
from portico.sample.recipe_sites import RecipePage, RecipeSite, invent_recipe_sites
from portico.sample.server import SampleServer
from tests.serve.browsing import DESK

DOCS = Path(__file__).parents[2] / "docs" / "custom-domain.md"
PORTICO = (sys.executable, "-m", "portico")
FIELDS = ("title", "number", "instructor", "term")
LONGEST_S = 120
# What the page calls its example sites, and which of ours stand for them.
THINGS, EVENTS, COURSES = (
    "https://www.example.org/things/",
    "https://www.example.org/",
    "http://www.cs.example.edu/",
)


def list_commands() -> list[list[str]]:
    """The commands of the page in their order, without the remarks behind some."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", DOCS.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("portico ")]
    each = [command for line in lines for command in re.split(r"\s{3,}", line)[0].split(" && ")]
    return [command.split()[1:] for command in each]


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who does what the page says, in a folder and with a browser of their own."""

    folder: Path
    browser: Browser
    proxy: str
    sites: dict[str, RecipeSite]

    def run(self, words: list[str]) -> str:
        done = subprocess.run(
            [*PORTICO, *map(self._say, words)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def _say(self, word: str) -> str:
        """An address of the page as one of ours: its first things are the first of the site."""
        if word.startswith(THINGS):
            return self.sites["things"].things[int(word.removeprefix(THINGS)) - 1].url
        hosts = {EVENTS: self.sites["events"].host, COURSES: self.sites["courses"].host}
        return f"http://{hosts[word]}/index.html" if word in hosts else word

    def reach(self, portal: str) -> None:
        """Let a portal reach the sample web, which no name server knows."""
        file = self.folder / portal / "portal.toml"
        text = re.sub(r"^# (proxy|delay_s) = .*\n", "", file.read_text("utf-8"), flags=re.MULTILINE)
        fetch = f'[fetch]\nproxy = "{self.proxy}"\ndelay_s = 0.0\n'
        file.write_text(re.sub(r"^#? ?\[fetch\]\n", fetch, text, flags=re.MULTILINE), "utf-8")

    @contextmanager
    def visiting(self, words: list[str]) -> Iterator[tuple[Page, str]]:
        """A page on what a command serves, and its address."""
        process = subprocess.Popen(
            [*PORTICO, *words, "--port", "0"], cwd=self.folder, stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            url = next(found[0] for line in process.stdout if (found := re.search(r"http://\S+/", line)))
            page = self.browser.new_context(viewport=DESK).new_page()
            yield page, url
            page.context.close()
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def reader(tmp_path: Path, browser: Browser) -> Iterator[Reader]:
    sites = {
        "things": invent_recipe_sites("museum", n_sites=1, n_pages=4, layouts=("table",))[0],
        "events": invent_recipe_sites("events", n_sites=1, n_pages=4, layouts=("lines",))[0],
        "courses": invent_recipe_sites("courses", n_sites=1, n_pages=8, layouts=("plain",))[0],
    }
    web = tmp_path / "web"
    for site in sites.values():
        for page in site.pages:
            file = web / "sites" / site.host / page.url.partition(f"{site.host}/")[2]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(page.html, encoding="utf-8")
    (web / "rules.json").write_text(json.dumps(dict(PLAIN_RULES)), "utf-8")
    with SampleServer(web) as server:
        yield Reader(tmp_path, browser, server.proxy_url, sites)


def mark_by_line(page: Page, words: str, label: str) -> None:
    line = page.locator("#lines .line", has_text=words).last
    page.locator("#line").fill(line.evaluate("line => String(line.closest('li').value)"))
    page.locator("#words").fill(words)
    page.get_by_role("button", name=label, exact=True).click()
    expect(page.locator("#lines mark", has_text=words).last).to_have_attribute("title", label)


def teach(page: Page, url: str, course: RecipePage, others: dict[str, RecipePage]) -> None:
    """What the page says of marking: what is read rightly in one go, what is missing, the same elsewhere."""
    page.goto(f"{url}fields?page={quote(course.url, safe='')}")
    page.get_by_role("button", name="Mark what is right").click()
    expect(page.get_by_role("button", name="Mark what is right")).to_have_count(0)
    read = page.locator("#lines mark").evaluate_all("marks => marks.map(mark => mark.title)")
    assert "instructor" not in read, "nothing announces it, so that there is something to teach"
    for label in FIELDS:
        if label not in read:
            mark_by_line(page, course.values[label], label)
    page.get_by_role("button", name="Show it on five other pages").click()
    shown = page.locator(".alike > div")
    expect(shown).to_have_count(5)
    for one in shown.all():
        where = one.locator("label").inner_text().strip()
        said = dict(
            zip(
                one.locator(".milestone").all_inner_texts(),
                one.locator("dd > span:last-child").all_inner_texts(),
                strict=True,
            )
        )
        assert said == {label: others[where].values[label] for label in said}
        assert "instructor" in said
    page.get_by_role("button", name="Mark the ticked pages so").click()
    expect(page.locator("#panel")).to_contain_text("on 6 pages")
    page.get_by_role("button", name="Learn from the marks").click()
    expect(page.locator(".outcome")).to_contain_text("Learned instructor", timeout=60_000)


@pytest.mark.browser
def test_the_page_is_done_as_it_says(reader: Reader) -> None:
    courses = reader.sites["courses"].things
    by_url = {page.url: page for page in courses}
    n_served = 0
    for words in list_commands():
        portal = words[1]
        if "--like" in words:  # the folder is there already: a draft can be made again
            reader.run([*words[: words.index("--like")]])
            reader.reach(portal)
            told = reader.run(words)
            assert all(page.values["title"] in told for page in reader.sites["things"].things[:2])
        elif words[0] == "teach":
            with reader.visiting(words) as (page, url):
                teach(page, url, courses[0], by_url)
        elif words[0] == "serve":
            n_served += 1
            with reader.visiting(words) as (page, url):
                page.goto(url)
                expect(page.locator("main")).to_contain_text(f"{len(courses)}")
        elif words[0] != "demo":
            reader.run(words)
            if words[0] == "init":
                reader.reach(portal)
    assert n_served
    with reader.visiting(["serve", "courses"]) as (page, url):
        for course in courses:
            page.goto(f"{url}search?q={quote(course.values['title'])}")
            found = page.locator("main").inner_text()
            assert all(course.values[label] in found for label in FIELDS), course.url
