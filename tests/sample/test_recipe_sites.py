"""Invented sites of the recipes: the same each time, and every value stands on its page."""

from html import unescape
from pathlib import Path

import pytest

from portico.config.template import list_recipes
from portico.sample.recipe_sites import LAYOUTS, RECIPE_FIELDS, invent_recipe_sites, write_recipe_web


@pytest.mark.parametrize("recipe", list_recipes())
def test_pages_say_what_is_true(recipe: str) -> None:
    sites = invent_recipe_sites(recipe, n_sites=len(LAYOUTS), n_pages=3)
    assert {site.layout for site in sites} == set(LAYOUTS)
    for page in (page for site in sites for page in site.things):
        assert set(page.values) == {"title", *RECIPE_FIELDS[recipe].known}
        assert all(value in unescape(page.html) for value in page.values.values())


def test_the_same_web_is_written_once(tmp_path: Path) -> None:
    web = write_recipe_web(tmp_path / "web", "events", n_sites=2)
    assert len(web.seeds) == 2
    written = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if file.is_file()}
    assert write_recipe_web(tmp_path / "web", "events", n_sites=2) == web
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if file.is_file()} == written
