"""The demo, as a stranger runs it: found, right, searchable, and nothing left to do."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from portico.pipeline.collections.papers import export as papers_export
from portico.pipeline.opening import open_portal
from portico.pipeline.up_to_date import find_up_to_date
from tests.pipeline.portals import portico, serving
from tests.pipeline.scoring import Comparison, compare

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Demo:
    """A finished demo."""

    folder: Path
    said: str
    papers: tuple[dict[str, Any], ...]

    @property
    def held(self) -> tuple[dict[str, Any], ...]:
        return tuple(paper for paper in self.papers if paper["sources"])

    @property
    def portal(self) -> Path:
        return self.folder / "portal"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    done = portico("demo", folder, "--no-serve", timeout_s=900)
    assert done.returncode == 0, done.stderr
    exported = portico("export", "jsonl", folder / "portal", "--cited")
    assert exported.returncode == 0, exported.stderr
    papers = tuple(json.loads(line) for line in exported.stdout.splitlines())
    return Demo(folder, done.stdout, papers)


@pytest.fixture(scope="module")
def comparison(demo: Demo) -> Comparison:
    return compare(demo.folder / "web", demo.papers)


def test_every_reachable_paper_is_there_exactly_once(comparison: Comparison) -> None:
    assert len(comparison.pairs) >= 100
    assert comparison.missing == ()
    assert comparison.split == ()
    assert comparison.merged == ()
    assert comparison.extra == ()


@pytest.mark.parametrize(
    ("field", "least"),
    [("title", 0.95), ("authors", 0.95), ("abstract", 0.95), ("year", 0.95)],
)
def test_fields_are_right(comparison: Comparison, field: str, least: float) -> None:
    assert comparison.share_right(field) >= least


def test_citations_are_linked(comparison: Comparison) -> None:
    assert comparison.citation_f1() >= 0.9


def test_papers_stand_at_their_topics(comparison: Comparison) -> None:
    right = sum(
        found["topics"][0]["path"] == true["topic"] for true, found in comparison.pairs if found["topics"]
    )
    assert right / len(comparison.pairs) >= 0.9


def test_what_is_no_paper_has_a_reason(demo: Demo) -> None:
    status = json.loads(portico("status", demo.portal, "--json").stdout)
    reasons = {row["source"]: row["reason"] for row in status["failures"]}
    rows = [json.loads(line) for line in (demo.folder / "web" / "truth_other.jsonl").read_text().splitlines()]
    held = {source for paper in demo.held for source in paper["sources"]}
    assert not held & {row["url"] for row in rows}
    assert len([row for row in rows if row["url"] in reasons]) >= 0.8 * len(rows)
    assert all(reasons.values())


def test_the_second_run_does_nothing_and_says_so(demo: Demo) -> None:
    again = portico("build", demo.portal)
    assert again.returncode == 0
    assert "Nothing to do" in again.stdout
    assert find_up_to_date(demo.portal) is not None


def test_everything_agrees(demo: Demo) -> None:
    verified = portico("verify", demo.portal)
    assert verified.returncode == 0
    assert "Everything agrees" in verified.stdout


def test_a_paper_has_what_the_contract_says(demo: Demo) -> None:
    ids = {paper["id"] for paper in demo.papers}
    for paper in demo.held:
        assert paper["source"] == paper["sources"][0]
        assert isinstance(paper["authors"], list)
        assert set(paper["cited_by"]) <= ids
        assert all(0 <= value <= 1 for value in paper["confidence"].values())
        assert all(0 <= topic["probability"] <= 1 for topic in paper["topics"])
        assert all(reference["cites"] in ids for reference in paper["references"])
    cited_by = {(citer, paper["id"]) for paper in demo.papers for citer in paper["cited_by"]}
    cites = {(paper["id"], reference["cites"]) for paper in demo.held for reference in paper["references"]}
    assert cites <= cited_by


def test_an_export_is_the_same_however_little_fits_into_memory(
    demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_portal(demo.portal) as portal:
        monkeypatch.setattr(papers_export, "PAPERS_AT_ONCE", 3)
        monkeypatch.setattr(papers_export, "MEMORY_A_CONTEXT", portal.memory // 20)  # five at once
        exported = tuple(papers_export.export_papers(portal, cited=True))
    assert exported == demo.papers
    assert sum(len(paper["contexts"]) for paper in exported) > 50


@pytest.fixture(scope="module")
def browser_page(demo: Demo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page on a copy of the portal: a portal is a folder that can be copied."""
    copy = tmp_path_factory.mktemp("copied") / "portal"
    shutil.copytree(demo.portal, copy)
    with serving(copy) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(java_script_enabled=False, base_url=address)
        yield page
        browser.close()


@pytest.mark.browser
def test_a_visitor_finds_a_paper_and_who_cites_it(demo: Demo, browser_page: Page) -> None:
    most_cited = max(
        (paper for paper in demo.papers if paper["sources"]), key=lambda paper: len(paper["cited_by"])
    )
    browser_page.goto("/")
    browser_page.get_by_role("searchbox").first.fill(most_cited["title"])
    browser_page.get_by_role("button", name="Search").first.click()
    browser_page.get_by_role("link", name=most_cited["title"]).first.click()
    assert browser_page.get_by_role("heading", level=1).inner_text() == most_cited["title"]
    for author in most_cited["authors"]:
        assert author in browser_page.inner_text("main")
    browser_page.get_by_text("Cite", exact=True).click()
    assert "@" in browser_page.inner_text("main"), "the BibTeX entry"
    browser_page.get_by_text("Cite", exact=True).click()  # closes it: it lies over what follows
    citing = next(paper for paper in demo.papers if paper["id"] == most_cited["cited_by"][0])
    browser_page.get_by_role("link", name=citing["title"]).first.click()
    assert browser_page.get_by_role("heading", level=1).inner_text() == citing["title"]


@pytest.mark.browser
def test_a_visitor_walks_the_topic_tree(demo: Demo, browser_page: Page) -> None:
    browser_page.goto("/")
    browser_page.get_by_role("link", name="Robotics").first.click()
    assert "Robotics" in browser_page.get_by_role("heading", level=1).inner_text()
    expected = [
        paper for paper in demo.papers if paper["topics"] and "Robotics" in paper["topics"][0]["path"]
    ]
    assert expected[0]["title"] in browser_page.inner_text("main")
