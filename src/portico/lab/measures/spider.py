"""Measures spiders on mapped sites: how many links each follows until it has found the targets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

from portico.crawl.policies.trained import ADAPTIVE, RELATED, STATIC
from portico.crawl.policies.training import SiteExamples, SiteGraph, fit_spider, make_site_examples
from portico.domains.registry import find_domain
from portico.errors import ConfigError
from portico.lab.datasets.webs import read_link_words, read_sites
from portico.lab.faithful.bayes_spiders import KINDS, BayesTrainer, make_trainers
from portico.lab.measures.spider_report import (
    BREADTH_FIRST,
    DEFAULT,
    OPTIMAL,
    PUBLISHED,
    check_claims,
    measure_gaps,
    to_figures,
)
from portico.lab.site_walks import (
    LEVEL_NAMES,
    Order,
    average_curves,
    average_shares,
    measure_order,
    walk_breadth_first,
    walk_optimally,
    walk_with_model,
)
from portico.learn.logistic import HashedLogistic, from_bytes

QUICK_SITES = {
    "papers": ("alcom", "cornuejols", "nitarotaru", "pikhurko", "sokolova", "tbrk"),
    "officers": ("american-ethane", "bushyrun192", "emanate", "niftpk", "temicon", "wissen"),
    "contact": ("american-ethane", "bushyrun192", "emanate", "emrg", "temicon", "wissen"),
}

DEPARTMENT = "webkb-"
"""Prefix of the names of sites that are whole departments."""

Progress = Callable[[str], None]


def _unheard(_line: str) -> None:
    """Ignore progress messages."""


@dataclass(frozen=True, slots=True)
class SpiderStudy:
    """The task, the sites to train on, and other settings of a measurement."""

    task: str = "papers"
    train: Path | None = None  # sites to train on; by default the others in the same folder
    quick: bool = False
    n_seeds: int = 0  # number of random training sets for our own spider, to get the spread of its figures
    progress: Progress = field(default=_unheard)


@dataclass(frozen=True, slots=True)
class SpiderReport:
    """Shares of links by site and policy with their means, and the curves of the policies."""

    figures: Mapping[str, Any]
    curves: Mapping[str, tuple[float, ...]]  # by policy: mean share of targets after each percent of links


def measure_spider(data: Path, study: SpiderStudy) -> SpiderReport:
    """Figures of every policy on every site, trained only on other sites."""
    bench = _bench(data, study)
    bayes = make_trainers(bench.known, KINDS[:2] if study.quick else KINDS) if bench.teaches else {}
    orders: dict[str, dict[str, Order]] = {site.name: {} for site in bench.tested}
    for name, policy in _policies(bench, bayes):
        for site in bench.tested:
            orders[site.name][name] = policy(site)
        study.progress(f"{name}: {_line(average_shares(bench.tested, orders, name))}")
    names = list(orders[bench.tested[0].name])
    sites = {
        site.name: {name: measure_order(site, orders[site.name][name]) for name in names}
        for site in bench.tested
    }
    means = {name: average_shares(bench.tested, orders, name) for name in names}
    figures: dict[str, object] = {
        "task": study.task,
        "sites": sites,
        "mean": means,
        "gap": measure_gaps(sites),
        "published": PUBLISHED.get(study.task, {}),
        "findings": to_figures(check_claims(means, study.task)),
        "words": _telling(bayes),
        "bins": _score_bins(bench, bayes),
        "departments": _average_departments(bench, orders),
    }
    if study.n_seeds and bench.teaches:
        figures["spread"] = _spread(bench, study)
    return SpiderReport(figures, {name: average_curves(bench.tested, orders, name) for name in names})


def train_spider(data: Path, *, task: str = "papers", progress: Progress = _unheard) -> HashedLogistic:
    """Train our own spider on all sites in a folder."""
    sites = read_sites(data, task, tell=progress)
    if not sites:
        raise ConfigError(f"{data}: no site has reachable targets of the task {task!r}")
    return fit_spider([*map(make_site_examples, sites), *read_link_words(task)])


@dataclass(frozen=True, slots=True)
class _Bench:
    """Sites to test and sites to train on: the other sites in the same folder, or those in another
    folder. Of some tasks our own spider knows words beforehand.
    """

    task: str
    tested: Sequence[SiteGraph]
    known: Sequence[SiteGraph]  # the tested ones first
    separate: bool

    @property
    def teaches(self) -> bool:
        """Whether there is a site to train on: a single site in its folder has no others."""
        return len(self.known) > (len(self.tested) if self.separate else 1)

    def left_out(self, name: str) -> frozenset[str]:
        """The sites to leave out when training a spider for this site."""
        return frozenset(site.name for site in self.tested) if self.separate else frozenset((name,))


def _bench(data: Path, study: SpiderStudy) -> _Bench:
    names_wanted = QUICK_SITES.get(study.task) if study.quick and study.train is None else None
    tested = read_sites(data, study.task, names=names_wanted, tell=study.progress)
    if not tested:
        wanted = f" among {', '.join(names_wanted)} (--quick)" if names_wanted else ""
        raise ConfigError(f"{data}: no site{wanted} has reachable targets of the task {study.task!r}")
    names = {site.name for site in tested}
    separate = study.train is not None
    others = read_sites(study.train, study.task, tell=study.progress) if study.train is not None else ()
    bench = _Bench(
        study.task, tested, (*tested, *(site for site in others if site.name not in names)), separate
    )
    if separate and not bench.teaches:
        raise ConfigError(f"{study.train}: no site is left to learn from that is not in {data} too")
    if not bench.teaches:
        study.progress(
            "one site alone: nothing to learn from, so the default spider is the shipped one, which may have "
            "seen this site; give a folder of others with --train to compare all spiders"
        )
    return bench


Walk = Callable[[SiteGraph], Order]


def _policies(bench: _Bench, bayes: Mapping[str, BayesTrainer]) -> Iterator[tuple[str, Walk]]:
    yield BREADTH_FIRST, walk_breadth_first
    places = {site.name: idx for idx, site in enumerate(bench.known)}
    for name, trainer in bayes.items():
        yield name, _trained(trainer, places, bench)
    model = _models(bench, [make_site_examples(site) for site in bench.known]) if bench.teaches else _shipped
    yield f"{DEFAULT}, static", lambda site: walk_with_model(model(site.name), site, STATIC)
    if any(site.documents - site.targets for site in bench.tested):
        yield (
            f"{DEFAULT}, every document",
            lambda site: walk_with_model(model(site.name), site, ADAPTIVE, judges=False),
        )
    yield DEFAULT, lambda site: walk_with_model(model(site.name), site, ADAPTIVE)
    yield OPTIMAL, walk_optimally


def _trained(trainer: BayesTrainer, places: Mapping[str, int], bench: _Bench) -> Walk:
    return lambda site: trainer.policy(places[site.name], bench.left_out(site.name))(site)


def _shipped(_name: str) -> HashedLogistic:
    domain = find_domain("papers")
    return from_bytes((domain.models / domain.spider).read_bytes())


def _models(
    bench: _Bench, lessons: Sequence[SiteExamples], chance: Random | None = None
) -> Callable[[str], HashedLogistic]:
    """A function for the model of a site, trained without it on first use."""
    models: dict[frozenset[str], HashedLogistic] = {}
    words = read_link_words(bench.task)

    def model(name: str) -> HashedLogistic:
        left_out = bench.left_out(name)
        if left_out not in models:
            others = [one for one in lessons if one.site not in left_out]
            models[left_out] = fit_spider([*others, *words], chance=chance)
        return models[left_out]

    return model


def _few(
    bench: _Bench, lessons: Sequence[SiteExamples], chance: Random, n_sites: int | None
) -> Callable[[str], HashedLogistic]:
    """A function for the model of a site, trained on some of the other sites, by default on half of them."""
    words = read_link_words(bench.task)

    def model(name: str) -> HashedLogistic:
        others = [one for one in lessons if one.site not in bench.left_out(name)]
        half = (len(others) + 1) // 2
        return fit_spider([*chance.sample(others, min(n_sites or half, len(others))), *words])

    return model


FEW_SITES = 3  # as if the tested sites were unlike most of those the spider has learned from


def _spread(bench: _Bench, study: SpiderStudy) -> dict[str, dict[str, dict[str, float]]]:
    """How much our spider's means vary with its training data: mean and standard deviation."""
    lessons = [make_site_examples(site) for site in bench.known]
    drawn: dict[str, list[dict[str, float]]] = {}
    for seed in range(study.n_seeds):
        makers = {
            "bootstrap of links": _models(bench, lessons, Random(seed)),
            "half of the sites": _few(bench, lessons, Random(seed), None),
            f"{FEW_SITES} of the sites": _few(bench, lessons, Random(seed), FEW_SITES),
        }
        for kind, model in makers.items():
            orders = {site.name: {DEFAULT: walk_with_model(model(site.name), site)} for site in bench.tested}
            means = average_shares(bench.tested, orders, DEFAULT)
            drawn.setdefault(kind, []).append(means)
            study.progress(f"{kind}, seed {seed}: {_line(means)}")
    return {kind: _moments(means) for kind, means in drawn.items()}


