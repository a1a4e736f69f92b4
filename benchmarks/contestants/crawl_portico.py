"""Portico's crawl of one site, durable, without delays: arguments START FOLDER POLICY; prints JSON."""

import json
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from portico.crawl.crawling import LinkOrder, crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness, Scope
from portico.crawl.policies.family_ranking import FamilyRanking
from portico.crawl.policies.trained import make_learned_policy
from portico.domains.registry import find_domain
from portico.learn.logistic import from_bytes
from portico.store.opening import Store, open_store
from portico.types.frontier import FetchOutcome, LearnedRanks

DEFAULT_POLICY = "learned"
scoring_s = 0.0
_study = FamilyRanking.study


def _timed_study(
    self: FamilyRanking, outcomes: Sequence[FetchOutcome]
) -> tuple[list[FetchOutcome], LearnedRanks]:
    """Everything that scoring is: features, model, records of families, moving links in the queue.

    In seconds of its thread's processor time, because the crawl goes on meanwhile.
    """
    global scoring_s
    start = time.thread_time()
    result = _study(self, outcomes)
    scoring_s += time.thread_time() - start
    return result


def guide(store: Store) -> LinkOrder:
    """The policy that new portals have."""
    domain = find_domain("papers")
    return LinkOrder(
        make_learned_policy(from_bytes((domain.models / domain.spider).read_bytes())), store.crawl.link_ranks
    )


def main() -> None:
    start, folder, policy = sys.argv[1:]
    for name in ("portico.crawl.fetching.fetcher", "portico.crawl.spider"):
        import_module(name)  # before the clock starts, as the others do
    FamilyRanking.study = _timed_study  # type: ignore[method-assign]
    store = open_store("sqlite:///portico.db", Path(folder), create=True)
    options = CrawlOptions(
        fetch=FetchOptions(allow_private=True, concurrency=64),
        politeness=Politeness(delay_s=0.0, per_host=64),
        scope=Scope(hosts=(urlsplit(start).netloc,)),
    )
    made = guide(store)
    started, processor = time.perf_counter(), time.process_time()
    summary = crawl(
        [start],
        frontier=store.crawl.frontier,
        options=options,
        guide=(lambda: made) if policy == DEFAULT_POLICY else None,
    )
    measured = {
        "n_pages": summary.done.n_fetched,
        "seconds": time.perf_counter() - started,
        "processor_s": time.process_time() - processor,
        "scoring_s": scoring_s,
    }
    store.close()
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
