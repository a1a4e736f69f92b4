"""Three taught paths on two mapped sites lead to the goal of a third."""

import json
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.lab.measures.teaching import BREADTH_FIRST, measure_teaching
from tests.serve.officer_sites import SITES

GOALS = {
    "mill": "/people/board.html",
    "harbor": "/management.htm",
    "orchard": "/society/officers",
}


def pack(folder: Path, name: str) -> None:
    """A site as an archive of files: what ends with a slash, or has no ending, is a folder's index."""
    (folder / "sites").mkdir(exist_ok=True)
    with tarfile.open(folder / "sites" / f"{name}.tar.xz", "w:xz") as archive:
        for path, html in SITES[f"{name}.test"].items():
            is_file = path.rpartition("/")[2].count(".")
            member = tarfile.TarInfo(
                path.strip("/") if is_file else f"{path.strip('/')}/index.html".lstrip("/")
            )
            member.size = len(html.encode())
            archive.addfile(member, BytesIO(html.encode()))


def test_the_goal_of_a_third_site_comes_early(tmp_path: Path) -> None:
    for name in GOALS:
        pack(tmp_path, name)
    truth = {name: {"officers": [goal], "start": "/index.html"} for name, goal in GOALS.items()}
    (tmp_path / "targets.json").write_text(json.dumps(truth), encoding="utf-8")
    figures = measure_teaching(tmp_path)
    assert figures["taught"]["lessons"] == len(GOALS)
    assert figures["taught"]["within_10"] == 1.0
    assert figures["taught"]["median"] < figures[BREADTH_FIRST]["median"]


def test_two_sites_are_too_few(tmp_path: Path) -> None:
    pack(tmp_path, "mill")
    truth = {"mill": {"officers": [GOALS["mill"]], "start": "/index.html"}}
    (tmp_path / "targets.json").write_text(json.dumps(truth), encoding="utf-8")
    with pytest.raises(ConfigError, match="takes three sites"):
        measure_teaching(tmp_path)
