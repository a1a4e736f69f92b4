"""Portico's crawl of one site, durable, without delays: `crawl_portico.py START FOLDER` prints JSON."""

import json
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from portico.crawl import ranking
from portico.crawl.crawling import Guide, crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness
from portico.crawl.policies import learned
from portico.crawl.ranking import Ranking
from portico.crawl.scope import Scope
from portico.domains.papers import PAPERS
from portico.learn.hashed_logistic import from_bytes
from portico.store.opening import open_store
from portico.types.frontier import Lesson, Outcome


class Timed(Ranking):
    """Ranks links, and knows how much processor time that took."""

    seconds = 0.0

    def study(self, outcomes: Sequence[Outcome]) -> tuple[list[Outcome], Lesson]:
        started = time.thread_time()
        try:
            return super().study(outcomes)
        finally:
            Timed.seconds += time.thread_time() - started


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
    ranking.Ranking = Timed  # type: ignore[misc]
    guide = Guide(learned(from_bytes((PAPERS.models / PAPERS.spider).read_bytes())), store.ranks)
    started, processor = time.perf_counter(), time.process_time()
    summary = crawl([start], frontier=store.frontier, options=options, guide=lambda: guide)
    measured = {
        "n_pages": summary.done.n_fetched,
        "seconds": time.perf_counter() - started,
        "processor_s": time.process_time() - processor,
        "scoring_s": Timed.seconds,
    }
    store.close()
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
