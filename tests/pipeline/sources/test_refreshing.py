"""A portal that is built asks again, by the real command, and lets go of nothing too soon."""

from pathlib import Path

import pytest

from portico.cli.progress_lines import make_progress
from portico.pipeline.building import build_portal
from portico.pipeline.explain.explaining import explain
from portico.pipeline.opening import open_for_building, open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.verify import verify_portal
from portico.store.database import writing
from portico.store.schema import page, revisit
from portico.types.stages import StageName
from tests.crawl.web import Web
from tests.pipeline.portals import portico

HOME = "http://a.test/"


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    return tmp_path / "portal"


def write_settings(portal: Path, web: Web, spider: str = "") -> None:
    portal.mkdir(exist_ok=True)
    (portal / "portal.toml").write_text(
        f'[[source]]\nseeds = ["{HOME}"]\n[spider]\n{spider}\n'
        f'[fetch]\ndelay_s = 0.0\nproxy = "{web.address}"\n',
        encoding="utf-8",
    )


def crawl_only(portal: Path) -> None:
    build_portal(portal, BuildRequest(stages=(StageName.CRAWL,)), make_progress(quiet=True))


def age(portal: Path, days: float) -> None:
    """Let everything that was fetched have been fetched so much earlier."""
    earlier_s = days * 86_400
    with open_for_building(portal) as opened, writing(opened.store.engine) as connection:
        connection.execute(page.update().values(fetched_at=page.c.fetched_at - earlier_s))
        connection.execute(revisit.update().values(checked_at=revisit.c.checked_at - earlier_s))


def test_the_command_asks_again_and_says_what_had_changed(portal: Path) -> None:
    with Web() as web:
        web.add(HOME, '<a href="b">b</a>', headers={"ETag": '"one"'})
        web.add(HOME, '<a href="b">b</a><a href="c">c</a>', headers={"ETag": '"two"'})
        web.add("http://a.test/b", "b", headers={"ETag": '"b"'})
        web.add("http://a.test/c", "c")
        write_settings(portal, web)
        first = portico("crawl", portal)
        assert first.returncode == 0, first.stderr
        n_before = len(web.requests)
        again = portico("crawl", portal, "--refresh")
        assert again.returncode == 0, again.stderr
        assert "refresh: 2 pages checked again, 1 had changed" in again.stdout
        assert sorted(web.fetched()[n_before - 1 :]) == [HOME, "http://a.test/b", "http://a.test/c"]
        statuses = {request.url: request.status for request in web.requests}
        assert statuses["http://a.test/b"] == 304
    shown = portico("status", portal)
    assert "pages asked for again 2 times, 1 had changed" in shown.stdout
    with open_portal(portal) as opened:
        told = {section.heading: section.summary for section in explain(opened, HOME)}
    assert "Asked for again 1 times, changed 1 times" in told["Freshness"]
    assert not verify_portal(portal, repair=False).open_faults


def test_with_refresh_days_a_crawl_asks_by_itself_once_pages_are_due(portal: Path) -> None:
    with Web() as web:
        web.add(HOME, "here", headers={"ETag": '"one"'})
        write_settings(portal, web, "refresh_days = 10")
        crawl_only(portal)
        n_before = len(web.requests)
        crawl_only(portal)
        assert len(web.requests) == n_before, "asked again though it was fetched a moment ago"
        age(portal, 11)
        crawl_only(portal)
        assert [request.url for request in web.requests[n_before:]] == [HOME]
        assert web.requests[-1].status == 304
