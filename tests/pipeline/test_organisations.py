"""A portal of organisations from crawl to search, on the sample web, scored against its truth."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.errors import ConfigError
from portico.pipeline.building import build_portal
from portico.pipeline.explain.explaining import explain
from portico.pipeline.opening import open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.status import describe_status, read_status
from portico.pipeline.verify import verify_portal
from portico.sample.organisations import write_sample_organisations
from portico.sample.server import SampleServer
from portico.text.names import fold
from tests.serve.made_directory import serving_directory

N_SITES = 3


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """The web, the portal built of it, and what the build said."""
    folder = tmp_path_factory.mktemp("organisations")
    web = write_sample_organisations(folder / "web", n_sites=N_SITES)
    portal = folder / "portal"
    portal.mkdir()
    with SampleServer(web.folder) as server:
        (portal / "portal.toml").write_text(
            f"""
[portal]
domain = "organisations"
title = "Who leads what"
[[source]]
seeds = {json.dumps(list(web.seeds))}
hosts = {json.dumps(list(web.hosts))}
[fetch]
contact = "builder@example.org"
delay_s = 0
proxy = "{server.proxy_url}"
"""
        )
        said = "\n".join(build_portal(portal, BuildRequest(), ProgressLines(None)).lines())
    return web.folder, portal, said


def told(portal: Path) -> list[dict[str, Any]]:
    with open_portal(portal) as opened:
        return [*opened.collection.export(opened, cited=False)]


def values(told: Iterable[dict[str, Any]], kind: str, field: str) -> set[tuple[str, str]]:
    return {
        (thing["fields"]["site"][0], fold(value))
        for thing in told
        if thing["kind"] == kind
        for value in thing["fields"].get(field, ())
    }


@pytest.mark.parametrize(
    ("kind", "field", "least"),
    [
        ("officer", "name", 0.8),
        ("officer", "role", 0.7),
        ("organisation", "name", 0.8),
        ("organisation", "phone", 0.6),
    ],
)
def test_what_is_read_is_true(built: tuple[Path, Path, str], kind: str, field: str, least: float) -> None:
    web, portal, _ = built
    read = values(told(portal), kind, field)
    lines = (web / "truth.jsonl").read_text("utf-8").splitlines()
    true = values(map(json.loads, lines), kind, field)
    assert 2 * len(read & true) / (len(read) + len(true)) >= least


def test_the_build_and_the_status_count_things(built: tuple[Path, Path, str]) -> None:
    _, portal, said = built
    assert re.search(rf"^{N_SITES} organisations, \d+ officers; ", said, re.MULTILINE), said
    with open_portal(portal) as opened:
        lines = "\n".join(describe_status(opened))
        assert read_status(opened)["things"]["organisation"] == N_SITES
    assert f"  {N_SITES} organisations, " in lines
    assert "paper" not in (said + lines).lower()


def test_building_again_does_nothing_and_everything_agrees(built: tuple[Path, Path, str]) -> None:
    _, portal, _ = built
    again = "\n".join(build_portal(portal, BuildRequest(), ProgressLines(None)).lines())
    assert "Nothing to do" in again
    assert verify_portal(portal, repair=False).open_faults == 0


def test_an_officer_can_be_explained_and_found(built: tuple[Path, Path, str]) -> None:
    _, portal, _ = built
    officer = next(each for each in told(portal) if each["kind"] == "officer" and "role" in each["fields"])
    with open_portal(portal) as opened:
        why = str(explain(opened, officer["id"]))
        page = str(explain(opened, officer["source"]))
        with pytest.raises(ConfigError, match=officer["id"]):
            explain(opened, officer["title"].upper())
    assert officer["title"] in why
    assert officer["source"] in why
    assert officer["id"] in page
    with serving_directory(portal) as site:
        assert officer["fields"]["role"][0] in site.ask(f"/item/{officer['id']}").text
