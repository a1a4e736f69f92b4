"""Killed at any moment, a crawl goes on where it was: nothing lost, nothing committed fetched again."""

import multiprocessing
import os
import signal
import time
from pathlib import Path

from portico.crawl.crawling import crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness
from portico.store.opening import open_store
from tests.crawl.web import Reply, Web

HOSTS = tuple(f"{name}.test" for name in "abcd")
N_PAGES = 40  # of each host
URLS = tuple(f"http://{host}/{path}" for host in HOSTS for path in ("", *range(N_PAGES)))
KILLS_AFTER = (3, 30, 31, 50)  # further requests seen by the web
TIMEOUT_S = 60.0

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["tests.crawl.test_crash", "portico.crawl.spider", "portico.crawl.fetching.fetcher"]
)


def page(url: str) -> Reply | None:
    """A tree of pages on each host, with links to the next host and every tenth address redirected."""
    host, _, path = url.removeprefix("http://").partition("/")
    if host not in HOSTS or not (path or "0").isdecimal() or int(path or 0) >= N_PAGES:
        return None
    number = int(path or 0)
    if number % 10 == 9:
        return Reply(status=302, headers={"Location": f"/{number - 1}"})
    other = HOSTS[(HOSTS.index(host) + 1) % len(HOSTS)]
    links = [f"/{2 * number + 1}", f"/{2 * number + 2}", f"http://{other}/{number // 2}"]
    return Reply("".join(f'<a href="{link}">{link}</a>' for link in links).encode(), takes_s=0.002)


def run(folder: Path, proxy: str) -> None:
    # A shell starts its background jobs deaf to Ctrl-C, and whoever they start is deaf too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    store = open_store("sqlite:///portico.db", folder, create=True)
    options = CrawlOptions(
        fetch=FetchOptions(proxy=proxy), politeness=Politeness(delay_s=0.0, backoff_s=0.01), max_depth=12
    )
    crawl([f"http://{HOSTS[0]}/"], frontier=store.crawl.frontier, options=options)
    store.close()


def stop_after(web: Web, n_requests: int, folder: Path, how: signal.Signals) -> int | None:
    """Run a crawl in a process of its own and signal it after so many requests; gives its exit code."""
    last = len(web.requests) + n_requests

    def stall(url: str) -> Reply | None:
        """From then on nothing is answered, so that the crawl cannot end before the signal arrives."""
        return Reply(takes_s=TIMEOUT_S) if len(web.requests) > last else None

    web.makers.insert(0, stall)
    process = PROCESSES.Process(target=run, args=(folder, web.address))
    process.start()
    deadline = time.monotonic() + TIMEOUT_S
    while len(web.requests) < last and process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.001)
    assert process.pid is not None
    os.kill(process.pid, how)
    process.join()
    web.makers.remove(stall)
    return process.exitcode


def committed(folder: Path) -> set[str]:
    if not (folder / "portico.db").exists():
        return set()
    store = open_store("sqlite:///portico.db", folder)
    kept = {url for url in URLS if store.documents.pages.get(url) is not None}
    store.close()
    return kept


def outcome(folder: Path) -> dict[str, tuple[str, str | None, int]]:
    store = open_store("sqlite:///portico.db", folder)
    pages = {url: store.documents.pages.get(url) for url in URLS}
    assert store.crawl.frontier.counts(()).n_queued == 0
    store.close()
    return {url: (row.origin, row.body, row.depth) for url, row in pages.items() if row is not None}


def test_killed_again_and_again_the_crawl_comes_to_the_same_end(web: Web, tmp_path: Path) -> None:
    web.makers.append(page)
    run(tmp_path / "undisturbed", web.address)
    web.requests.clear()
    killed = tmp_path / "killed"
    for n_requests in KILLS_AFTER:
        done = committed(killed)
        n_before = len(web.requests)
        exit_code = stop_after(web, n_requests, killed, signal.SIGKILL)
        assert exit_code == -signal.SIGKILL, "it was done before it could be killed"
        again = done & {request.url for request in web.requests[n_before:]}
        assert not again, "fetched again though it had been committed"
    run(killed, web.address)
    assert outcome(killed) == outcome(tmp_path / "undisturbed")
    assert len(outcome(killed)) > 3 * N_PAGES


def test_interrupted_by_the_keyboard_it_keeps_what_it_has(web: Web, tmp_path: Path) -> None:
    web.makers.append(page)
    exit_code = stop_after(web, 40, tmp_path, signal.SIGINT)
    assert exit_code == 1
    n_answered = len({url for url in web.fetched() if page(url) is not None})
    assert len(committed(tmp_path)) >= n_answered - len(HOSTS), "more than what was under way is lost"
