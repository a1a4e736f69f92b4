"""Policies on small maps, and the measures taken of them."""

import json
from pathlib import Path

import pytest

from portico.crawl.policies.trained import make_link_scorer
from portico.crawl.policies.training import SiteGraph, fit_spider
from portico.domains import papers
from portico.errors import ConfigError
from portico.lab.datasets.webs import read_link_words
from portico.lab.measures.spider import SpiderStudy, measure_spider, train_spider
from portico.lab.measures.spider_report import (
    check_claims,
    format_spider_table,
    measure_gaps,
    write_spider_plots,
)
from portico.lab.site_walks import PooledWalk, measure_order, trace_curve, walk_breadth_first, walk_optimally
from portico.learn.logistic import from_bytes
from portico.types.page import Link, PageLink, Url
from tests.lab.datasets.test_webs import write_site

#   0 ─┬─ 1 ─┬─ 3*
#      └─ 2  ├─ 4*
#            └─ 5
GRAPH = SiteGraph(
    "small",
    urls=tuple(Url(f"http://small.test/{number}") for number in range(6)),
    pages=(None,) * 6,
    children=((1, 2), (3, 4, 5), (), (), (), ()),
    targets=frozenset({3, 4}),
)


def test_breadth_first_follows_links_as_it_finds_them() -> None:
    assert walk_breadth_first(GRAPH) == [1, 2, 3, 4, 5]


def test_optimal_goes_straight_to_targets() -> None:
    assert walk_optimally(GRAPH) == [1, 3, 4]


def test_measure_is_the_share_of_links() -> None:
    figures = measure_order(GRAPH, walk_breadth_first(GRAPH))
    assert figures == {
        "0.05": 0.6, "0.25": 0.6, "0.5": 0.6, "0.75": 0.8, "0.9": 0.8, "links": 5, "targets": 2,
    }  # fmt: skip


def test_targets_never_found_cost_all_links() -> None:
    assert measure_order(GRAPH, [1, 3])["0.9"] == 1.0


def test_curve_counts_targets_by_percent_of_links() -> None:
    harvest = trace_curve(GRAPH, walk_breadth_first(GRAPH))
    assert (harvest[59], harvest[60], harvest[80], harvest[100]) == (0.0, 0.5, 1.0, 1.0)


def test_values_pool_what_pages_say() -> None:
    # 2 is worth little where it is first seen, and much once page 1 speaks for it.
    graph = SiteGraph("pool", GRAPH.urls[:4], (None,) * 4, ((1, 2, 3), (2,), (), ()), frozenset({2}))
    policy = PooledWalk(
        [[0.0]] * 4, [[[3.0], [0.0], [1.0]], [[2.0]], [], []], lambda likelihood: likelihood[0]
    )
    assert policy(graph) == [1, 2, 3]


def test_plots_are_drawings_of_every_curve(tmp_path: Path) -> None:
    curves = {f"{name} < b": [at / 100 for at in range(101)] for name in "abcdefgh"}
    whole, beginning = (path.read_text() for path in write_spider_plots(curves, tmp_path / "new"))
    for drawing in (whole, beginning):
        assert drawing.count("<polyline") == len(curves)
        assert "a &lt; b" in drawing
        styles = {line.split("stroke=", 1)[1] for line in drawing.splitlines() if "<polyline" in line}
        assert len(styles) == len(curves), "no two lines look alike"
    assert (">100</text>" in whole, ">100</text>" in beginning) == (True, False)


@pytest.fixture
def two_sites(tmp_path: Path) -> Path:
    """Two sites made alike: papers behind a list of publications, and pages that lead nowhere."""
    truths = {}
    for name, noise in (("one", "hobby"), ("two", "travel")):
        rest = {f"{noise}{number}.html": f"<p>{noise}</p>" for number in range(8)}
        listed = "".join(f'<a href="{page}">{noise}</a>' for page in rest)
        written = [f"/papers/{name}{number}.pdf" for number in range(5)]
        files = {
            "index.html": f'<h1>{name}</h1>{listed}<a href="pubs.html">Publications</a>',
            "pubs.html": "".join(f'<a href="{path}">Paper, pdf</a>' for path in written),
            **rest,
        }
        write_site(tmp_path, files, {}, name=name)
        truths[name] = {"papers": written}
    (tmp_path / "targets.json").write_text(json.dumps(truths))
    return tmp_path


def test_spiders_learn_from_one_site_what_helps_on_the_other(two_sites: Path) -> None:
    told: list[str] = []
    report = measure_spider(two_sites, SpiderStudy(n_seeds=2, progress=told.append))
    means = report.figures["mean"]
    assert set(report.figures["sites"]) == {"one", "two"}
    assert means["optimal"]["0.75"] <= means["default"]["0.75"] < means["breadth-first"]["0.75"]
    assert means["future 3, related"]["0.25"] < means["breadth-first"]["0.25"]
    assert len(told) == len(means) + 3 * 2
    table = "\n".join(format_spider_table(report.figures))
    assert all(name in table for name in means)
    json.dumps(report.figures)


