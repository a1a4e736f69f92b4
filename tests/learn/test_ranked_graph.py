"""A graph ranked again after a change ranks as if it had always been so."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.learn.ranked_graph import rank_again, rank_graph, unpack_graph
from tests.learn.node_scores import hubs_and_authorities, pagerank

DIGITS = 2
NAMES = st.sampled_from("abcdefghij")
GRAPHS = st.tuples(
    st.sets(NAMES, min_size=1).map(sorted), st.lists(st.tuples(NAMES, NAMES), max_size=25)
).map(lambda drawn: (drawn[0], [(a, b) for a, b in drawn[1] if a in drawn[0] and b in drawn[0]]))


@settings(max_examples=200)
@given(GRAPHS, GRAPHS)
def test_after_a_change_it_is_the_graph_of_what_there_is_now(
    before: tuple[list[str], list[tuple[str, str]]], after: tuple[list[str], list[tuple[str, str]]]
) -> None:
    old = unpack_graph(rank_graph(*before, digits=DIGITS).packed())
    names, edges = after
    lost_or_new = {*before[1]} ^ {*edges}
    touched = {*before[0]} ^ {*names} | {end for edge in lost_or_new for end in edge}
    come = touched & {*names}
    there = [edge for edge in edges if come.intersection(edge)]
    found, changed = rank_again(old, touched, come, there, digits=DIGITS)
    whole = rank_graph(names, edges, digits=DIGITS)
    assert found.packed() == whole.packed()
    ranks = dict(zip(names, whole.ranks(), strict=True))
    former = dict(zip(old.names, rank_graph(*before, digits=DIGITS).ranks(), strict=True))
    assert {**former, **changed}.items() >= ranks.items()
    assert {name for name in changed if name not in come and former[name] == ranks[name]} == set()


def test_scores_are_those_of_the_methods_to_their_leading_digits() -> None:
    edges = [("a", "c"), ("b", "c"), ("b", "d"), ("a", "c"), ("c", "c"), ("e", "d")]
    simple = [(0, 2), (1, 2), (1, 3), (4, 3)]
    hubs, authorities = hubs_and_authorities(simple, 5)
    ranks = rank_graph("abcde", edges, digits=4).ranks()
    assert [rank[0] for rank in ranks] == [0, 0, 2, 2, 0]
    for kind, shares in ((1, authorities), (2, hubs), (3, pagerank(simple, 5))):
        exact = [5 * share for share in shares]
        assert [rank[kind] for rank in ranks] == pytest.approx(exact, rel=5e-4)
        assert [rank[kind] for rank in ranks] == [float(f"{score:.3e}") for score in exact]


@pytest.mark.parametrize("names", ["", "a"])
def test_graphs_without_edges(names: str) -> None:
    graph = unpack_graph(rank_graph(names, [], digits=DIGITS).packed())
    assert graph.names == [*names]
    assert [rank[:3] for rank in graph.ranks()] == [(0, 0.0, 0.0)] * len(names)


@pytest.mark.parametrize("damaged", [b"", b"1 1\n", b"2 0\na\nb\n", b"what\n"])
def test_other_bytes_are_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpack_graph(damaged)
