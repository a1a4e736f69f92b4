"""One of several crawlers of a generated web; run as a process of its own by tests that kill some of them.

Arguments: the store's url, the portal's folder, the web's address, a name, delay and lease in seconds.
"""

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from portico.crawl.crawling import crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness
from portico.store.opening import open_store, store_lock

SEED = "http://h0.test/"


def run(url: str, folder: Path, proxy: str, name: str, *, delay_s: float, lease_s: float) -> None:
    options = CrawlOptions(
        fetch=FetchOptions(proxy=proxy, user_agent=name),
        politeness=Politeness(delay_s=delay_s, backoff_s=0.01),
        max_depth=30,
    )
    with closing(open_store(url, folder)) as store, store_lock(store, shared=True):
        assert store.crawl.claims is not None
        claims = replace(store.crawl.claims, lease_s=lease_s)
        crawl([SEED], frontier=store.crawl.frontier, options=options, claims=claims)


if __name__ == "__main__":
    address, place, web, who, delay, lease = sys.argv[1:]
    run(address, Path(place), web, who, delay_s=float(delay), lease_s=float(lease))
