"""Paths through small mapped sites: how they are made, labeled, foraged and reported."""

import json
from pathlib import Path

import pytest

from portico.cli.page_measuring import lab_paths, train_paths
from portico.crawl.paths.learning import PathModel
from portico.crawl.policies.training import SiteGraph
from portico.errors import ConfigError
from portico.lab.datasets.path_webs import (
    FACULTY,
    PUBLICATIONS,
    find_paths,
    make_department_site,
    read_classes,
)
from portico.lab.datasets.webs import read_sites
from portico.lab.measures.paths import (
    BREADTH_FIRST,
    DUAL,
    ENTROPY,
    MODELS,
    OPTIMAL,
    PARTIAL,
    measure_found_within,
    measure_harvest_at,
    measure_paths,
    summarize_figures,
)
from portico.types.path import Ending
from tests.crawl.example_paths import SITES, html, pages
from tests.lab.datasets.test_webs import write_site
from tests.lab.test_site_walks import GRAPH

NAMES = ("webkb-cornell", "webkb-texas", "webkb-washington")
COMPANIES = ("american-ethane", "bushyrun192", "emanate", "temicon")
PAPER = "http://elsewhere.test/paper.ps"


def write_web(folder: Path) -> Path:
    """Three departments with the classes of their pages, and four companies with the same pages."""
    truths = {}
    for name, site in zip((*NAMES, *COMPANIES), (*SITES, *SITES, SITES[0]), strict=True):
        home, web = f"http://{site[0]}.test/", pages(site)
        files, classes = {}, {}
        for called, page in web.items():
            path = page.url.removeprefix(home)
            path = f"{path}index.html" if not path or path.endswith("/") else path
            files[path] = html(page).replace(home, "/") + f'<a href="{PAPER}">paper</a>'
            classes[path] = {"home": "department"}.get(called, "faculty" if called in site[4] else "other")
        lists = [f"/{path}" for path in files if path.endswith("pubs.html")]
        truths[name] = {"papers": [PAPER], "officers": lists[:1], "contact": ["/map.html"]}
        write_site(folder, files, {}, name)
        rows = "".join(f"/{path}\t{kind}\n" for path, kind in classes.items())
        (folder / f"webkb_classes_{name.removeprefix('webkb-')}.tsv").write_text(f"path\tclass\n{rows}")
    (folder / "targets.json").write_text(json.dumps(truths))
    return folder


def department(folder: Path) -> SiteGraph:
    return read_sites(write_web(folder), "papers", names=NAMES[:1])[0]


def names(graph: SiteGraph, addresses: frozenset[int]) -> set[str]:
    return {graph.urls[one].removeprefix(f"http://{graph.name}.test/") for one in addresses}


@pytest.mark.parametrize(
    ("goal", "found"),
    [(FACULTY, {"~vole/", "~reed/"}), (PUBLICATIONS, {"~vole/pubs.html", "~reed/pubs.html"})],
)
def test_goals_are_told_by_classes_and_by_what_people_link_to(
    tmp_path: Path, goal: str, found: set[str]
) -> None:
    site = department(tmp_path)
    assert names(site, make_department_site(site, read_classes(tmp_path, site), goal).graph.targets) == found


def test_paths_lead_to_goals_and_to_where_all_ways_end(tmp_path: Path) -> None:
    site = department(tmp_path)
    made = make_department_site(site, read_classes(tmp_path, site), PUBLICATIONS)
    ways = {tuple(step.page.url.rpartition(".test/")[2] for step in path.steps): path for path in made.paths}
    to_list = ways["index.html", "people/", "~vole/", "~vole/pubs.html"]
    assert to_list.ending is Ending.GOAL
    assert [step.milestone for step in to_list.steps] == ["department", "", "faculty", ""]
    assert [step.link.link.anchor for step in to_list.steps if step.link] == [
        "People",
        "Ann Vole",
        "Publications",
    ]
    assert ways["index.html", "people/", "~vole/", "~vole/hobbies.html"].ending is Ending.DEAD_END
    assert all(
        path.ending is Ending.DEAD_END for way, path in ways.items() if not way[-1].endswith("pubs.html")
    )


def test_a_graph_without_pages_has_paths_to_its_goals_alone() -> None:
    assert list(find_paths(GRAPH, {})) == []


def test_harvest_and_recall_count_goals_and_requests() -> None:
    assert measure_harvest_at(0.5, GRAPH, [1, 3, 4]) == 0.5
    assert measure_harvest_at(1.0, GRAPH, [1, 3, 4]) == pytest.approx(2 / 3)
    assert measure_harvest_at(1.0, GRAPH, [1, 3]) == 0.0
    assert measure_found_within(0.4, GRAPH, [1, 3, 4]) == 0.5


def test_chains_label_paths_and_find_goals_earlier_than_what_knows_no_paths(tmp_path: Path) -> None:
    found = summarize_figures(measure_paths(write_web(tmp_path), quick=True))
    assert set(MODELS) < set(found)
    assert found[DUAL]["label_f1"] == 1.0 >= found[ENTROPY]["label_f1"]
    assert found[OPTIMAL]["harvest"] >= found[PARTIAL]["harvest"] > found[BREADTH_FIRST]["harvest"]
    assert found[BREADTH_FIRST]["officers"]["against_breadth_first"] == 1.0
    assert found[PARTIAL]["officers"]["against_breadth_first"] < 1.0


def test_figures_are_printed_written_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_web(tmp_path)
    lab_paths(tmp_path, tmp_path / "paths.json", tmp_path / "plots", quick=True)
    told = capsys.readouterr()
    written = json.loads((tmp_path / "paths.json").read_text())
    assert set(written[DUAL]) >= {"label_f1", "harvest", "recall"}
    assert f"{written[DUAL]['label_f1']:.3f}" in told.out
    assert "faculty, webkb-texas" in told.err
    drawn = sorted(file.name for file in (tmp_path / "plots").iterdir())
    assert drawn == ["paths-contact.svg", "paths-faculty.svg", "paths-officers.svg"]


def test_a_model_of_mapped_sites_is_written(tmp_path: Path) -> None:
    train_paths(write_web(tmp_path), None, tmp_path / "paths.npz")
    assert PathModel.load(tmp_path / "paths.npz").scheme.labels[-2:] == ("goal", "fail")


@pytest.mark.parametrize("task", ["officers", "walks"])
def test_a_folder_without_such_sites_is_named(tmp_path: Path, task: str) -> None:
    (tmp_path / "targets.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"no site has reachable targets|there is no spider task"):
        train_paths(tmp_path, [task], tmp_path / "paths.npz")
    with pytest.raises(ConfigError, match="needs at least two of the sites"):
        measure_paths(tmp_path)
