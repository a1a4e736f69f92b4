"""Every policy of portal.toml crawls, says what it foresaw, and gives way to another."""

from pathlib import Path

import pytest

from portico.cli.progress_lines import make_progress
from portico.errors import ConfigError
from portico.pipeline.building import build_portal
from portico.pipeline.explain.explaining import explain
from portico.pipeline.opening import open_for_building, open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.sources.link_order import load_bayes_spider
from portico.types.stages import StageName
from tests.crawl.web import Web

HOME = "http://a.test/"
PAPERS, NEWS, HIKING = (f"{HOME}{name}" for name in ("publications.html", "news.html", "hiking.html"))


def write_settings(portal: Path, web: Web, spider: str) -> None:
    portal.mkdir(exist_ok=True)
    (portal / "portal.toml").write_text(
        f'[[source]]\nseeds = ["{HOME}"]\n[spider]\n{spider}\n'
        f'[fetch]\ndelay_s = 0.0\nproxy = "{web.address}"\n',
        encoding="utf-8",
    )


def crawl_only(portal: Path) -> None:
    build_portal(portal, BuildRequest(stages=(StageName.CRAWL,)), make_progress(quiet=True))


def fill(web: Web) -> None:
    links = (
        (HIKING, "Hiking photos"),
        (NEWS, "News"),
        (PAPERS, "Publications and technical reports (ps, pdf)"),
    )
    web.add(HOME, "".join(f'<p><a href="{url}">{anchor}</a></p>' for url, anchor in links))
    for url, _ in links:
        web.add(url, "here")


@pytest.mark.parametrize("policy", ["learned", "immediate", "future", "future-5", "future-4-full-page"])
def test_a_policy_that_foresees_goes_to_the_papers_first(tmp_path: Path, policy: str) -> None:
    with Web() as web:
        fill(web)
        write_settings(tmp_path, web, f'policy = "{policy}"')
        crawl_only(tmp_path)
        assert web.fetched()[:2] == [HOME, PAPERS]
        assert len(web.fetched()) == 4
    with open_portal(tmp_path) as portal:
        sections = {section.heading: section for section in explain(portal, PAPERS)}
    assert "What was foreseen" in sections
    assert sections["Evidence for and against it"].rows


def test_another_policy_ranks_anew_what_waits(tmp_path: Path) -> None:
    def odds() -> dict[str, float | None]:
        with open_portal(tmp_path) as portal:
            return {url: row.odds for url in (NEWS, HIKING) if (row := portal.store.crawl.history.link(url))}

    with Web() as web:
        fill(web)
        write_settings(tmp_path, web, "max_pages = 2")
        crawl_only(tmp_path)
        by_ours = odds()
        write_settings(tmp_path, web, 'max_pages = 3\npolicy = "future"')
        crawl_only(tmp_path)
        assert by_ours.keys() == odds().keys() == {NEWS, HIKING}
        assert all(odds()[url] != by_ours[url] for url in by_ours)


def test_a_missing_or_damaged_model_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text(f'[[source]]\nseeds = ["{HOME}"]\n')
    with open_for_building(tmp_path) as portal:
        portal.places.models.mkdir()
        (portal.places.models / "spider-future.npz").write_bytes(b"no model")
        with pytest.raises(ConfigError, match=r"spider-future\.npz: this is no model .* train it again"):
            load_bayes_spider(portal, "future")
        with pytest.raises(ConfigError, match="portico train spider --policy sideways --data FOLDER --out"):
            load_bayes_spider(portal, "sideways")


def test_limits_of_portal_toml_reach_the_crawl(tmp_path: Path) -> None:
    with Web() as web:
        for number in range(40):
            web.link(f"{HOME}calendar?day={number}", f"/calendar?day={number + 1}")
        web.link(HOME, "/calendar?day=0", "/list?a=1&b=2&c=3", "/x/x/x/")
        web.add(f"{HOME}list?a=1&b=2&c=3", "here")
        limits = 'policy = "breadth-first"\nmax_chain = 3\nmax_parameters = 2\nmax_repeats = 2'
        write_settings(tmp_path, web, limits)
        crawl_only(tmp_path)
        days = [url for url in web.fetched() if "calendar" in url]
        assert len(days) == 4
        assert sorted(set(web.fetched()) - set(days)) == [HOME]
        write_settings(tmp_path, web, f"{limits}\nmax_megabytes = 1")
        web.add(f"{HOME}large", b"<p>" + b"x" * 1_100_000)
        web.replies[HOME] = []
        web.link(HOME, "large", "other")
        request = BuildRequest(stages=(StageName.CRAWL,), refresh=True)
        build_portal(tmp_path, request, make_progress(quiet=True))
    with open_portal(tmp_path) as portal:
        assert portal.store.crawl.frontier.counts(()).n_queued == 1, "the budget in bytes was not kept"
