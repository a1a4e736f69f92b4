"""A crawl finds what can be found, keeps it once, and says what became of the rest."""

import gc
import gzip
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from portico.crawl import options, responses, robots
from portico.crawl.crawling import COLLECT_EVERY, LinkOrder, crawl, normalize_seeds
from portico.crawl.fetching.connections import PRIVATE
from portico.crawl.options import Budget, CrawlOptions, Politeness, Scope, TrapLimits
from portico.crawl.policies.policy import Policy
from portico.crawl.responses import CIRCLE, NOT_TO_BE_INDEXED, NOWHERE, TOO_DEEP, DuplicatePages
from portico.crawl.tally import CrawlProgress
from portico.errors import ConfigError
from portico.store.opening import Store
from portico.types.page import PageLink, PageView, Url
from tests.crawl.conftest import Crawl
from tests.crawl.web import Reply, Web

PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\nnot much of a paper"


def gz(body: bytes) -> bytes:
    """Without the time of day, which would give a test another name on every run."""
    return gzip.compress(body, mtime=0)


def test_finds_pages_and_documents_of_several_hosts(web: Web, crawled: Crawl) -> None:
    web.link("http://a.test/", "people.html", "http://b.test/", "paper.pdf")
    web.link("http://a.test/people.html", "/", "/paper.pdf")
    web.link("http://b.test/", "draft.ps.gz")
    web.add("http://a.test/paper.pdf", PDF, media_type="application/pdf")
    web.add("http://b.test/draft.ps.gz", gz(b"%!PS-Adobe-3.0\n"), media_type="application/octet-stream")
    summary = crawled("http://a.test/")
    assert summary.done.n_fetched == 5
    assert summary.done.n_documents == 2
    assert sorted(web.fetched()) == sorted(set(web.fetched())), "something was fetched twice"
    kept = crawled.store.documents.pages.get("http://a.test/paper.pdf")
    assert kept is not None
    assert kept.body is not None
    assert crawled.store.blobs.get(kept.body) == PDF
    assert (kept.media_type, kept.depth, kept.origin) == ("application/pdf", 1, "http://a.test/paper.pdf")


def test_says_who_it_is(web: Web, crawled: Crawl) -> None:
    web.link("http://a.test/")
    crawled("http://a.test/")
    assert {request.user_agent for request in web.requests} == {"portico-test (+http://tests.test/)"}


def test_memory_is_looked_after_as_before_when_it_is_done(web: Web, crawled: Crawl) -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    during: list[int] = []
    web.link("http://a.test/")
    crawl(
        ["http://a.test/"],
        frontier=crawled.store.crawl.frontier,
        options=crawled.options,
        progress=lambda _: during.append(gc.get_threshold()[0]),
    )
    assert during[0] == COLLECT_EVERY
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


