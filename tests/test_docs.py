"""What the documents say is there, is there."""

import re
from pathlib import Path

import pytest
import typer.main
from scripts.trust import read_memory, render_table

from portico.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
PATH = re.compile(r"`((?:src|tests|docs|scripts|gates|benchmarks)/[\w./-]+|[\w-]+(?:/[\w-]+)+\.py)`")
MODULE = re.compile(r"`(\w+\.py)`")
COMMAND = re.compile(r"`(?:\.venv/bin/)?portico ([a-z]+(?:-[a-z]+)*)")


def commands() -> set[str]:
    group = typer.main.get_command(app)
    return set(group.commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_paths_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in LINK.findall(text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
    for named in PATH.findall(text):
        places = (ROOT / named, ROOT / "src" / "portico" / named)
        assert any(place.exists() for place in places), f"{page.name} speaks of {named}"


def test_modules_named_without_a_folder_exist() -> None:
    modules = {
        path.name
        for folder in ("src", "tests", "benchmarks", "scripts")
        for path in (ROOT / folder).rglob("*.py")
    } | {"mirror.py"}  # serves the sites of the labelled data, beside them
    named = {
        (page.name, module)
        for page in PAGES
        if page.name != "CHANGELOG.md"
        for module in MODULE.findall(page.read_text())
    }
    assert {(page, module) for page, module in named if module not in modules} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page: Path) -> None:
    assert set(COMMAND.findall(page.read_text())) <= commands()


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [
        name for name in sorted(commands()) if f"`{name}`" not in readme and f"portico {name}" not in readme
    ] == []


def test_every_room_is_on_the_map() -> None:
    architecture = (ROOT / "ARCHITECTURE.md").read_text()
    rooms = {path.parent.name for path in (ROOT / "src" / "portico").glob("*/__init__.py")}
    assert {room for room in rooms if f"### `{room}/`" not in architecture} == set()


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"make ([a-z]+)", (ROOT / "README.md").read_text()):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_table_of_trust_is_what_its_figures_say() -> None:
    assert render_table(read_memory()) in (ROOT / "docs" / "trust.md").read_text()
