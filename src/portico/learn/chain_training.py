"""Trains linear-chain conditional random fields: gradient of the likelihood, Gaussian prior, L-BFGS."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from portico.errors import ConfigError
from portico.learn.chain_crf import ChainCrf, Cube, Moment, Seen, Topology, Weights, mask_impossible
from portico.learn.counts import Counts, Table, Vector

Whole: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.int64]]"
Numbers: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int64]]"


@dataclass(frozen=True, slots=True)
class ChainExample:
    """A sequence, its states, and the weight of each of its prefixes.

    Without `weights`, only the whole sequence counts, once. With them, every prefix can be an example as
    well: of the state of its last position when the rest is not known yet. One pass over the sequence covers
    all.

    Where the states are unknown, `among` holds the possible true states of each position: all of their
    sequences that the topology allows are right, and which one it was is left to the model.
    """

    moments: tuple[Moment, ...]
    states: tuple[int, ...]
    weights: tuple[float, ...] = ()
    among: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ChainOptions:
    """How to train: the variance of the normal prior on every weight, the number of iterations, and the names
    to use.
    """

    variance: float = 1.0
    max_iterations: int = 80
    least_rows: int = 1  # names seen at fewer distinct positions are ignored


DEFAULT = ChainOptions()


def train_chain(
    examples: Sequence[ChainExample], topology: Topology, options: ChainOptions = DEFAULT
) -> ChainCrf:
    """The model that maximizes the likelihood of the examples' states."""
    if not examples:
        raise ConfigError("there is no path to learn from")
    problem = ChainLikelihood(examples, topology, options)
    start = np.zeros(problem.n_weights)
    limit = options.max_iterations
    found = minimize(problem.loss, start, jac=True, method="L-BFGS-B", options={"maxiter": limit}).x
    return ChainCrf(topology, problem.seen.names, problem.between.names, problem.weights(found))


class ChainLikelihood:
    """The likelihood of examples as a function of all weights in one vector."""

    def __init__(self, examples: Sequence[ChainExample], topology: Topology, options: ChainOptions) -> None:
        self._topology = topology
        self._precision = 1.0 / options.variance
        self.seen = _Observed([[moment.seen for moment in one.moments] for one in examples], options)
        self.between = _Observed([[moment.between for moment in one.moments] for one in examples], options)
        self._states = _padded([one.states for one in examples])
        self._groups = _membership(topology)
        self._before, self._after = (
            _numbers(one for one, _ in topology.moves),
            _numbers(other for _, other in topology.moves),
        )
        self._lengths = _numbers(len(one.moments) for one in examples)
        shape = (*self._states.shape, len(topology.states))
        self._open = _possible(examples, topology, shape)
        self._weights = _weights(examples)
        self._unsure = _numbers(idx for idx, one in enumerate(examples) if one.among)
        unsure = [_narrowed(one) for one in examples if one.among]
        self._true = self._open[self._unsure] * _possible(unsure, topology, shape)
        self._observed = self._empirical()

    @property
    def n_weights(self) -> int:
        return sum(int(np.prod(shape)) for shape in self._shapes)

    def weights(self, vector: Vector) -> Weights:
        """The vector split into its parts, with groups added to the states they contain."""
        grouped, between, moves, first = self._parts(vector)
        return Weights(np.asarray(grouped @ self._groups), between, moves.ravel(), first.ravel())

    def loss(self, vector: Vector) -> tuple[float, Vector]:
        """The negative log likelihood with its prior, and the gradient."""
        weights = self.weights(vector)
        local = np.asarray(self.seen.table @ weights.seen)[self.seen.rows]
        local[:, 0] += weights.first
        moves = self._moves(weights)
        ends = (self._before, self._after)
        log_totals, states, pairs = _expectations(local, self._open, moves, self._weights, ends)
        likelihood = float(self._observed @ vector) - float((self._weights * log_totals).sum())
        if len(self._unsure):
            rows = self._unsure
            of_rows = moves if len(moves) == 1 else moves[rows]
            log_true, true_states, true_pairs = _expectations(
                local[rows], self._true, of_rows, self._weights[rows], ends
            )
            likelihood += float((self._weights[rows] * log_true).sum())
            states[rows] -= true_states
            pairs[rows] -= true_pairs
        gradient = self._features(states, pairs) - self._observed + self._precision * vector
        return -likelihood + self._precision / 2 * float(vector @ vector), gradient

    @property
    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        n_moves = len(self._topology.moves)
        return (
            (len(self.seen.names), len(self._groups)),
            (len(self.between.names), n_moves),
            (n_moves,),
            (len(self._topology.states),),
        )

    def _parts(self, vector: Vector) -> list[Table]:
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(vector, ends), self._shapes, strict=True)]

    def _moves(self, weights: Weights) -> Cube:
        """Log weights of the transitions to each position: one row for all examples if nothing is observed
        between.
        """
        if not self.between.names:
            return np.tile(weights.moves, (1, self.between.rows.shape[1], 1))
        return np.asarray(self.between.table @ weights.between)[self.between.rows] + weights.moves

    def _empirical(self) -> Vector:
        """How often each observation occurs with the true states of the examples, where they are known."""
        n_examples, n_positions = self._states.shape
        inside = np.arange(n_positions)[np.newaxis, :] < self._lengths[:, np.newaxis]
        inside[self._unsure] = False
        states = np.zeros((n_examples, n_positions, len(self._topology.states)))
        one, position = np.nonzero(inside)
        counted = np.cumsum(self._weights[:, ::-1], axis=1)[:, ::-1]  # beginnings that hold a position
        states[one, position, self._states[one, position]] = counted[one, position]
        numbers = np.full((len(self._topology.states),) * 2, -1, dtype=np.int64)
        numbers[self._before, self._after] = np.arange(len(self._before))
        pairs = np.zeros((n_examples, n_positions, len(self._before)))
        one, position = np.nonzero(inside[:, 1:])
        taken = numbers[self._states[one, position], self._states[one, position + 1]]
        if (taken < 0).any():
            raise ConfigError("an example makes a move that its topology forbids")
        pairs[one, position + 1, taken] = counted[one, position + 1]
        return self._features(states, pairs)

    def _features(self, states: Cube, pairs: Cube) -> Vector:
        """Sums of all features, from the expected counts of states and transitions at each position."""
        seen = self.seen.gathered(states) @ self._groups.T
        between = self.between.gathered(pairs)
        return np.concatenate(
            [seen.ravel(), between.ravel(), pairs.sum(axis=(0, 1)), states[:, 0].sum(axis=0)]
        )


