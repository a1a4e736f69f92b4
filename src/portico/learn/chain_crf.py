"""Linear-chain conditional random fields with forbidden transitions: labels, probabilities, values of states.

Training is in `chain_training`, the value of states in `chain_rewards`; a trained model is a value.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from portico.errors import ConfigError
from portico.learn.counts import Counts, Table, Vector, pack_arrays, unpack_arrays

Seen: TypeAlias = "tuple[tuple[str, float], ...]"
"""Named observations with their weights."""

Cube: TypeAlias = "np.ndarray[tuple[int, int, int], np.dtype[np.float64]]"

IMPOSSIBLE = -np.inf
_FORMAT = "chain-1"


@dataclass(frozen=True, slots=True)
class Moment:
    """One position of a sequence: the observations there, those on the way to it, and its possible states.

    Without `possible`, every state is possible. Observations on the way (`between`) count for pairs of
    states.
    """

    seen: Seen = ()
    between: Seen = ()
    possible: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Topology:
    """States by number, those a sequence may begin with, and the transitions between them.

    An observation counts for each state alone and, equally for all its members, for each of `groups`: similar
    states learn from each other in this way.
    """

    states: tuple[str, ...]
    first: tuple[int, ...]
    moves: tuple[tuple[int, int], ...]
    groups: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The learned weights: of observations by state and by transition, of transitions alone, of initial
    states.
    """

    seen: Table  # one row per name, one column per state: groups are added in
    between: Table  # one row per name, one column per move
    moves: Vector
    first: Vector  # one value per state


@dataclass(frozen=True, eq=False)
class ChainCrf:
    """A trained model."""

    topology: Topology
    names: tuple[str, ...]
    between_names: tuple[str, ...]
    weights: Weights = field(repr=False)

    def label(self, moments: Sequence[Moment]) -> list[int]:
        """The likeliest states (Viterbi)."""
        if not moments:
            return []
        local, moves = self.potentials(moments)
        best = local[0] + self.beginning
        back = []
        for position in range(1, len(moments)):
            ways = best[:, np.newaxis] + moves[position]
            back.append(ways.argmax(axis=0))
            best = ways.max(axis=0) + local[position]
        states = [int(best.argmax())]
        for pointers in reversed(back):
            states.append(int(pointers[states[-1]]))
        return states[::-1]

    def begin(self, moment: Moment) -> list[float]:
        """The probability of each state at the first position."""
        chances = _chances(self.local([moment])[0] + self.beginning)
        return chances.tolist()

    def onward(self, before: Sequence[float], nexts: Sequence[Moment]) -> list[list[float]]:
        """The probabilities of the states at each of several next positions, given those before."""
        if not nexts:
            return []
        with np.errstate(divide="ignore"):
            weights = np.log(np.asarray(before))
        arrived = _log_sum(weights[np.newaxis, :, np.newaxis] + self.crossings(nexts), axis=1)
        return [_chances(row).tolist() for row in arrived + self.local(nexts)]

    def arrived(self, expected: Sequence[float], moment: Moment) -> list[float]:
        """The probabilities at a position that was predicted, now that it has been observed."""
        with np.errstate(divide="ignore"):
            weights = np.log(np.asarray(expected))
        return _chances(weights + self.local([moment])[0]).tolist()

    def potentials(self, moments: Sequence[Moment]) -> tuple[Table, Cube]:
        """Log weights of states, and of transitions to each position."""
        return self.local(moments), self.crossings(moments)

    def local(self, moments: Sequence[Moment]) -> Table:
        table = _rows([moment.seen for moment in moments], self._columns)
        return np.asarray(table @ self.weights.seen) + mask_impossible(moments, len(self.topology.states))

    def crossings(self, moments: Sequence[Moment]) -> Cube:
        n_states = len(self.topology.states)
        cube = np.full((len(moments), n_states, n_states), IMPOSSIBLE)
        table = _rows([moment.between for moment in moments], self._between_columns)
        moves = np.asarray(table @ self.weights.between) + self.weights.moves
        before, after = self._moves
        cube[:, before, after] = moves
        return cube

    def voices(self, seen: Seen) -> dict[str, list[float]]:
        """What each of the known observations adds to the weight of each state."""
        return {
            name: (value * self.weights.seen[self._columns[name]]).tolist()
            for name, value in seen
            if name in self._columns
        }

    def to_bytes(self, extra: Mapping[str, Any]) -> bytes:
        """The model and its attachments, as arrays and JSON."""
        header = {
            "format": _FORMAT,
            "topology": asdict(self.topology),
            "names": self.names,
            "between": self.between_names,
            "extra": extra,
        }
        arrays = {name: getattr(self.weights, name) for name in Weights.__slots__}
        return pack_arrays(json.dumps(header, separators=(",", ":")), arrays)

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {name: idx for idx, name in enumerate(self.names)}

    @cached_property
    def _between_columns(self) -> dict[str, int]:
        return {name: idx for idx, name in enumerate(self.between_names)}

    @cached_property
    def _moves(self) -> tuple[list[int], list[int]]:
        return [one for one, _ in self.topology.moves], [other for _, other in self.topology.moves]

    @cached_property
    def beginning(self) -> Vector:
        """Log weights of the states at the first position."""
        return compute_start_weights(self.topology, self.weights.first)


