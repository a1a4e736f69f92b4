"""Measuring classification: on a folder made here, and the floors on the labelled sets."""

import gzip
import json
from pathlib import Path

import pytest

from portico.classify.background import read
from portico.config.topics import read_topics
from portico.domains import papers
from portico.errors import ConfigError
from portico.lab.measure_topics import measure_topics, read_set
from portico.types.topic import Topic

HERE = Path(papers.__file__).parent
TREE = (Topic(("Hard, Soft", "Deep Sea"), ("squid",)), Topic(("Hard, Soft", "Air"), ("bird",)))


def a_folder(folder: Path, *, label: str = "Hard__Soft/Air") -> Path:
    documents = [
        {"id": "1", "title": "giant squid", "cites": ["2"], "authors": ["A. Verrill"]},
        {"id": "2", "title": "colossal squid", "cites": ["unknown"]},
        {"id": "3", "title": "bird of prey", "abstract": "A bird.", "cites": []},
        {"id": "4", "title": "bird song", "authors": "J. Gould and A. Newton"},
    ]
    with gzip.open(folder / "documents.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents)
    (folder / "topics.tsv").write_text("Hard__Soft/Deep_Sea\t\nHard__Soft/Air\tbird, eagle\n")
    (folder / "labels.tsv").write_text(f"1\tHard__Soft/Deep_Sea\n2\t\n3\t{label}\n")
    return folder


def test_reads_documents_tree_and_labels(tmp_path: Path) -> None:
    labeled = read_set(a_folder(tmp_path), TREE)
    assert labeled.topics == (TREE[0], Topic(("Hard, Soft", "Air"), ("bird", "eagle")))
    assert labeled.leaf_of == {"1": 0, "3": 1}  # a document without a label is not counted
    first, second, third, fourth = labeled.texts
    assert (first.cited_titles, second.citing_titles) == (("colossal squid",), ("giant squid",))
    assert (second.cited_titles, third.abstract, first.authors) == ((), "A bird.", ("A. Verrill",))
    assert fourth.authors == ("J. Gould", "A. Newton")


def test_measures_every_model(tmp_path: Path) -> None:
    measured = measure_topics(a_folder(tmp_path), default_tree=TREE)
    assert {"keyword rules", "papers: EM + shrinkage", "default"} <= set(measured)
    for scores in measured.values():
        assert set(scores) == {"leaf", "top", "ece", "seconds"}
        assert scores["top"] == 1.0
    assert measured["default"]["leaf"] == 1.0


def test_a_wrong_answer_counts_as_one(tmp_path: Path) -> None:
    measured = measure_topics(a_folder(tmp_path, label="Hard__Soft/Deep_Sea"), default_tree=TREE)
    assert measured["keyword rules"]["leaf"] == 0.5
    assert measured["keyword rules"]["top"] == 1.0


@pytest.mark.parametrize(
    ("label", "missing", "message"),
    [("Fire", None, "Fire is not in topics.tsv"), ("Hard__Soft/Air", "labels.tsv", "there is no file")],
)
def test_a_folder_that_cannot_be_used(tmp_path: Path, label: str, missing: str | None, message: str) -> None:
    folder = a_folder(tmp_path, label=label)
    if missing:
        (folder / missing).unlink()
    with pytest.raises(ConfigError, match=message):
        measure_topics(folder, default_tree=TREE)


def test_the_shipped_background_is_of_the_shipped_tree() -> None:
    tree = read_topics(HERE / "topics.toml")
    background = read((HERE / "models" / "topics.words.gz").read_bytes())
    assert background.paths == tuple(topic.path for topic in tree)
    assert len(background.words) > 10_000


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(("name", "leaf", "top"), [("cora70", 0.50, 0.73), ("arxiv53", 0.54, 0.91)])
def test_floors(labelled_data: Path, name: str, leaf: float, top: float) -> None:
    measured = measure_topics(
        labelled_data / "data" / "topics" / name,
        default_tree=read_topics(HERE / "topics.toml"),
        background=read((HERE / "models" / "topics.words.gz").read_bytes()),
        only=("keyword rules", "default"),
    )
    assert measured["default"]["leaf"] >= leaf
    assert measured["default"]["top"] >= top
    assert measured["default"]["ece"] <= 0.05
    assert measured["default"]["leaf"] > measured["keyword rules"]["leaf"] + 0.2
