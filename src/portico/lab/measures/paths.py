"""Measures learned paths: how well pages are labeled, and how early goals are found."""

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path as File
from statistics import fmean
from typing import Any

from portico.crawl.paths.encoding import observe_path_link, observe_path_page
from portico.crawl.paths.learning import PathModel, PathOptions, learn_paths
from portico.crawl.paths.scoring import TrainedPathScorer
from portico.crawl.paths.states import GOAL, Supervision, choose_scheme, label_pages
from portico.crawl.policies.policy import Prefix
from portico.crawl.policies.trained import RELATED
from portico.crawl.policies.training import SiteGraph, fit_spider, make_site_examples
from portico.errors import ConfigError
from portico.lab.datasets.path_webs import (
    GOALS,
    GoalSite,
    make_company_site,
    make_department_site,
    read_classes,
)
from portico.lab.datasets.webs import read_sites
from portico.lab.faithful.bayes_spiders import KINDS, BayesTrainer, read_words
from portico.lab.scores import LabelScores, score_labels
from portico.lab.site_walks import Order, measure_order, walk_breadth_first, walk_optimally, walk_with_model
from portico.learn import naive_bayes
from portico.learn.chain_crf import Moment, Seen, Topology
from portico.learn.chain_training import ChainExample, ChainOptions, train_chain
from portico.learn.counts import count_columns, to_dense, to_presence
from portico.types.path import Path, Step

Labels = tuple[str, ...]
Labeler = Callable[[Path], Labels]


def score_labeling(paths: Sequence[Path], truths: Sequence[Labels], label: Labeler) -> LabelScores:
    """How well the pages of paths are labeled; F1 of a label is over all positions that have it."""
    return score_labels([(truth, label(path)) for path, truth in zip(paths, truths, strict=True)])


def train_bayes_labeler(paths: Sequence[Path], truths: Sequence[Labels]) -> Labeler:
    """A naive Bayes labeler that sees each page with the link to it, but not the pages before and after."""
    rows, labels = _pages(paths, truths)
    names = sorted(set(labels))
    columns: dict[str, int] = {}
    cells = [[columns.setdefault(name, len(columns)) for name, _ in row] for row in rows]
    table = to_presence(count_columns(cells, len(columns)))
    model = naive_bayes.train_naive_bayes(
        table, to_dense(count_columns([[names.index(one)] for one in labels], len(names)))
    )

    def label(path: Path) -> Labels:
        seen = [[columns[name] for name, _ in observe_step(step) if name in columns] for step in path.steps]
        chances = model.posterior(to_presence(count_columns(seen, len(columns))))
        return tuple(names[int(row.argmax())] for row in chances)

    return label


def train_entropy_labeler(paths: Sequence[Path], truths: Sequence[Labels], *, variance: float) -> Labeler:
    """A maximum entropy labeler with the same observations, also for each page alone."""
    rows, labels = _pages(paths, truths)
    names = tuple(sorted(set(labels)))
    topology = Topology(names, tuple(range(len(names))), ((0, 0),))
    examples = [
        ChainExample((Moment(row),), (names.index(one),)) for row, one in zip(rows, labels, strict=True)
    ]
    model = train_chain(examples, topology, ChainOptions(variance=variance, max_iterations=50))
    return lambda path: tuple(names[model.label([Moment(observe_step(step))])[0]] for step in path.steps)


def observe_step(step: Step) -> Seen:
    """The observations of a page and of the link that led to it."""
    return (*observe_path_page(step.page), *(observe_path_link(step.link) if step.link is not None else ()))


def _pages(paths: Sequence[Path], truths: Sequence[Labels]) -> tuple[list[Seen], list[str]]:
    """The pages of all paths and their labels, repeated as often as a chain sees them."""
    seen: dict[tuple[int, int], Seen] = {}
    rows: list[Seen] = []
    labels: list[str] = []
    for path, called in zip(paths, truths, strict=True):
        for step, label in zip(path.steps, called, strict=True):
            key = (id(step.page), id(step.link))
            if key not in seen:
                seen[key] = observe_step(step)
            rows.append(seen[key])
            labels.append(label)
    return rows, labels


