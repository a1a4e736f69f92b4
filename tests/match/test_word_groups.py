"""The papers' method: best word-level match."""

import pytest

from portico.match.matcher import compare_all
from portico.match.word_groups import (
    THRESHOLD,
    WordGroups,
    group_by_words,
    weighted_words,
    word_similarity,
)
from portico.types.correction import Verdict
from tests.match.build import reference

ONE = reference("a", 1, "Shift of bias for inductive concept learning", "P. Utgoff", year="1986")
SLIP = reference("b", 1, "Shift of bias for inductive concept learning", "Utgoff, P. E.", year="1987")
TWO = reference("c", 1, "Incremental induction of decision trees", "P. Utgoff", year="1989")


def test_words_of_telling_fields_weigh_more() -> None:
    words = weighted_words(ONE)
    assert words["bias"] > words["1986"]
    assert words["utgoff"] > words["1986"]


@pytest.mark.parametrize(
    ("one", "other", "similarity"),
    [
        ({"a": 1.0}, {"a": 1.0}, 1.0),
        ({"a": 1.0}, {"b": 1.0}, 0.0),
        ({"a": 2.0, "b": 1.0}, {"a": 2.0}, 0.8),
        ({}, {}, 0.0),
    ],
)
def test_similarity(one: dict[str, float], other: dict[str, float], similarity: float) -> None:
    assert word_similarity(one, other) == pytest.approx(similarity)


def test_a_citation_joins_its_best_match() -> None:
    words = [weighted_words(found) for found in (ONE, TWO, SLIP)]
    groups, apart, together = group_by_words(words, (THRESHOLD, 1.0, 0.0))
    assert groups[0] == groups[2] != groups[1]
    assert len({*apart}) == 3
    assert together == [0, 0, 0]


def test_groups_grow_one_citation_at_a_time() -> None:
    groups = WordGroups(threshold=0.6)
    assert [groups.add(weighted_words(found)) for found in (ONE, TWO, SLIP, TWO)] == [0, 1, 0, 1]
    assert groups.n_groups == 2


def test_citations_without_words_stay_apart() -> None:
    assert group_by_words([{}, {}]) == [[0, 1]]


def test_a_portal_that_asks_for_words_gets_these_groups() -> None:
    records = sorted((ONE, TWO, SLIP), key=lambda record: record.id)
    apart = Verdict(ONE.id, SLIP.id, same=False)
    for verdicts, wanted in (
        ((), [{ONE.id, SLIP.id}, {TWO.id}]),
        ((apart,), [{ONE.id}, {SLIP.id}, {TWO.id}]),
    ):
        clusters = compare_all(records, verdicts=verdicts, by_words=True).clusters(verdicts)
        found = [{record.id for record in cluster.records} for cluster in clusters]
        assert sorted(map(sorted, found)) == sorted(map(sorted, wanted))
