"""The shape of a hidden Markov model, learned from labelled sequences by merging states."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

START, END = -1, -2
"""The states before the first symbol and after the last; they emit nothing."""


@dataclass(frozen=True, slots=True)
class Structure:
    """States with a label each, and how often each transition was taken."""

    labels: tuple[str, ...]
    counts: Mapping[tuple[int, int], float]

    @property
    def n_states(self) -> int:
        """With the first and the last state, as the papers count."""
        return len(self.labels) + 2

    @property
    def n_transitions(self) -> int:
        return len(self.counts)


def one_state_per_label(sequences: Iterable[Sequence[str]]) -> Structure:
    """A state for each label, in alphabetical order."""
    labelled = [tuple(labels) for labels in sequences]
    names = sorted({label for labels in labelled for label in labels})
    number = {name: idx for idx, name in enumerate(names)}
    return Structure(tuple(names), _walked([number[label] for label in labels] for labels in labelled))


def maximally_specific(sequences: Iterable[Sequence[str]]) -> Structure:
    """A state for each word of each sequence."""
    names: list[str] = []
    walks = []
    for labels in sequences:
        walks.append(range(len(names), len(names) + len(labels)))
        names.extend(labels)
    return Structure(tuple(names), _walked(walks))


def neighbor_merged(structure: Structure) -> Structure:
    """States with one label that follow each other become one state with a loop."""
    groups = _Groups(len(structure.labels))
    for source, target in structure.counts:
        if source >= 0 and target >= 0 and structure.labels[source] == structure.labels[target]:
            groups.unite(source, target)
    return merged(structure, groups.numbers())


def v_merged(structure: Structure) -> Structure:
    """States with one label that come from one state become one, repeatedly; then those that lead to one.

    Forward first, to the end, then backward: so the papers' model of 155 states and 402 transitions comes out
    of their 500 headers. Both at once until nothing changes would leave 34 states.
    """
    return _folded(_folded(structure, forward=True), forward=False)


def merged(structure: Structure, groups: Sequence[int]) -> Structure:
    """States with one number become one; what was counted is kept."""
    names: dict[int, str] = {}
    for label, group in zip(structure.labels, groups, strict=True):
        if names.setdefault(group, label) != label:
            raise ValueError(f"states of {names[group]!r} and {label!r} cannot be one state")
    number = {group: idx for idx, group in enumerate(names)}
    place = {idx: number[group] for idx, group in enumerate(groups)} | {START: START, END: END}
    counts: defaultdict[tuple[int, int], float] = defaultdict(float)
    for (source, target), n_taken in structure.counts.items():
        counts[place[source], place[target]] += n_taken
    return Structure(tuple(names.values()), dict(counts))


def uniform(structure: Structure) -> Structure:
    """Every transition as likely as any other, whatever was counted."""
    return Structure(structure.labels, dict.fromkeys(_all_pairs(structure), 1.0))


def smoothed(structure: Structure) -> Structure:
    """One more of every transition."""
    return Structure(
        structure.labels, {pair: structure.counts.get(pair, 0.0) + 1 for pair in _all_pairs(structure)}
    )


def self_only(structure: Structure) -> Structure:
    """The chance of staying in a state as it was counted; every other transition as likely as any other."""
    leaving: defaultdict[int, float] = defaultdict(float)
    for (source, _), n_taken in structure.counts.items():
        leaving[source] += n_taken
    weights: dict[tuple[int, int], float] = {}
    for source, target in _all_pairs(structure):
        staying = structure.counts.get((source, source), 0.0) / leaving[source]
        weight = staying if source == target else (1 - staying) / len(structure.labels)
        if weight:
            weights[source, target] = weight
    return Structure(structure.labels, weights)


class _Groups:
    """Which states have become one: sets that only ever grow together."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, member: int) -> int:
        """The member that speaks for its group."""
        if member < 0:
            return member
        while self._parent[member] != member:
            self._parent[member] = self._parent[self._parent[member]]
            member = self._parent[member]
        return member

    def unite(self, one: int, other: int) -> int:
        """Makes two groups one; the smaller number speaks for it."""
        first, second = sorted((self.find(one), self.find(other)))
        self._parent[second] = first
        return first

    def numbers(self) -> list[int]:
        """By member: the group it is in."""
        return [self.find(member) for member in range(len(self._parent))]


def _walked(walks: Iterable[Sequence[int]]) -> dict[tuple[int, int], float]:
    counts: Counter[tuple[int, int]] = Counter()
    for walk in walks:
        counts.update(pairwise([START, *walk, END]))
    return {pair: float(n_taken) for pair, n_taken in counts.items()}


def _all_pairs(structure: Structure) -> Iterator[tuple[int, int]]:
    states = range(len(structure.labels))
    for source in (START, *states):
        yield from ((source, target) for target in states)
        if source != START:
            yield source, END


def _folded(structure: Structure, *, forward: bool) -> Structure:
    labels = structure.labels
    groups = _Groups(len(labels))
    # By state and label: the one neighbor ahead that there may be. A second one is merged with it.
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
    return merged(structure, groups.numbers())