class _Observed:
    """The distinct observations of examples as one table, and which row occurs where."""

    def __init__(self, sequences: Sequence[Sequence[Seen]], options: ChainOptions) -> None:
        numbers: dict[Seen, int] = {(): 0}
        rows = [[numbers.setdefault(one, len(numbers)) for one in sequence] for sequence in sequences]
        spread = Counter(name for row in numbers for name in dict(row))
        self.names = tuple(sorted(name for name, n_rows in spread.items() if n_rows >= options.least_rows))
        self.table = _table(numbers, self.names)
        self.rows = _padded(rows)
        places = np.arange(self.rows.size)
        ones = np.ones(self.rows.size)
        self._where = sparse.csr_array(
            (ones, (self.rows.ravel(), places)), shape=(len(numbers), self.rows.size)
        )
        self._turned = sparse.csr_array(self.table.T)

    def gathered(self, cube: Cube) -> Table:
        """Sums over all positions of observation times value: one row per name."""
        if not self.names:
            return np.zeros((0, cube.shape[2]))
        return np.asarray(self._turned @ (self._where @ cube.reshape(-1, cube.shape[2])))


def _expectations(
    local: Cube, possible: Cube, moves: Cube, ends_here: Table, ends: tuple[Numbers, Numbers]
) -> tuple[Table, Cube, Cube]:
    """The log total weights of all prefixes, and the expected counts of states and transitions at each
    position.

    Forward-backward, with every position scaled to sum to one. `ends_here` holds the weight of each prefix;
    padding after the end of an example counts nothing.
    """
    before, after = ends
    highest = np.where(possible > 0, local, -np.inf).max(axis=2, keepdims=True)
    weights = np.exp(np.minimum(local - highest, 0.0)) * possible
    top = moves.max(axis=2, keepdims=True)
    factors = np.exp(moves - top)
    steps = _Steps(factors, before, after, local.shape[2])
    forward = np.zeros_like(weights)
    scales = np.ones_like(ends_here)
    for position in range(local.shape[1]):
        reached = weights[:, position]
        if position:
            reached = reached * steps.onward(forward[:, position - 1], position)
        scales[:, position] = np.maximum(reached.sum(axis=1), _LEAST)
        forward[:, position] = reached / scales[:, position, np.newaxis]
    log_totals = np.cumsum(np.log(scales) + highest[:, :, 0], axis=1)
    log_totals += np.cumsum(np.where(np.arange(local.shape[1]) > 0, top[:, :, 0], 0.0), axis=1)
    backward = np.repeat(ends_here[:, :, np.newaxis], local.shape[2], axis=2)
    pairs = np.zeros((*ends_here.shape, len(before)))
    for position in range(local.shape[1] - 1, 0, -1):
        coming = weights[:, position] * backward[:, position] / scales[:, position, np.newaxis]
        pairs[:, position] = forward[:, position - 1][:, before] * factors[:, position] * coming[:, after]
        backward[:, position - 1] += steps.back(coming, position)
    return log_totals, forward * backward, pairs


