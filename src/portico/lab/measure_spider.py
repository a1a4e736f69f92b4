"""Measure spiders on mapped sites: how many links each follows before it has found the targets."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

from portico.crawl.bags import RELATED
from portico.crawl.learned import ADAPTIVE, STATIC
from portico.errors import ConfigError
from portico.lab.spider import Order, breadth_first, optimal
from portico.lab.spider_bayes import KINDS, Trainer, trainers
from portico.lab.spider_learned import Lesson, fit, lesson, walk_with
from portico.lab.webs import SiteGraph, read_sites
from portico.learn.hashed_logistic import HashedLogistic

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.9)
"""Shares of the targets at which the share of links is taken."""

DEFAULT = "default"
QUICK_SITES = {
    "papers": ("alcom", "cornuejols", "nitarotaru", "pikhurko", "sokolova", "tbrk"),
    "officers": ("american-ethane", "bushyrun192", "emanate", "niftpk", "temicon", "wissen"),
    "contact": ("american-ethane", "bushyrun192", "emanate", "emrg", "temicon", "wissen"),
}

# What the papers printed: Table 1 (officers) of both, and the text on the papers task; only for looking
# at beside our own, on other sites.
PUBLISHED: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "papers": {
        "breadth-first": {"0.75": 0.48},
        "immediate, full-page": {"0.75": 0.16},
        "future 3, full-page": {"0.75": 0.16},
    },
    "officers": {
        "optimal": {"0.75": 0.03},
        "future 4, related": {"0.75": 0.13},
        "future 3, related": {"0.75": 0.22},
        "future 5, related": {"0.75": 0.27},
        "immediate, related": {"0.75": 0.27},
        "breadth-first": {"0.75": 0.38},
    },
}

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Study:
    """Which sites are walked, which are learned from, and what a target is."""

    task: str = "papers"
    train: Path | None = None  # sites to learn from; without it, the others of the same folder
    quick: bool = False
    n_samples: int = 0  # bootstrap samples of the training links, for the spread of our own spider
    progress: Progress = field(default=lambda _line: None)


@dataclass(frozen=True, slots=True)
class Report:
    """Shares of links by site and policy, their means, and the orders behind them."""

    figures: Mapping[str, Any]
    curves: Mapping[str, tuple[float, ...]]  # by policy: mean share of targets after each percent of links


def measure_spider(data: Path, study: Study) -> Report:
    """Every policy on every site, trained on other sites alone."""
    bench = _bench(data, study)
    bayes = trainers(bench.known, KINDS[:2] if study.quick else KINDS)
    orders: dict[str, dict[str, Order]] = {site.name: {} for site in bench.tested}
    for name, policy in _policies(bench, bayes):
        for site in bench.tested:
            orders[site.name][name] = policy(site)
        study.progress(f"{name}: {_line(_mean(bench.tested, orders, name))}")
    names = list(orders[bench.tested[0].name])
    figures: dict[str, object] = {
        "sites": {
            site.name: {name: measured(site, orders[site.name][name]) for name in names}
            for site in bench.tested
        },
        "mean": {name: _mean(bench.tested, orders, name) for name in names},
        "published": PUBLISHED.get(study.task, {}),
        "words": _telling(bayes),
    }
    if study.n_samples:
        figures["spread"] = _spread(bench, study)
    return Report(figures, {name: _mean_curve(bench.tested, orders, name) for name in names})


def measured(site: SiteGraph, order: Order) -> dict[str, float]:
    """The share of links followed when each share of the targets is found; all links if it never is."""
    n_targets = 1 if site.any_target else len(site.targets)
    steps = [step for step, address in enumerate(order, start=1) if address in site.targets][:n_targets]
    found = [steps[needed - 1] if needed <= len(steps) else site.n_links for needed in _needed(n_targets)]
    shares = {f"{level:g}": n_links / site.n_links for level, n_links in zip(LEVELS, found, strict=True)}
    return {**shares, "links": site.n_links, "targets": len(site.targets)}


def curve(site: SiteGraph, order: Order) -> tuple[float, ...]:
    """The share of targets found after 0, 1, …, 100 % of the links."""
    n_targets = 1 if site.any_target else len(site.targets)
    steps = [step for step, address in enumerate(order, start=1) if address in site.targets]
    return tuple(
        min(1.0, sum(step <= percent * site.n_links / 100 for step in steps) / n_targets)
        for percent in range(101)
    )


def spider_table(figures: Mapping[str, Any]) -> Iterator[str]:
    """The means as lines: shares of links, what they are of breadth-first's, and what the papers had."""
    levels = [f"{level:g}" for level in LEVELS]
    means, published = figures["mean"], figures["published"]
    first = next(iter(means.values()))
    yield f"{'links followed at':<26}" + "".join(f"{float(level):>7.0%}" for level in levels) + "   (papers)"
    for name, row in means.items():
        shares = "".join(f"{row[level]:7.3f}" for level in levels)
        printed = published.get(name, {}).get("0.75")
        yield f"{name:<26}{shares}" + (f"   75 %: {printed:.2f}" if printed else "")
    yield "of breadth-first"
    for name, row in means.items():
        yield f"{name:<26}" + "".join(f"{row[level] / first[level]:7.2f}" for level in levels)
    for kind, row in figures.get("spread", {}).items():
        yield f"{'samples, ' + kind:<26}" + "".join(f"{row[level]:7.3f}" for level in levels)
    for bin_name, words in figures["words"].items():
        yield f"{bin_name}: {', '.join(words)}"


