"""Measure what is learned of paths: how well their pages are labeled, and how early their goals are found."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as File
from statistics import fmean
from typing import Any

from portico.crawl.paths.learning import PathModel, PathOptions, learn_paths
from portico.crawl.paths.states import GOAL, Supervision, choose_scheme, label_pages
from portico.crawl.policies.trained import RELATED
from portico.errors import ConfigError
from portico.lab.harvest import measured
from portico.lab.path_foraging import forage, found_within, harvest_at
from portico.lab.path_labeling import bayes_labeler, entropy_labeler, labeling_scores
from portico.lab.path_webs import GOALS, Campus, campus, company, read_classes
from portico.lab.scores import Scores
from portico.lab.spider import Order, breadth_first, optimal
from portico.lab.spider_bayes import KINDS, Trainer, read_words
from portico.lab.spider_learned import fit, lesson, walk_with
from portico.lab.webs import SiteGraph, read_sites
from portico.types.path import Path

DEPARTMENTS = ("webkb-cornell", "webkb-texas", "webkb-washington")
COMPANY_TASKS = ("officers", "contact")
QUICK_COMPANIES = ("american-ethane", "bushyrun192", "emanate", "temicon")

MILESTONES, DISTANCES = Supervision.MILESTONES, Supervision.DISTANCES
PRINTED, MOVES, DUAL, PARTIAL = "CRF (b), as printed", "CRF (a)", "CRF (b)", "CRF, goals only"
PARTIAL_PRINTED = "CRF, goals only, as printed"
MODELS: Mapping[str, PathOptions] = {
    # The paper's method alone: whole paths that were gone, and its equations to the letter.
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
"""Share of a site's links within which `recall` is counted."""

HALF = 0.5
"""Share of a site's goals at which `harvest`, goals a request, is taken."""

Progress = Callable[[str], None]
Walks = Sequence[tuple[SiteGraph, Order]]


def _unheard(_line: str) -> None:
    """Says nothing to anybody."""


@dataclass(slots=True)
class Sheet:
    """Figures of one model as they come in: a list item a fold, walks by what was sought."""

    label_f1: list[float] = field(default_factory=list)
    by_label: dict[str, list[float]] = field(default_factory=dict)
    walks: dict[str, list[tuple[SiteGraph, Order]]] = field(default_factory=dict)

    def labeled(self, scores: Scores) -> None:
        self.label_f1.append(scores.f1)
        for label, f1 in scores.by_label:
            self.by_label.setdefault(label, []).append(f1)

    def walked(self, task: str, site: SiteGraph, order: Order) -> None:
        self.walks.setdefault(task, []).append((site, order))


Sheets = dict[str, Sheet]


def measure_paths(data: File, *, quick: bool = False, progress: Progress = _unheard) -> Sheets:
    """Departments: train on all but one, test on that one. Companies: the same, goals only."""
    sheets: Sheets = {}
    sites = read_sites(data, "papers", names=DEPARTMENTS, tell=progress)
    if len(sites) < 2:
        raise ConfigError(f"{data}: needs at least two of the sites {', '.join(DEPARTMENTS)}")
    for goal in GOALS[:1] if quick else GOALS:
        campuses = [campus(site, read_classes(data, site), goal) for site in sites]
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


def figures(sheets: Sheets) -> dict[str, dict[str, Any]]:
    """By model: mean F1 over labels, harvest, recall; then the same by task, and F1 by label."""
    return {name: _summary(sheet, sheets) for name, sheet in sheets.items()}


def train_paths(data: File, tasks: Sequence[str], *, progress: Progress = _unheard) -> PathModel:
    """A model of the ways to the pages of companies that are sought, from all mapped sites of a folder."""
    sites: dict[str, SiteGraph] = {}
    for task in tasks:
        for site in read_sites(data, task, tell=progress):
            known = sites.get(site.name, site)
            sites[site.name] = replace(site, targets=site.targets | known.targets)
    if not sites:
        raise ConfigError(f"{data}: no site has reachable targets of the tasks {', '.join(tasks)}")
    return learn_paths([path for site in sites.values() for path in company(site).paths], MODELS[PARTIAL])


