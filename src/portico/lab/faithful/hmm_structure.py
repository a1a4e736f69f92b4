"""Learns the structure of a hidden Markov model from labeled sequences by merging states."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import lgamma, log


@dataclass(frozen=True, slots=True)
class HmmStructure:
    """States with one label each, and how often each transition was taken."""

    labels: tuple[str, ...]
    counts: Mapping[tuple[int, int], float]

    @property
    def n_states(self) -> int:
        """The number of states, including the start and end states, as the papers count."""
        return len(self.labels) + 2

    @property
    def n_transitions(self) -> int:
        return len(self.counts)


def build_one_state_per_label(sequences: Iterable[Sequence[str]]) -> HmmStructure:
    """A state for each label, in alphabetical order."""
    labelled = [tuple(labels) for labels in sequences]
    names = sorted({label for labels in labelled for label in labels})
    number = {name: idx for idx, name in enumerate(names)}
    return HmmStructure(tuple(names), _walked([number[label] for label in labels] for labels in labelled))


def build_maximally_specific(sequences: Iterable[Sequence[str]]) -> HmmStructure:
    """A state for each word of each sequence."""
    names: list[str] = []
    walks = []
    for labels in sequences:
        walks.append(range(len(names), len(names) + len(labels)))
        names.extend(labels)
    return HmmStructure(tuple(names), _walked(walks))


def merge_neighbors(structure: HmmStructure) -> HmmStructure:
    """Merge consecutive states with the same label into one state with a loop."""
    groups = _Groups(len(structure.labels))
    for source, target in structure.counts:
        if source >= 0 and target >= 0 and structure.labels[source] == structure.labels[target]:
            groups.unite(source, target)
    return merge_groups(structure, groups.numbers())


def merge_v(structure: HmmStructure) -> HmmStructure:
    """Merge states that have the same label and a common predecessor, repeatedly; then those with a common
    successor.

    All forward merges are done before the backward merges: this gives the papers' model of 155 states and 402
    transitions for their 500 headers. Alternating both until nothing changes would leave 34 states.
    """
    return _folded(_folded(structure, forward=True), forward=False)


def merge_groups(structure: HmmStructure, groups: Sequence[int]) -> HmmStructure:
    """Merge the states with the same group number; their transition counts are added."""
    names: dict[int, str] = {}
    for label, group in zip(structure.labels, groups, strict=True):
        if names.setdefault(group, label) != label:
            raise ValueError(f"states of {names[group]!r} and {label!r} cannot be one state")
    number = {group: idx for idx, group in enumerate(names)}
    place = {idx: number[group] for idx, group in enumerate(groups)} | {START: START, END: END}
    counts: defaultdict[tuple[int, int], float] = defaultdict(float)
    for (source, target), n_taken in structure.counts.items():
        counts[place[source], place[target]] += n_taken
    return HmmStructure(tuple(names.values()), dict(counts))


def make_uniform(structure: HmmStructure) -> HmmStructure:
    """Make all transitions equally likely, ignoring the counts."""
    return HmmStructure(structure.labels, dict.fromkeys(_all_pairs(structure), 1.0))


def smooth_transitions(structure: HmmStructure) -> HmmStructure:
    """Add one to the count of every transition."""
    return HmmStructure(
        structure.labels, {pair: structure.counts.get(pair, 0.0) + 1 for pair in _all_pairs(structure)}
    )


def keep_self_transitions(structure: HmmStructure) -> HmmStructure:
    """Keep the probability of staying in each state, and make all other transitions equally likely."""
    leaving: defaultdict[int, float] = defaultdict(float)
    for (source, _), n_taken in structure.counts.items():
        leaving[source] += n_taken
    weights: dict[tuple[int, int], float] = {}
    for source, target in _all_pairs(structure):
        staying = structure.counts.get((source, source), 0.0) / leaving[source]
        weight = staying if source == target else (1 - staying) / len(structure.labels)
        if weight:
            weights[source, target] = weight
    return HmmStructure(structure.labels, weights)


class _Groups:
    """Groups of merged states (a union-find structure)."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, member: int) -> int:
        """The representative of the member's group."""
        if member < 0:
            return member
        while self._parent[member] != member:
            self._parent[member] = self._parent[self._parent[member]]
            member = self._parent[member]
        return member

    def unite(self, one: int, other: int) -> int:
        """Join two groups; the smaller number represents the new group."""
        first, second = sorted((self.find(one), self.find(other)))
        self._parent[second] = first
        return first

    def numbers(self) -> list[int]:
        """For each member, the representative of its group."""
        return [self.find(member) for member in range(len(self._parent))]


def _walked(walks: Iterable[Sequence[int]]) -> dict[tuple[int, int], float]:
    counts: Counter[tuple[int, int]] = Counter()
    for walk in walks:
        counts.update(pairwise([START, *walk, END]))
    return {pair: float(n_taken) for pair, n_taken in counts.items()}


