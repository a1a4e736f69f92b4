"""Many trees and sizes: a table with a row a tree, a size and a model."""

from pathlib import Path

import pytest

from portico.classify.expected_words import read_company
from portico.config.topics import read_topics
from portico.domains.registry import find_domain
from portico.lab.measures.topic_trees import measure_topic_trees


@pytest.mark.data
@pytest.mark.slow
def test_the_default_is_better_than_keywords_alone_on_most_trees(labelled_data: Path) -> None:
    domain = find_domain("papers")
    trees = {tree.name: read_topics(tree.file) for tree in domain.trees}
    company = read_company((domain.models / domain.word_vectors).read_bytes())
    told: list[str] = []
    figures = measure_topic_trees(
        labelled_data / "data", trees, company=company, quick=True, tell=told.append
    )
    gains = [row["default"]["leaf"] - row["weighted keywords"]["leaf"] for row in figures.values()]
    errors = [row["default"]["ece"] for row in figures.values()]
    assert len(told) == len(figures) == 18
    assert sum(gains) / len(gains) > 0.03
    assert sum(errors) / len(errors) < 0.10
