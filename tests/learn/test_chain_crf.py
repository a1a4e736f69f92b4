"""Chains: the likelihood and its gradient against brute force, labels, steps, rewards, files."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest

from portico.errors import ConfigError
from portico.learn.chain_crf import (
    UNMET,
    ChainCrf,
    Moment,
    Seen,
    Topology,
    compute_printed_rewards,
    compute_state_rewards,
    from_bytes,
)
from portico.learn.chain_training import ChainExample, ChainLikelihood, ChainOptions, train_chain

N_STATES = 4
MOVES = tuple((one, other) for one in range(N_STATES) for other in range(N_STATES) if (one, other) != (1, 0))
TOPOLOGY = Topology(("a", "b", "c", "goal"), (0, 1), MOVES, groups=((0, 1), (2, 3)))


def seen(chance: random.Random) -> Seen:
    return tuple((f"word {chance.randrange(5)} {idx}", chance.random()) for idx in range(3))


def example(chance: random.Random, n_moments: int, *, between: bool) -> ChainExample:
    allowed = set(MOVES)
    ways = [
        states
        for states in itertools.product(range(N_STATES), repeat=n_moments)
        if states[0] in TOPOLOGY.first and allowed.issuperset(itertools.pairwise(states))
    ]
    states = chance.choice(ways)
    moments = tuple(
        Moment(
            seen(chance),
            seen(chance) if between and position else (),
            tuple(sorted({state, 0, 3})) if position == 2 else (),
        )
        for position, state in enumerate(states)
    )
    return ChainExample(moments, states, tuple(chance.random() for _ in states) if n_moments > 2 else ())


def examples(*, between: bool) -> list[ChainExample]:
    """Some whose states are known, and the third again, of which only is known what it may be."""
    chance = random.Random(1)
    made = [example(chance, n_moments, between=between) for n_moments in (1, 3, 4, 2, 5)]
    among = tuple(tuple(sorted({state, 2, 3} - {3 * (idx == 0)})) for idx, state in enumerate(made[2].states))
    return [*made, replace(made[2], among=among)]


def right(one: ChainExample, length: int) -> list[tuple[int, ...]]:
    """All labelings of a beginning that are right."""
    choices = one.among or tuple((state,) for state in one.states)
    return [*itertools.product(*choices[:length])]


def score(model: ChainCrf, moments: tuple[Moment, ...], states: tuple[int, ...]) -> float:
    """The log weight of one labeling, added up by hand."""
    local, moves = model.potentials(moments)
    if states[0] not in model.topology.first:
        return -math.inf
    total = local[0][states[0]] + model.weights.first[states[0]]
    for position, (before, after) in enumerate(itertools.pairwise(states), start=1):
        total += moves[position][before, after] + local[position][after]
    return float(total)


def random_model(problem: ChainLikelihood) -> tuple[ChainCrf, "np.ndarray[tuple[int], np.dtype[np.float64]]"]:
    vector = np.random.default_rng(0).normal(size=problem.n_weights)
    return ChainCrf(TOPOLOGY, problem.seen.names, problem.between.names, problem.weights(vector)), vector


@pytest.mark.parametrize("between", [False, True])
def test_the_loss_is_that_of_all_labelings_of_all_beginnings_added_up(between: bool) -> None:
    problem = ChainLikelihood(examples(between=between), TOPOLOGY, ChainOptions(variance=2.0))
    model, vector = random_model(problem)
    likelihood = 0.0
    for one in examples(between=between):
        for length, weight in enumerate(one.weights or [0.0] * (len(one.states) - 1) + [1.0], start=1):
            every = itertools.product(range(N_STATES), repeat=length)
            total = np.logaddexp.reduce([score(model, one.moments[:length], states) for states in every])
            true = [score(model, one.moments[:length], states) for states in right(one, length)]
            likelihood += weight * (np.logaddexp.reduce(true) - total)
    assert problem.loss(vector)[0] == pytest.approx(-likelihood + 0.25 * vector @ vector)


@pytest.mark.parametrize("between", [False, True])
def test_the_gradient_is_that_of_finite_differences(between: bool) -> None:
    problem = ChainLikelihood(examples(between=between), TOPOLOGY, ChainOptions(variance=2.0))
    _, vector = random_model(problem)
    _, gradient = problem.loss(vector)
    for idx in range(problem.n_weights):
        step = np.zeros_like(vector)
        step[idx] = 1e-5
        slope = (problem.loss(vector + step)[0] - problem.loss(vector - step)[0]) / 2e-5
        assert gradient[idx] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("between", [False, True])
def test_labels_are_the_best_of_all_labelings(between: bool) -> None:
    model, _ = random_model(ChainLikelihood(examples(between=between), TOPOLOGY, ChainOptions()))
    for one in examples(between=between):
        every = itertools.product(range(N_STATES), repeat=len(one.moments))
        scores = {states: score(model, one.moments, states) for states in every}
        assert scores[tuple(model.label(one.moments))] == pytest.approx(max(scores.values()))


def test_chances_step_by_step_are_those_of_all_labelings_of_the_prefix() -> None:
    model, _ = random_model(ChainLikelihood(examples(between=True), TOPOLOGY, ChainOptions()))
    moments = examples(between=True)[-1].moments
    chances = model.begin(moments[0])
    for moment in moments[1:]:
        chances = model.onward(chances, [moment])[0]
    totals = [-math.inf] * N_STATES
    for states in itertools.product(range(N_STATES), repeat=len(moments)):
        totals[states[-1]] = float(np.logaddexp(totals[states[-1]], score(model, moments, states)))
    expected = np.exp(np.array(totals) - np.logaddexp.reduce(totals))
    assert chances == pytest.approx(expected.tolist())


def test_a_position_seen_later_gets_the_same_chances() -> None:
    model, _ = random_model(ChainLikelihood(examples(between=True), TOPOLOGY, ChainOptions()))
    first, second = examples(between=True)[1].moments[:2]
    at_once = model.onward(model.begin(first), [second])[0]
    expected = model.onward(model.begin(first), [Moment(between=second.between)])[0]
    assert model.arrived(expected, Moment(second.seen)) == pytest.approx(at_once)


GOAL, DISCOUNT = 3, 0.7


def test_rewards_are_discounted_chances_where_sequences_are() -> None:
    model, _ = random_model(ChainLikelihood(examples(between=False), TOPOLOGY, ChainOptions()))
    moments = examples(between=False)[2].moments
    met, reward = [UNMET] * N_STATES, [0.0] * N_STATES
    every = itertools.product(range(N_STATES), repeat=len(moments))
    weights = {states: math.exp(score(model, moments, states)) for states in every}
    total = sum(weights.values())
    for states, weight in weights.items():
        for position, state in enumerate(states):
            met[state] += weight / total
            if states[-1] == GOAL:
                reward[state] += DISCOUNT ** (len(states) - 1 - position) * weight / total
    expected = [one / other for one, other in zip(reward, met, strict=True)]
    assert compute_state_rewards(model, [moments], GOAL, discount=DISCOUNT) == pytest.approx(expected)


def test_printed_rewards_are_the_weights_of_all_ways_to_the_goal() -> None:
    model, _ = random_model(ChainLikelihood(examples(between=False), TOPOLOGY, ChainOptions()))
    moments = examples(between=False)[2].moments
    last, expected = len(moments) - 1, [0.0] * N_STATES
    for position, state in itertools.product(range(len(moments)), range(N_STATES)):
        ways = itertools.product([state], *[range(N_STATES)] * (last - position))
        weight = sum(_tail(model, moments, position, states) for states in ways if states[-1] == GOAL)
        expected[state] += DISCOUNT ** (last - position) * weight
    scale = sum(DISCOUNT**step for step in range(len(moments)))
    found = compute_printed_rewards(model, [moments], GOAL, discount=DISCOUNT)
    assert found == pytest.approx([one / scale for one in expected])


def _tail(model: ChainCrf, moments: tuple[Moment, ...], position: int, states: tuple[int, ...]) -> float:
    local, moves = model.potentials(moments)
    total = 0.0
    for step, (before, after) in enumerate(itertools.pairwise(states), start=position + 1):
        total += moves[step][before, after] + local[step][after]
    return math.exp(total)


def test_states_of_a_group_learn_from_each_other() -> None:
    def taught(groups: tuple[tuple[int, ...], ...]) -> float:
        topology = Topology(("near", "far", "other"), (0, 1, 2), ((0, 1),), groups)
        lessons = [
            ChainExample((Moment((("paper", 1.0),)),), (0,)),
            ChainExample((Moment((("hiking", 1.0),)),), (2,)),
            ChainExample((Moment((("walk", 1.0),)),), (1,)),
        ]
        return train_chain(lessons, topology).begin(Moment((("paper", 1.0),)))[1]

    assert taught(((0, 1),)) > taught(())


def test_a_saved_model_says_the_same_and_a_damaged_one_is_named() -> None:
    model = train_chain(examples(between=True), TOPOLOGY)
    body = model.to_bytes({"note": "x"})
    again, extra = from_bytes(body)
    moments = examples(between=True)[-1].moments
    assert extra == {"note": "x"}
    assert again.label(moments) == model.label(moments)
    assert again.begin(moments[0]) == pytest.approx(model.begin(moments[0]), rel=1e-4)
    with pytest.raises(ConfigError, match="damaged"):
        from_bytes(body[:100])


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(ConfigError, match="no path"):
        train_chain([], TOPOLOGY)
