"""The ranking of the first portals, worked out by hand."""

from math import log1p
from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.index.searcher import Searcher
from portico.index.writer import write_index
from portico.types.record import EntityId
from portico.types.search import Entry

# How often "tree" and "vote" stand in each abstract; three papers have "vote", five have "tree".
PAPERS = {
    "often": "tree tree tree tree tree tree tree tree vote",
    "both": "tree tree vote vote vote",
    "vote": "vote tree",
    "other": "tree and other things",
    "phrase": "of hidden trees: a hidden markov tree, hidden markov, hidden markov",
}


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder = tmp_path_factory.mktemp("log-tf") / "index"
    entries = [Entry(EntityId(name), "On it", abstract=text) for name, text in PAPERS.items()]
    entries.append(Entry(EntityId("told"), "A quorum", ("Ann Quorum",), abstract="on it", venue="Quorum"))
    entries.append(Entry(EntityId("said"), "On it", abstract="quorum quorum quorum"))
    entries.append(Entry(EntityId("loose"), "On it", abstract="markov was hidden, hidden, hidden; markov"))
    write_index(entries, folder)
    return Searcher(folder, ranking="log-tf")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tree vote", ["both", "often", "vote"]),
        ("tree", ["often", "both"]),
        ('"hidden markov"', ["phrase"]),  # of which the other paper has none
        ("hidden markov", ["phrase", "loose"]),
        ("tr*", ["often", "both"]),
        ("quorum", ["told", "said"]),  # twice for the title, once for an author, once for the venue
    ],
)
def test_words_count_by_their_logarithm_and_their_rarity(
    searcher: Searcher, query: str, expected: list[str]
) -> None:
    assert [hit.entity for hit in searcher.search(query).hits][: len(expected)] == expected


def test_the_score_is_the_one_of_the_formula(searcher: Searcher) -> None:
    best = searcher.search("tree vote").hits[0]
    assert best.score == pytest.approx(log1p(2) / 5 + log1p(3) / 3)


def test_pages_follow_each_other(searcher: Searcher) -> None:
    whole = [hit.entity for hit in searcher.search("tree").hits]
    pages = [
        hit.entity for offset in (0, 2, 4) for hit in searcher.search("tree", limit=2, offset=offset).hits
    ]
    assert pages == whole
    assert len(whole) == 5


def test_other_orders_are_as_ever(searcher: Searcher) -> None:
    assert searcher.search("tree", sort="citations").total == 5


def test_a_ranking_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="bm25f, log-tf"):
        Searcher(tmp_path, ranking="magic")


def test_a_misspelling_that_somebody_printed_is_asked_about(tmp_path: Path) -> None:
    right = [Entry(EntityId(f"p{number}"), "Neural networks") for number in range(150)]
    rare = [Entry(EntityId("typo"), "Nueral networks"), Entry(EntityId("rare"), "Neumes and networks")]
    write_index([*right, *rare], tmp_path / "index")
    searcher = Searcher(tmp_path / "index")
    found = searcher.search("nueral")
    assert ([hit.entity for hit in found.hits], found.suggestion) == (["typo"], "neural")
    assert searcher.search("neumes").suggestion == "", "no common word is like it"
    assert searcher.search("neural").suggestion == ""
