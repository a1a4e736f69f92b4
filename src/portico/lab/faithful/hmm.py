"""Hidden Markov models with discrete symbols: the best path, the likelihood, and Baum-Welch training."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, isfinite
from typing import TypeAlias

import numpy as np
from scipy import sparse

from portico.learn.counts import Table, Vector, normalize_rows

Symbols: TypeAlias = Sequence[int]
"""One observed sequence, as the numbers of its symbols."""
Numbers: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int64]]"

# Number of sequences processed together. Enough for numpy to work on long rows, few enough for the scores of
# all their positions to fit in memory: 64 headers of 1,000 words in 805 states are 400 MB.
BATCH_SIZE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Hmm:
    """Probabilities of the first state, of transitions, of stopping, and of the symbols that a state emits.

    States may share a distribution: state `s` emits by row `rows[s]` of `emissions`.
    """

    start: Vector
    transitions: Table
    end: Vector
    emissions: Table
    rows: Numbers

    @property
    def n_states(self) -> int:
        return len(self.start)

    def decode(self, sequences: Sequence[Symbols]) -> list[tuple[int, ...]]:
        """The most probable path of states for each sequence (Viterbi).

        If no path can emit the whole sequence, each symbol gets the state that emits it with the highest
        probability.
        """
        network = _network(self)
        paths: list[tuple[int, ...]] = [()] * len(sequences)
        for batch in _batches(sequences):
            for place, path in zip(batch.places, _best_paths(self, network, batch), strict=True):
                paths[place] = path
        return paths

    def log_likelihoods(self, sequences: Sequence[Symbols]) -> list[float]:
        """For each sequence, the log probability that the model emits it, summed over all paths."""
        found = [0.0] * len(sequences)  # empty sequences stay at 0
        for batch in _batches(sequences):
            for place, value in zip(batch.places, _forward(self, batch).log_likelihood.tolist(), strict=True):
                found[place] = value
        return found


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedCounts:
    """Expected numbers of starts, transitions, ends and emissions, given the sequences and a model."""

    start: Vector
    transitions: Table
    end: Vector
    emissions: Table  # one row per state
    log_likelihood: float


def compute_perplexity(model: Hmm, sequences: Sequence[Symbols]) -> float:
    """How many equally likely symbols the model chooses from at each position, on average.

    Sequences that the model cannot emit at all are ignored.
    """
    pairs = list(zip(model.log_likelihoods(sequences), map(len, sequences), strict=True))
    n_symbols = sum(length for value, length in pairs if isfinite(value))
    total = sum(value for value, _ in pairs if isfinite(value))
    return exp(-total / n_symbols) if n_symbols else 1.0


def count_expected(model: Hmm, sequences: Sequence[Symbols]) -> ExpectedCounts:
    """Expected counts (forward-backward); sequences that the model cannot emit are ignored."""
    n_states, n_symbols = model.n_states, model.emissions.shape[1]
    start, end = np.zeros(n_states), np.zeros(n_states)
    transitions = np.zeros((n_states, n_states))
    emissions = np.zeros((n_states, n_symbols))
    log_likelihood = 0.0
    for batch in _batches(sequences):
        forward = _forward(model, batch)
        possible = np.isfinite(forward.log_likelihood)
        log_likelihood += float(forward.log_likelihood[possible].sum())
        betas = _backward(model, batch, forward)
        seen: list[Table] = []
        for t, (alpha, beta) in enumerate(zip(forward.alphas, betas, strict=True)):
            n_here = alpha.shape[1]
            gamma = np.where(possible[:n_here], alpha * beta, 0.0)
            seen.append(gamma)
            last = batch.lengths[:n_here] == t + 1
            end += gamma[:, last].sum(axis=1)
            if t == 0:
                start += gamma.sum(axis=1)
            if t + 1 < len(forward.alphas):
                n_next = forward.alphas[t + 1].shape[1]
                onward = _emitted(model, batch.symbols[t + 1, :n_next]) * betas[t + 1]
                onward = np.where(possible[:n_next], onward / forward.scales[t + 1], 0.0)
                transitions += model.transitions * (alpha[:, :n_next] @ onward.T)
        emissions += _symbol_counts(batch, seen, n_symbols)
    return ExpectedCounts(start, transitions, end, emissions, log_likelihood)


def maximize_likelihood(expected: ExpectedCounts, model: Hmm) -> Hmm:
    """The model under which the expected counts are most probable; states never visited keep their
    probabilities.
    """
    leaving = np.column_stack([expected.transitions, expected.end])
    visited = leaving.sum(axis=1) > 0
    before = np.column_stack([model.transitions, model.end])
    leaving = np.where(visited[:, np.newaxis], normalize_rows(leaving), before)
    emitting = expected.emissions.sum(axis=1) > 0
    emissions = np.where(
        emitting[:, np.newaxis], normalize_rows(expected.emissions), model.emissions[model.rows]
    )
    total = expected.start.sum()
    return Hmm(
        start=expected.start / total if total else model.start,
        transitions=leaving[:, :-1],
        end=leaving[:, -1],
        emissions=emissions,
        rows=np.arange(model.n_states),
    )


def train_baum_welch(
    model: Hmm, sequences: Sequence[Symbols], *, max_rounds: int, tolerance: float = 1e-3
) -> tuple[Hmm, list[float]]:
    """Fit the model to unlabeled sequences; also returns the log likelihood of the model before each round.

    Stops when a round raises the log likelihood by less than `tolerance` of its size.
    """
    likelihoods: list[float] = []
    for _ in range(max_rounds):
        expected = count_expected(model, sequences)
        likelihoods.append(expected.log_likelihood)
        if len(likelihoods) > 1 and likelihoods[-1] - likelihoods[-2] < tolerance * abs(likelihoods[-2]):
            break
        model = maximize_likelihood(expected, model)
    return model, likelihoods


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Sequences to process together, the longest first, so that unfinished ones always form a prefix."""

    places: list[int]
    lengths: Numbers
    symbols: "np.ndarray[tuple[int, int], np.dtype[np.int64]]"  # position by sequence; 0 after the end

    def running(self, t: int) -> int:
        return int(np.count_nonzero(self.lengths > t))


