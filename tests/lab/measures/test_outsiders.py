"""Papers of other fields one at a time, by models that have not learned them."""

from pathlib import Path

import pytest

from portico.classify.fields import read_fields
from portico.config.topics import read_topics
from portico.domains.registry import find_domain
from portico.lab.measures.outsiders import measure_outsiders

LEAST_OUTSIDE = {
    "arXiv: mathematics": 0.88,
    "arXiv: physics": 0.92,
    "arXiv: biology": 0.62,
    "arXiv: biology, other lists": 0.87,
}
MOST_LOST = {"arXiv: computer science": 0.02, "pool: computer science": 0.03, "cora: abstracts": 0.04}


@pytest.mark.data
@pytest.mark.slow
def test_most_papers_of_other_fields_are_in_no_topic(labelled_data: Path) -> None:
    domain = find_domain("papers")
    shipped = read_fields((domain.models / domain.research_fields).read_bytes())
    figures = measure_outsiders(labelled_data / "data", read_topics(domain.topics), shipped, {})
    for name, least in LEAST_OUTSIDE.items():
        assert figures[name]["outside"] >= least, name
    for name, most in MOST_LOST.items():
        assert figures[name]["outside"] <= most, name
