"""The labelled sets are read whole, words and labels in step."""

from pathlib import Path

import pytest

from portico.domains.papers import PAPERS
from portico.errors import ConfigError
from portico.lab.datasets import grobid
from portico.lab.datasets.citations import drop_overlap, read_anystyle_references, read_grobid_references
from portico.lab.datasets.sequences import LabelledSequence, read_cora_headers, read_cora_references
from portico.lab.measures.headers import collapse_header
from portico.lab.training.taggers import condense_header

pytestmark = pytest.mark.data


def check(sequences: tuple[LabelledSequence, ...], labels: set[str]) -> None:
    for one in sequences:
        assert len(one.words) == len(one.labels)
        assert set(one.labels) <= labels


def test_cora(labelled_data: Path) -> None:
    headers = labelled_data / "data" / "headers"
    train, test = read_cora_headers(headers, "train"), read_cora_headers(headers, "test")
    references = read_cora_references(labelled_data / "data" / "references")
    assert (len(train), len(test), len(references)) == (500, 435, 500)
    check(train + test, {*PAPERS.kind("header").labels, "none"})
    check(references, set(PAPERS.kind("reference").labels))


def test_page_marks_end_headers(labelled_data: Path) -> None:
    headers = read_cora_headers(labelled_data / "data" / "headers", "test", page_marks=True)
    marked = [one for one in headers if "page" in one.labels]
    assert 100 < len(marked) < len(headers)
    assert all(one.labels.index("page") == len(one.labels) - 1 for one in marked)
    assert all([word.text for word in one.rows[-1].words] == ["+PAGE+"] for one in marked)


def test_condensed_headers_keep_the_edges_of_abstracts(labelled_data: Path) -> None:
    headers = read_cora_headers(labelled_data / "data" / "headers", "train")
    for before, after in ((one, condense_header(one)) for one in headers[:50]):
        assert len(after.words) == len(after.labels)
        assert (after.rows[0], after.rows[-1]) == (before.rows[0], before.rows[-1])
        others = [label for label in before.labels if label != "abstract"]
        assert [label for label in after.labels if label != "abstract"] == others
    assert (
        sum(len(condense_header(one).labels) for one in headers)
        < sum(len(one.labels) for one in headers) * 2 / 3
    )


def test_collapsed_headers_have_one_abstract(labelled_data: Path) -> None:
    headers = [collapse_header(one) for one in read_cora_headers(labelled_data / "data" / "headers", "train")]
    n_words = sum(len(one.labels) for one in headers)
    assert 20_000 < n_words < 26_000  # the published set has 23,557
    for one in headers:
        assert len(one.words) == len(one.labels)


def test_grobid_headers_have_looks(labelled_data: Path) -> None:
    headers = grobid.read_grobid_headers(labelled_data / "data" / "headers" / "grobid")
    check(headers, set(PAPERS.kind("header").labels))
    rows = [row for header in headers for row in header.rows]
    assert len(headers) > 700
    assert sum(bool(row.looks) for row in rows) > 0.95 * len(rows)


def test_other_references_without_the_tested_ones(labelled_data: Path) -> None:
    folder = labelled_data / "data" / "references"
    tested = read_cora_references(folder)
    core = read_anystyle_references(folder / "anystyle", "core")
    published = read_grobid_references(folder / "grobid")
    check(core + published, set(PAPERS.kind("reference").labels))
    assert 480 < len(core) - len(drop_overlap(core, tested)) < 520
    assert 490 < len(published) - len(drop_overlap(published, tested)) < 600


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cora_headers"):
        read_cora_headers(tmp_path, "train")
