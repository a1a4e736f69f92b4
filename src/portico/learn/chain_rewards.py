"""What the states of a chain are worth: how surely, and how soon, sequences go on from them to a goal."""

from collections.abc import Sequence

import numpy as np

from portico.learn.chain_crf import ChainCrf, Moment
from portico.learn.counts import Table, Vector

_LARGEST = 700.0  # log weight beyond which the exponential function overflows


def state_rewards(
    model: ChainCrf,
    sequences: Sequence[Sequence[Moment]],
    goal: int,
    *,
    discount: float,
    as_printed: bool = False,
) -> list[float]:
    """The mean over sequences of each state's rewards at all positions, the nearer to its end the more.

    The reward of a state at a position is the chance that the sequence, being in that state there, ends in
    the goal. `as_printed` leaves the chance without its denominator: sums of products of weights, as the
    literature prints them, which the longest and most sharply weighted sequences rule.
    """
    total = np.zeros(len(model.topology.states))
    for moments in sequences:
        rewards = _positions(model, moments, goal, as_printed=as_printed)
        weights = discount ** np.arange(len(moments) - 1, -1, -1.0)
        total += weights @ rewards / weights.sum()
    return [float(one) for one in total / max(1, len(sequences))]


def _positions(model: ChainCrf, moments: Sequence[Moment], goal: int, *, as_printed: bool) -> Table:
    """The reward of each state at each position."""
    local, moves = model.potentials(moments)
    n_states = len(model.topology.states)
    to_goal = np.zeros((len(moments), n_states))
    to_goal[-1, goal] = 1.0
    log_any = np.zeros(n_states)
    for position in range(len(moments) - 2, -1, -1):
        ways = moves[position + 1] + local[position + 1]
        if as_printed:
            to_goal[position] = np.exp(np.minimum(ways, _LARGEST)) @ to_goal[position + 1]
            continue
        onward = ways + log_any
        log_any = _log_sum(onward)
        with np.errstate(invalid="ignore"):
            chances = np.exp(onward - log_any[:, np.newaxis])
        to_goal[position] = np.where(
            np.isfinite(log_any), np.nan_to_num(chances) @ to_goal[position + 1], 0.0
        )
    return to_goal


def _log_sum(table: Table) -> Vector:
    """The logarithm of the sum of the exponentials of each row."""
    highest = table.max(axis=1)
    safe = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(table - safe[:, np.newaxis]).sum(axis=1)) + safe)