def _classify(tested: Campus, known: Sequence[Campus], sheets: Sheets) -> None:
    """Label pages one by one: with the labels, the observations and the pages that chains have."""
    paths = [path for one in known for path in one.paths]
    truths, answers = _truths(paths, tested.paths)
    bayes = bayes_labeler(paths, truths)
    sheets.setdefault(BAYES, Sheet()).labeled(labeling_scores(tested.paths, answers, bayes))
    entropy = entropy_labeler(paths, truths, variance=PathOptions().variance)
    sheets.setdefault(ENTROPY, Sheet()).labeled(labeling_scores(tested.paths, answers, entropy))


def _roam(task: str, tested: Campus, known: Sequence[Campus], sheets: Sheets) -> None:
    """Walk a site by all that knows nothing of paths."""
    site = tested.graph
    graphs = [*(one.graph for one in known), site]
    trainer = Trainer(graphs, read_words(graphs, RELATED), KINDS[1])
    walks = {
        BREADTH_FIRST: breadth_first(site),
        OPTIMAL: optimal(site),
        RL: trainer.policy(len(known), {site.name})(site),
        LEARNED: walk_with(fit([lesson(one.graph) for one in known]), site),
    }
    for name, order in walks.items():
        sheets.setdefault(name, Sheet()).walked(task, site, order)


def _forage(
    task: str, sites: tuple[Campus, Sequence[Campus]], named: tuple[str, PathOptions], sheets: Sheets
) -> None:
    """Learn the paths of all sites but one; label those of that one where it has milestones, and forage."""
    (tested, known), (name, options) = sites, named
    paths = [path for one in known for path in one.paths]
    model = learn_paths(paths, options)
    sheet = sheets.setdefault(name, Sheet())
    if tested.milestones:
        _, answers = _truths(paths, tested.paths)
        own = label_pages(tested.paths, model.scheme) if options.supervision is DISTANCES else answers
        sheet.labeled(labeling_scores(tested.paths, own, model.label))
    sheet.walked(task, tested.graph, forage(model, tested.graph))


def _measure_companies(data: File, task: str, sheets: Sheets, *, quick: bool) -> None:
    companies = [company(one) for one in read_sites(data, task, names=QUICK_COMPANIES if quick else None)]
    for tested in companies:
        known = [one for one in companies if one is not tested]
        _roam(task, tested, known, sheets)
        _forage(task, (tested, known), (PARTIAL, MODELS[PARTIAL]), sheets)


def _truths(
    paths: Sequence[Path], tested: Sequence[Path]
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """What pages are called, those learned from and those asked about, in one set of labels."""
    scheme = choose_scheme([*paths, *tested], dual=True, supervision=MILESTONES)
    return label_pages(paths, scheme), label_pages(tested, scheme)


def _summary(sheet: Sheet, sheets: Sheets) -> dict[str, Any]:
    sought = {task: walks for task, walks in sheet.walks.items() if task in GOALS}
    every = [walk for walks in sought.values() for walk in walks]
    found: dict[str, Any] = {
        "label_f1": _mean(sheet.label_f1),
        "goal_f1": _mean(sheet.by_label.get(GOAL, ())),
        "harvest": _mean(harvest_at(HALF, *walk) for walk in every),
        "recall": _mean(found_within(BUDGET, *walk) for walk in every),
    }
    for task, walks in sought.items():
        found[task] = {
            "harvest": _mean(harvest_at(HALF, *walk) for walk in walks),
            "recall": _mean(found_within(BUDGET, *walk) for walk in walks),
            "sites": {site.name: harvest_at(HALF, site, order) for site, order in walks},
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
    return fmean(measured(site, order)["0.5"] for site, order in walks)


def _mean(values: Iterator[float] | Sequence[float]) -> float | None:
    listed = list(values)
    return fmean(listed) if listed else None


def _line(sheets: Sheets, task: str) -> str:
    """How the models stand with a task after the last fold."""
    latest = {name: sheet.walks[task][-1] for name, sheet in sheets.items() if task in sheet.walks}
    if task in COMPANY_TASKS:
        return "  ".join(f"{name} {_share(sheets[name].walks[task]):.3f}" for name in latest)
    return "  ".join(f"{name} {harvest_at(HALF, *walk):.2f}" for name, walk in latest.items())
