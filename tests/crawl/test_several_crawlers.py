"""Several crawlers share one frontier: nothing twice, no host hurried, and any of them may die or join."""

import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from portico.errors import PortalBusy
from portico.store.crawl.host_claims import HostClaims
from portico.store.crawl.link_ranks import LinkRanks
from portico.store.opening import open_store, store_lock
from portico.types.frontier import FamilyRecord, LearnedRanks, Offer
from portico.types.page import Url
from tests.crawl import crawling_child
from tests.crawl.web import Reply, Request, Web
from tests.postgresql import PostgresServer

N_HOSTS = 12
HOSTS = tuple(f"h{number}.test" for number in range(N_HOSTS))
DELAY_S, LEASE_S = 0.15, 2.0
TIMEOUT_S = 90.0


class EndlessWeb:
    """Every page leads to the next of its host until it is told to end, and the first one to all hosts."""

    def __init__(self) -> None:
        self.ends = threading.Event()

    def page(self, url: str) -> Reply | None:
        host, _, path = url.removeprefix("http://").partition("/")
        if path == "robots.txt":
            return Reply(b"User-agent: *\nDisallow: /secret\n", media_type="text/plain")
        number = int(path or 0)
        links = [] if self.ends.is_set() else [f"/{number + 1}", "/secret"]
        links += [f"http://{other}/" for other in HOSTS] if host == HOSTS[0] and number == 0 else []
        return Reply("".join(f'<a href="{link}">{link}</a>' for link in links).encode())


class Crawlers:
    """Processes that crawl one web into one store."""

    def __init__(self, url: str, folder: Path, web: Web) -> None:
        self._url, self._folder, self._web = url, folder, web

    def start(self, name: str) -> "subprocess.Popen[str]":
        words = [self._url, self._folder, self._web.address, name, DELAY_S, LEASE_S]
        command = [sys.executable, "-m", crawling_child.__name__, *map(str, words)]
        return subprocess.Popen(command, cwd=Path(__file__).parents[2], stderr=subprocess.PIPE, text=True)


def wait_for(web: Web, is_so: Any) -> None:
    until = time.monotonic() + TIMEOUT_S
    while not is_so(web.requests):
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.01)


def gaps(requests: Iterable[Request]) -> list[float]:
    """Seconds between the end of one request to a host and the start of the next."""
    by_host: dict[str, list[Request]] = defaultdict(list)
    for request in sorted(requests, key=lambda request: request.started):
        by_host[request.host].append(request)
    return [after.started - before.ended for asked in by_host.values() for before, after in pairwise(asked)]


@pytest.mark.slow
def test_one_joins_later_and_one_is_killed(postgresql: PostgresServer, tmp_path: Path, web: Web) -> None:
    endless = EndlessWeb()
    web.makers.append(endless.page)
    url = postgresql.empty_portal()
    crawlers = Crawlers(url, tmp_path, web)
    running = {name: crawlers.start(name) for name in ("one", "two")}
    wait_for(web, lambda seen: {"one", "two"} <= {request.user_agent for request in seen})
    running["three"] = crawlers.start("three")
    wait_for(web, lambda seen: any(request.user_agent == "three" for request in seen))
    victim = running.pop("one")
    victim.kill()
    victim.communicate()
    endless.ends.set()
    for name, process in running.items():
        _, errors = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 0, f"{name}: {errors}"
    asked = Counter(request.url for request in web.requests)
    for host in HOSTS:
        numbers = {
            int(each.path[1:] or 0)
            for each in web.requests
            if each.host == host and each.path[1:] != "robots.txt"
        }
        assert numbers == set(range(len(numbers))), "every page leads to the next: none was left out"
    dead = {request.url for request in web.requests if request.user_agent == "one"}
    assert [again for again, n_times in asked.items() if n_times > 1 and again not in dead] == []
    assert min(gaps(web.requests)) >= DELAY_S
    with closing(open_store(url, tmp_path)) as store:
        counts = store.crawl.frontier.counts(())
        assert (counts.n_queued, counts.n_pages) == (0, len(asked) - N_HOSTS)


def test_a_build_keeps_crawlers_out_and_crawlers_a_build(postgresql: PostgresServer, tmp_path: Path) -> None:
    url = postgresql.empty_portal()
    with closing(open_store(url, tmp_path)) as one, closing(open_store(url, tmp_path)) as other:
        with store_lock(one, shared=True), store_lock(other, shared=True):
            pass
        for mine, theirs in ((True, False), (False, True)):
            with store_lock(one, shared=mine), pytest.raises(PortalBusy), store_lock(other, shared=theirs):
                pass


def test_claims_are_exclusive_run_out_and_tell_when_a_host_was_asked(
    postgresql: PostgresServer, tmp_path: Path
) -> None:
    with closing(open_store(postgresql.empty_portal(), tmp_path)) as store:
        one, other = HostClaims(store.engine, lease_s=0.2), HostClaims(store.engine, lease_s=60.0)
        store.crawl.frontier.offer([Offer(Url(f"http://{host}/"), host) for host in HOSTS[:3]])
        one.join()
        mine = {claimed.name for claimed in one.take(2)}
        assert len(mine) == 2
        assert {claimed.name for claimed in other.take(9)} == {*HOSTS[:3]} - mine
        assert one.renew() == mine
        one.give_back({min(mine): 5.0}, unfinished=mine)
        (again,) = other.take(9)
        assert (again.name, round(again.seconds_ago)) == (min(mine), 5)
        time.sleep(0.3)  # the other one runs out: it may have been asked until then
        (last,) = other.take(9)
        assert (last.name, last.seconds_ago < 1.0, one.renew()) == (max(mine), True, set())
        store.crawl.frontier.next(last.name, limit=9)
        assert other.share() == (3, 1)


def test_what_two_crawlers_learn_is_added_up(postgresql: PostgresServer, tmp_path: Path) -> None:
    with closing(open_store(postgresql.empty_portal(), tmp_path)) as store:
        first = FamilyRecord(1.0, 2.0, 0.5)
        for rewards in (1.0, 3.0):  # both have read nothing before
            lesson = LearnedRanks({7: FamilyRecord(rewards, 2.0, 0.5)})
            store.crawl.frontier.commit([], {}, lesson)
        assert LinkRanks(store.engine).records([7]) == {7: FamilyRecord(4.0, 4.0, 0.5)}
        known = {7: first}
        store.crawl.frontier.commit([], {}, LearnedRanks({7: FamilyRecord(2.0, 3.0, 0.1)}, read=known))
        assert LinkRanks(store.engine).records([7]) == {7: FamilyRecord(5.0, 5.0, 0.1)}
