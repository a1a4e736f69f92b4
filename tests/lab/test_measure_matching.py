"""How well records are matched: floors on public sets, and the arithmetic of the scores."""

from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.lab.editions import bibtex_records, fit_editions, works_of
from portico.lab.matching_sets import LabelledPair, LabelledRecord, Tables, read_citations, read_pairs
from portico.lab.matching_study import PUBLISHED, Study, matching_figures, words_threshold, write_chart
from portico.lab.measure_matching import (
    DEFAULT,
    RARE,
    WORDS,
    Methods,
    citation_methods,
    fit,
    measure,
    measure_blocking,
    pair_methods,
    pairwise,
    table_methods,
    words_alike,
)
from portico.match import editions
from portico.match.scoring import WEIGHTS
from portico.types.record import Record
from tests.match.build import reference


@pytest.mark.parametrize(
    ("found", "truth", "precision", "recall"),
    [
        ([1, 1, 2], ["a", "a", "b"], 1.0, 1.0),
        ([1, 1, 1], ["a", "a", "b"], 1 / 3, 1.0),
        ([1, 2, 3], ["a", "a", "b"], 0.0, 0.0),
    ],
)
def test_pairwise(found: list[int], truth: list[str], precision: float, recall: float) -> None:
    scores = pairwise(found, truth)
    assert (scores["precision"], scores["recall"]) == pytest.approx((precision, recall))


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
            return citation_methods(
                [LabelledRecord(*both) for both in zip(left + right, labels, strict=True)]
            )
        case "tables":
            return table_methods(Tables(left, right, set(same)))
        case _:
            return pair_methods(
                [LabelledPair(one, other, (one.id, other.id) in same) for one in left for other in right]
            )


@pytest.mark.parametrize("kind", ["citations", "tables", "pairs"])
def test_every_method_on_what_nobody_could_get_wrong(kind: str) -> None:
    found = measure(methods(kind))
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
    assert 0.3 < words_threshold(pairs, balanced=False) < 1


def test_a_curve_falls_where_the_threshold_passes_what_two_papers_share() -> None:
    """Of one paper with a longer title elsewhere, and one that is somebody else's."""
    one, longer = row("left", *TREES), row("right", f"{TREES[0]} and of rules", TREES[1])
    tables = Tables([one], [longer, row("other", *BIAS)], {(one.id, longer.id)})
    chart = Study("dblp_acm", table_methods(tables)).chart()
    shared = words_alike(LabelledPair(one, longer, True))
    assert 0.3 < shared < 0.95
    assert chart.lines[WORDS] == [(step, 1.0 if step <= shared else 0.0) for step, _ in chart.lines[WORDS]]
    assert {f1 for _, f1 in chart.lines[DEFAULT]} == {1.0}
    assert chart.levels == PUBLISHED["dblp_acm"]


@pytest.mark.data
@pytest.mark.parametrize("name", ["cora_refs.jsonl.gz", "dblp_acm", "dblp_scholar/valid.txt.gz"])
def test_a_quick_look(labelled_data: Path, tmp_path: Path, name: str) -> None:
    data = labelled_data / "data/citations" / name
    found = matching_figures(data, quick=True)
    assert found[DEFAULT]["f1"] >= 0.9
    assert any(row.startswith("published") for row in found)
    assert "<polyline" in write_chart(data, tmp_path, quick=True).read_text(encoding="utf-8")


@pytest.mark.data
def test_cora_citations(labelled_data: Path) -> None:
    labelled = read_citations(labelled_data / "data/citations/cora_refs.jsonl.gz")
    (scores,) = citation_methods(labelled)[DEFAULT].sweep([0.0])
    assert scores["f1"] >= 0.98
    assert measure_blocking(labelled)["all"]["recall"] >= 0.99


@pytest.mark.data
def test_the_shipped_weights_of_editions_are_the_learned_ones(labelled_data: Path) -> None:
    model = fit_editions(works_of(bibtex_records(labelled_data / "data/citations/bibtex.tar.xz")))
    assert pytest.approx(model.weights(), abs=0.02) == editions.WEIGHTS
    assert pytest.approx(model.prior, abs=0.02) == editions.PRIOR


@pytest.mark.data
def test_scholar_pairs(labelled_data: Path) -> None:
    pairs = read_pairs(labelled_data / "data/citations/dblp_scholar/valid.txt.gz")
    (scores,) = pair_methods(pairs)[DEFAULT].sweep([0.0])
    assert scores["f1"] >= 0.92


@pytest.mark.data
def test_the_shipped_weights_are_the_fitted_ones(labelled_data: Path) -> None:
    fitted = fit(labelled_data / "data/citations/dblp_scholar/train.txt.balance.gz")
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
