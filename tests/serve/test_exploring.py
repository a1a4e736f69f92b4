"""The map of the field: which papers are on it, its main path, and how it grows."""

import json
from collections.abc import Mapping, Sequence

import pytest
from playwright.sync_api import Browser, expect

from portico.serve.papers.exploring import find_main_path
from portico.types.record import EntityId
from tests.serve.browsing import DESK, PHONE, barriers
from tests.serve.conftest import Site


@pytest.mark.parametrize(
    ("edges", "years", "path"),
    [
        ((), {}, ""),
        ((), {"a": "1990"}, ""),
        (("ba", "cb", "ca"), {"a": "1990", "b": "1991", "c": "1992"}, "abc"),
        # Two chains run through b, one through x.
        (("ba", "cb", "db", "xa"), {"a": "1990", "b": "1991", "c": "1992", "d": "1993", "x": "1991"}, "abd"),
        (("ab",), {"a": "1990", "b": "1991"}, ""),  # an older paper cites no later one
    ],
)
def test_the_main_path_is_the_chain_most_chains_share(
    edges: Sequence[str], years: Mapping[str, str], path: str
) -> None:
    found = find_main_path(
        [(EntityId(edge[0]), EntityId(edge[1])) for edge in edges],
        {EntityId(name): year for name, year in years.items()},
    )
    assert "".join(found) == path


def test_papers_around_a_paper_are_those_it_cites_and_those_that_cite_it(site: Site) -> None:
    around = json.loads(site.ask("/map.json?paper=merged").text)
    assert around["nodes"][0]["id"] == "forest", "an id that was merged leads on"
    assert {node["id"] for node in around["nodes"]} == {"forest", "cited", "untitled", "parser", "hostile"}
    assert ["parser", "forest"] in around["edges"]
    assert site.ask("/map?paper=nobody").status == site.ask("/map.json?paper=nobody").status == 404
    field = json.loads(site.ask("/map.json").text)
    assert {"forest", "parser"} <= {node["id"] for node in field["nodes"]}


@pytest.mark.browser
def test_the_map_grows_by_keyboard_and_is_a_list_too(browser: Browser, site: Site) -> None:
    context = browser.new_context(viewport=DESK, base_url=site.url, bypass_csp=True)
    page = context.new_page()
    page.goto("/map?paper=parser")
    dots = page.locator(".dot")
    expect(dots).to_have_count(3)
    dots.and_(page.locator("[tabindex='0']")).focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".chosen a")).to_have_text("Growing decision forests")
    page.keyboard.press("Enter")
    expect(dots).to_have_count(5)
    expect(page.locator(".listed li")).to_have_count(5)
    assert barriers(page) == []
    page.get_by_role("button", name="Reset").click()
    expect(dots).to_have_count(3)
    page.set_viewport_size(PHONE)
    page.reload()
    expect(page.locator(".dot.current circle")).to_be_in_viewport()
    context.close()
