"""How well records are matched: floors on public sets, and the arithmetic of the scores."""

from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.lab.datasets.matching_sets import (
    LabelledPair,
    LabelledRecord,
    TablePair,
    read_citations,
    read_pairs,
)
from portico.lab.measures.matching import (
    MatchingStudy,
    fit_editions,
    fit_words_threshold,
    group_works,
    measure_matching,
    read_bibtex_records,
    write_matching_chart,
)
from portico.lab.measures.matching_methods import (
    DEFAULT,
    RARE,
    WORDS,
    WORKS,
    Methods,
    count_own_references,
    fit_pair_weights,
    make_citation_methods,
    make_pair_methods,
    make_table_methods,
    measure_blocking,
    measure_methods,
    score_pairwise,
)
from portico.match import editions
from portico.match.scoring import WEIGHTS
from portico.types.record import Record
from tests.match.build import header, reference


@pytest.mark.parametrize(
    ("found", "truth", "precision", "recall"),
    [
        ([1, 1, 2], ["a", "a", "b"], 1.0, 1.0),
        ([1, 1, 1], ["a", "a", "b"], 1 / 3, 1.0),
        ([1, 2, 3], ["a", "a", "b"], 0.0, 0.0),
    ],
)
def test_pairwise(found: list[int], truth: list[str], precision: float, recall: float) -> None:
    scores = score_pairwise(found, truth)
    assert (scores["precision"], scores["recall"]) == pytest.approx((precision, recall))


def test_own_references_are_counted() -> None:
    held = header("a", *TREES)
    cited = [
        reference("b", 1, *TREES),
        reference("a", 1, *TREES),
        reference("a", 2, "Incremental induction of decision tree", "P. Utgoff"),
    ]
    found = count_own_references([held, *cited])
    assert found == {"held": 1, "linked": 2, "own": 1, "of_another_title": 0}


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "refs.jsonl"
    path.write_text('{"id": 1, "raw": "x", "fields": {}, "cluster": 1}\n{"id": 2}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="line 2"):
        read_citations(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        read_citations(tmp_path / "nothing.jsonl")


TREES = ("Incremental induction of decision trees", "P. Utgoff")
BIAS = ("Shift of bias for inductive concept learning", "P. Utgoff")


def row(name: str, title: str, author: str) -> Record:
    return reference(name, 1, title, author, year="1989")


def methods(kind: str) -> Methods:
    """Four records of two papers, as citations, as tables and as pairs."""
    left, right = (
        [row(f"{side}-{n}", *text) for n, text in enumerate((TREES, BIAS))] for side in ("left", "right")
    )
    same = [(one.id, other.id) for one, other in zip(left, right, strict=True)]
    match kind:
        case "citations":
            labels = ("trees", "bias", "trees", "bias")
            return make_citation_methods(
                [LabelledRecord(*both) for both in zip(left + right, labels, strict=True)]
            )
        case "tables":
            return make_table_methods(TablePair(left, right, set(same)))
        case _:
            return make_pair_methods(
                [LabelledPair(one, other, (one.id, other.id) in same) for one in left for other in right]
            )


@pytest.mark.parametrize("kind", ["citations", "tables", "pairs"])
def test_every_method_on_what_nobody_could_get_wrong(kind: str) -> None:
    found = measure_methods(methods(kind))
    assert {found[name]["f1"] for name in (WORDS, DEFAULT, RARE)} == {1.0}


@pytest.mark.parametrize(
    ("kind", "name"),
    [("citations", WORDS), ("tables", WORDS), ("tables", DEFAULT), ("pairs", WORDS), ("pairs", DEFAULT)],
)
def test_a_threshold_beyond_reach_finds_nothing(kind: str, name: str) -> None:
    (scores,) = methods(kind)[name].sweep([99.0])
    assert scores["recall"] == 0


def test_the_words_threshold_lies_between_what_is_the_same_and_what_is_not() -> None:
    one, other = row("a", *TREES), row("b", *BIAS)
    pairs = [LabelledPair(one, one, True), LabelledPair(one, other, False)]
    assert 0.3 < fit_words_threshold(pairs, balanced=False) < 1


def test_curves_lie_between_the_published_levels() -> None:
    chart = MatchingStudy("dblp_acm", methods("tables")).chart()
    assert {*chart.lines} == {WORDS, DEFAULT}
    assert all(0 <= f1 <= 1 for line in chart.lines.values() for _, f1 in line)
    assert chart.levels


@pytest.mark.data
@pytest.mark.parametrize("name", ["cora_refs.jsonl.gz", "dblp_acm", "dblp_scholar/valid.txt.gz"])
def test_a_quick_look(labelled_data: Path, tmp_path: Path, name: str) -> None:
    data = labelled_data / "data/citations" / name
    found = measure_matching(data, quick=True)
    assert found[DEFAULT]["f1"] >= 0.9
    assert any(row.startswith("published") for row in found)
    assert "<polyline" in write_matching_chart(data, tmp_path, quick=True).read_text(encoding="utf-8")


@pytest.mark.data
def test_cora_citations(labelled_data: Path) -> None:
    labelled = read_citations(labelled_data / "data/citations/cora_refs.jsonl.gz")
    methods = make_citation_methods(labelled)
    for name, least in ((DEFAULT, 0.98), (WORKS, 0.97)):
        (scores,) = methods[name].sweep([0.0])
        assert scores["f1"] >= least, name
    assert measure_blocking(labelled)["all"]["recall"] >= 0.99


@pytest.mark.data
def test_the_shipped_weights_of_editions_are_the_learned_ones(labelled_data: Path) -> None:
    model = fit_editions(group_works(read_bibtex_records(labelled_data / "data/citations/bibtex.tar.xz")))
    assert pytest.approx(model.weights(), abs=0.02) == editions.WEIGHTS
    assert pytest.approx(model.prior, abs=0.02) == editions.PRIOR


@pytest.mark.data
def test_scholar_pairs(labelled_data: Path) -> None:
    pairs = read_pairs(labelled_data / "data/citations/dblp_scholar/valid.txt.gz")
    (scores,) = make_pair_methods(pairs)[DEFAULT].sweep([0.0])
    assert scores["f1"] >= 0.92


@pytest.mark.data
def test_the_shipped_weights_are_the_fitted_ones(labelled_data: Path) -> None:
    fitted = fit_pair_weights(labelled_data / "data/citations/dblp_scholar/train.txt.balance.gz")
    shipped = {level: weight for level, weight in WEIGHTS.items() if level in _FITTED_LEVELS}
    assert shipped == pytest.approx({level: fitted[level] for level in shipped}, abs=0.02)


_FITTED_LEVELS = {
    "bias",
    "title:same",
    "title:close",
    "title:akin",
    "people:same",
    "people:other",
    "year:same",
}