def _all_pairs(structure: HmmStructure) -> Iterator[tuple[int, int]]:
    states = range(len(structure.labels))
    for source in (START, *states):
        yield from ((source, target) for target in states)
        if source != START:
            yield source, END


def _folded(structure: HmmStructure, *, forward: bool) -> HmmStructure:
    labels = structure.labels
    groups = _Groups(len(labels))
    # By state and label: the single neighbor ahead. Any other is merged with it.
    ahead: dict[int, dict[str, int]] = defaultdict(dict)
    waiting: list[tuple[int, int]] = []

    def meet(state: int, neighbor: int) -> None:
        known = ahead[state].setdefault(labels[neighbor], neighbor)
        if known != neighbor:
            waiting.append((known, neighbor))

    for source, target in sorted(structure.counts):
        state, neighbor = (source, target) if forward else (target, source)
        if neighbor >= 0:
            meet(state, neighbor)
    while waiting:
        one, other = (groups.find(state) for state in waiting.pop())
        if one != other:
            kept = groups.unite(one, other)
            for neighbor in ahead.pop(max(one, other), {}).values():
                meet(kept, neighbor)
    return merge_groups(structure, groups.numbers())


def merge_bayesian(structure: HmmStructure) -> HmmStructure:
    """Merge the best pair of states until no merge raises the posterior (Stolcke and Omohundro 1994).

    States emit by label, so a merge only affects transitions. The transition probabilities of a state have a
    uniform prior, integrated out; each transition costs the description of its target, log(states + 1).
    """
    return merge_groups(structure, _Merger(structure).merge())


def compute_log_posterior(structure: HmmStructure) -> float:
    """The log probability of the counts and of the structure, up to a constant that no merge changes."""
    rows: dict[int, Counter[int]] = defaultdict(Counter)
    for (source, target), n_taken in structure.counts.items():
        rows[source][target] = int(n_taken)
    evidence = sum(_evidence(row) for row in rows.values())
    return evidence - structure.n_transitions * log(structure.n_states)


def _evidence(row: Counter[int]) -> float:
    """The log probability of a state's transition counts, integrated over its transition probabilities."""
    n_targets, n_taken = len(row), sum(row.values())
    return lgamma(n_targets) - lgamma(n_targets + n_taken) + sum(lgamma(n + 1) for n in row.values())


class _Merger:
    """The structure while it is being merged."""

    def __init__(self, structure: HmmStructure) -> None:
        self._group = list(range(len(structure.labels)))
        self._rows: dict[int, Counter[int]] = defaultdict(Counter)
        self._into: dict[int, set[int]] = defaultdict(set)
        self._alive: dict[str, list[int]] = defaultdict(list)
        for (source, target), n_taken in structure.counts.items():
            self._rows[source][target] = int(n_taken)
            self._into[target].add(source)
        for state, label in enumerate(structure.labels):
            self._alive[label].append(state)

    def merge(self) -> list[int]:
        """For each state, the number of its group after all merges."""
        while True:
            pairs = [pair for states in self._alive.values() for pair in combinations(states, 2)]
            gain, one, other = max(((self._gain(*pair), *pair) for pair in pairs), default=(0.0, -1, -1))
            if gain <= 0:
                return self._group
            self._unite(one, other)

    def _gain(self, one: int, other: int) -> float:
        """How much the log posterior rises when two states are merged."""
        joint = self._joint(one, other)
        change = _evidence(joint) - _evidence(self._rows[one]) - _evidence(self._rows[other])
        fewer = len(self._rows[one]) + len(self._rows[other]) - len(joint)
        for source in (self._into[one] & self._into[other]) - {one, other}:
            change += _evidence(_moved(self._rows[source], other, one)) - _evidence(self._rows[source])
            fewer += 1
        n_states = sum(len(states) for states in self._alive.values()) + 2
        n_transitions = sum(len(row) for row in self._rows.values())
        return change + n_transitions * log(n_states) - (n_transitions - fewer) * log(n_states - 1)

    def _joint(self, one: int, other: int) -> Counter[int]:
        return _moved(self._rows[one] + self._rows[other], other, one)

    def _unite(self, one: int, other: int) -> None:
        joint = self._joint(one, other)
        for source in self._into[other] - {one, other}:
            self._rows[source] = _moved(self._rows[source], other, one)
        self._rows[one] = joint
        del self._rows[other]
        for states in self._alive.values():
            if other in states:
                states.remove(other)
        self._into.clear()
        for source, row in self._rows.items():
            for target in row:
                self._into[target].add(source)
        self._group = [one if group == other else group for group in self._group]


def _moved(row: Counter[int], old: int, new: int) -> Counter[int]:
    changed = Counter(row)
    if old in changed:
        changed[new] += changed.pop(old)
    return changed


START, END = -1, -2
"""The states before the first symbol and after the last; they emit no symbols."""
