"""Many trees and sizes: a table with a row a tree, a size and a model."""

from pathlib import Path

import pytest

from portico.config.topics import read_topics
from portico.domains.registry import find_domain
from portico.lab.measures.topic_trees import measure_topic_trees


@pytest.mark.data
@pytest.mark.slow
def test_the_default_is_better_than_keywords_alone_on_most_trees(labelled_data: Path) -> None:
    trees = {tree.name: read_topics(tree.file) for tree in find_domain("papers").trees}
    told: list[str] = []
    figures = measure_topic_trees(labelled_data / "data", trees, quick=True, tell=told.append)
    gains = [row["default"]["leaf"] - row["weighted keywords"]["leaf"] for row in figures.values()]
    errors = [row["default"]["ece"] for row in figures.values()]
    assert len(told) == len(figures) == 18
    assert sum(gains) / len(gains) > 0.01
    assert sum(errors) / len(errors) < 0.13