def _moments(means: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {
        "mean": {level: fmean(one[level] for one in means) for level in LEVEL_NAMES},
        "deviation": {
            level: stdev(one[level] for one in means) if len(means) > 1 else 0.0 for level in LEVEL_NAMES
        },
    }


def _telling(bayes: Mapping[str, BayesTrainer]) -> dict[str, list[str]]:
    """The papers' Table 2: the most typical words of each bin, nearest reward first."""
    wanted = [name for name in (f"future {n_bins}, {RELATED.name}" for n_bins in (4, 3)) if name in bayes]
    if not wanted:
        return {}
    words = bayes[wanted[0]].telling_words()
    steps = ("immediate", "two steps", "three steps")
    return dict(zip((*steps[: len(words) - 1], "other"), words, strict=True))


def _score_bins(bench: _Bench, bayes: Mapping[str, BayesTrainer]) -> dict[str, dict[str, float]]:
    """Accuracy and recall of each classifier of links, as published for the papers' classifiers; mean
    over sites.
    """
    found: dict[str, dict[str, float]] = {}
    for name, trainer in bayes.items():
        scores = [trainer.score_bins(idx, bench.left_out(site.name)) for idx, site in enumerate(bench.tested)]
        found[name] = {key: fmean(each[key] for each in scores) for key in scores[0]}
    return found


def _average_departments(
    bench: _Bench, orders: Mapping[str, Mapping[str, Order]]
) -> dict[str, dict[str, float]]:
    """The shares of every policy on departments only, because the papers used such sites."""
    sites = [site for site in bench.tested if site.name.startswith(DEPARTMENT)]
    if not 0 < len(sites) < len(bench.tested):
        return {}
    return {name: average_shares(sites, orders, name) for name in orders[sites[0].name]}


def _line(figures: Mapping[str, float]) -> str:
    return " ".join(f"{figures[level]:.3f}" for level in LEVEL_NAMES)
