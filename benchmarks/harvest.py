"""How many requests a real crawl makes before it has most of a site's documents, against breadth-first.

    python WEB/mirror.py &
    python benchmarks/harvest.py WEB SITE … [--proxy http://127.0.0.1:8899] [--delay 0.02]

WEB holds targets.json and sites/*.tar.xz. For each SITE a spider is trained on all the other sites; then the
whole crawler (network, robots.txt, store, one request at a time) crawls http://SITE.test/ through the proxy
twice: by that spider, and breadth-first. Prints requests made when a quarter, half, three quarters and nine
tenths of the documents were found, for both, their ratio, and the share of the crawl's processor time that
ranking took. Documents are what the papers domain is after: every PDF and PostScript file, paper or not.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from portico.crawl.crawling import LinkOrder, crawl
from portico.crawl.options import CrawlOptions, FetchOptions, Politeness, Scope
from portico.crawl.policies import family_ranking
from portico.crawl.policies.family_ranking import FamilyRanking
from portico.crawl.policies.trained import make_learned_policy
from portico.crawl.policies.training import fit_spider, make_site_examples
from portico.domains.papers import PAPERS
from portico.lab.datasets.webs import read_sites
from portico.learn.logistic import HashedLogistic
from portico.store.opening import open_store
from portico.types.frontier import FetchOutcome, LearnedRanks

SHARES = (0.25, 0.5, 0.75, 0.9)


class Timed(FamilyRanking):
    """Ranks links, and knows how much processor time that took."""

    seconds = 0.0

    def study(self, outcomes: Sequence[FetchOutcome]) -> tuple[list[FetchOutcome], LearnedRanks]:
        started = time.thread_time()
        try:
            return super().study(outcomes)
        finally:
            Timed.seconds += time.thread_time() - started


def crawled(site: str, options: CrawlOptions, model: HashedLogistic | None) -> tuple[list[bool], float]:
    """Whether each request brought a document, in order; and the share of the time that ranking took."""
    Timed.seconds = 0.0
    with tempfile.TemporaryDirectory() as folder:
        store = open_store("sqlite:///portico.db", Path(folder), create=True)
        guide = LinkOrder(make_learned_policy(model), store.crawl.link_ranks) if model is not None else None
        started = time.process_time()
        crawl(
            [f"http://{site}.test/index.html"],
            frontier=store.crawl.frontier,
            options=options,
            guide=None if guide is None else lambda: guide,
        )
        seconds = time.process_time() - started
        hits = [request.is_target for request in store.crawl.harvests.requests(PAPERS.target_types)]
        store.close()
    return hits, Timed.seconds / seconds


def requests_until(hits: Sequence[bool], share: float) -> int:
    places = [place for place, hit in enumerate(hits, start=1) if hit]
    return places[max(0, round(share * len(places)) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path)
    parser.add_argument("sites", nargs="+")
    parser.add_argument("--proxy", default="http://127.0.0.1:8899")
    parser.add_argument("--delay", type=float, default=0.02, help="seconds between requests")
    given = parser.parse_args()
    family_ranking.FamilyRanking = Timed  # type: ignore[misc]
    lessons = [make_site_examples(site) for site in read_sites(given.web, "papers")]
    for site in given.sites:
        options = CrawlOptions(
            fetch=FetchOptions(proxy=given.proxy),
            politeness=Politeness(delay_s=given.delay),
            scope=Scope(hosts=(f"{site}.test",)),
            target_types=PAPERS.target_types,
        )
        ours, share = crawled(site, options, fit_spider([one for one in lessons if one.site != site]))
        theirs, _ = crawled(site, options, None)
        sys.stdout.write(
            f"{site}: {sum(ours)} documents, {len(ours)} requests, ranking {share:.1%} of the time\n"
        )
        for level in SHARES:
            mine, flat = requests_until(ours, level), requests_until(theirs, level)
            sys.stdout.write(f"  {level:4.0%}  learned {mine:5}  breadth-first {flat:5}  {mine / flat:.2f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