def test_clock_that_is_set_back_does_not_stall_a_crawl(
    web: Web, crawled: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.link("http://a.test/", *"bcdef")
    for name in "bcdef":
        web.link(f"http://a.test/{name}")
    began, right = time.monotonic(), time.time
    monkeypatch.setattr(time, "time", lambda: right() - (3600 if time.monotonic() > began + 0.3 else 0))
    summary = crawled("http://a.test/", politeness=Politeness(delay_s=0.2), budget=Budget(max_minutes=0.5))
    assert (summary.done.n_fetched, summary.stopped_by) == (6, None)


def test_second_run_does_nothing(web: Web, crawled: Crawl) -> None:
    web.link("http://a.test/", "b", "missing")
    web.link("http://a.test/b")
    crawled("http://a.test/")
    n_requests = len(web.requests)
    again = crawled("http://a.test/")
    assert len(web.requests) == n_requests
    assert again.done.n_fetched == again.done.n_failed == 0


def test_run_without_work_does_not_load_the_network(store: Store, options: CrawlOptions) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "portico" and "crawl.fetch" in name]:
        del sys.modules[name]
    crawl([], frontier=store.crawl.frontier, options=options)
    assert "portico.crawl.fetching.fetcher" not in sys.modules


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(status=404), "does not exist (404)"),
        (Reply(status=410), "has been removed (410)"),
        (Reply(status=403), "access is forbidden (403)"),
        (Reply(status=500), "its host answers with an error (500)"),
        (Reply(status=301, headers={"Location": "mailto:joe@a.test"}), NOWHERE),
        (Reply(status=302, headers={"Location": "/bad"}), CIRCLE),
        (Reply(dropped=True), "the host closed the connection before answering"),
        (Reply(silent=True), "timed out after 0.3 s"),
        (
            Reply(b"x", headers={"Content-Encoding": "br"}),
            "is compressed in a way that was not requested (br)",
        ),
        (
            Reply(gz(b"a" * 999)[:-20], headers={"Content-Encoding": "gzip"}),
            "the compressed body ends early",
        ),
        (Reply(b"abc", headers={"Content-Length": "10", "Connection": "close"}), "the response ended early"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_failure_has_a_reason_people_understand(web: Web, crawled: Crawl, reply: Reply, reason: str) -> None:
    web.link("http://a.test/", "/bad", "/good")
    web.replies["http://a.test/bad"] = [reply]
    web.link("http://a.test/good")
    summary = crawled(
        "http://a.test/", fetch=replace(crawled.options.fetch, timeout_s=0.3 if reply.silent else 10)
    )
    assert crawled.failures() == {"http://a.test/bad": reason}
    assert crawled.state("http://a.test/bad") == ("failed", reason)
    assert crawled.state("http://a.test/good") == ("done", None)
    assert not summary.failed_seeds


def test_failed_links_get_another_chance_when_asked(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/", status=404)
    web.link("http://a.test/")
    assert crawled("http://a.test/").nothing_found
    assert crawled.store.crawl.frontier.requeue_failed() == 1
    assert crawled.failures() == {}
    assert not crawled("http://a.test/").nothing_found
    assert crawled.state("http://a.test/") == ("done", None)


def test_passing_trouble_is_tried_again(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/", status=503, headers={"Retry-After": "0"})
    web.add("http://a.test/", dropped=True)
    web.link("http://a.test/")
    assert crawled("http://a.test/").done.n_fetched == 1
    assert web.fetched() == ["http://a.test/"] * 3
    assert crawled.failures() == {}


def test_a_host_that_stopped_answering_is_given_up(web: Web, crawled: Crawl) -> None:
    web.link("http://a.test/", *(f"/{word}" for word in "abcdefghijklmnop"))
    web.makers.append(lambda url: Reply(dropped=True) if url != "http://a.test/robots.txt" else None)
    crawled("http://a.test/", politeness=Politeness(delay_s=0.0, max_attempts=1))
    assert len(web.fetched()) == 6
    assert len(crawled.failures()) == 16


@pytest.mark.parametrize("seed", ["http://nowhere.invalid/", "http://127.0.0.1:9/"])
def test_seed_that_cannot_be_reached_is_told(crawled: Crawl, seed: str) -> None:
    direct = replace(crawled.options.fetch, proxy=None, allow_private=True)
    summary = crawled(seed, fetch=direct)
    assert summary.nothing_found
    assert [failure.url for failure in summary.failed_seeds] == [seed]
    assert summary.failed_seeds[0].reason == crawled.failures()[seed]
    assert "resolve" in summary.failed_seeds[0].reason or "refuses" in summary.failed_seeds[0].reason


def test_proxy_that_does_not_answer_stops_the_crawl(crawled: Crawl) -> None:
    with pytest.raises(ConfigError, match=r"127\.0\.0\.1:9 cannot be reached.*\[fetch\]"):
        crawled("http://a.test/", fetch=replace(crawled.options.fetch, proxy="http://127.0.0.1:9"))
    assert crawled.state("http://a.test/") == ("queued", None), "the link is not to blame"


def test_seeds_must_be_web_addresses() -> None:
    assert normalize_seeds(["WWW.A.test", "http://a.test/#x", "http://a.test/"]) == (
        "http://www.a.test/",
        "http://a.test/",
    )
    with pytest.raises(ConfigError, match=r"ftp://a\.test"):
        normalize_seeds(["ftp://a.test", "http://a.test"])


def test_page_of_a_redirect_is_fetched_once_and_kept_under_its_own_address(web: Web, crawled: Crawl) -> None:
    web.link("http://a.test/", "/old", "/new", "/older")
    web.add("http://a.test/older", status=302, headers={"Location": "old"})
    web.add("http://a.test/old", status=301, headers={"Location": "http://a.test/new"})
    web.add("http://a.test/new", PDF, media_type="application/pdf")
    crawled("http://a.test/")
    assert web.fetched().count("http://a.test/new") == 1
    old, new = (
        crawled.store.documents.pages.get("http://a.test/old"),
        crawled.store.documents.pages.get("http://a.test/new"),
    )
    assert old is not None
    assert new is not None
    assert (old.origin, old.body, old.status) == ("http://a.test/new", None, 301)
    assert (new.origin, new.depth) == ("http://a.test/new", 1)


@pytest.mark.parametrize("n_steps", [1, 2, 3])
def test_redirects_in_a_circle_end(web: Web, crawled: Crawl, n_steps: int) -> None:
    for step in range(n_steps):
        web.add(f"http://a.test/{step}", status=302, headers={"Location": f"/{(step + 1) % n_steps}"})
    summary = crawled("http://a.test/0")
    assert summary.nothing_found
    assert list(crawled.failures().values()) == [CIRCLE]
    assert len(web.fetched()) == n_steps


def test_two_seeds_that_redirect_to_each_other(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/", status=302, headers={"Location": "http://b.test/"})
    web.add("http://b.test/", status=302, headers={"Location": "http://a.test/"})
    summary = crawled("http://a.test/", "http://b.test/")
    assert summary.nothing_found
    assert len(web.fetched()) == 2


def test_redirects_without_end_end(web: Web, crawled: Crawl) -> None:
    def further(url: str) -> Reply | None:
        if "/step-" in url:
            return Reply(status=302, headers={"Location": url + "x"})
        return None

    web.makers.append(further)
    crawled("http://a.test/step-", max_redirects=4)
    assert list(crawled.failures().values()) == ["redirects more than 4 times"]
    assert len(web.fetched()) == 5


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("http://other.test/", ("skipped", options.OUT_OF_SCOPE)),
        ("/photo.JPG", ("skipped", options.NOT_A_PAGE)),
        ("/secret/x", ("skipped", robots.DISALLOWED)),
        ("/x/x/x/x/x", ("skipped", responses.LOOP)),
        ("/a/b/a/b/a/b/a/b", ("skipped", responses.LOOP)),
        ("/" + "/".join("abcdefghijklmnopqrstuvwxyz"), ("skipped", responses.TOO_MANY_SEGMENTS)),
        ("/list?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9", ("skipped", responses.TOO_MANY_PARAMETERS)),
        ("/noindex.pdf", ("skipped", NOT_TO_BE_INDEXED)),
        ("/x/y/x/y", ("failed", "does not exist (404)")),
        ("/fine", ("failed", "does not exist (404)")),
    ],
)
def test_skipped_links_say_why(web: Web, crawled: Crawl, target: str, expected: tuple[str, str]) -> None:
    web.add("http://a.test/robots.txt", "User-agent: *\nDisallow: /secret/", media_type="text/plain")
    web.link("http://a.test/", target)
    web.add("http://a.test/noindex.pdf", PDF, headers={"X-Robots-Tag": "portico: noindex"})
    crawled("http://a.test/", scope=Scope(hosts=("a.test",)))
    url = target if target.startswith("http") else f"http://a.test{target}"
    assert crawled.state(url) == expected
    assert (url in crawled.failures()) == (expected[0] == "failed")


def test_redirect_out_of_scope_is_not_followed(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/", status=302, headers={"Location": "http://other.test/"})
    summary = crawled("http://a.test/", scope=Scope(hosts=("a.test",)))
    assert web.fetched() == ["http://a.test/"]
    assert summary.nothing_found


def test_redirect_to_a_private_address_is_refused(web: Web, crawled: Crawl) -> None:
    web.link("http://a.test/", "/inside")
    web.add("http://a.test/inside", status=302, headers={"Location": f"{web.address}/secret"})
    crawled("http://a.test/")
    assert crawled.failures() == {f"{web.address}/secret": PRIVATE}
    assert not any("secret" in url or "127.0.0.1" in url for url in web.fetched(robots=True))


def test_depth_is_limited_and_counts_from_the_nearest_seed(web: Web, crawled: Crawl) -> None:
    for step in "abcde":
        web.link(f"http://a.test/{step}", f"/{chr(ord(step) + 1)}")
    crawled("http://a.test/a", max_depth=2)
    assert web.fetched() == [f"http://a.test/{step}" for step in "abc"]
    assert crawled.state("http://a.test/d") == ("skipped", TOO_DEEP)
    crawled("http://a.test/a", "http://a.test/b", max_depth=2)
    assert web.fetched() == [f"http://a.test/{step}" for step in "abcd"], (
        "d came nearer, and only d is fetched"
    )
    page = crawled.store.documents.pages.get("http://a.test/c")
    assert page is not None
    assert page.depth == 1
    crawled("http://a.test/a", "http://a.test/b", max_depth=None)
    assert web.fetched() == [f"http://a.test/{step}" for step in "abcdef"]


def test_what_is_fetched_does_not_depend_on_which_path_is_found_first(web: Web, crawled: Crawl) -> None:
    # The short way to the hub goes over a slow host: when it is found, the hub and all that follows
    # from it have been fetched by the long way and found too deep.
    web.link("http://a.test/", "/1", "http://slow.test/")
    web.link("http://a.test/1", "/1/2")
    web.link("http://a.test/1/2", "http://hub.test/")
    web.add("http://slow.test/", '<a href="http://hub.test/">hub</a>', takes_s=0.4)
    web.link("http://hub.test/", "/x")
    web.link("http://hub.test/x", "/y")
    web.link("http://hub.test/y")
    crawled("http://a.test/", max_depth=4)
    assert crawled.state("http://hub.test/y") == ("done", None)
    assert sorted(web.fetched()) == sorted(set(web.fetched())), "a page that came nearer was fetched again"
    depths = {
        url: page.depth
        for url in set(web.fetched())
        if (page := crawled.store.documents.pages.get(url)) is not None
    }
    assert [depths[f"http://hub.test/{path}"] for path in ("", "x", "y")] == [2, 3, 4]


def test_calendar_without_end_ends(web: Web, crawled: Crawl) -> None:
    def calendar(url: str) -> Reply | None:
        if "/calendar?month=" not in url:
            return None
        month = int(url.rpartition("=")[2])
        return Reply(
            f'<a href="?month={month - 1}">before</a><a href="?month={month + 1}">after</a>'.encode()
        )

    web.makers.append(calendar)
    web.link("http://a.test/", "/calendar?month=100", "/people")
    web.link("http://a.test/people")
    crawled("http://a.test/", traps=TrapLimits(max_chain=5))
    assert len([url for url in web.fetched() if "calendar" in url]) == 11
    assert crawled.state("http://a.test/calendar?month=106") == ("skipped", responses.CHAIN)
    assert crawled.state("http://a.test/people") == ("done", None)


@pytest.mark.parametrize(
    ("pages", "copies"),
    [
        ([("/a", b"visit 1"), ("/b", b"visit 22")], [False, True]),
        ([("/a", b"one"), ("/b", b"two"), ("/c", b"one")], [False, False, True]),
        ([("/a", b"one"), ("/a", b"one")], [False, False]),
        ([("/a", b"one"), ("/b", b"two"), ("/c", b"three"), ("/d", b"one")], [False, False, False, False]),
    ],
    ids=["but for numbers", "another between", "the same address", "long forgotten"],
)
def test_copies_of_pages(pages: list[tuple[str, bytes]], copies: list[bool]) -> None:
    known = DuplicatePages(remembered=2)
    assert [known.is_copy(Url(f"http://a.test{path}"), body) for path, body in pages] == copies


def test_a_maze_of_copies_ends(web: Web, crawled: Crawl) -> None:
    """Their addresses are of ever new shapes, and no path repeats itself often enough to be a loop."""

    def maze(url: str) -> Reply | None:
        _, found, way = url.partition("/maze/")
        body = f"<p>door {len(way)}</p><a href='left/'>on</a><a href='up/'>on</a>"
        return Reply(body.encode()) if found else None

    web.makers.append(maze)
    web.link("http://a.test/", "/maze/")
    crawled("http://a.test/", traps=TrapLimits(max_chain=2, max_repeats=9))
    depths = {url.partition("/maze/")[2].count("/") for url in web.fetched()}
    assert max(depths) == 3
    assert crawled.state("http://a.test/maze/up/left/up/left/") == ("skipped", responses.CHAIN)


@pytest.mark.parametrize(
    ("page", "link", "reordered"),
    [
        ("/files/", "/files/?C=N;O=D", True),
        ("/files/?C=N;O=D", "/files/?C=M;O=A", True),
        ("/files/?C=N;O=D", "/files/", True),
        ("/files/", "/files/?C=S&O=A", True),
        ("/files/", "/files/?N=D", True),
        ("/files/", "/files/?M=A", True),
        ("/files/", "/files/?D=A", True),
        ("/papers", "/papers?sort=year&order=desc", True),
        ("/papers?sort=year", "/papers?sort=title", True),
        ("/papers?topic=ai", "/papers?sortBy=year&topic=ai", True),
        ("/papers?page=2", "/papers?order_by=date&dir=ASC&page=2", True),
        ("/papers?page=2", "/papers?order-by=date&sort_order=descending&page=2", True),
        ("/papers", "/papers", False),
        ("/papers", "/papers?page=2", False),
        ("/papers?page=1&sort=year", "/papers?page=2&sort=year", False),
        ("/papers?topic=ai", "/papers?topic=ir&sort=year", False),
        ("/", "/papers?sort=year", False),
        ("/shop", "/shop?order=4711", False),
        ("/shop", "/shop?dir=music", False),
        ("/x", "/x?C=Q", False),
        ("/x", "/x?N=7", False),
        ("/x", "/x?resort=alps", False),
    ],
)
def test_lists_in_another_order(page: str, link: str, reordered: bool) -> None:
    assert responses.is_reordered(Url(f"http://a.test{link}"), Url(f"http://a.test{page}")) is reordered


def test_a_list_is_fetched_once_however_it_can_be_sorted(web: Web, crawled: Crawl) -> None:
    columns = "".join(f'<a href="?C={column};O={way}">sort</a>' for column in "NMSD" for way in "AD")
    web.makers.append(
        lambda url: Reply(f'{columns}<a href="a.pdf">paper</a>'.encode()) if "/files/" in url else None
    )
    web.link("http://a.test/", "/files/", "/other?sort=year", "/moved?sort=year")
    web.add("http://a.test/other?sort=year", '<a href="?sort=title">by title</a>')
    web.add("http://a.test/moved?sort=year", status=302, headers={"Location": "/moved"})
    web.link("http://a.test/moved")
    crawled("http://a.test/")
    assert sorted(web.fetched()) == [
        "http://a.test/",
        "http://a.test/files/",
        "http://a.test/files/a.pdf",
        "http://a.test/moved",
        "http://a.test/moved?sort=year",
        "http://a.test/other?sort=year",
    ]
    assert crawled.state("http://a.test/other?sort=title") == ("skipped", responses.REORDERED)


def test_an_order_that_another_page_asks_for_is_fetched(web: Web, crawled: Crawl) -> None:
    web.link("http://a.test/", "/list", "/other")
    web.link("http://a.test/list", "/list?sort=year")
    web.link("http://a.test/other", "/list?sort=year")
    web.link("http://a.test/list?sort=year")
    crawled("http://a.test/")
    assert crawled.state("http://a.test/list?sort=year") == ("done", None)


@pytest.mark.parametrize(
    ("budget", "n_pages", "word"),
    [
        (Budget(max_pages=7), 7, "7 pages"),
        (Budget(max_bytes=500), 5, "500 bytes"),
        (Budget(max_minutes=0.0), 0, "time"),
    ],
)
def test_budget_ends_the_crawl_and_a_larger_one_goes_on(
    web: Web, crawled: Crawl, budget: Budget, n_pages: int, word: str
) -> None:
    web.makers.append(lambda url: Reply(f'<a href="{url}x">'.ljust(100).encode()) if len(url) < 30 else None)
    summary = crawled("http://a.test/", budget=budget)
    assert summary.stopped_by is not None
    assert word in summary.stopped_by
    assert len(web.fetched()) == n_pages
    again = crawled("http://a.test/", budget=budget)
    assert (again.stopped_by, len(web.fetched())) == (summary.stopped_by, n_pages)
    crawled("http://a.test/")
    assert len(web.fetched()) == len(set(web.fetched())) == 16 + 1


def good_first(links: Sequence[tuple[PageView, PageLink]]) -> list[float]:
    return [float("good" in sighting.link.target) for _, sighting in links]


def test_better_links_are_fetched_first(web: Web, store: Store, options: CrawlOptions) -> None:
    web.link("http://a.test/", "/dull-1", "/dull-2", "/good-1", "/dull-3", "/good-2")
    web.link("http://a.test/good-2", "/good-3")
    crawl(
        ["http://a.test/"],
        frontier=store.crawl.frontier,
        options=options,
        guide=lambda: LinkOrder(Policy("good first", good_first), store.crawl.link_ranks),
    )
    names = [url.rpartition("/")[2] for url in web.fetched()]
    assert names[:3] == ["", "good-1", "good-2"]
    assert sorted(names[3:]) == ["dull-1", "dull-2", "dull-3", "good-3"]


def test_progress_is_told_and_ends_with_the_sums(web: Web, store: Store, options: CrawlOptions) -> None:
    web.link("http://a.test/", "/a", "/b", "/missing")
    web.link("http://a.test/a")
    web.link("http://a.test/b")
    told: list[CrawlProgress] = []
    crawl(["http://a.test/"], frontier=store.crawl.frontier, options=options, progress=told.append)
    assert (told[-1].n_fetched, told[-1].n_failed, told[-1].n_queued) == (3, 1, 0)
    assert told[-1].seconds > 0


def test_character_set_of_the_header_survives(web: Web, crawled: Crawl) -> None:
    page = '<meta charset="utf-8"><a href="/caf\xe9">caf\xe9</a>'.encode("latin-1")
    web.add("http://a.test/", page, media_type="text/html; charset=iso-8859-1")
    crawled("http://a.test/")
    assert "http://a.test/caf%C3%A9" in web.fetched()
    kept = crawled.store.documents.pages.get("http://a.test/")
    assert kept is not None
    assert kept.media_type == "text/html; charset=cp1252"