def _batches(sequences: Sequence[Symbols]) -> Iterator[_Batch]:
    ordered = sorted((idx for idx, one in enumerate(sequences) if len(one)), key=lambda i: -len(sequences[i]))
    for first in range(0, len(ordered), BATCH_SIZE):
        places = ordered[first : first + BATCH_SIZE]
        lengths = np.array([len(sequences[idx]) for idx in places], dtype=np.int64)
        symbols = np.zeros((int(lengths[0]), len(places)), dtype=np.int64)
        for column, idx in enumerate(places):
            symbols[: lengths[column], column] = sequences[idx]
        yield _Batch(places, lengths, symbols)


def _emitted(model: Hmm, symbols: Numbers) -> Table:
    """The probability of each symbol (columns) in each state (rows)."""
    return np.asarray(model.emissions[:, symbols][model.rows])


@dataclass(frozen=True, slots=True, eq=False)
class _Network:
    """A model in log space, with its possible transitions sorted by target."""

    start: Vector
    end: Vector
    emissions: Table
    sources: Numbers
    costs: Table  # one column, log probabilities of the transitions
    heads: Numbers  # where in `sources` each reached state begins
    reached: Numbers  # the states that some transition leads to
    before: "np.ndarray[tuple[int, int], np.dtype[np.int64]]"  # the possible predecessors of each state
    before_costs: Table


def _network(model: Hmm) -> _Network:
    with np.errstate(divide="ignore"):
        costs = np.log(model.transitions)
        start, end, emissions = np.log(model.start), np.log(model.end), np.log(model.emissions)
    targets, sources = np.nonzero(model.transitions.T)
    reached, heads = np.unique(targets, return_index=True)
    n_before = np.diff(np.append(heads, len(targets)))
    width = int(n_before.max()) if len(n_before) else 1
    before = np.zeros((model.n_states, width), dtype=np.int64)
    before_costs = np.full((model.n_states, width), -np.inf)
    column = np.arange(len(targets)) - np.repeat(heads, n_before)
    before[targets, column] = sources
    before_costs[targets, column] = costs[sources, targets]
    return _Network(
        start,
        end,
        emissions,
        sources,
        costs[sources, targets][:, np.newaxis],
        heads,
        reached,
        before,
        before_costs,
    )


