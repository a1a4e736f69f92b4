"""One page is fetched when somebody asks for it: politely, once, and nothing around it."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from portico.crawl import options, robots
from portico.crawl.fetching.connections import PRIVATE
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness
from portico.crawl.responses import CIRCLE
from portico.crawl.single_url import fetch_page
from portico.errors import FetchError
from portico.store.opening import Store
from portico.types.frontier import LinkState, Obtained
from portico.types.page import Url
from tests.crawl.conftest import Crawl
from tests.crawl.web import Web

HOME = Url("http://a.test/")


@pytest.fixture
def hasty(options: CrawlOptions) -> CrawlOptions:
    return replace(options, politeness=replace(options.politeness, max_attempts=1))


def fetch(url: str, store: Store, options: CrawlOptions) -> Obtained:
    return fetch_page(Url(url), frontier=store.crawl.frontier, options=options)


def test_a_page_is_fetched_once_and_alone(web: Web, store: Store, hasty: CrawlOptions) -> None:
    web.link(HOME, "people.html", "http://b.test/")
    for _ in range(2):
        got = fetch(HOME, store, hasty)
        assert (got.final, got.status, b"people.html" in (got.body or b"")) == (HOME, 200, True)
    assert web.fetched() == [HOME]
    assert store.crawl.frontier.counts(()).n_queued == 0


def test_redirects_are_followed_and_remembered(web: Web, store: Store, hasty: CrawlOptions) -> None:
    web.add("http://a.test/old", status=301, headers={"Location": "/older"})
    web.add("http://a.test/older", status=302, headers={"Location": "http://b.test/new"})
    web.add("http://b.test/new", "<p>here")
    assert fetch("http://a.test/old", store, hasty).final == "http://b.test/new"
    assert fetch("http://a.test/older", store, hasty).final == "http://b.test/new"
    assert len(web.fetched()) == 3


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"status": 404}, "does not exist (404)"),
        ({"status": 503}, "its host answers with an error (503)"),
        ({"dropped": True}, "the host closed the connection before answering"),
        ({"silent": True}, "timed out after 0.2 s"),
        ({"status": 302, "headers": {"Location": "/page"}}, CIRCLE),
        ({"status": 302, "headers": {"Location": "/x.jpg"}}, options.NOT_A_PAGE),
    ],
)
def test_what_fails_is_said_and_leaves_no_trace(
    web: Web, store: Store, hasty: CrawlOptions, how: dict[str, Any], reason: str
) -> None:
    web.add("http://a.test/page", **how)
    quick = replace(hasty, fetch=replace(hasty.fetch, timeout_s=0.2))
    with pytest.raises(FetchError) as refused:
        fetch("http://a.test/page", store, quick)
    assert str(refused.value) == reason
    assert len(web.fetched()) == 1
    assert list(store.documents.failures.all()) == []


def test_redirects_without_end_are_given_up(web: Web, store: Store, hasty: CrawlOptions) -> None:
    for number in range(20):
        web.add(f"http://a.test/{number}", status=302, headers={"Location": f"/{number + 1}"})
    with pytest.raises(FetchError, match="redirects more than 5 times"):
        fetch("http://a.test/0", store, replace(hasty, max_redirects=5))
    assert len(web.fetched()) <= 7


def test_robots_are_asked_first_and_obeyed(web: Web, store: Store, hasty: CrawlOptions) -> None:
    web.add("http://a.test/robots.txt", "User-agent: *\nDisallow: /private/", media_type="text/plain")
    web.link("http://a.test/private/x")
    web.link("http://a.test/open")
    with pytest.raises(FetchError, match=robots.DISALLOWED):
        fetch("http://a.test/private/x", store, hasty)
    fetch("http://a.test/open", store, hasty)
    assert web.fetched(robots=True) == ["http://a.test/robots.txt", "http://a.test/open"]


def test_a_host_is_not_hurried_from_one_errand_to_the_next(
    web: Web, store: Store, hasty: CrawlOptions
) -> None:
    polite = replace(hasty, politeness=Politeness(delay_s=0.3, max_attempts=1))
    for name in "ab":
        web.link(f"http://a.test/{name}")
        fetch(f"http://a.test/{name}", store, polite)
    times = [(request.started, request.ended) for request in web.requests]
    assert all(later[0] - earlier[1] >= 0.28 for earlier, later in pairwise(times))


def test_private_addresses_are_refused(store: Store) -> None:
    with pytest.raises(FetchError, match=PRIVATE.partition(";")[0]):
        fetch("http://127.0.0.1:9/", store, CrawlOptions(FetchOptions(), Politeness(delay_s=0.0)))


def test_the_crawl_that_comes_later_fetches_nothing_twice(
    web: Web, crawled: Crawl, hasty: CrawlOptions
) -> None:
    web.link(HOME, "people.html", "other.html")
    web.link("http://a.test/people.html", "deep.html")
    web.link("http://a.test/deep.html")
    web.link("http://a.test/other.html")
    fetch("http://a.test/people.html", crawled.store, hasty)
    crawled(HOME)
    assert sorted(web.fetched()) == sorted(set(web.fetched()))
    assert crawled.state("http://a.test/deep.html") == (LinkState.DONE, None)
