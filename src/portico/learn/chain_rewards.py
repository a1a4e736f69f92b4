"""What the states of a chain are worth: how surely, and how soon, sequences go on from them to a goal."""

from collections.abc import Sequence

import numpy as np

from portico.learn.chain_crf import ChainCrf, Cube, Moment
from portico.learn.counts import Table, Vector

_LARGEST = 700.0  # log weight beyond which the exponential function overflows

UNMET = 0.1
"""Times every state is taken to have been met and to have led nowhere: one never met is worth nothing."""


def compute_printed_rewards(
    model: ChainCrf, sequences: Sequence[Sequence[Moment]], goal: int, *, discount: float
) -> list[float]:
    """Equations 3 to 5 of the literature (docs/paths.md), to the letter.

    The reward of a state at a position is the total weight of all ways from there to an end in the goal; the
    mean over positions counts the nearer to the end the more, and that over sequences counts all alike.
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
    """The discounted reward to be expected of a sequence that is in a state.

    The same backward recursion, but of chances: the reward of a state at a position is the chance that the
    sequence ends in the goal if it is in that state there, discounted for each position that is left; the
    mean counts a position as far as the sequence is in the state. So a state that many sequences to the
    goal pass is told from one that they could pass but never do.
    """
    met = np.full(len(model.topology.states), UNMET)
    total = np.zeros_like(met)
    for moments in sequences:
        local, moves = model.potentials(moments)
        chances = _chances(model, local, moves)
        onward = discount ** np.arange(len(moments) - 1, -1, -1.0)
        total += onward @ (chances * _to_goal(local, moves, goal))
        met += chances.sum(axis=0)
    return [float(one) for one in total / met]


def _chances(model: ChainCrf, local: Table, moves: Cube) -> Table:
    """The chance of each state at each position, all of the sequence being seen."""
    forward, backward = np.zeros_like(local), np.zeros_like(local)
    forward[0] = local[0] + model.beginning
    for position in range(1, len(local)):
        forward[position] = _log_sum((forward[position - 1][:, np.newaxis] + moves[position]).T)
        forward[position] += local[position]
    for position in range(len(local) - 2, -1, -1):
        backward[position] = _log_sum(moves[position + 1] + local[position + 1] + backward[position + 1])
    weights = forward + backward
    chances = np.exp(weights - weights.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _to_goal(local: Table, moves: Cube, goal: int) -> Table:
    """The chance to end in the goal from each state at each position."""
    chances = np.zeros_like(local)
    chances[-1, goal] = 1.0
    log_any = np.zeros(local.shape[1])
    for position in range(len(local) - 2, -1, -1):
        ways = moves[position + 1] + local[position + 1] + log_any
        log_any = _log_sum(ways)
        possible = np.isfinite(log_any)
        shares = np.exp(ways[possible] - log_any[possible, np.newaxis])
        chances[position, possible] = shares @ chances[position + 1]
    return chances


def _log_sum(table: Table) -> Vector:
    """The logarithm of the sum of the exponentials of each row."""
    highest = table.max(axis=1)
    safe = np.where(np.isfinite(highest), highest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(table - safe[:, np.newaxis]).sum(axis=1)) + safe)
