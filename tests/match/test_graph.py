"""Counts and scores of the citation graph."""

import pytest

from portico.match.graph import compute_ranks, rank_within
from portico.types.record import EntityId

A, B, C, D = (EntityId(name) for name in "abcd")
CITATIONS = [(A, C), (B, C), (A, C), (C, C), (A, D), (D, B)]


def test_a_paper_is_counted_once_for_each_that_cites_it() -> None:
    found = dict(zip("abcd", compute_ranks([A, B, C, D], CITATIONS), strict=True))
    assert {name: found[name][0] for name in found} == {A: 0, B: 1, C: 2, D: 1}
    assert found[C][1] == max(authority for _, authority, _, _ in found.values())
    assert found[A][2] == max(hub for _, _, hub, _ in found.values())
    assert sum(visits for _, _, _, visits in found.values()) == pytest.approx(4, abs=0.1), "1 on average"


def test_within_a_topic_only_its_own_papers_count() -> None:
    found = rank_within([C, B, A, B], CITATIONS)
    assert {name: found[name][0] for name in found} == {A: 0, B: 0, C: 2}
    assert found[C][1] == 3, "all the authority there is, three times the average"
    assert found[A][2] == found[B][2] == 1.5


def test_no_citations() -> None:
    assert compute_ranks([A, B], []) == [(0, 0.0, 0.0, 1.0), (0, 0.0, 0.0, 1.0)]
    assert rank_within([], CITATIONS) == {}
