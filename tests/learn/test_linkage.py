"""Fellegi-Sunter weights by EM, and groups by average link."""

import math
import random

import numpy as np
import pytest

from portico.learn.linkage import Linkage, count_patterns, fit_linkage, group_by_average_link


def model(share: float, same: tuple[float, ...], other: tuple[float, ...]) -> Linkage:
    """Three fields a, b and c, each the same with these chances."""
    tables = [
        {f"{name}:{level}": p if level == "same" else 1 - p for name, p in zip("abc", chances, strict=True)
         for level in ("same", "other")}
        for chances in (same, other)
    ]  # fmt: skip
    return Linkage(share, *tables)


TRUE = model(0.3, (0.9, 0.8, 0.95), (0.1, 0.2, 0.3))
GUESS = model(0.5, (0.7, 0.7, 0.7), (0.3, 0.3, 0.3))


def test_em_finds_the_chances_that_made_unlabelled_pairs() -> None:
    chance = random.Random(0)
    pairs = []
    for _ in range(40_000):
        table = TRUE.same if chance.random() < TRUE.share else TRUE.other
        pairs.append(
            tuple(f"{x}:same" if chance.random() < table[f"{x}:same"] else f"{x}:other" for x in "abc")
        )
    found = fit_linkage(count_patterns([pair] for pair in pairs), GUESS, strength=1)
    assert found.share == pytest.approx(TRUE.share, abs=0.03)
    assert found.same == pytest.approx(TRUE.same, abs=0.04)
    assert found.other == pytest.approx(TRUE.other, abs=0.04)


def test_without_pairs_the_first_guess_stays() -> None:
    found = fit_linkage({}, GUESS, strength=10)
    assert found.same == pytest.approx(GUESS.same)
    assert found.weights()["a:same"] == pytest.approx(math.log(0.7 / 0.3))


def test_a_large_group_teaches_no_more_than_a_small_one() -> None:
    counts = count_patterns([[("a:same",)] * 100, [("a:other",)]])
    assert counts == pytest.approx({("a:same",): 1.0, ("a:other",): 1.0})


@pytest.mark.parametrize(
    ("scores", "sizes", "groups"),
    [
        ([], [], []),
        ([[0.0]], [1], [0]),
        ([[0, 4, -1], [4, 0, 2], [-1, 2, 0]], [1, 1, 1], [0, 0, 0]),
        ([[0, 4, -5], [4, 0, 2], [-5, 2, 0]], [1, 1, 1], [0, 0, 1]),  # a chain whose ends disagree
        ([[0, 4, -5], [4, 0, 2], [-5, 2, 0]], [1, 9, 1], [0, 0, 0]),  # most of its members agree
    ],
)
def test_average_link(scores: list[list[float]], sizes: list[int], groups: list[int]) -> None:
    assert group_by_average_link(np.array(scores), sizes) == groups
