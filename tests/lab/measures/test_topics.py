"""Measuring classification: on a folder made here, and the floors on the labelled sets."""

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from portico.classify.background import read_background
from portico.classify.expected_words import read_company
from portico.classify.fields import read_fields
from portico.config.topics import read_topics
from portico.domains import papers
from portico.errors import ConfigError
from portico.lab.datasets.topic_sets import hold_out_branches, mix_in_strangers, read_topic_set
from portico.lab.measures.topics import ShippedTopics, TopicQuestion, measure_topics
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
    labeled = read_topic_set(a_folder(tmp_path), TREE)
    assert labeled.topics == (TREE[0], Topic(("Hard, Soft", "Air"), ("bird", "eagle")))
    assert labeled.leaf_of == {"1": 0, "3": 1}  # a document without a label is not counted
    first, second, third, fourth = labeled.texts
    assert (first.cited_titles, second.citing_titles) == (("colossal squid",), ("giant squid",))
    assert (second.cited_titles, third.abstract, first.authors) == ((), "A bird.", ("A. Verrill",))
    assert fourth.authors == ("J. Gould", "A. Newton")


def test_measures_every_model(tmp_path: Path) -> None:
    told: list[str] = []
    measured = measure_topics(TopicQuestion(a_folder(tmp_path), tell=told.append), default_tree=TREE)
    assert {"keyword rules", "papers: EM + shrinkage", "default"} <= set(measured)
    for scores in measured.values():
        assert set(scores) - {"paper"} == {"leaf", "top", "ece", "bins", "seconds"}
        assert scores["top"] == 1.0
    assert measured["default"]["leaf"] == 1.0
    assert measured["papers: EM + shrinkage, as printed"]["paper"] == 0.66
    assert "default, own words alone" in measured  # documents here cite each other
    assert [line.split(":")[0] for line in told][-1] in measured


def test_a_wrong_answer_counts_as_one(tmp_path: Path) -> None:
    measured = measure_topics(
        TopicQuestion(a_folder(tmp_path, label="Hard__Soft/Deep_Sea")), default_tree=TREE
    )
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
        measure_topics(TopicQuestion(folder), default_tree=TREE)


def test_documents_labeled_other_are_outside(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, label="Other")
    assert read_topic_set(folder, TREE).outside == {"3"}
    measured = measure_topics(TopicQuestion(folder, only=("default",)), default_tree=TREE)
    assert {"other_recognized", "inside_lost"} <= set(measured["default"])


def test_a_mixture_is_a_fifth_strangers(tmp_path: Path) -> None:
    labeled = read_topic_set(a_folder(tmp_path), TREE)
    many = replace(labeled, leaf_of={text.document: 0 for text in labeled.texts})
    mixture = mix_in_strangers(many, labeled.under(()), random.Random(1))
    assert (len(mixture.texts), len(mixture.outside)) == (5, 1)
    with pytest.raises(ConfigError, match='no branch "Sky"; the tree has Hard, Soft'):
        labeled.under(("Sky",))
    assert [text.document for text in labeled.under(("Hard, Soft/Air",))] == ["3"]
    assert hold_out_branches(labeled, ("Hard, Soft/Air",)).topics == labeled.topics[:1]
    with pytest.raises(ConfigError, match="no branch of the tree is left"):
        hold_out_branches(labeled, ("Hard, Soft",))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("documents.jsonl.gz", b"no gzip", "cannot be read as gzipped lines of JSON"),
        ("documents.jsonl.gz", gzip.compress(b"", mtime=0), "holds no documents"),
        ("documents.jsonl.gz", gzip.compress(b'{"id": 1}\n{"id"', mtime=0), "line 2 is not JSON"),
        (
            "documents.jsonl.gz",
            gzip.compress(b'{"title": "x"}\n', mtime=0),
            "line 1 is no JSON object with an id",
        ),
        ("topics.tsv", b"", "holds no topics"),
    ],
)
def test_a_broken_folder_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (a_folder(tmp_path) / name).write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        read_topic_set(tmp_path, TREE)


def test_the_shipped_background_is_of_the_shipped_tree() -> None:
    tree = read_topics(HERE / "topics.toml")
    background = read_background((HERE / "models" / "topics.words.gz").read_bytes())
    assert background.paths == tuple(topic.path for topic in tree)
    assert len(background.words) > 10_000


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(("name", "leaf", "top"), [("cora70", 0.50, 0.73), ("arxiv53", 0.54, 0.91)])
def test_floors(labelled_data: Path, name: str, leaf: float, top: float) -> None:
    measured = measure_topics(
        TopicQuestion(labelled_data / "data" / "topics" / name, only=("keyword rules", "default")),
        default_tree=read_topics(HERE / "topics.toml"),
        shipped=ShippedTopics(
            read_background((HERE / "models" / "topics.words.gz").read_bytes()),
            read_fields((HERE / "models" / "fields.npz").read_bytes()),
            read_company((HERE / "models" / papers.PAPERS.word_vectors).read_bytes()),
        ),
    )
    assert measured["default"]["leaf"] >= leaf
    assert measured["default"]["top"] >= top
    assert measured["default"]["ece"] <= 0.06
    assert measured["default"]["leaf"] > measured["keyword rules"]["leaf"] + 0.2
