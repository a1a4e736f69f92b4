"""A word finds its other forms, and what is quoted only itself."""

from collections.abc import Callable
from pathlib import Path

import pytest

from portico.index.searcher import Searcher
from portico.index.word_forms import differ_in_number
from portico.index.writer import write_index
from portico.text.spellings import write_alike
from portico.types.record import EntityId
from portico.types.search import Entry

Find = Callable[[str], list[str]]

ABSTRACTS = {
    "network": "A Bayesian network is learned from data.",
    "networks": "Bayesian networks are compared.",
    "optimise": "The optimisation of colour histograms.",
    "optimize": "Convex optimization of color spaces.",
    "matrix": "The matrix is sparse.",
    "matrices": "Random matrices are dense.",
    "modelling": "Modelling of oestrogen.",
    "modeling": "Modeling of estrogen.",
    "joined": "A multiagent system, and one multiagent game.",
    "hyphen": "A multi-agent system of two traders.",
    "apart": "Games of multi agents; the multi-agent case.",
    "banks": "The river is wide.",
    "bank": "A bank lends money.",
    "german": "Die Verfahren werden nicht mit anderen verglichen und wenn auch die Häuser groß sind.",
    "haus": "Das Haus ist auch nicht groß und die Fenster sind mit dem Dach wenn auch alt.",
    "dritte": "Wenn auch nicht und mit dem sind werden.",
}


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Find:
    folder: Path = tmp_path_factory.mktemp("forms") / "index"
    entries = [
        Entry(EntityId(name), f"Paper {place}", ("Ada Banks",) if name == "banks" else (), abstract)
        for place, (name, abstract) in enumerate(ABSTRACTS.items())
    ]
    write_index(entries, folder)
    searcher = Searcher(folder)
    return lambda query: [hit.entity for hit in searcher.search(query).hits]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("bayesian network", ["network", "networks"]),
        ("bayesian networks", ["networks", "network"]),
        ('"network"', ["network"]),
        ("optimization", ["optimize", "optimise"]),
        ("optimisation", ["optimise", "optimize"]),
        ("optimizing colours", ["optimise", "optimize"]),
        ("matrix", ["matrix", "matrices"]),
        ("modeling estrogen", ["modeling", "modelling"]),
        ("oestrogen", ["modelling", "modeling"]),
        ("author:bank", []),
        ("bayesian -networks", ["network"]),
        ("Häusern", ["german", "haus"]),
    ],
)
def test_other_forms_are_found_after_the_word_as_typed(find: Find, query: str, found: list[str]) -> None:
    hits = find(query)
    assert sorted(hits) == sorted(found)
    if {query.split()[-1]} & {word.strip(".").lower() for word in ABSTRACTS[(found or ["bank"])[0]].split()}:
        assert hits[0] == found[0], "what is printed as typed comes first"


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("network", "networks", True),
        ("classes", "class", True),
        ("theory", "theories", True),
        ("arrays", "array", True),
        ("compute", "computing", False),
        ("state", "stated", False),
        ("arraies", "array", False),
    ],
)
def test_regular_plurals_are_told_from_other_forms(one: str, other: str, differ: bool) -> None:
    assert differ_in_number((one,), (other,)) is differ
    assert differ_in_number(("neural", one), ("neural", other)) is differ
    assert not differ_in_number(("neural", one), ("bayesian", other))


@pytest.mark.parametrize("query", ["multiagent", "multi-agent"])
def test_words_are_found_written_together_and_apart(find: Find, query: str) -> None:
    assert sorted(find(query)) == ["apart", "hyphen", "joined"]


def test_other_forms_are_marked_in_the_passage(tmp_path: Path) -> None:
    write_index([Entry(EntityId("one"), "A title", (), ABSTRACTS["networks"])], tmp_path / "index")
    (hit,) = Searcher(tmp_path / "index").search("network").hits
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["networks"]


def test_what_is_written_alike() -> None:
    british = [
        "optimisation",
        "behaviour",
        "centre",
        "catalogue",
        "analyse",
        "haematology",
        "vertices",
        "theses",
    ]
    american = ["optimization", "behavior", "center", "catalog", "analyze", "hematology", "vertex", "thesis"]
    assert write_alike(british) == write_alike(american)
    assert len({*write_alike(["network", "call", "our", "hour", "four", "poet"])}) == 6
