#!/usr/bin/env python3
"""Does common tasks in Chromium on a demo that is being served, and counts what a visitor has to do.

    PORTICO_PASSWORD=… portico serve demo/portal
    PORTICO_PASSWORD=… python scripts/tasks.py [http://127.0.0.1:8000]

Prints the table of docs/tasks.md. A task that cannot be done that way ends the script with an error.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect, sync_playwright


@dataclass
class Hand:
    """A visitor's mouse and keyboard; counts clicks and typed texts."""

    page: Page
    n_clicks: int = 0
    n_typed: int = 0
    steps: list[str] = field(default_factory=list)

    def click(self, target: Locator, step: str) -> None:
        target.click()
        self.n_clicks += 1
        self.steps.append(step)

    def type(self, target: Locator, words: str, step: str) -> None:
        target.fill("")
        target.press_sequentially(words)
        self.n_typed += 1
        self.steps.append(step)


def find_by_half_a_title(hand: Hand) -> None:
    hand.page.goto("/")
    title = hand.page.locator(".brief-title").first.inner_text()
    half = " ".join(title.split()[len(title.split()) // 2 :])
    hand.type(hand.page.get_by_role("combobox"), half, "type half the title")
    hand.click(hand.page.get_by_role("option").filter(has_text=title[:30]).first, "choose the suggestion")
    expect(hand.page.get_by_role("heading", level=1)).to_contain_text(title[:30])


def read_it(hand: Hand) -> None:
    open_cited_paper(hand)
    hand.click(hand.page.get_by_role("link", name="Read here"), "Read here")
    expect(hand.page.locator(".pages-of-pdf canvas").first).to_be_visible(timeout=60_000)


def look_up_a_citation(hand: Hand) -> None:
    read_it(hand)
    hand.n_clicks, hand.steps = 0, []
    hand.page.locator("a.pdf-mention").first.hover()
    expect(hand.page.locator(".cited-card")).to_be_visible()
    hand.steps.append("point at the citation in the text")


def copy_a_citation(hand: Hand) -> None:
    open_cited_paper(hand)
    hand.click(hand.page.locator("#cite > summary"), "Cite")
    hand.click(hand.page.get_by_role("button", name="Copy").first, "Copy")


def see_who_cites_it(hand: Hand) -> None:
    open_cited_paper(hand)
    hand.click(hand.page.get_by_role("link", name="Cited by"), "Cited by")
    expect(hand.page.locator("#cited-by")).to_be_in_viewport()


def read_what_citing_papers_say(hand: Hand) -> None:
    open_cited_paper(hand)
    expect(hand.page.locator(".quote blockquote").first).to_be_visible()
    hand.steps.append("“What citing papers say” on the paper's page")


def see_what_is_new(hand: Hand) -> None:
    hand.page.goto("/search?q=learning")
    hand.click(hand.page.get_by_role("link", name="Newest"), "Newest")
    expect(hand.page.locator(".sorts [aria-current]").first).to_have_text("Newest")


def narrow_to_a_topic(hand: Hand) -> None:
    hand.page.goto("/search?q=learning")
    hand.click(hand.page.locator("aside .facet a").first, "a topic beside the results")
    expect(hand.page.locator(".filters a")).to_be_visible()


def export_a_reading_list(hand: Hand) -> None:
    open_cited_paper(hand)
    hand.click(hand.page.get_by_role("button", name="Save"), "Save")
    hand.click(hand.page.get_by_role("link", name="Reading list"), "Reading list")
    with hand.page.expect_download() as download:
        hand.click(hand.page.get_by_role("link", name="BibTeX"), "BibTeX")
    if "@" not in download.value.path().read_text(encoding="utf-8"):
        raise SystemExit("the reading list was not exported as BibTeX")


def walk_the_citation_map(hand: Hand) -> None:
    open_cited_paper(hand)
    hand.click(hand.page.get_by_role("link", name="Explore the map"), "Explore the map")
    hand.click(hand.page.locator(".explorer svg [tabindex]").nth(1), "a paper on the map")
    expect(hand.page.locator(".chosen a")).to_be_visible()


def correct_a_title(hand: Hand) -> None:
    sign_in(hand.page)
    open_cited_paper(hand)
    hand.click(hand.page.get_by_role("link", name="Correct this page"), "Correct this page")
    hand.type(
        hand.page.get_by_label("Title"), hand.page.get_by_label("Title").input_value(), "type the title"
    )
    hand.page.get_by_label("Anything").or_(hand.page.get_by_label("A note to yourself")).fill("tried")
    hand.click(hand.page.get_by_role("button", name="Save"), "Save")


def open_cited_paper(hand: Hand) -> None:
    """The first of the most cited papers of the home page that has a PDF and is said something about."""
    hand.page.goto("/")
    cited = hand.page.locator("section:has(> h2:text('Most cited')) .brief-title")
    for address in cited.evaluate_all("links => links.map(link => link.getAttribute('href'))"):
        hand.page.goto(address)
        wanted = (hand.page.get_by_role("link", name="Read here"), hand.page.locator(".quote"))
        if all(each.count() for each in wanted):
            return
    raise SystemExit("none of the most cited papers has a PDF and a sentence about it")


def sign_in(page: Page) -> None:
    page.goto("/builder/sign-in")
    page.get_by_label("Password").fill(os.environ.get("PORTICO_PASSWORD", ""))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")


TASKS: tuple[tuple[str, str, Callable[[Hand], None]], ...] = (
    ("find a paper by half its title", "home page", find_by_half_a_title),
    ("read it", "paper", read_it),
    ("see which paper a citation in the text means", "reader", look_up_a_citation),
    ("copy a citation in APA style", "paper", copy_a_citation),
    ("see who cites it", "paper", see_who_cites_it),
    (
        "read what others say about it, and whether they use or criticize it",
        "paper",
        read_what_citing_papers_say,
    ),
    ("see what is new on a subject", "results", see_what_is_new),
    ("narrow results to a topic", "results", narrow_to_a_topic),
    ("save a paper and export the reading list as BibTeX", "paper", export_a_reading_list),
    ("explore the papers around it", "paper", walk_the_citation_map),
    ("correct a wrong title, as the builder", "paper", correct_a_title),
)


def main() -> None:
    portal = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
    sys.stdout.write("| task | starting at | clicks | texts typed | steps |\n|---|---|---|---|---|\n")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for task, start, do in TASKS:
            context = browser.new_context(base_url=portal, viewport={"width": 1280, "height": 900})
            hand = Hand(context.new_page())
            do(hand)
            steps = ", ".join(hand.steps)
            sys.stdout.write(f"| {task} | {start} | {hand.n_clicks} | {hand.n_typed} | {steps} |\n")
            sys.stdout.flush()
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
