"""The states of the path model: labels given by the builder, or the distance to the goal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from portico.learn.chain_crf import Topology
from portico.types.page import Url
from portico.types.path import Ending, Path, Step

GOAL, FAIL, BETWEEN, ASTRAY = "goal", "fail", "between", "astray"
"""Labels of pages: goals, pages that lead nowhere, unnamed pages on the way to a goal, and unnamed pages
before the end of a path that leads nowhere."""

# Share of the paths to the goal that the distance states must cover completely. Longer paths begin with
# several pages in the farthest state; the paper calls them outliers without saying how many there may be.
COVERED = 0.95


class Supervision(StrEnum):
    """Whether pages have the teacher's labels, or are labeled by their distance from the goal."""

    MILESTONES = "milestones"
    DISTANCES = "distances"


@dataclass(frozen=True, slots=True)
class StateScheme:
    """The labels of pages, and how they become states.

    With `dual`, each label has two states: of the page, and of links to such a page (the paper's figure 1 b);
    without, links are the transitions between the states of pages (1 a).
    """

    labels: tuple[str, ...]
    supervision: Supervision
    dual: bool = True
    hierarchy: bool = True

    @property
    def pages(self) -> tuple[int, ...]:
        """The states of pages, by label."""
        return tuple(range(len(self.labels)))

    @property
    def links(self) -> tuple[int, ...]:
        """The states of links, by label; those of the pages themselves if links have none."""
        first = len(self.labels) if self.dual else 0
        return tuple(range(first, first + len(self.labels)))

    def topology(self) -> Topology:
        moves = self._moves()
        if not self.dual:
            return Topology(self.labels, self.pages, moves, self._groups(0))
        n_labels = len(self.labels)
        names = (*(f"page: {label}" for label in self.labels), *(f"link: {label}" for label in self.labels))
        to_links = ((before, after + n_labels) for before, after in moves)
        to_pages = ((idx + n_labels, idx) for idx in range(n_labels))
        groups = (*self._groups(0), *self._groups(n_labels))
        return Topology(names, self.pages, (*to_links, *to_pages), groups)

    def _moves(self) -> tuple[tuple[int, int], ...]:
        """Transitions between labels: from taught ones to any, from distances one step nearer or to
        nowhere.
        """
        return tuple(
            (before, after)
            for before, one in enumerate(self.labels)
            for after, other in enumerate(self.labels)
            if self.may_follow(one, other)
        )

    def may_follow(self, before: str, after: str) -> bool:
        """Whether a page labeled `before` may link to one labeled `after`."""
        if before == GOAL or (before == FAIL and self.supervision is Supervision.MILESTONES):
            return False
        if after == FAIL or self.supervision is Supervision.MILESTONES:
            return True
        if before == FAIL:
            return False
        nearer = int(before) - 1
        furthest = before == after == self.labels[-3]
        return furthest or after == (str(nearer) if nearer else GOAL)

    def _groups(self, first: int) -> tuple[tuple[int, ...], ...]:
        """The binary hierarchy over distances: {1,2}, {3,4}, …, {1,2,3,4}, …"""
        if self.supervision is Supervision.MILESTONES or not self.hierarchy:
            return ()
        distances = [first + idx for idx, label in enumerate(self.labels) if label not in (GOAL, FAIL)]
        groups = []
        size = 2
        while size < 2 * len(distances):
            groups += [tuple(distances[at : at + size]) for at in range(0, len(distances), size)]
            size *= 2
        return tuple(dict.fromkeys(group for group in groups if len(group) > 1))


def choose_scheme(paths: Sequence[Path], *, dual: bool, supervision: Supervision) -> StateScheme:
    """The states for these paths: their named milestones, or all distances to the goal."""
    to_goal = [path for path in paths if path.ending is Ending.GOAL]
    if supervision is Supervision.MILESTONES:
        names = {_taught(step) for path in paths for step in path.steps[: _n_named(path)]}
        inner = [BETWEEN, ASTRAY, *sorted(names - {"", BETWEEN, ASTRAY})]
    else:
        inner = [str(distance) for distance in range(1, _furthest(to_goal) + 1)]
    return StateScheme((*inner, GOAL, FAIL), supervision, dual)