_LEAST = 1e-300
"""Lower bound of total weights: an example that is impossible by the weights must not cause a division by
zero."""


class _Steps:
    """Products with the transition matrices: one for all examples if nothing is observed between them."""

    def __init__(self, factors: Cube, before: Numbers, after: Numbers, n_states: int) -> None:
        self._shared = len(factors) == 1
        self._matrices = np.zeros((*factors.shape[:2], n_states, n_states))
        self._matrices[:, :, before, after] = factors

    def onward(self, chances: Table, position: int) -> Table:
        matrices = self._matrices[:, position]
        return np.asarray(
            chances @ matrices[0] if self._shared else np.einsum("ni,nij->nj", chances, matrices)
        )

    def back(self, coming: Table, position: int) -> Table:
        matrices = self._matrices[:, position]
        return np.asarray(
            coming @ matrices[0].T if self._shared else np.einsum("nij,nj->ni", matrices, coming)
        )


def _membership(topology: Topology) -> Table:
    """One row per group, the states themselves first; one where a state belongs to it."""
    n_states = len(topology.states)
    table = np.zeros((n_states + len(topology.groups), n_states))
    table[:n_states] = np.eye(n_states)
    for row, group in enumerate(topology.groups, n_states):
        table[row, list(group)] = 1.0
    return table


def _narrowed(example: ChainExample) -> ChainExample:
    """An example whose moments allow only the possible true states."""
    moments = zip(example.moments, example.among, strict=True)
    return replace(example, moments=tuple(replace(one, possible=among) for one, among in moments))


def _possible(examples: Sequence[ChainExample], topology: Topology, shape: tuple[int, int, int]) -> Cube:
    """One where a state is possible at a position of `shape`, padding included."""
    n_states = len(topology.states)
    cube = np.ones((len(examples), *shape[1:]))
    known: dict[tuple[int, ...], Vector] = {}
    for table, one in zip(cube, examples, strict=True):
        for row, moment in zip(table, one.moments, strict=False):
            if moment.possible not in known:
                known[moment.possible] = np.exp(mask_impossible([moment], n_states)[0])
            row *= known[moment.possible]
    first = np.zeros(n_states)
    first[list(topology.first)] = 1.0
    cube[:, 0] *= first
    return cube


def _weights(examples: Sequence[ChainExample]) -> Table:
    """The weight of each prefix of each example."""
    table = np.zeros((len(examples), max(len(one.moments) for one in examples)))
    for row, one in zip(table, examples, strict=True):
        row[: len(one.moments)] = one.weights or (*(0.0,) * (len(one.moments) - 1), 1.0)
    return table


def _numbers(values: Iterable[int]) -> Numbers:
    return np.fromiter(values, dtype=np.int64)


def _padded(rows: Sequence[Sequence[int]]) -> Whole:
    table = np.zeros((len(rows), max(len(row) for row in rows)), dtype=np.int64)
    for target, row in zip(table, rows, strict=True):
        target[: len(row)] = row
    return table


def _table(rows: Iterable[Seen], names: Sequence[str]) -> Counts:
    columns = {name: column for column, name in enumerate(names)}
    cells: list[int] = []
    values: list[float] = []
    ends = [0]
    for row in rows:
        known = [(columns[name], value) for name, value in row if name in columns]
        cells.extend(column for column, _ in known)
        values.extend(value for _, value in known)
        ends.append(len(cells))
    return sparse.csr_array((values, cells, ends), shape=(len(ends) - 1, len(names)), dtype=np.float64)
