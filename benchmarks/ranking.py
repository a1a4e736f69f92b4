"""Does the crawl, which moves a bounded part of its queue, choose as the lab's spider that orders all of it?

    python benchmarks/ranking.py WEB SITE … [--batch N]

WEB holds targets.json and sites/*.tar.xz. For each SITE a spider is trained on all the other sites; it walks
the site's map twice: with its queue in the store, N results (1 unless told otherwise) studied and committed
together, and with its queue in memory, as `portico lab spider` does. Prints the shares of links followed when
5, 25, 50, 75 and 90 % of the papers are found, of both, and their means.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import fmean

from portico.crawl.policies.family_ranking import FamilyRanking
from portico.crawl.policies.policy import Policy
from portico.crawl.policies.trained import ADAPTIVE, make_link_scorer
from portico.crawl.policies.training import SiteGraph, fit_spider, make_site_examples
from portico.lab.datasets.webs import read_sites
from portico.lab.site_walks import LEVEL_NAMES, Order, measure_order, walk_with_model
from portico.learn.logistic import HashedLogistic
from portico.store.opening import Store, open_store
from portico.types.frontier import FetchOutcome, LinkState, Obtained, Offer, QueuedLink
from portico.types.page import PageView

TARGET, PAGE, OTHER = "application/pdf", "text/html", "text/plain"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def outcome(site: SiteGraph, address: int, link: QueuedLink) -> FetchOutcome:
    """What the crawler would hand on if it had asked for a link of the map."""
    sightings = tuple(sighting for _, sighting in site.sightings(address))
    found = TARGET if address in site.targets else PAGE if sightings else OTHER
    return FetchOutcome(
        link,
        LinkState.DONE,
        1.0,
        obtained=Obtained(link.url, 200, found),
        offers=tuple(
            Offer(one.link.target, link.host, depth=link.depth + 1, via=link.url) for one in sightings
        ),
        view=PageView(link.url, sightings=sightings) if sightings else None,
    )


def walk_in_store(model: HashedLogistic, site: SiteGraph, store: Store, n_together: int) -> Order:
    """The order in which the crawl follows a site's links."""
    log_odds = make_link_scorer(model)
    policy = Policy(
        "learned",
        lambda links: log_odds([sighting for _, sighting in links]),
        model_weight=ADAPTIVE.model_weight,
        family_weight=ADAPTIVE.family_weight,
        trust=ADAPTIVE.trust,
    )
    ranking = FamilyRanking(store.crawl.link_ranks, policy, {TARGET})
    numbers = {url: number for number, url in enumerate(site.urls)}
    host = f"{site.name}.test"
    store.crawl.frontier.offer([Offer(site.urls[0], host)])
    order: Order = []
    while links := store.crawl.frontier.next(host, limit=n_together):
        addresses = [numbers[link.url] for link in links]
        order += addresses
        studied, taught = ranking.study(
            [outcome(site, address, link) for address, link in zip(addresses, links, strict=True)]
        )
        store.crawl.frontier.commit(studied, {}, taught)
    return order[1:]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("web", type=Path, metavar="WEB")
    parser.add_argument("sites", nargs="+", metavar="SITE")
    parser.add_argument("--batch", type=int, default=1, metavar="N")
    asked = parser.parse_args()
    known = read_sites(asked.web, "papers")
    lessons = [make_site_examples(site) for site in known]
    rows: dict[str, list[dict[str, float]]] = {"in the store": [], "in memory": []}
    for site in (site for site in known if site.name in asked.sites):
        model = fit_spider([one for one in lessons if one.site != site.name])
        with tempfile.TemporaryDirectory() as folder:
            store = open_store("sqlite:///portico.db", Path(folder), create=True)
            rows["in the store"].append(measure_order(site, walk_in_store(model, site, store, asked.batch)))
            store.close()
        rows["in memory"].append(measure_order(site, walk_with_model(model, site)))
        for name, measures in rows.items():
            say(
                f"{site.name:<18}{name:<14}" + "".join(f"{measures[-1][level]:7.3f}" for level in LEVEL_NAMES)
            )
    for name, measures in rows.items():
        means = (fmean(row[level] for row in measures) for level in LEVEL_NAMES)
        say(f"{'mean':<18}{name:<14}" + "".join(f"{one:7.3f}" for one in means))
    return 0


if __name__ == "__main__":
    sys.exit(main())
