"""The papers' spiders: naive Bayes over bins of future reward, trained on all mapped sites or all but one."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from statistics import fmean

from portico.crawl.policies.trained import BAYES, NEIGHBORHOODS, LinkWords
from portico.crawl.policies.training import SiteGraph, compute_discounted_sums
from portico.errors import ConfigError
from portico.lab.datasets.webs import read_sites
from portico.lab.site_walks import PooledWalk
from portico.learn import binned_bayes
from portico.learn.binned_bayes import BinnedValue, ItemBags, WordValue, find_bin, find_widespread
from portico.learn.counts import count_columns
from portico.types.page import PageView, Url

DISCOUNT = 0.5  # the papers' γ: it makes immediate reward better than any future


@dataclass(frozen=True, slots=True)
class BayesKind:
    """One of the papers' spiders: how much future reward counts, and how many bins it is divided into."""

    name: str
    discount: float
    n_bins: int

    @property
    def edges(self) -> tuple[float, ...]:
        """Lower edges of all bins but the last: 1, γ, γ², …"""
        return tuple(DISCOUNT**step for step in range(self.n_bins - 1))


IMMEDIATE = BayesKind("immediate", 0.0, 2)
KINDS = (IMMEDIATE, *(BayesKind(f"future {n_bins}", DISCOUNT, n_bins) for n_bins in (3, 4, 5)))


@dataclass(frozen=True, slots=True)
class SiteVocabulary:
    """The words of a set of sites in one neighborhood of links, and their counts per site."""

    words: tuple[str, ...]
    bags: tuple[ItemBags, ...]  # one per site


def read_words(sites: Sequence[SiteGraph], neighborhood: LinkWords) -> SiteVocabulary:
    """The vocabulary of all links of all sites, and its counts."""
    columns: dict[str, int] = {}
    rows = [_rows(site, neighborhood, columns) for site in sites]
    bags = tuple(
        ItemBags(
            own=count_columns(own, len(columns)),
            shared=count_columns(shared, len(columns)),
            place_of=tuple(page for page, leads_to in enumerate(site.children) for _ in leads_to),
            item_of=tuple(child for leads_to in site.children for child in leads_to),
        )
        for site, (own, shared) in zip(sites, rows, strict=True)
    )
    return SiteVocabulary(tuple(columns), bags)


class BayesTrainer:
    """Trains one kind of spider for each site on all the others; the words of every site are counted only
    once.
    """

    def __init__(self, sites: Sequence[SiteGraph], vocabulary: SiteVocabulary, kind: BayesKind) -> None:
        self._sites = sites
        self._vocabulary = vocabulary
        self._kind = kind
        self._values = [
            compute_discounted_sums(
                site.children, site.targets, discount=kind.discount, single=site.any_target
            )
            for site in sites
        ]
        self._counts = [
            binned_bayes.count_bins(bags, values, kind.edges)
            for values, bags in zip(self._values, vocabulary.bags, strict=True)
        ]

    def without(self, left_out: Set[str]) -> BinnedValue:
        """Train the value function on all sites except those named."""
        named = zip(self._sites, self._counts, strict=True)
        return binned_bayes.train_binned(
            reduce(add, [counts for site, counts in named if site.name not in left_out])
        )

    def policy(self, site_idx: int, left_out: Set[str]) -> PooledWalk:
        """The spider for a site, trained without the sites in `left_out`."""
        value, bags, site = self.without(left_out), self._vocabulary.bags[site_idx], self._sites[site_idx]
        own = iter(value.likelihoods(bags.own))
        of_sightings = [[next(own) for _ in leads_to] for leads_to in site.children]
        return PooledWalk(value.likelihoods(bags.shared), of_sightings, value.rank)

    def score_bins(self, site_idx: int, left_out: Set[str]) -> dict[str, float]:
        """The accuracy of binning the links of a site, with a classifier trained without the sites in
        `left_out`.

        Includes the accuracy with only two bins (links to targets, and all others), and the recall of both.
        """
        chosen = self.without(left_out).choose_bins(self._vocabulary.bags[site_idx])
        values = self._values[site_idx]
        pairs = [(find_bin(values[link], self._kind.edges), found) for link, found in chosen.items()]
        rights = [truth == found for truth, found in pairs]
        as_two = [((truth == 0), (truth == 0) == (found == 0)) for truth, found in pairs]
        return {
            "accuracy": fmean(rights),
            "as_two": fmean(right for _, right in as_two),
            "recall_targets": fmean([right for is_target, right in as_two if is_target] or [1.0]),
            "recall_others": fmean([right for is_target, right in as_two if not is_target] or [1.0]),
        }

    def telling_words(self, n_words: int = 10) -> list[list[str]]:
        """For each bin, the words that are the strongest evidence for it, over all sites (the papers'
        Table 2).
        """
        value = self.without(frozenset())
        return [
            [self._vocabulary.words[column] for column, _ in value.telling(bin_idx, n_words)]
            for bin_idx in range(len(value.values))
        ]


def make_trainers(
    sites: Sequence[SiteGraph], kinds: Sequence[BayesKind] = KINDS
) -> Mapping[str, BayesTrainer]:
    """Trainers for every kind of the papers' spiders with every neighborhood, by the name of the policy."""
    vocabularies = {one.name: read_words(sites, one) for one in NEIGHBORHOODS}
    return {
        f"{kind.name}, {name}": BayesTrainer(sites, vocabulary, kind)
        for kind in kinds
        for name, vocabulary in vocabularies.items()
    }


def _rows(
    site: SiteGraph, neighborhood: LinkWords, columns: dict[str, int]
) -> tuple[list[list[int]], list[list[int]]]:
    """The word columns of each link, and those of each page."""

    def numbered(words: Sequence[str]) -> list[int]:
        return [columns.setdefault(word, len(columns)) for word in words]

    nowhere = PageView(Url(""))
    pages = [page or nowhere for page in site.pages]
    own = [numbered(neighborhood.of_link(sighting)) for page in pages for sighting in page.sightings]
    shared = [numbered(neighborhood.of_page(page)) if page.sightings else [] for page in pages]
    return own, shared


LEAST_SITES = 2
"""Minimum number of sites a word must occur on: those on a single site are mostly names, which say nothing
about other sites."""


def train_bayes(data: Path, policy: str, *, task: str, progress: Callable[[str], None]) -> WordValue:
    """Train the value function of one of the policies `BAYES` on all sites in a folder."""
    sites = read_sites(data, task, tell=progress)
    if not sites:
        raise ConfigError(f"{data}: no site has reachable targets of the task {task!r}")
    spider = BAYES[policy]
    vocabulary = read_words(sites, spider.words)
    kind = next(kind for kind in KINDS if kind.n_bins == spider.n_bins)
    trained = BayesTrainer(sites, vocabulary, kind).without(frozenset())
    return WordValue(vocabulary.words, trained).narrowed(find_widespread(vocabulary.bags, LEAST_SITES))