def _best_paths(model: Hmm, network: _Network, batch: _Batch) -> Iterable[tuple[int, ...]]:
    scores = _scores(model, network, batch)
    n_steps = len(scores)
    paths = np.zeros(batch.symbols.shape, dtype=np.int64)
    possible = np.ones(len(batch.places), dtype=bool)
    state = np.zeros(0, dtype=np.int64)
    for t in range(n_steps - 1, -1, -1):
        n_here, n_later = scores[t].shape[1], len(state)
        came = network.before[state]
        choices = scores[t][came, np.arange(n_later)[:, np.newaxis]] + network.before_costs[state]
        chosen = choices.argmax(axis=1) if n_later else state
        earlier = came[np.arange(n_later), chosen]
        stopping = scores[t][:, n_later:n_here] + network.end[:, np.newaxis]
        possible[n_later:n_here] = stopping.max(axis=0) > -np.inf
        state = np.concatenate([earlier, stopping.argmax(axis=0)])
        paths[t, :n_here] = state
    for column, length in enumerate(batch.lengths.tolist()):
        if possible[column]:
            yield tuple(paths[:length, column].tolist())
        else:
            liked = network.emissions[:, batch.symbols[:length, column]][model.rows]
            yield tuple(liked.argmax(axis=0).tolist())


def _scores(model: Hmm, network: _Network, batch: _Batch) -> list[Table]:
    """For each position, the log probability of the best path to each state (rows) of each unfinished
    sequence.
    """
    scores: list[Table] = []
    for t in range(len(batch.symbols)):
        n_here = batch.running(t)
        emitted = network.emissions[:, batch.symbols[t, :n_here]][model.rows]
        if t == 0:
            scores.append(network.start[:, np.newaxis] + emitted)
            continue
        best = np.full((model.n_states, n_here), -np.inf)
        if len(network.heads):
            through = scores[-1][network.sources, :n_here] + network.costs
            best[network.reached] = np.maximum.reduceat(through, network.heads, axis=0)
        scores.append(best + emitted)
    return scores


@dataclass(frozen=True, slots=True, eq=False)
class _Forward:
    """Forward probabilities, scaled to sum to one at each position; the product of the scales is the
    likelihood.
    """

    alphas: list[Table]
    scales: list[Vector]
    stops: Vector  # the probability of stopping after the last symbol
    log_likelihood: Vector


def _forward(model: Hmm, batch: _Batch) -> _Forward:
    alphas: list[Table] = []
    scales: list[Vector] = []
    n_sequences = len(batch.places)
    log_likelihood = np.zeros(n_sequences)
    stops = np.zeros(n_sequences)
    for t in range(len(batch.symbols)):
        n_here = batch.running(t)
        arriving = (
            model.transitions.T @ alphas[-1][:, :n_here]
            if alphas
            else np.repeat(model.start[:, np.newaxis], n_here, axis=1)
        )
        alpha = arriving * _emitted(model, batch.symbols[t, :n_here])
        scale = alpha.sum(axis=0)
        alpha = np.divide(alpha, scale, out=np.zeros_like(alpha), where=scale > 0)
        with np.errstate(divide="ignore"):
            log_likelihood[:n_here] += np.log(scale)
        alphas.append(alpha)
        scales.append(np.where(scale > 0, scale, 1.0))
        last = np.flatnonzero(batch.lengths[:n_here] == t + 1)
        stops[last] = model.end @ alpha[:, last]
    with np.errstate(divide="ignore"):
        log_likelihood += np.log(stops)
    return _Forward(alphas, scales, stops, log_likelihood)


def _backward(model: Hmm, batch: _Batch, forward: _Forward) -> list[Table]:
    betas: list[Table] = []
    stops = np.where(forward.stops > 0, forward.stops, 1.0)
    for t in range(len(forward.alphas) - 1, -1, -1):
        n_here = forward.alphas[t].shape[1]
        beta = model.end[:, np.newaxis] / stops[:n_here]
        if betas:
            n_next = betas[-1].shape[1]
            emitted = _emitted(model, batch.symbols[t + 1, :n_next])
            beta[:, :n_next] = model.transitions @ (emitted * betas[-1] / forward.scales[t + 1])
        betas.append(beta)
    return betas[::-1]


def _symbol_counts(batch: _Batch, gammas: list[Table], n_symbols: int) -> Table:
    columns = np.concatenate([batch.symbols[t, : gamma.shape[1]] for t, gamma in enumerate(gammas)])
    visits = np.concatenate(gammas, axis=1)
    places = sparse.csr_array(
        (np.ones(len(columns)), (np.arange(len(columns)), columns)), shape=(len(columns), n_symbols)
    )
    return np.asarray(visits @ places)
