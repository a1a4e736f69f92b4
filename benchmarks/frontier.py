"""Does the frontier stay quick and small when it holds a million links?

    python benchmarks/frontier.py [--links N ...] [--pages N] [--store postgresql://user@host/name]

For each size (10,000 and 1,000,000 links over 100 hosts unless told otherwise) one process fills a frontier
with a synthetic link farm, and another one crawls on in it: takes the next links of a host and commits their
pages with 20 links each, as the spider does. Prints the peak memory of the second process, and how long the
next links and the commit of a batch of 32 pages took. The web itself is left out: it does not know how long
our queue is. With a store on PostgreSQL, in an empty database, also how long the slowest of a hundred claims
takes: a host that is nobody's, with its next 32 links.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from portico.store.opening import Store, open_store
from portico.types.frontier import FetchOutcome, LinkState, Obtained, Offer, QueuedLink
from portico.types.page import Url

N_HOSTS = 100
N_LINKS_OF_PAGE = 20
BATCH = 32
URL = "sqlite:///portico.db"
SIZES = (10_000, 1_000_000)
MAX_GROWTH = 1.5  # of peak memory, from the smallest frontier to the largest


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def farm(first: int, n_links: int) -> list[Offer]:
    """Links of the farm by number; no two have the same priority, as with a learned policy."""
    return [
        Offer(
            Url(f"http://host{number % N_HOSTS}.test/section/{number // 7}/page-{number}.html"),
            f"host{number % N_HOSTS}.test",
            depth=1 + number % 9,
            priority=(number * 2654435761 % 2**32) / 2**32,
            via=Url(f"http://host{number % N_HOSTS}.test/"),
            anchor=f"the page number {number}",
            context="one of many pages of a farm of links … that leads to more of them",
        )
        for number in range(first, first + n_links)
    ]


def fill(folder: Path, url: str, n_links: int) -> None:
    store = open_store(url, folder, create=True)
    for first in range(0, n_links, 5_000):
        store.crawl.frontier.offer(farm(first, min(5_000, n_links - first)))
    store.close()


def crawl_on(folder: Path, url: str, n_links: int, n_pages: int) -> dict[str, float]:
    """Fetch so many pages of the farm without a network."""
    store = open_store(url, folder)
    next_s, commit_s = [], []
    claim_s = time_claims(store, n_pages)
    n_new = n_links
    for number in range(n_pages // BATCH):
        start = time.perf_counter()
        links = store.crawl.frontier.next(f"host{number % N_HOSTS}.test", limit=BATCH)
        middle = time.perf_counter()
        outcomes = list(_fetched(links, n_new))
        n_new += N_LINKS_OF_PAGE * len(outcomes)
        before = time.perf_counter()
        store.crawl.frontier.commit(outcomes, {links[0].host: 1.0})
        next_s.append(middle - start)
        commit_s.append(time.perf_counter() - before)
    store.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    claim_ms = 1000 * statistics.quantiles(claim_s, n=100)[98] if claim_s else 0.0
    return {
        "peak_mb": peak,
        "next_ms": _median_ms(next_s),
        "commit_ms": _median_ms(commit_s),
        "claim_ms": claim_ms,
    }


def time_claims(store: Store, n_claims: int) -> list[float]:
    """Seconds that each claim of a host and its next links took; none where crawlers do not share."""
    claims = store.crawl.claims
    if claims is None:
        return []
    claims.join()
    took: list[float] = []
    for _ in range(n_claims):
        start = time.perf_counter()
        (host,) = claims.take(1)
        store.crawl.frontier.next(host.name, limit=BATCH)
        took.append(time.perf_counter() - start)
        claims.give_back({host.name: 0.0}, {host.name})
    return took


def _fetched(links: list[QueuedLink], n_new: int) -> Iterator[FetchOutcome]:
    for index, link in enumerate(links):
        body = f"<html><title>{link.url}</title>".encode() + b"words " * 500
        yield FetchOutcome(
            link,
            LinkState.DONE,
            1.0,
            obtained=Obtained(link.url, 200, "text/html", body),
            offers=tuple(farm(n_new + index * N_LINKS_OF_PAGE, N_LINKS_OF_PAGE)),
        )


def _median_ms(seconds: list[float]) -> float:
    return 1000 * statistics.median(seconds)


def in_own_process(*arguments: str) -> str:
    command = [sys.executable, __file__, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--links", type=int, nargs="+", default=SIZES, help="sizes of the frontier")
    parser.add_argument("--pages", type=int, default=3_200, help="pages to crawl at each size (3,200)")
    parser.add_argument("--store", default=URL, help="where the frontier is kept (a SQLite file)")
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--crawl", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fill:
        fill(options.fill, options.store, options.links[0])
        return
    if options.crawl:
        say(json.dumps(crawl_on(options.crawl, options.store, options.links[0], options.pages)))
        return
    say(f"{'links':>12}{'peak memory':>16}{'next 32 links':>16}{'commit 32 pages':>18}")
    peaks = []
    for n_links in options.links:
        with tempfile.TemporaryDirectory() as folder:
            size = ("--links", str(n_links), "--pages", str(options.pages), "--store", options.store)
            in_own_process("--fill", folder, *size)
            told = in_own_process("--crawl", folder, *size)
        found = json.loads(told)
        peaks.append(found["peak_mb"])
        say(
            f"{n_links:12,}{found['peak_mb']:13.0f} MB"
            f"{found['next_ms']:13.2f} ms{found['commit_ms']:15.1f} ms"
            + (f"; 99 % of claims within {found['claim_ms']:.1f} ms" if found["claim_ms"] else "")
        )
    if peaks[-1] > MAX_GROWTH * peaks[0]:
        raise SystemExit(f"memory is not flat: {peaks[-1] / peaks[0]:.2f} times as much")


if __name__ == "__main__":
    main()
