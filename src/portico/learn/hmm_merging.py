"""Bayesian model merging: states become one as long as that makes the structure more probable."""

from collections import Counter, defaultdict
from itertools import combinations
from math import lgamma, log

from portico.learn.hmm_structure import Structure, merged


def bayesian_merged(structure: Structure) -> Structure:
    """Merges the pair of states that gains most, until no merge gains (Stolcke and Omohundro 1994).

    States emit by label, so a merge changes nothing but transitions. The chances of a state's transitions
    have a uniform prior, integrated out; a transition costs the naming of its target, log(states + 1).
    """
    return merged(structure, _Merger(structure).merge())


def log_posterior(structure: Structure) -> float:
    """The log probability of what was counted and of the structure, up to what no merge changes."""
    rows: dict[int, Counter[int]] = defaultdict(Counter)
    for (source, target), n_taken in structure.counts.items():
        rows[source][target] = int(n_taken)
    evidence = sum(_evidence(row) for row in rows.values())
    return evidence - structure.n_transitions * log(structure.n_states)


def _evidence(row: Counter[int]) -> float:
    """The probability of the choices a state made, over all chances it might have had."""
    n_targets, n_taken = len(row), sum(row.values())
    return lgamma(n_targets) - lgamma(n_targets + n_taken) + sum(lgamma(n + 1) for n in row.values())


class _Merger:
    """The structure while it is being merged."""

    def __init__(self, structure: Structure) -> None:
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
        """By state: the number of the group it ended in."""
        while True:
            pairs = [pair for states in self._alive.values() for pair in combinations(states, 2)]
            gain, one, other = max(((self._gain(*pair), *pair) for pair in pairs), default=(0.0, -1, -1))
            if gain <= 0:
                return self._group
            self._unite(one, other)

    def _gain(self, one: int, other: int) -> float:
        """How much the log posterior rises when two states become one."""
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
