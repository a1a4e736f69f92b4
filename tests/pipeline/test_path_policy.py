"""A crawl by learned paths: goals first, ways kept, stopped and killed without a difference, explained."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from portico.cli.progress_lines import make_progress
from portico.crawl.paths.learning import learn_paths
from portico.errors import ConfigError
from portico.pipeline.building import build_portal
from portico.pipeline.explain.explaining import explain
from portico.pipeline.opening import open_for_building, open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.sources.path_models import find_paths_file, identify_policy
from portico.types.page import Url
from portico.types.stages import StageName
from tests.crawl.example_paths import SITES, html, lessons, pages
from tests.crawl.web import Reply, Web

SITE = SITES[2]
PAGES = pages(SITE)
HOME = PAGES["home"].url
LISTS = [PAGES[f"{name}, list"].url for name in SITE[4]]

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.pipeline.test_path_policy"])


def fill(web: Web) -> None:
    for page in PAGES.values():
        web.add(page.url, html(page))


def write_portal(folder: Path, web: Web, spider: str = "") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "portal.toml").write_text(
        f'[[source]]\nseeds = ["{HOME}"]\n[spider]\npolicy = "paths"\n{spider}\n'
        f'[fetch]\ndelay_s = 0.0\nobey_robots = false\nconcurrency = 1\nproxy = "{web.address}"\n',
        encoding="utf-8",
    )
    if not (folder / "models").exists():
        learn_paths(lessons(milestones=True)).save(folder / "models" / "paths.npz")


def crawl_only(folder: Path) -> None:
    build_portal(folder, BuildRequest(stages=(StageName.CRAWL,)), make_progress(quiet=True))


def kept(folder: Path) -> tuple[set[Url], dict[Url, tuple[float, ...]]]:
    """The pages of a portal, and the ways to all links."""
    with open_portal(folder) as portal:
        urls = [page.url for page in PAGES.values()]
        found = {url for url in urls if portal.store.crawl.frontier.kept(url) is not None}
        return found, portal.store.crawl.prefixes.of(urls)


def test_the_goals_are_fetched_first_and_links_that_promise_little_are_left(tmp_path: Path) -> None:
    with Web() as web:
        fill(web)
        write_portal(tmp_path, web, "worth = 0.05")
        crawl_only(tmp_path)
        fetched = web.fetched()
    assert fetched[:2] == [HOME, PAGES["people"].url]
    assert set(LISTS) <= set(fetched)
    assert len(fetched) < len(PAGES)
    with open_portal(tmp_path) as portal:
        assert portal.store.crawl.frontier.counts(()).n_queued == len(PAGES) - len(fetched)


def test_a_lower_threshold_goes_on_where_the_crawl_was_left(tmp_path: Path) -> None:
    with Web() as web:
        fill(web)
        write_portal(tmp_path, web, "worth = 0.05")
        crawl_only(tmp_path)
        write_portal(tmp_path, web, "worth = 0.0")
        crawl_only(tmp_path)
        assert sorted(web.fetched()) == sorted(page.url for page in PAGES.values())


def test_stopped_after_every_page_it_fetches_each_page_once_and_the_goals_early(tmp_path: Path) -> None:
    with Web() as web:
        fill(web)
        for n_pages in range(1, len(PAGES) + 1):
            write_portal(tmp_path, web, f"worth = 0.0\nmax_pages = {n_pages}")
            crawl_only(tmp_path)
        fetched = web.fetched()
    assert sorted(fetched) == sorted(page.url for page in PAGES.values())
    assert set(fetched[:6]) >= set(LISTS)


def test_killed_nothing_is_lost_or_fetched_twice_after_it_was_kept(tmp_path: Path) -> None:
    with Web() as web:
        fill(web)
        web.makers.insert(0, lambda _url: Reply(takes_s=60.0) if len(web.requests) > 4 else None)
        write_portal(tmp_path, web, "worth = 0.0")
        process = PROCESSES.Process(target=crawl_only, args=(tmp_path,))
        process.start()
        deadline = time.monotonic() + 60.0
        while len(web.requests) < 5 and time.monotonic() < deadline:
            time.sleep(0.005)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        del web.makers[0]
        before, ways = kept(tmp_path)
        n_asked = len(web.fetched())
        crawl_only(tmp_path)
        after, more_ways = kept(tmp_path)
    assert before
    assert after == {page.url for page in PAGES.values()}
    assert not before & set(web.fetched()[n_asked:])
    assert ways.keys() <= more_ways.keys() == after - {HOME}


def test_a_redirect_hands_the_way_on(tmp_path: Path) -> None:
    moved, staff = PAGES["people"].url, Url(f"{HOME}staff/")
    with Web() as web:
        fill(web)
        web.makers.insert(
            0, lambda url: Reply(status=302, headers={"Location": staff}) if url == moved else None
        )
        web.add(staff, html(PAGES["people"]))
        write_portal(tmp_path, web, "worth = 0.05")
        crawl_only(tmp_path)
        assert set(LISTS) <= set(web.fetched())
    with open_portal(tmp_path) as portal:
        ways = portal.store.crawl.prefixes.of([moved, staff])
    assert len(set(ways.values())) == 1


def test_an_address_is_explained_by_its_way(tmp_path: Path) -> None:
    with Web() as web:
        fill(web)
        write_portal(tmp_path, web)
        crawl_only(tmp_path)
    with open_portal(tmp_path) as portal:
        sections = {section.heading: section for section in explain(portal, LISTS[0])}
    way = sections["What the way was taken for"]
    assert [row[3].partition(" (")[0] for row in way.rows] == [
        "3 links before a goal",
        "2 links before a goal",
        "1 link before a goal",
        "goal",
    ]
    assert sections["What it promised"].rows[0][0] == "goal"
    assert any("publications" in name for name, _ in sections["Evidence for and against it"].rows)


def test_another_model_orders_anew(tmp_path: Path) -> None:
    with Web() as web:
        fill(web)
        write_portal(tmp_path, web, "max_pages = 2")
        crawl_only(tmp_path)
        learn_paths(lessons(milestones=False)).save(tmp_path / "models" / "paths.npz")
        write_portal(tmp_path, web, "worth = 0.0")
        crawl_only(tmp_path)
        assert len(web.fetched()) == len(PAGES)


def test_without_a_model_the_builder_is_told_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text(f'[[source]]\nseeds = ["{HOME}"]\n[spider]\npolicy = "paths"\n')
    with open_for_building(tmp_path) as portal:
        with pytest.raises(ConfigError, match=r"portico teach .*portico train paths"):
            find_paths_file(portal)
        portal.places.models.mkdir()
        (portal.places.models / "paths.npz").write_bytes(b"no model")
        assert identify_policy(portal).startswith("paths ")
    with Web() as web:
        fill(web)
        write_portal(tmp_path, web)
        with pytest.raises(ConfigError, match=r"paths\.npz: .*damaged"):
            crawl_only(tmp_path)
