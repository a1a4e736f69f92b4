"""RFC 9309, case by case."""

import pytest

from portico.crawl import robots
from portico.store.opening import Store
from portico.types.frontier import HostNote
from portico.types.page import Url
from tests.crawl.conftest import Crawl
from tests.crawl.web import Web

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("user-agent: *\ndisallow: /", "/x", False),
        ("user-agent: *\ndisallow:", "/x", True),
        ("user-agent: other\ndisallow: /", "/x", True),
        ("User-Agent: Portico\nDisallow: /x", "/x", False),
        ("user-agent: portico\nallow: /x\n\nuser-agent: *\ndisallow: /", "/x", True),
        ("user-agent: *\ndisallow: /\n\nuser-agent: portico\ndisallow: /y", "/x", True),
        ("user-agent: a\nuser-agent: portico\ndisallow: /x", "/x", False),
        ("user-agent: portico\ndisallow: /x\nuser-agent: portico\ndisallow: /y", "/y", False),
        ("user-agent: *\ndisallow: /x/page.html\nallow: /x/", "/x/page.html", False),
        ("user-agent: *\ndisallow: /x/\nallow: /x/page.html", "/x/page.html", True),
        ("user-agent: *\ndisallow: /x\nallow: /x", "/x", True),
        ("user-agent: *\ndisallow: /*.pdf$", "/a.pdf", False),
        ("user-agent: *\ndisallow: /*.pdf$", "/a.pdf?x", True),
        ("user-agent: *\ndisallow: /a%3cd.html", "/a%3Cd.html", False),
        ("user-agent: *\ndisallow: /caf%C3%A9", "/caf%C3%A9/x", False),
        ("user-agent: *\ndisallow: /X", "/x", True),
        ("<html><body>Not found</body></html>", "/x", True),
        ("user-agent: *\ndisallow: /x # a comment", "/x", False),
        ("sitemap: http://a.test/map\nuser-agent: *\ndisallow: /x", "/x", False),
    ],
)
def test_rules(text: str, path: str, allowed: bool) -> None:
    note = HostNote("a.test", robots=text, robots_status=200, robots_at=NOW)
    rules = robots.recall_rules(note, NOW + 10)
    assert rules is not None
    assert rules.allows(Url(f"http://a.test{path}")) is allowed


@pytest.mark.parametrize(
    ("note", "known"),
    [
        (HostNote("a.test"), False),
        (HostNote("a.test", robots_status=404, robots_at=NOW), True),
        (HostNote("a.test", robots="", robots_status=200, robots_at=NOW - 23 * 3600), True),
        (HostNote("a.test", robots="", robots_status=200, robots_at=NOW - 25 * 3600), False),
    ],
)
def test_rules_are_remembered_for_a_day(note: HostNote, known: bool) -> None:
    assert (robots.recall_rules(note, NOW) is not None) is known


def blocked_after(n_bytes: int) -> bytes:
    return b"user-agent: *\n" + b"#" * n_bytes + b"\ndisallow: /"


@pytest.mark.parametrize(
    ("how", "state"),
    [
        ({"status": 404}, "done"),
        ({"status": 403}, "done"),
        ({"status": 401}, "done"),
        ({"status": 500}, "failed"),
        ({"status": 503}, "failed"),
        ({"status": 429}, "failed"),
        ({"dropped": True}, "failed"),
        ({"body": b"user-agent: *\ndisallow: /"}, "skipped"),
        ({"body": blocked_after(100_000)}, "skipped"),
        ({"body": blocked_after(10_000_000)}, "done"),
        ({"body": b"\xff\xfe\x00user-agent: *\ndisallow: /"}, "done"),
        ({"body": b"\xef\xbb\xbfuser-agent: *\ndisallow: /"}, "skipped"),
        ({"body": b"x" * 65536, "endless": True}, "done"),
        ({"status": 301, "headers": {"Location": "/elsewhere"}}, "skipped"),
        ({"status": 302, "headers": {"Location": "http://b.test/elsewhere"}}, "skipped"),
        ({"status": 302, "headers": {"Location": "/robots.txt"}}, "done"),
        ({"status": 302, "headers": {"Location": "mailto:x"}}, "done"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_a_robots_answer_means(web: Web, crawled: Crawl, how: dict[str, object], state: str) -> None:
    web.add("http://a.test/robots.txt", media_type="text/plain", **how)  # type: ignore[arg-type]
    for url in ("http://a.test/elsewhere", "http://b.test/elsewhere"):
        web.add(url, "user-agent: *\ndisallow: /", media_type="text/plain")
    web.link("http://a.test/")
    crawled("http://a.test/")
    standing = crawled.state("http://a.test/")
    assert standing is not None
    assert standing[0] == state
    assert ("http://a.test/" in web.fetched()) == (state == "done")


def test_robots_that_failed_is_asked_again_and_then_believed(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/robots.txt", status=503)
    web.add("http://a.test/robots.txt", "user-agent: *\ndisallow: /x", media_type="text/plain")
    web.link("http://a.test/", "/x", "/y")
    crawled("http://a.test/")
    assert web.fetched() == ["http://a.test/", "http://a.test/y"]


def test_robots_is_asked_once_a_day_over_all_runs(web: Web, crawled: Crawl, store: Store) -> None:
    web.link("http://a.test/", "/1")
    crawled("http://a.test/", max_depth=0)
    crawled("http://a.test/")
    assert web.fetched(robots=True).count("http://a.test/robots.txt") == 1


def test_robots_can_be_disregarded(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/robots.txt", "user-agent: *\ndisallow: /", media_type="text/plain")
    web.link("http://a.test/")
    crawled("http://a.test/", politeness=crawled.options.politeness.__class__(delay_s=0.0, obey_robots=False))
    assert web.fetched(robots=True) == ["http://a.test/"]
