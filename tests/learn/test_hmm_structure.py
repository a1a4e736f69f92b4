"""States merge, what was counted stays."""

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.learn.hmm_merging import bayesian_merged, log_posterior
from portico.learn.hmm_structure import (
    END,
    START,
    Structure,
    maximally_specific,
    merged,
    neighbor_merged,
    one_state_per_label,
    self_only,
    smoothed,
    uniform,
    v_merged,
)

sequences = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), min_size=1, max_size=8)


def names(structure: Structure) -> dict[tuple[str, str], float]:
    label = dict(enumerate(structure.labels)) | {START: "<", END: ">"}
    return {(label[one], label[other]): n for (one, other), n in structure.counts.items()}


def test_neighbors_become_one_state_with_a_loop() -> None:
    structure = neighbor_merged(maximally_specific([["title", "title", "title", "author"]]))
    assert structure.labels == ("title", "author")
    assert names(structure) == {
        ("<", "title"): 1, ("title", "title"): 2, ("title", "author"): 1, ("author", ">"): 1,
    }  # fmt: skip


def test_v_merging_joins_children_then_parents() -> None:
    headers = [["title", "author", "note"], ["title", "date", "note"], ["date", "title"]]
    structure = v_merged(neighbor_merged(maximally_specific(headers)))
    # One title after the start; both notes lead to the end. The second date follows the start, not a title,
    # and its title ends a header, so both stay.
    assert sorted(structure.labels) == ["author", "date", "date", "note", "title", "title"]
    assert names(structure)["<", "title"] == 2
    assert names(structure)["note", ">"] == 2


@given(sequences)
def test_merging_keeps_what_was_counted(headers: list[list[str]]) -> None:
    n_steps = sum(len(labels) + 1 for labels in headers)
    specific = maximally_specific(headers)
    near = neighbor_merged(specific)
    folded = v_merged(near)
    for structure in (specific, near, folded, bayesian_merged(folded), one_state_per_label(headers)):
        assert sum(structure.counts.values()) == n_steps
        assert sum(n for (one, _), n in structure.counts.items() if one == START) == len(headers)
        assert sum(n for (_, other), n in structure.counts.items() if other == END) == len(headers)


@given(sequences)
def test_after_v_merging_no_two_parents_with_one_label_share_a_child(headers: list[list[str]]) -> None:
    structure = v_merged(neighbor_merged(maximally_specific(headers)))
    parents = [(other, structure.labels[one]) for one, other in structure.counts if one >= 0]
    assert len(parents) == len(set(parents))


@settings(max_examples=50)
@given(sequences)
def test_bayesian_merging_only_ever_gains(headers: list[list[str]]) -> None:
    before = neighbor_merged(maximally_specific(headers))
    after = bayesian_merged(before)
    assert log_posterior(after) >= log_posterior(before) - 1e-9
    for one in range(len(after.labels)):
        for other in range(one + 1, len(after.labels)):
            if after.labels[one] == after.labels[other]:
                groups = [one if state == other else state for state in range(len(after.labels))]
                assert log_posterior(merged(after, groups)) <= log_posterior(after) + 1e-9


def test_states_of_two_labels_never_merge() -> None:
    with pytest.raises(ValueError, match="'a' and 'b'"):
        merged(one_state_per_label([["a", "b"]]), [0, 0])


@given(sequences)
def test_transitions_of_one_state_a_label(headers: list[list[str]]) -> None:
    one = one_state_per_label(headers)
    n_labels = len(one.labels)
    assert uniform(one).n_transitions == smoothed(one).n_transitions == n_labels * (n_labels + 2)
    alone = self_only(one)
    for state in range(n_labels):
        left = {pair: n for pair, n in alone.counts.items() if pair[0] == state}
        assert isclose(sum(left.values()), 1.0)
        counted = sum(n for pair, n in one.counts.items() if pair[0] == state)
        assert isclose(left.get((state, state), 0.0), one.counts.get((state, state), 0.0) / counted)
        others = [n for pair, n in left.items() if pair != (state, state)]
        assert max(others) - min(others) < 1e-12