def train_spider(data: Path, *, task: str = "papers") -> HashedLogistic:
    """The model of our own spider, from all sites of a folder."""
    sites = read_sites(data, task)
    if not sites:
        raise ConfigError(f"{data}: no site has reachable targets of the task {task!r}")
    return fit([lesson(site) for site in sites])


@dataclass(frozen=True, slots=True)
class _Bench:
    """Sites to walk, sites to learn from: the others of the same folder, or those of another one."""

    tested: Sequence[SiteGraph]
    known: Sequence[SiteGraph]  # the tested ones first
    separate: bool

    def left_out(self, name: str) -> frozenset[str]:
        """The sites that a spider for the one named must not have seen."""
        return frozenset(site.name for site in self.tested) if self.separate else frozenset((name,))


def _bench(data: Path, study: Study) -> _Bench:
    tested = read_sites(data, study.task, names=QUICK_SITES.get(study.task) if study.quick else None)
    if not tested:
        raise ConfigError(f"{data}: no site has reachable targets of the task {study.task!r}")
    names = {site.name for site in tested}
    others = read_sites(study.train, study.task) if study.train is not None else ()
    known = (*tested, *(site for site in others if site.name not in names))
    separate = study.train is not None
    if len(known) - (len(tested) if separate else 1) < 1:
        raise ConfigError(f"{data}: no site is left to learn from; give a folder of others with --train")
    return _Bench(tested, known, separate)


Walk = Callable[[SiteGraph], Order]


def _policies(bench: _Bench, bayes: Mapping[str, Trainer]) -> Iterator[tuple[str, Walk]]:
    yield "breadth-first", breadth_first
    places = {site.name: idx for idx, site in enumerate(bench.known)}
    for name, trainer in bayes.items():
        yield name, _trained(trainer, places, bench)
    model = _models(bench, [lesson(site) for site in bench.known])
    yield f"{DEFAULT}, static", lambda site: walk_with(model(site.name), site, STATIC)
    yield DEFAULT, lambda site: walk_with(model(site.name), site, ADAPTIVE)
    yield "optimal", optimal


def _trained(trainer: Trainer, places: Mapping[str, int], bench: _Bench) -> Walk:
    return lambda site: trainer.policy(places[site.name], bench.left_out(site.name))(site)


def _models(
    bench: _Bench, lessons: Sequence[Lesson], chance: Random | None = None
) -> Callable[[str], HashedLogistic]:
    """The model for a site, which has not seen it; trained when first asked for."""
    models: dict[frozenset[str], HashedLogistic] = {}

    def model(name: str) -> HashedLogistic:
        left_out = bench.left_out(name)
        if left_out not in models:
            models[left_out] = fit([one for one in lessons if one.site not in left_out], chance=chance)
        return models[left_out]

    return model


def _spread(bench: _Bench, study: Study) -> dict[str, dict[str, float]]:
    """Mean and standard deviation of our own spider's means over bootstrap samples of the training links."""
    lessons = [lesson(site) for site in bench.known]
    means: list[dict[str, float]] = []
    for seed in range(study.n_samples):
        model = _models(bench, lessons, Random(seed))
        orders = {site.name: {DEFAULT: walk_with(model(site.name), site)} for site in bench.tested}
        means.append(_mean(bench.tested, orders, DEFAULT))
        study.progress(f"sample {seed}: {_line(means[-1])}")
    levels = [f"{level:g}" for level in LEVELS]
    return {
        "mean": {level: fmean(one[level] for one in means) for level in levels},
        "deviation": {
            level: stdev(one[level] for one in means) if len(means) > 1 else 0.0 for level in levels
        },
    }


def _needed(n_targets: int) -> list[int]:
    return [max(1, math.ceil(level * n_targets - 1e-9)) for level in LEVELS]


def _mean(
    sites: Sequence[SiteGraph], orders: Mapping[str, Mapping[str, Order]], name: str
) -> dict[str, float]:
    rows = [measured(site, orders[site.name][name]) for site in sites]
    return {key: fmean(row[key] for row in rows) for key in rows[0]}


def _mean_curve(
    sites: Sequence[SiteGraph], orders: Mapping[str, Mapping[str, Order]], name: str
) -> tuple[float, ...]:
    rows = [curve(site, orders[site.name][name]) for site in sites]
    return tuple(fmean(column) for column in zip(*rows, strict=True))


def _telling(bayes: Mapping[str, Trainer]) -> dict[str, list[str]]:
    """The papers' Table 2: the words that speak most for each bin, nearest reward first."""
    name = max(
        one for one in bayes if one.startswith("future") and one.endswith(RELATED.name) and "5" not in one
    )
    steps = ("immediate", "two steps", "three steps")
    words = bayes[name].telling_words()
    return dict(zip((*steps[: len(words) - 1], "other"), words, strict=True))


def _line(figures: Mapping[str, float]) -> str:
    return " ".join(f"{figures[f'{level:g}']:.3f}" for level in LEVELS)
