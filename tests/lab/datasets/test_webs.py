"""Site archives become the graphs a spider walks: what is a link, what is a target, what is left out."""

import json
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest

from portico.crawl.policies.training import SiteGraph
from portico.errors import ConfigError
from portico.lab.datasets.webs import read_sites

HOME = """<title>Home</title><h2>Work</h2><ul><li><a href="papers/">Papers</a>, all of them</ul>
<a href="gone.html">Old</a> <a href="http://elsewhere.org/">Away</a> <a href="#top">Top</a>
<a href="docs">Docs</a>"""
PAPERS = """<a href="one.pdf">One</a> <a href="../index.html">Home</a>
<a href="http://www.old-host.edu:8080/two.ps">Two</a> <a href="http://www.old-host.edu/exam.ps">Exam</a>"""


def write_site(folder: Path, files: dict[str, str], truth: Mapping[str, object], name: str = "small") -> None:
    (folder / "sites").mkdir(exist_ok=True)
    with tarfile.open(folder / "sites" / f"{name}.tar.xz", "w:xz") as tar:
        for path, body in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(body.encode())
            tar.addfile(member, BytesIO(body.encode()))
    (folder / "targets.json").write_text(json.dumps({name: truth}))


@pytest.fixture
def graph(tmp_path: Path) -> SiteGraph:
    files = {"index.html": HOME, "papers/index.html": PAPERS, "docs/index.html": "<p>nothing</p>"}
    papers = ["/papers/one.pdf", "http://WWW.old-host.edu:8080/two.ps", "/unreachable.pdf"]
    truth = {
        "papers": papers,
        "course_documents": ["http://www.old-host.edu/exam.ps"],
        "start": "/index.html",
    }
    write_site(tmp_path, files, truth)
    (only,) = read_sites(tmp_path, "papers")
    return only


def paths(graph: SiteGraph, numbers: frozenset[int] | range) -> list[str]:
    return sorted(graph.urls[number].removeprefix("http://small.test") for number in numbers)


def test_links_are_the_site_s_own_and_known_documents(graph: SiteGraph) -> None:
    assert paths(graph, range(graph.n_links + 1)) == [
        "/docs", "/docs/", "/gone.html", "/index.html", "/papers/", "/papers/one.pdf",
        "/www.old-host.edu/exam.ps", "/www.old-host.edu_8080/two.ps",
    ]  # fmt: skip


def test_targets_are_those_that_can_be_reached(graph: SiteGraph) -> None:
    assert paths(graph, graph.targets) == ["/papers/one.pdf", "/www.old-host.edu_8080/two.ps"]


def test_folder_without_its_slash_is_a_redirect(graph: SiteGraph) -> None:
    number = graph.urls.index("http://small.test/docs")
    assert [graph.urls[child] for child in graph.children[number]] == ["http://small.test/docs/"]


def test_sightings_tell_what_surrounds_a_link(graph: SiteGraph) -> None:
    _, sighting = next(iter(graph.sightings(0)))
    assert sighting.link.anchor == "Papers"
    assert sighting.heading == "Work"
    assert sighting.tags == "a li ul"
    assert "all of them" in sighting.link.context


def test_missing_page_is_followed_but_leads_nowhere(graph: SiteGraph) -> None:
    number = graph.urls.index("http://small.test/gone.html")
    assert graph.pages[number] is None
    assert list(graph.sightings(number)) == []


def test_single_goal_may_be_written_as_one_address(tmp_path: Path) -> None:
    write_site(tmp_path, {"index.html": '<a href="c.html">C</a>'}, {"contact": "/c.html", "papers": []})
    (graph,) = read_sites(tmp_path, "contact")
    assert graph.any_target
    assert paths(graph, graph.targets) == ["/c.html"]


def test_wrong_folder_or_task_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"targets\.json"):
        read_sites(tmp_path, "papers")
    with pytest.raises(ConfigError, match="officers"):
        read_sites(tmp_path, "jokes")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "task", "n_links", "n_targets"),
    [("alcom", "papers", 61, 35), ("cornuejols", "papers", 329, 88), ("wissen", "officers", 19, 1)],
)
def test_real_sites(name: str, task: str, n_links: int, n_targets: int, labelled_data: Path) -> None:
    (graph,) = read_sites(labelled_data / "web", task, names=[name])
    assert (graph.n_links, len(graph.targets)) == (n_links, n_targets)


def test_broken_archive_is_named(tmp_path: Path) -> None:
    write_site(tmp_path, {"index.html": HOME}, {"papers": ["/one.pdf"]})
    archive = tmp_path / "sites" / "small.tar.xz"
    archive.write_bytes(archive.read_bytes()[:40])
    with pytest.raises(ConfigError, match=r"small\.tar\.xz: cannot be unpacked"):
        read_sites(tmp_path, "papers")


@pytest.mark.parametrize("written", ["{", "[]", '{"small": 3}'])
def test_broken_targets_are_named(tmp_path: Path, written: str) -> None:
    (tmp_path / "targets.json").write_text(written)
    with pytest.raises(ConfigError, match=r"targets\.json"):
        read_sites(tmp_path, "papers")
