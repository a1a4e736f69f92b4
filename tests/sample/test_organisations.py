"""The sample web of organisations is the same every time, and its truth stands on its pages."""

import html
import json
import re
from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.sample.organisations import (
    LAYOUTS,
    invent_organisations,
    name_board_file,
    write_sample_organisations,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("organisations") / "web"
    write_sample_organisations(folder)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_bytes_for_the_same_seed(folder: Path, tmp_path: Path) -> None:
    web = write_sample_organisations(tmp_path / "again")
    assert files(tmp_path / "again") == files(folder)
    assert len(web.hosts) == len(set(web.hosts)) == 12
    other = write_sample_organisations(tmp_path / "other", seed=8, n_sites=3)
    assert len(other.seeds) == 3
    assert invent_organisations(8, 3) != invent_organisations(7, 3)


def test_every_true_value_stands_on_the_page_that_is_named(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "truth.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        host, _, path = line["source"].removeprefix("http://").partition("/")
        page = (folder / "sites" / host / path).read_text("utf-8")
        words = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
        for name, values in line["fields"].items():
            parts = values[0].split(", ", 1) if name == "address" else values
            assert all(part in words for part in parts) or name == "site", (line["source"], name)
    assert {line["kind"] for line in lines} == {"organisation", "officer"}


def test_officers_are_printed_in_every_layout(folder: Path) -> None:
    assert {each.layout for each in invent_organisations(7, 12)} == set(LAYOUTS)


def test_the_board_is_reached_by_links(folder: Path) -> None:
    for each in invent_organisations(7, 12):
        site = folder / "sites" / each.host
        assert 'href="about.html"' in (site / "index.html").read_text("utf-8")
        assert f'href="{name_board_file(each)}"' in (site / "about.html").read_text("utf-8")
        assert (site / name_board_file(each)).is_file()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="no sample web"):
        write_sample_organisations(tmp_path)