def walk_paths(model: PathModel, site: SiteGraph, *, summed: bool = True) -> Order:
    """The order in which a path crawler follows links: always the link with the highest score.

    The score of a link on several pages is the sum of its scores there (the paper's rule), or else their
    maximum.
    """
    path_scorer = TrainedPathScorer(model)
    scores: dict[int, float] = {}
    best: dict[int, tuple[float, Prefix]] = {}
    queue: list[tuple[float, int, int]] = []
    ticket = count()
    visited, order = {0}, list[int]()
    at, prefix = 0, None
    while True:
        page = site.pages[at]
        if page is not None and page.sightings:
            page_score = path_scorer.look(page, prefix)
            for child, link_score in zip(site.children[at], page_score.link_scores, strict=True):
                if child in visited:
                    continue
                known = scores.get(child, 0.0)
                scores[child] = known + link_score.score if summed else max(known, link_score.score)
                best[child] = max(best.get(child, (-1.0, ())), (link_score.score, link_score.prefix))
                heapq.heappush(queue, (-scores[child], next(ticket), child))
        while queue and (queue[0][2] in visited or -queue[0][0] != scores[queue[0][2]]):
            heapq.heappop(queue)
        if not queue:
            return order
        at = heapq.heappop(queue)[2]
        visited.add(at)
        order.append(at)
        prefix = best[at][1]


def measure_harvest_at(share: float, site: SiteGraph, order: Order) -> float:
    """Goals per request when this share of the goals has been found; 0 if it never is."""
    needed = math.ceil(share * len(site.targets) - 1e-9)
    steps = [step for step, address in enumerate(order, start=1) if address in site.targets]
    return needed / steps[needed - 1] if len(steps) >= needed else 0.0


def measure_found_within(budget: float, site: SiteGraph, order: Order) -> float:
    """The share of the goals that are found within a share of the site's links."""
    n_links = max(1, round(budget * site.n_links))
    return sum(address in site.targets for address in order[:n_links]) / len(site.targets)


DEPARTMENTS = ("webkb-cornell", "webkb-texas", "webkb-washington")
COMPANY_TASKS = ("officers", "contact")
QUICK_COMPANIES = ("american-ethane", "bushyrun192", "emanate", "temicon")

MILESTONES, DISTANCES = Supervision.MILESTONES, Supervision.DISTANCES
PRINTED, MOVES, DUAL, PARTIAL = "CRF (b), as printed", "CRF (a)", "CRF (b)", "CRF, goals only"
PARTIAL_PRINTED = "CRF, goals only, as printed"
MODELS: Mapping[str, PathOptions] = {
    # Only the paper's method: complete paths to goals, and exactly its equations.
    PRINTED: PathOptions(supervision=MILESTONES, beginnings=0.0, unfollowed=0.0, as_printed=True),
    MOVES: PathOptions(supervision=MILESTONES, dual=False),
    DUAL: PathOptions(supervision=MILESTONES),
    PARTIAL_PRINTED: PathOptions(
        supervision=DISTANCES, beginnings=0.0, unfollowed=0.0, whole=1.0, as_printed=True
    ),
    PARTIAL: PathOptions(supervision=DISTANCES),
}
BREADTH_FIRST, OPTIMAL, RL, LEARNED = "breadth-first", "optimal", "RL, future 3", "learned spider"
BAYES, ENTROPY = "naive Bayes", "maximum entropy"

BUDGET = 0.1
"""Share of a site's links within which `recall` is measured."""

HALF = 0.5
"""Share of a site's goals at which `harvest`, goals per request, is measured."""

Progress = Callable[[str], None]
Walks = Sequence[tuple[SiteGraph, Order]]


