"""Proven against a server that records every request: no host is hurried, none keeps others waiting."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest

from portico.crawl.options import Politeness
from portico.store.opening import Store
from portico.types.frontier import HostNote
from tests.crawl.conftest import Crawl
from tests.crawl.web import Reply, Request, Web

DELAY_S = 0.15
CLOCK_S = 0.002  # the server's clock is another one than the crawler's


def by_host(web: Web) -> dict[str, list[Request]]:
    hosts = defaultdict(list)
    for request in sorted(web.requests, key=lambda request: request.started):
        hosts[request.host].append(request)
    return hosts


def check_spared(requests: list[Request], delay_s: float) -> None:
    for one, next_one in pairwise(requests):
        assert next_one.started >= one.ended - CLOCK_S, f"{one.url} and {next_one.url} overlap"
        assert next_one.started - one.started >= delay_s - CLOCK_S, f"{next_one.url} came too early"


def test_a_host_is_never_asked_twice_at_once_or_too_soon_while_others_go_on(web: Web, crawled: Crawl) -> None:
    names = "abcdefgh"
    for name in names:
        web.link(f"http://{name}.test/", "/1", "/2", "http://a.test/3", "/gone", "/moved")
        web.add(f"http://{name}.test/1", b"<p>one", takes_s=DELAY_S * 1.5 if name == "b" else 0.0)
        web.add(f"http://{name}.test/2", status=503, headers={"Retry-After": "0"})
        web.add(f"http://{name}.test/2", b"<p>two")
        web.add(f"http://{name}.test/moved", status=302, headers={"Location": "http://a.test/3"})
    summary = crawled(
        *(f"http://{name}.test/" for name in names), politeness=Politeness(delay_s=DELAY_S, backoff_s=0.0)
    )
    hosts = by_host(web)
    for requests in hosts.values():
        check_spared(requests, DELAY_S)
    assert sum(map(len, hosts.values())) == 8 * 7 + 1
    assert summary.done.seconds < 57 * DELAY_S / 2, "hosts waited for each other"


def test_crawl_delay_of_robots_is_honored_up_to_a_limit(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/robots.txt", "User-agent: *\nCrawl-delay: 0.2", media_type="text/plain")
    web.add("http://b.test/robots.txt", "User-agent: *\nCrawl-delay: 900", media_type="text/plain")
    for name in "ab":
        web.link(f"http://{name}.test/", "/1", "/2")
    crawled("http://a.test/", "http://b.test/", politeness=Politeness(delay_s=0.0, max_crawl_delay_s=0.3))
    hosts = by_host(web)
    check_spared(hosts["a.test"][1:], 0.2)
    check_spared(hosts["b.test"][1:], 0.3)


def test_robots_on_another_host_waits_for_that_hosts_turn(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/robots.txt", status=301, headers={"Location": "http://b.test/robots.txt"})
    web.add("http://b.test/robots.txt", "", media_type="text/plain")
    web.link("http://a.test/", "/1")
    web.link("http://b.test/", "/1", "/2")
    crawled("http://b.test/", "http://a.test/", politeness=Politeness(delay_s=DELAY_S))
    for requests in by_host(web).values():
        check_spared(requests, DELAY_S)


def test_retry_after_slows_the_host_down(web: Web, crawled: Crawl) -> None:
    web.link("http://a.test/", "/1", "/2")
    web.add("http://a.test/1", status=429, headers={"Retry-After": "1"})
    web.link("http://a.test/1")
    crawled("http://a.test/")
    refused, *later = [request for request in by_host(web)["a.test"] if request.path in ("/1", "/2")]
    assert all(request.started - refused.started >= 1.0 - CLOCK_S for request in later)


def test_retry_after_is_capped(web: Web, crawled: Crawl) -> None:
    web.add("http://a.test/", status=503, headers={"Retry-After": "86400"})
    web.link("http://a.test/")
    politeness = replace(crawled.options.politeness, max_wait_s=0.05)
    assert crawled("http://a.test/", politeness=politeness).done.n_fetched == 1


def test_the_delay_outlives_the_process(web: Web, crawled: Crawl, store: Store) -> None:
    web.link("http://a.test/", "/1")
    crawled("http://a.test/", politeness=Politeness(delay_s=0.5), max_depth=0)
    crawled("http://a.test/", politeness=Politeness(delay_s=0.5))
    check_spared(by_host(web)["a.test"], 0.5)


def test_a_clock_that_was_set_back_does_not_stop_the_crawl(web: Web, crawled: Crawl, store: Store) -> None:
    store.crawl.frontier.note_robots(HostNote("a.test", asked_at=9e9))
    web.link("http://a.test/")
    assert crawled("http://a.test/").done.n_fetched == 1


@pytest.mark.parametrize("per_host", [1, 4])
def test_own_hosts_may_be_asked_several_times_at_once(web: Web, crawled: Crawl, per_host: int) -> None:
    web.link("http://a.test/", *(f"/{n}" for n in range(12)))
    web.makers.append(lambda url: Reply(b"<p>", takes_s=0.05) if "robots" not in url else None)
    crawled("http://a.test/", politeness=Politeness(delay_s=0.0, per_host=per_host))
    requests = by_host(web)["a.test"][2:]
    n_at_once = max(
        sum(other.started < request.ended and other.ended > request.started for other in requests)
        for request in requests
    )
    assert 1 <= n_at_once <= per_host + (per_host > 1) * 3
    assert (n_at_once > 1) == (per_host > 1)
    assert web.fetched(robots=True).count("http://a.test/robots.txt") == 1
