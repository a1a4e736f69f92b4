"""How well records are matched: floors on public sets, and the arithmetic of the scores."""

from pathlib import Path

import pytest

from portico.errors import ConfigError
from portico.lab.editions import bibtex_records, fit_editions, works_of
from portico.lab.measure_matching import (
    PAIR_METHODS,
    fit,
    group_by_editions,
    measure_blocking,
    pairwise,
    read_citations,
    read_pairs,
)
from portico.match import editions
from portico.match.decide import WEIGHTS


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


@pytest.mark.data
def test_cora_citations(labelled_data: Path) -> None:
    labelled = read_citations(labelled_data / "data/citations/cora_refs.jsonl.gz")
    found = group_by_editions([item.record for item in labelled])
    assert pairwise(found, [item.cluster for item in labelled])["f1"] >= 0.98


@pytest.mark.data
def test_the_shipped_weights_of_editions_are_the_learned_ones(labelled_data: Path) -> None:
    model = fit_editions(works_of(bibtex_records(labelled_data / "data/citations/bibtex.tar.xz")))
    assert pytest.approx(model.weights(), abs=0.02) == editions.WEIGHTS
    assert pytest.approx(model.prior, abs=0.02) == editions.PRIOR


@pytest.mark.data
def test_scholar_pairs(labelled_data: Path) -> None:
    pairs = read_pairs(labelled_data / "data/citations/dblp_scholar/valid.txt.gz")
    answers = [PAIR_METHODS["default"](pair.one, pair.other) for pair in pairs]
    n_right = sum(answer and pair.same for answer, pair in zip(answers, pairs, strict=True))
    assert 2 * n_right / (sum(answers) + sum(pair.same for pair in pairs)) >= 0.92


@pytest.mark.data
def test_blocking_loses_no_pair_of_cora(labelled_data: Path) -> None:
    assert measure_blocking(labelled_data / "data/citations/cora_refs.jsonl.gz")["all"]["recall"] >= 0.99


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