def _unheard(_line: str) -> None:
    """Ignore progress messages."""


@dataclass(slots=True)
class PathFigures:
    """Figures of one model, collected as they are measured: F1 by fold, and walks by task."""

    label_f1: list[float] = field(default_factory=list)
    by_label: dict[str, list[float]] = field(default_factory=dict)
    walks: dict[str, list[tuple[SiteGraph, Order]]] = field(default_factory=dict)

    def labeled(self, scores: LabelScores) -> None:
        self.label_f1.append(scores.f1)
        for label, f1 in scores.by_label:
            self.by_label.setdefault(label, []).append(f1)

    def walked(self, task: str, site: SiteGraph, order: Order) -> None:
        self.walks.setdefault(task, []).append((site, order))


Sheets = dict[str, PathFigures]


def measure_paths(data: File, *, quick: bool = False, progress: Progress = _unheard) -> Sheets:
    """Train on all departments but one and test on that one; the same for companies, with goals as the
    only labels.
    """
    sheets: Sheets = {}
    sites = read_sites(data, "papers", names=DEPARTMENTS, tell=progress)
    if len(sites) < 2:
        raise ConfigError(f"{data}: needs at least two of the sites {', '.join(DEPARTMENTS)}")
    for goal in GOALS[:1] if quick else GOALS:
        campuses = [make_department_site(site, read_classes(data, site), goal) for site in sites]
        for tested in campuses[1:2] if quick else campuses:
            known = [one for one in campuses if one is not tested]
            _classify(tested, known, sheets)
            _roam(goal, tested, known, sheets)
            for name, options in MODELS.items():
                _forage(goal, (tested, known), (name, options), sheets)
            progress(f"{goal}, {tested.name}: {_line(sheets, goal)}")
    for task in COMPANY_TASKS:
        _measure_companies(data, task, sheets, quick=quick)
        progress(f"{task}: {_line(sheets, task)}")
    return sheets


def summarize_figures(sheets: Sheets) -> dict[str, dict[str, Any]]:
    """For each model, mean F1 over labels, harvest and recall; also harvest and recall by task, and F1 by
    label.
    """
    return {name: _summary(sheet, sheets) for name, sheet in sheets.items()}


def train_paths(data: File, tasks: Sequence[str], *, progress: Progress = _unheard) -> PathModel:
    """Train a model of the paths to the target pages of companies, on all mapped sites in a folder."""
    sites: dict[str, SiteGraph] = {}
    for task in tasks:
        for site in read_sites(data, task, tell=progress):
            known = sites.get(site.name, site)
            sites[site.name] = replace(site, targets=site.targets | known.targets)
    if not sites:
        raise ConfigError(f"{data}: no site has reachable targets of the tasks {', '.join(tasks)}")
    return learn_paths(
        [path for site in sites.values() for path in make_company_site(site).paths], MODELS[PARTIAL]
    )


def _classify(tested: GoalSite, known: Sequence[GoalSite], sheets: Sheets) -> None:
    """Label pages independently, with the same labels, observations and pages as the chains."""
    paths = [path for one in known for path in one.paths]
    truths, answers = _truths(paths, tested.paths)
    bayes = train_bayes_labeler(paths, truths)
    sheets.setdefault(BAYES, PathFigures()).labeled(score_labeling(tested.paths, answers, bayes))
    entropy = train_entropy_labeler(paths, truths, variance=PathOptions().variance)
    sheets.setdefault(ENTROPY, PathFigures()).labeled(score_labeling(tested.paths, answers, entropy))


def _roam(task: str, tested: GoalSite, known: Sequence[GoalSite], sheets: Sheets) -> None:
    """Walk a site with all methods that do not use paths."""
    site = tested.graph
    graphs = [*(one.graph for one in known), site]
    trainer = BayesTrainer(graphs, read_words(graphs, RELATED), KINDS[1])
    walks = {
        BREADTH_FIRST: walk_breadth_first(site),
        OPTIMAL: walk_optimally(site),
        RL: trainer.policy(len(known), {site.name})(site),
        LEARNED: walk_with_model(fit_spider([make_site_examples(one.graph) for one in known]), site),
    }
    for name, order in walks.items():
        sheets.setdefault(name, PathFigures()).walked(task, site, order)


