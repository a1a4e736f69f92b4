"""Many trees and sizes: a table with a row a tree, a size and a model."""

from pathlib import Path

import pytest

from portico.classify.background import read_background
from portico.classify.expected_words import read_company
from portico.config.topics import read_topics
from portico.domains.registry import find_domain
from portico.lab.measures.topic_trees import QUICK_SIZES, SIZES, choose_sizes, measure_topic_trees
from portico.lab.measures.topics import ShippedTopics
from portico.learn.confidence import SHIPPED_WEIGHTS


@pytest.mark.data
@pytest.mark.slow
def test_the_default_is_better_than_keywords_alone_on_trees_that_were_left_out(labelled_data: Path) -> None:
    domain = find_domain("papers")
    trees = {tree.name: read_topics(tree.file) for tree in domain.trees}
    shipped = ShippedTopics(
        read_background(domain.topic_words.read_bytes()),
        company=read_company((domain.models / domain.word_vectors).read_bytes()),
    )
    told: list[str] = []
    figures = measure_topic_trees(labelled_data / "data", trees, shipped, quick=True, tell=told.append)
    all_trees, weights = figures.pop("all trees"), figures.pop("weights")
    further, _ = figures.pop("further"), figures.pop("further trees")
    assert len(told) == len(figures) + len(further) > 75
    assert all_trees["mean gain"] > 0.03
    assert all_trees["mean ece"] < 0.11  # of which a half is chance: there are few documents
    assert all_trees["largest ece"] < 0.22
    # Those that ship were fitted on more samples of the same trees.
    assert weights["agreement"] == pytest.approx(SHIPPED_WEIGHTS.agreement, abs=1.0)
    assert weights["odds"] == pytest.approx(SHIPPED_WEIGHTS.odds, abs=0.1)


def test_more_documents_are_measured_where_there_are_many_more() -> None:
    assert choose_sizes(600, quick=False) == [(50, SIZES[50]), (500, SIZES[500])]
    assert choose_sizes(2254, quick=False)[-1] == (2254, 1)
    assert choose_sizes(90, quick=True) == [(50, QUICK_SIZES[50])]
