"""States merge, what was counted stays."""

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.lab.faithful.hmm_structure import (
    END,
    START,
    HmmStructure,
    build_maximally_specific,
    build_one_state_per_label,
    compute_log_posterior,
    keep_self_transitions,
    make_uniform,
    merge_bayesian,
    merge_groups,
    merge_neighbors,
    merge_v,
    smooth_transitions,
)

sequences = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), min_size=1, max_size=8)


def names(structure: HmmStructure) -> dict[tuple[str, str], float]:
    label = dict(enumerate(structure.labels)) | {START: "<", END: ">"}
    return {(label[one], label[other]): n for (one, other), n in structure.counts.items()}


def test_neighbors_become_one_state_with_a_loop() -> None:
    structure = merge_neighbors(build_maximally_specific([["title", "title", "title", "author"]]))
    assert structure.labels == ("title", "author")
    assert names(structure) == {
        ("<", "title"): 1, ("title", "title"): 2, ("title", "author"): 1, ("author", ">"): 1,
    }  # fmt: skip


def test_v_merging_joins_children_then_parents() -> None:
    headers = [["title", "author", "note"], ["title", "date", "note"], ["date", "title"]]
    structure = merge_v(merge_neighbors(build_maximally_specific(headers)))
    # One title after the start; both notes lead to the end. The second date follows the start, not a title,
    # and its title ends a header, so both stay.
    assert sorted(structure.labels) == ["author", "date", "date", "note", "title", "title"]
    assert names(structure)["<", "title"] == 2
    assert names(structure)["note", ">"] == 2


@given(sequences)
def test_merging_keeps_what_was_counted(headers: list[list[str]]) -> None:
    n_steps = sum(len(labels) + 1 for labels in headers)
    specific = build_maximally_specific(headers)
    near = merge_neighbors(specific)
    folded = merge_v(near)
    for structure in (specific, near, folded, merge_bayesian(folded), build_one_state_per_label(headers)):
        assert sum(structure.counts.values()) == n_steps
        assert sum(n for (one, _), n in structure.counts.items() if one == START) == len(headers)
        assert sum(n for (_, other), n in structure.counts.items() if other == END) == len(headers)


@given(sequences)
def test_after_v_merging_no_two_parents_with_one_label_share_a_child(headers: list[list[str]]) -> None:
    structure = merge_v(merge_neighbors(build_maximally_specific(headers)))
    parents = [(other, structure.labels[one]) for one, other in structure.counts if one >= 0]
    assert len(parents) == len(set(parents))


@settings(max_examples=50)
@given(sequences)
def test_bayesian_merging_only_ever_gains(headers: list[list[str]]) -> None:
    before = merge_neighbors(build_maximally_specific(headers))
    after = merge_bayesian(before)
    assert compute_log_posterior(after) >= compute_log_posterior(before) - 1e-9
    for one in range(len(after.labels)):
        for other in range(one + 1, len(after.labels)):
            if after.labels[one] == after.labels[other]:
                groups = [one if state == other else state for state in range(len(after.labels))]
                assert (
                    compute_log_posterior(merge_groups(after, groups)) <= compute_log_posterior(after) + 1e-9
                )


def test_states_of_two_labels_never_merge() -> None:
    with pytest.raises(ValueError, match="'a' and 'b'"):
        merge_groups(build_one_state_per_label([["a", "b"]]), [0, 0])


@given(sequences)
def test_transitions_of_one_state_a_label(headers: list[list[str]]) -> None:
    one = build_one_state_per_label(headers)
    n_labels = len(one.labels)
    assert (
        make_uniform(one).n_transitions == smooth_transitions(one).n_transitions == n_labels * (n_labels + 2)
    )
    alone = keep_self_transitions(one)
    for state in range(n_labels):
        left = {pair: n for pair, n in alone.counts.items() if pair[0] == state}
        assert isclose(sum(left.values()), 1.0)
        counted = sum(n for pair, n in one.counts.items() if pair[0] == state)
        assert isclose(left.get((state, state), 0.0), one.counts.get((state, state), 0.0) / counted)
        others = [n for pair, n in left.items() if pair != (state, state)]
        assert max(others) - min(others) < 1e-12