def test_sites_learned_from_may_be_elsewhere(
    two_sites: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    write_site(other, {"index.html": '<a href="a.html">A</a> <a href="p.pdf">P</a>'}, {"papers": ["/p.pdf"]})
    report = measure_spider(other, SpiderStudy(train=two_sites))
    assert list(report.figures["sites"]) == ["small"]
    with pytest.raises(ConfigError, match="left to learn from"):
        measure_spider(other, SpiderStudy(train=other))


def test_one_site_alone_is_walked_by_the_shipped_spider(tmp_path: Path) -> None:
    home = '<a href="hobby.html">Hobby</a> <a href="papers/icml.pdf">Paper (PDF)</a>'
    write_site(tmp_path, {"index.html": home, "hobby.html": "<p>"}, {"papers": ["/papers/icml.pdf"]})
    told: list[str] = []
    figures = measure_spider(tmp_path, SpiderStudy(n_seeds=1, progress=told.append)).figures
    assert set(figures["mean"]) == {"breadth-first", "default, static", "default", "optimal"}
    assert figures["mean"]["default"]["0.75"] == 0.5 < figures["mean"]["breadth-first"]["0.75"]
    assert "--train" in told[0]
    assert list(format_spider_table(figures))


def test_sites_that_cannot_be_measured_are_named(tmp_path: Path, two_sites: Path) -> None:
    truths = json.loads((two_sites / "targets.json").read_text())
    truths["two"]["papers"] = ["/nowhere.pdf"]
    truths["three"] = {"papers": ["/a.pdf"]}
    (two_sites / "targets.json").write_text(json.dumps(truths))
    told: list[str] = []
    figures = measure_spider(two_sites, SpiderStudy(progress=told.append)).figures
    assert list(figures["sites"]) == ["one"]
    assert [line.split(",")[0] for line in told[:2]] == ["three: skipped", "two: skipped"]


def shares(early: float, late: float) -> dict[str, float]:
    return {"0.05": early, "0.25": early, "0.5": late, "0.75": late, "0.9": late, "links": 100}


def test_findings_of_the_papers_hold_or_not() -> None:
    means = {
        "breadth-first": shares(0.5, 0.9),
        "immediate, full-page": shares(0.3, 0.4),
        "future 3, full-page": shares(0.2, 0.395),  # later a tie
    }
    found = {one.text: one.reproduced for one in check_claims(means, "papers")}
    assert found == {
        "immediate ahead of breadth-first throughout": True,
        "future ahead of breadth-first throughout": True,
        "future needs a third of breadth-first's links": False,
        "future ahead of immediate early": True,
        "immediate ahead of future later, or equal": True,
    }
    assert check_claims(means, "contact") == []


def test_gap_to_optimal_is_in_requests_the_widest_first() -> None:
    sites = {
        "near": {"default": shares(0.1, 0.2), "optimal": shares(0.1, 0.2)},
        "far": {"default": shares(0.1, 0.7), "optimal": shares(0.1, 0.2)},
    }
    found = measure_gaps(sites)
    assert list(found) == ["far", "near"]
    assert found["far"]["0.75"] == 50


def test_training_twice_gives_the_same_model(two_sites: Path) -> None:
    assert train_spider(two_sites).to_bytes() == train_spider(two_sites).to_bytes()


SHIPPED = Path(papers.__file__).parent / "models" / "spider.npz"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (("papers/icml99.ps", "postscript"), ("courses/cs101/syllabus.ps", "syllabus")),
        (("~doe/publications.html", "Publications"), ("~doe/hiking.html", "Hiking photos")),
        (("papers/nips.pdf", "PDF"), ("pictures/beach.jpg", "The beach")),
    ],
)
def test_shipped_model_knows_where_papers_are(better: tuple[str, str], worse: tuple[str, str]) -> None:
    links = [Link(Url(f"http://a.edu/{path}"), GRAPH.urls[0], anchor) for path, anchor in (better, worse)]
    good, bad = make_link_scorer(from_bytes(SHIPPED.read_bytes()))([PageLink(link) for link in links])
    assert good > bad


@pytest.mark.parametrize(
    ("task", "better", "worse"),
    [
        ("officers", ("x.html", "Our leadership"), ("y.html", "Our services")),
        ("officers", ("x.html", "Geschäftsführung"), ("y.html", "Produkte")),
        ("contact", ("x.html", "Contáctenos"), ("y.html", "News")),
    ],
)
def test_words_are_known_before_any_site(task: str, better: tuple[str, str], worse: tuple[str, str]) -> None:
    score = make_link_scorer(fit_spider(read_link_words(task)))
    links = [
        Link(Url(f"http://a.org/{path}"), Url("http://a.org/"), anchor) for path, anchor in (better, worse)
    ]
    good, bad = score([PageLink(link) for link in links])
    assert good > bad + 0.2


def test_shipped_model_is_small() -> None:
    assert SHIPPED.stat().st_size < 1_000_000
