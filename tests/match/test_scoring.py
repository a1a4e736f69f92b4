"""Millions of pairs at once give what one pair at a time gives."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.learn.candidate_pairs import pair_neighbors
from portico.match.editions import split_editions
from portico.match.mention import Mention, parse_mention
from portico.match.scoring import compute_log_odds, find_likely_edges, score_pairs
from portico.text.names import parse_name, parse_names, split_names
from tests.match.build import record

TITLES = st.sampled_from(
    ["", "Learning", "Multivariate trees", "Multivariate decision trees", "Multivariate decison trees",
     "Incremental induction of decision trees", "Incremental induction of decision lists",
     "Incremental induction of decision trees II", "Hidden Markov models for information extraction",
     "Hidden Markov models", "Über die Grundlagen der Mengenlehre"]
)  # fmt: skip
AUTHORS = st.sampled_from(
    ["", "P. Utgoff", "Utgoff, Paul E.", "C. Brodley and P. Utgoff", "K. van der Berg, Jr."]
)
MENTIONS = st.builds(
    lambda title, author, year, journal, pages, doi: parse_mention(
        record("d#ref-1", "reference", title, author, year=year, journal=journal, pages=pages, doi=doi)
    ),
    TITLES, AUTHORS, st.sampled_from(["", "1989", "1990", "19xx", "1995"]),
    st.sampled_from(["", "Machine Learning", "Mach. Learn.", "AI Magazine"]),
    st.sampled_from(["", "161-186", "161", "45-77"]), st.sampled_from(["", "10.1000/1", "10.1000/2"]),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(MENTIONS, max_size=12))
def test_all_at_once_is_as_one_by_one(mentions: list[Mention]) -> None:
    pairs = pair_neighbors([0] * len(mentions), list(range(len(mentions))), window=20)
    found = {(one, other): odds for odds, one, other in find_likely_edges(mentions, pairs)}
    expected = {
        (one, other): odds
        for one, other in combinations(range(len(mentions)), 2)
        if (odds := compute_log_odds(mentions[one], mentions[other])) > 0
    }
    assert found == pytest.approx(expected)
    for asked in (pairs, pairs[len(pairs) // 2 :: 2], pairs[:0]):
        assert score_pairs(mentions, asked) == [
            compute_log_odds(mentions[one], mentions[other]) for one, other in asked.tolist()
        ]


@given(
    st.text(max_size=30)
    | st.from_regex(r"([A-Z][a-z]{1,5}|[A-Z]\.)( [A-Z]\.)? (van |Jr |ed )?[A-Z][a-z]*", fullmatch=True)
)
def test_names_taken_apart_the_short_way_are_as_by_the_long_way(text: str) -> None:
    assert parse_names(text) == tuple(parse_name(name) for name in split_names(text))


def test_editions_of_one_work() -> None:
    report = {"tech": "Technical Report CMU-CS-90-100", "year": "1990"}
    paper = {"booktitle": "Advances in Neural Information Processing Systems 2", "pages": "524-532"}
    printed = [report, paper, {**paper, "year": "1990"}, {"tech": "Tech. Rep. CMU-CS-90-100"}]
    mentions = [
        parse_mention(
            record("d#ref-1", "reference", "The cascade-correlation learning architecture", **fields)
        )
        for fields in printed
    ]
    assert split_editions(mentions) == [0, 1, 1, 0]
