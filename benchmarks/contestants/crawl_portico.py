"""Portico's crawl of one site, durable, without delays: `crawl_portico.py START FOLDER` prints JSON."""

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from portico.crawl.crawling import crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness
from portico.crawl.scope import Scope
from portico.crawl.visit import breadth_first
from portico.store.opening import open_store
from portico.types.page import Link


class Timed:
    """Scores links, and knows how long that took."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, link: Link) -> float:
        start = time.perf_counter()
        score = breadth_first(link)
        self.seconds += time.perf_counter() - start
        return score


def main() -> None:
    start, folder = sys.argv[1:]
    for name in ("portico.crawl.fetch", "portico.crawl.spider"):
        import_module(name)  # before the clock starts, as the others do
    store = open_store("sqlite:///portico.db", Path(folder), create=True)
    options = CrawlOptions(
        fetch=FetchOptions(allow_private=True, concurrency=64),
        politeness=Politeness(delay_s=0.0, per_host=64),
        scope=Scope(hosts=(urlsplit(start).netloc,)),
    )
    score = Timed()
    started, processor = time.perf_counter(), time.process_time()
    summary = crawl([start], frontier=store.frontier, options=options, score=score)
    measured = {
        "n_pages": summary.done.n_fetched,
        "seconds": time.perf_counter() - started,
        "processor_s": time.process_time() - processor,
        "scoring_s": score.seconds,
    }
    store.close()
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