def _forage(
    task: str, sites: tuple[GoalSite, Sequence[GoalSite]], named: tuple[str, PathOptions], sheets: Sheets
) -> None:
    """Learn the paths of the known sites; label the tested site, if it has milestones, and walk it."""
    (tested, known), (name, options) = sites, named
    paths = [path for one in known for path in one.paths]
    model = learn_paths(paths, options)
    sheet = sheets.setdefault(name, PathFigures())
    if tested.milestones:
        _, answers = _truths(paths, tested.paths)
        own = label_pages(tested.paths, model.scheme) if options.supervision is DISTANCES else answers
        sheet.labeled(score_labeling(tested.paths, own, model.label))
    sheet.walked(task, tested.graph, walk_paths(model, tested.graph))


def _measure_companies(data: File, task: str, sheets: Sheets, *, quick: bool) -> None:
    companies = [
        make_company_site(one) for one in read_sites(data, task, names=QUICK_COMPANIES if quick else None)
    ]
    for tested in companies:
        known = [one for one in companies if one is not tested]
        _roam(task, tested, known, sheets)
        _forage(task, (tested, known), (PARTIAL, MODELS[PARTIAL]), sheets)


def _truths(
    paths: Sequence[Path], tested: Sequence[Path]
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The true labels of the pages for training and for testing, in a common set of labels."""
    scheme = choose_scheme([*paths, *tested], dual=True, supervision=MILESTONES)
    return label_pages(paths, scheme), label_pages(tested, scheme)


def _summary(sheet: PathFigures, sheets: Sheets) -> dict[str, Any]:
    sought = {task: walks for task, walks in sheet.walks.items() if task in GOALS}
    every = [walk for walks in sought.values() for walk in walks]
    found: dict[str, Any] = {
        "label_f1": _mean(sheet.label_f1),
        "goal_f1": _mean(sheet.by_label.get(GOAL, ())),
        "harvest": _mean(measure_harvest_at(HALF, *walk) for walk in every),
        "recall": _mean(measure_found_within(BUDGET, *walk) for walk in every),
    }
    for task, walks in sought.items():
        found[task] = {
            "harvest": _mean(measure_harvest_at(HALF, *walk) for walk in walks),
            "recall": _mean(measure_found_within(BUDGET, *walk) for walk in walks),
            "sites": {site.name: measure_harvest_at(HALF, site, order) for site, order in walks},
        }
    for task in COMPANY_TASKS:
        if task in sheet.walks:
            share, breadth = _share(sheet.walks[task]), _share(sheets[BREADTH_FIRST].walks[task])
            found[task] = {"share": share, "against_breadth_first": share / breadth}
    if sheet.by_label:
        found["by_label"] = {label: _mean(scores) for label, scores in sorted(sheet.by_label.items())}
    return found


def _share(walks: Walks) -> float:
    """The mean share of links followed until the first target is found."""
    return fmean(measure_order(site, order)["0.5"] for site, order in walks)


def _mean(values: Iterator[float] | Sequence[float]) -> float | None:
    listed = list(values)
    return fmean(listed) if listed else None


def _line(sheets: Sheets, task: str) -> str:
    """The current results of all models on a task, after the last fold."""
    latest = {name: sheet.walks[task][-1] for name, sheet in sheets.items() if task in sheet.walks}
    if task in COMPANY_TASKS:
        return "  ".join(f"{name} {_share(sheets[name].walks[task]):.3f}" for name in latest)
    return "  ".join(f"{name} {measure_harvest_at(HALF, *walk):.2f}" for name, walk in latest.items())
