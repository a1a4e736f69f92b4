"""Words to expect in leaves by their keywords: the vectors that ship, asked about small trees."""

from pathlib import Path

import numpy as np
import pytest

from portico.classify.classifier import train_topics
from portico.classify.expected_words import read_company, write_company
from portico.classify.features import Vocabulary
from portico.classify.keywords import compile_keywords
from portico.classify.saving import from_bytes, move_leaves, to_bytes
from portico.domains import papers
from portico.errors import ConfigError
from portico.types.document import DocumentId
from portico.types.topic import Topic, TopicText

COMPANY = read_company((Path(papers.__file__).parent / "models" / "word-vectors.npz").read_bytes())
TREE = (
    Topic(("Robotics",), ("robot", "motion planning")),
    Topic(("Poetry",), ("poetry", "sonnets")),
    Topic(("Cells",), ("protein", "gene expression")),
    Topic(("Cryptography",), ("encryption", "public key")),
)


@pytest.mark.parametrize(
    ("word", "leaf"), [("kinematic", 0), ("navigation", 0), ("literary", 1), ("verse", 1), ("rna", 2)]
)
def test_words_are_expected_where_they_keep_company(word: str, leaf: int) -> None:
    expected = COMPANY.expect(compile_keywords(TREE), Vocabulary((word,)), n_leaves=4, n_words=0.0)
    assert expected[:, 0].argmax() == leaf


def test_a_leaf_whose_keywords_nobody_knows_expects_nothing() -> None:
    tree = (*TREE, Topic(("Xyzzy",), ("plugh",)))
    expected = COMPANY.expect(compile_keywords(tree), Vocabulary(("robot", "poem")), n_leaves=5, n_words=0.0)
    assert expected[4].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("title", "leaf"),
    [
        ("Kinematic trajectories of a humanoid arm with cameras and sensors", "Robotics"),
        ("Folk songs and the epic tradition in the prose of a Greek writer", "Poetry"),
        ("Binding of mRNA and DNA by an inhibitor in vitro", "Cells"),
    ],
)
def test_a_first_document_without_keywords_finds_its_leaf(title: str, leaf: str) -> None:
    text = TopicText(DocumentId("d"), title)
    model = train_topics([text], TREE, company=COMPANY)
    assert TREE[int(np.argmax(model.chances([text])[0]))].name == leaf
    assert model.model_id != train_topics([text], TREE).model_id


def test_texts_lie_near_words_of_the_same_company() -> None:
    words = Vocabulary(("kinematic", "navigation", "poem", "verse", "xyzzy"))
    lies = COMPANY.describe_texts(
        words.count_words(["kinematic navigation", "verse poem", "xyzzy", "kinematic", "poem"]), words
    )
    assert np.linalg.norm(lies, axis=1) == pytest.approx([1, 1, 0, 1, 1], abs=1e-4)
    assert lies[0] @ lies[3] > 0.5 > 0 > lies[0] @ lies[1]
    robot, poem, unknown = COMPANY.measure_nearness(lies[[0, 3]], [["robot"], ["poem"], ["xyzzy"]])
    assert robot > unknown > 0 > poem


def test_what_is_written_is_read_again() -> None:
    again = read_company(write_company(tuple(COMPANY.columns), COMPANY.vectors))
    assert again.columns == COMPANY.columns
    assert np.abs(again.vectors.rows - COMPANY.vectors.rows).max() < 0.02
    with pytest.raises(ConfigError, match="damaged"):
        read_company(b"no vectors")


def test_texts_are_near_the_keywords_of_their_leaf_and_of_no_other() -> None:
    words = Vocabulary(("kinematic", "navigation", "poem", "verse", "rna", "inhibitor", "xyzzy"))
    texts = ["kinematic navigation", "verse poem", "rna inhibitor", "xyzzy"]
    counts = words.count_words(texts)
    near = COMPANY.lead_to_leaves(compile_keywords(TREE), [0, 1, 2, -1], counts, words).measure(counts, words)
    assert near[:3, :3].argmax(axis=1).tolist() == [0, 1, 2]
    assert min(near[0, 0], near[1, 1], near[2, 2]) > 0.2 > max(near[0, 1], near[1, 2], near[2, 0])
    assert np.isnan(near[3]).all()  # no word of the last text is known
    assert np.isnan(near[:, 3]).all()  # a class that is no leaf's


def test_a_saved_model_needs_its_word_vectors_again_and_leaves_may_move() -> None:
    titles = (
        "Robots with navigation",
        "A sonnet and its verse",
        "Protein and rna binding",
        "Public key systems",
    )
    texts = [TopicText(DocumentId(str(number)), title) for number, title in enumerate(titles)]
    model = train_topics(texts, TREE, company=COMPANY)
    again = from_bytes(to_bytes(model), company=COMPANY)
    assert again.chances(texts) == pytest.approx(model.chances(texts), abs=1e-4)
    moved = move_leaves(again, TREE[::-1])
    assert moved is not None
    assert moved.chances(texts)[:, ::-1] == pytest.approx(again.chances(texts), abs=1e-6)
    with pytest.raises(ConfigError, match="other word vectors"):
        from_bytes(to_bytes(model))