def normalize_milestone(milestone: str) -> str:
    """A milestone's name in one spelling, so that "People" and "people " are one."""
    return " ".join(milestone.casefold().split())


def name_distances(paths: Sequence[Path], scheme: StateScheme) -> tuple[tuple[str, str], ...]:
    """The teachers' labels of pages at each distance from the goal, if most have the same one."""
    if scheme.supervision is Supervision.MILESTONES:
        return ()
    called: dict[str, Counter[str]] = {}
    to_goal = [path for path in paths if path.ending is Ending.GOAL]
    for path, labels in zip(to_goal, label_pages(to_goal, scheme), strict=True):
        for step, label in zip(path.steps[:-1], labels, strict=False):
            called.setdefault(label, Counter())[_taught(step)] += 1
    most = {label: names.most_common(1)[0] for label, names in called.items()}
    return tuple(
        (label, name)
        for label, (name, count) in sorted(most.items())
        if name and 2 * count > called[label].total()
    )


def label_pages(paths: Iterable[Path], scheme: StateScheme) -> list[tuple[str, ...]]:
    """The labels of the pages of each path.

    A page of a path to nowhere that is also on the way to a goal keeps its label; the others lead nowhere.
    """
    paths = tuple(paths)
    known = _on_the_way(paths, scheme)
    return [_labels(path, known, scheme) for path in paths]


def _labels(path: Path, known: Mapping[Url, str], scheme: StateScheme) -> tuple[str, ...]:
    if path.ending is Ending.GOAL:
        n_links = len(path.steps) - 1
        inner = [_called(step, n_links - idx, scheme) for idx, step in enumerate(path.steps[:-1])]
        return (*(label or BETWEEN for label in inner), GOAL)
    return _to_nowhere(path, known, scheme)


def _to_nowhere(path: Path, known: Mapping[Url, str], scheme: StateScheme) -> tuple[str, ...]:
    """Label everything after the last labeled page as leading nowhere."""
    labels = [known.get(step.page.url, "") for step in path.steps[:-1]]
    if scheme.supervision is Supervision.MILESTONES:
        taught = [_taught(step) for step in path.steps]
        labels = [one or other for one, other in zip(taught, (*labels, ""), strict=True)]
        labels = [label or ASTRAY for label in labels[:-1]] + [label for label in labels[-1:] if label]
    else:
        n_named = next((idx for idx, label in enumerate(labels) if not label), len(labels))
        steps = pairwise(labels[:n_named])
        torn = (idx for idx, (one, other) in enumerate(steps, 1) if not scheme.may_follow(one, other))
        labels = labels[: next(torn, n_named)]
    return (*labels, *(FAIL,) * (len(path.steps) - len(labels)))


def _called(step: Step, n_links_left: int, scheme: StateScheme) -> str:
    """The label of a page on the way to the goal; "" if the teacher gave none."""
    if scheme.supervision is Supervision.MILESTONES:
        return _taught(step)
    return str(min(n_links_left, len(scheme.labels) - 2))


def _n_named(path: Path) -> int:
    """The number of pages of a path that may have a milestone; the goal is the goal, whatever its label."""
    return len(path.steps) - (path.ending is Ending.GOAL)


def _taught(step: Step) -> str:
    name = normalize_milestone(step.milestone)
    return "" if name in (GOAL, FAIL) else name


def _on_the_way(paths: Sequence[Path], scheme: StateScheme) -> dict[Url, str]:
    """The pages on the way to a goal, with their labels, by the shortest path."""
    known: dict[Url, tuple[int, str]] = {}
    for path in paths:
        if path.ending is Ending.GOAL:
            for left, step in zip(range(len(path.steps) - 1, 0, -1), path.steps, strict=False):
                way = (left, _called(step, left, scheme) or BETWEEN)
                known[step.page.url] = min(known.get(step.page.url, way), way)
    return {url: label for url, (_, label) in known.items()}


def _furthest(paths: Sequence[Path]) -> int:
    """The distance from the goal within which most paths begin; at least one."""
    lengths = sorted(len(path.steps) - 1 for path in paths)
    return max(1, lengths[min(len(lengths) - 1, int(COVERED * len(lengths)))]) if lengths else 1
