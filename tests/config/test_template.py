"""What we write, we can read; and the manual page says what the program does."""

import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.config.keys import list_keys
from portico.config.reading import read_settings
from portico.config.settings import (
    FOLDER_TABLE,
    TABLES,
    WEB_TABLE,
    FolderSource,
    Settings,
    SettingsTable,
    WebSource,
)
from portico.config.template import (
    InitAnswers,
    describe_settings,
    format_folder_toml,
    format_portal_toml,
    format_toml_value,
)
from tests.config.conftest import Write

SEEDS = ("https://a.example/", "https://b.example/")
EVERY_TABLE = (*TABLES, WEB_TABLE, FOLDER_TABLE)


def test_the_template_reads_back_with_the_answers_and_defaults(write: Write) -> None:
    folder = write(
        format_portal_toml(
            InitAnswers('A "quoted" title', "About ünïcode", seeds=SEEDS, folder=".", contact="me@a.example")
        )
    )
    settings = read_settings(folder)
    assert settings.portal.title == 'A "quoted" title'
    assert settings.portal.description == "About ünïcode"
    assert settings.fetch.contact == "me@a.example"
    assert settings.sources == (WebSource(SEEDS), FolderSource("."))
    defaults = Settings(sources=())
    assert (settings.spider, settings.convert, settings.store) == (
        defaults.spider,
        defaults.convert,
        defaults.store,
    )


def test_without_answers_only_the_source_is_missing(write: Write) -> None:
    folder = write(format_portal_toml(InitAnswers()))
    assert read_settings(folder, for_building=False) == Settings(sources=())


def test_every_commented_key_may_be_uncommented(write: Write) -> None:
    """Uncommenting all of the template gives a file without an unknown key or a wrong value."""
    lines = format_portal_toml(InitAnswers(seeds=SEEDS)).splitlines()
    names = {key.name for table in EVERY_TABLE for key in list_keys(table.settings_class)}

    def uncommented(line: str) -> str:
        code = line.removeprefix("# ")
        return code if code.partition(" = ")[0] in names or code == "[[source]]" else line

    folder = write("\n".join(map(uncommented, lines)))
    for name in ("sites.txt", "topics.toml"):
        (folder / name).write_text("")
    (folder.parent / "papers").mkdir()
    settings = read_settings(folder)
    assert settings.sources[0] == WebSource(SEEDS, "sites.txt", ("*.cs.example.edu",))
    assert settings.fetch.proxy == "http://proxy.example.org:3128"


def test_the_portal_of_a_folder(write: Write) -> None:
    settings = read_settings(write(format_folder_toml("My Papers", ".")))
    assert settings.portal.title == "My Papers"
    assert settings.sources == (FolderSource("."),)
    assert tomllib.loads(format_folder_toml("x"))["source"] == [{"folder": ".."}]


@given(
    st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False) | st.lists(st.text()).map(tuple)
)
def test_values_are_written_as_toml_reads_them(value: object) -> None:
    read = tomllib.loads(f"x = {format_toml_value(value)}")["x"]
    assert (tuple(read) if isinstance(read, list) else read) == value


@pytest.mark.parametrize("table", EVERY_TABLE, ids=lambda table: table.settings_class.__name__)
def test_every_default_and_example_passes_its_own_check(table: SettingsTable) -> None:
    for key in list_keys(table.settings_class):
        shown = [key.example] if key.example else []
        given_values = shown if key.required else [*shown, key.default]
        for value in given_values:
            for item in value if isinstance(value, tuple) else (value,):
                assert key.check.holds(item), key.name


def test_every_table_is_a_part_of_the_settings() -> None:
    assert {table.name for table in TABLES} | {"sources"} == {field.name for field in fields(Settings)}


def test_the_manual_page_is_up_to_date() -> None:
    page = Path(__file__).parents[2] / "docs" / "portal-toml.md"
    assert page.read_text() == describe_settings(), (
        "run: python -m portico.config.template > docs/portal-toml.md"
    )