def from_bytes(body: bytes) -> tuple[ChainCrf, Mapping[str, Any]]:
    """The model and its attachments; ConfigError if the file is damaged or something else."""
    text, arrays = unpack_arrays(body)
    try:
        header = json.loads(text)
        if header["format"] != _FORMAT:
            raise ConfigError(f"a trained model has the format {header['format']!r}, not {_FORMAT!r}")
        shape = header["topology"]
        topology = Topology(
            tuple(shape["states"]),
            tuple(shape["first"]),
            tuple((int(one), int(other)) for one, other in shape["moves"]),
            tuple(tuple(group) for group in shape["groups"]),
        )
        weights = Weights(**{name: arrays[name] for name in Weights.__slots__})
        model = ChainCrf(topology, tuple(header["names"]), tuple(header["between"]), weights)
        extra: Mapping[str, Any] = header["extra"]
    except (ValueError, KeyError, TypeError) as fault:
        raise ConfigError(f"this is no model of paths ({fault}); train it again") from fault
    if weights.seen.shape != (len(model.names), len(topology.states)):
        raise ConfigError("this model of paths is incomplete; train it again")
    return model, extra


def compute_start_weights(topology: Topology, first: Vector) -> Vector:
    """Log weights of the states at the first position."""
    weights = np.full(len(topology.states), IMPOSSIBLE)
    weights[list(topology.first)] = first[list(topology.first)]
    return weights


def mask_impossible(moments: Sequence[Moment], n_states: int) -> Table:
    """Zero where a state is possible, minus infinity where it is not."""
    mask = np.zeros((len(moments), n_states))
    for row, moment in zip(mask, moments, strict=True):
        if moment.possible:
            row[:] = IMPOSSIBLE
            row[list(moment.possible)] = 0.0
    return mask


def _rows(rows: Iterable[Seen], columns: Mapping[str, int]) -> Counts:
    """Named observations as a table; names not seen in training have no effect."""
    cells: list[int] = []
    values: list[float] = []
    ends = [0]
    for row in rows:
        for name, value in row:
            if (column := columns.get(name)) is not None:
                cells.append(column)
                values.append(value)
        ends.append(len(cells))
    shape = (len(ends) - 1, len(columns))
    return sparse.csr_array((values, cells, ends), shape=shape, dtype=np.float64)


def _log_sum(weights: Cube, axis: int) -> Table:
    """The logarithm of the sum of the exponentials along one axis."""
    highest = weights.max(axis=axis, keepdims=True)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(weights - highest).sum(axis=axis)) + highest.squeeze(axis))


def _chances(weights: Vector) -> Vector:
    """Probabilities from log weights; all zero where no path is possible."""
    highest = weights.max()
    if not np.isfinite(highest):
        return np.zeros_like(weights)
    chances = np.exp(weights - highest)
    return np.asarray(chances / chances.sum())


_LARGEST = 700.0  # log weight beyond which the exponential function overflows

UNMET = 0.1
"""Number of dead-end visits added for every state, so that a state never visited is worth nothing."""


def compute_printed_rewards(
    model: ChainCrf, sequences: Sequence[Sequence[Moment]], goal: int, *, discount: float
) -> list[float]:
    """Equations 3 to 5 of the literature (docs/paths.md), exactly as printed.

    The reward of a state at a position is the total weight of all paths from there to an end in the goal. The
    mean over positions gives more weight to those nearer the end; the mean over sequences weighs all equally.
    """
    total = np.zeros(len(model.topology.states))
    for moments in sequences:
        local, moves = model.potentials(moments)
        rewards = np.zeros_like(local)
        rewards[-1, goal] = 1.0
        for position in range(len(moments) - 2, -1, -1):
            ways = np.exp(np.minimum(moves[position + 1] + local[position + 1], _LARGEST))
            rewards[position] = ways @ rewards[position + 1]
        weights = discount ** np.arange(len(moments) - 1, -1, -1.0)
        total += weights @ rewards / weights.sum()
    return [float(one) for one in total / max(1, len(sequences))]


def compute_state_rewards(
    model: ChainCrf, sequences: Sequence[Sequence[Moment]], goal: int, *, discount: float
) -> list[float]:
    """The expected discounted reward of a sequence that is in a given state.

    The same backward recursion, with probabilities: the reward of a state at a position is the probability
    that the sequence ends in the goal given that state, discounted for each remaining position. The mean
    weighs a position by the probability of the state there. This distinguishes a state that many sequences to
    the goal pass through from one that they could pass through but never do.
    """
    met = np.full(len(model.topology.states), UNMET)
    total = np.zeros_like(met)
    for moments in sequences:
        local, moves = model.potentials(moments)
        chances = _state_chances(model, local, moves)
        onward = discount ** np.arange(len(moments) - 1, -1, -1.0)
        total += onward @ (chances * _to_goal(local, moves, goal))
        met += chances.sum(axis=0)
    return [float(one) for one in total / met]


def _state_chances(model: ChainCrf, local: Table, moves: Cube) -> Table:
    """The probability of each state at each position, given the whole sequence."""
    forward, backward = np.zeros_like(local), np.zeros_like(local)
    forward[0] = local[0] + model.beginning
    for position in range(1, len(local)):
        forward[position] = _log_sum((forward[position - 1][:, np.newaxis] + moves[position]).T, axis=1)
        forward[position] += local[position]
    for position in range(len(local) - 2, -1, -1):
        backward[position] = _log_sum(
            moves[position + 1] + local[position + 1] + backward[position + 1], axis=1
        )
    weights = forward + backward
    chances = np.exp(weights - weights.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _to_goal(local: Table, moves: Cube, goal: int) -> Table:
    """The probability of ending in the goal from each state at each position."""
    chances = np.zeros_like(local)
    chances[-1, goal] = 1.0
    log_any = np.zeros(local.shape[1])
    for position in range(len(local) - 2, -1, -1):
        ways = moves[position + 1] + local[position + 1] + log_any
        log_any = _log_sum(ways, axis=1).ravel()
        possible = np.isfinite(log_any)
        shares = np.exp(ways[possible] - log_any[possible, np.newaxis])
        chances[position, possible] = shares @ chances[position + 1]
    return chances
