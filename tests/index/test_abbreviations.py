"""Abbreviations are learned from the papers that explain them, and looked for in both directions."""

from pathlib import Path

import pytest

from portico.index.abbreviations import find_abbreviations
from portico.index.engine_query import SearchScope
from portico.index.searcher import Searcher
from portico.index.writer import write_index
from portico.types.record import EntityId
from portico.types.search import Entry

ABSTRACTS = {
    "explained": "A hidden Markov model (HMM) tags words.",
    "short": "An HMM for speech.",
    "long": "Hidden Markov models of speech.",
    "hidden": "A hidden treasure.",
    "other": "A support vector machine (SVM) separates two classes.",
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We use hidden Markov models (HMMs) here.", [("hmm", "hidden markov models")]),
        ("Latent Dirichlet Allocation (LDA)", [("lda", "latent dirichlet allocation")]),
        ("a part-of-speech (POS) tagger", [("pos", "part of speech")]),
        ("proposed by Young (ACM) and others", []),
        ("see the figure (A)", []),
        ("(HMM)", []),
        ("", []),
    ],
)
def test_what_a_text_explains(text: str, found: list[tuple[str, str]]) -> None:
    assert list(find_abbreviations(text)) == found


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder = tmp_path_factory.mktemp("abbreviations") / "index"
    write_index(
        [Entry(EntityId(name), f"Paper {name}", abstract=text) for name, text in ABSTRACTS.items()], folder
    )
    return Searcher(folder)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("hmm", {"explained", "short", "long"}),
        ("hidden markov model", {"explained", "short", "long"}),
        ("hidden markov models speech", {"short", "long"}),
        ('"hmm"', {"explained", "short"}),
        ("support vector machines", {"other"}),
        ("title:hmm", set()),
    ],
)
def test_either_form_finds_the_other(searcher: Searcher, query: str, found: set[str]) -> None:
    assert {hit.entity for hit in searcher.search(query).hits} == found


def test_an_explained_phrase_is_not_required_where_no_paper_has_all_words(searcher: Searcher) -> None:
    found = searcher.search("hidden Markov models unheardof")
    assert {hit.entity for hit in found.hits} == {"explained", "short", "long", "hidden"}
    assert found.hits[-1].entity == "hidden"
    assert "some of them" in found.notice


def test_people_are_counted_whatever_their_names_are_printed_like(tmp_path: Path) -> None:
    entries = [
        Entry(EntityId("one"), "Trees", ("A. Young", "B. Old"), people=("young", "")),
        Entry(EntityId("two"), "Forests", ("Ada Young",), people=("young",)),
        Entry(EntityId("three"), "Woods", ("A. Young",), people=("abe",)),
    ]
    write_index(entries, tmp_path / "index")
    searcher = Searcher(tmp_path / "index")
    searcher.get_ready()
    for limit in (10, 1):  # counted from the papers at hand, and by the engine
        counted = dict(dict(searcher.search("", limit=limit).facets)["author"])
        assert sorted(counted.values()) == [1, 1, 2]
        assert counted["A. Young <abe>"] == 1

    def narrow(author: str) -> set[str]:
        return {hit.entity for hit in searcher.search("", within=SearchScope(author=author)).hits}

    assert narrow("Ada Young <young>") == {"one", "two"}
    assert narrow("A. Young") == {"one", "three"}
