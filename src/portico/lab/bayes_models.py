"""Train the papers' naive Bayes spiders on all mapped sites, for crawls of sites that are not among them."""

from collections.abc import Mapping
from pathlib import Path

from portico.crawl.policies.trained import RELATED
from portico.errors import ConfigError
from portico.lab.measure_spider import Progress
from portico.lab.spider_bayes import IMMEDIATE, KINDS, Kind, Trainer, read_words
from portico.lab.webs import read_sites
from portico.learn.binned_bayes import WordValue, find_widespread

BAYES_KINDS: Mapping[str, Kind] = {"immediate": IMMEDIATE, "future": KINDS[1]}
"""By the name of the policy; *future* has the papers' three bins."""

LEAST_SITES = 2
"""A word met on one site alone is mostly a name: it tells nothing of another site, and is not kept."""


def train_bayes(data: Path, policy: str, *, task: str, progress: Progress) -> WordValue:
    """The value function of *related* words, which find more than full pages on the sites we have."""
    sites = read_sites(data, task, tell=progress)
    if not sites:
        raise ConfigError(f"{data}: no site has reachable targets of the task {task!r}")
    vocabulary = read_words(sites, RELATED)
    trained = Trainer(sites, vocabulary, BAYES_KINDS[policy]).without(frozenset())
    return WordValue(vocabulary.words, trained).narrowed(find_widespread(vocabulary.bags, LEAST_SITES))
