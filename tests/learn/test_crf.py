"""A trained model is a value: same examples, same model; it labels, doubts, and can be copied."""

import pickle
from pathlib import Path

import pytest

from portico.errors import SetupError
from portico.learn.crf import Crf, CrfOptions, load_crf, prepare_sequence, train_crf

EXAMPLES = [
    ([["cap"], ["low"], ["num"]], ["name", "word", "year"]),
    ([["low"], ["num"]], ["word", "year"]),
] * 5


@pytest.fixture(scope="module")
def model() -> Crf:
    return train_crf(EXAMPLES, options=CrfOptions(c1=0.01, c2=0.01, max_iterations=30))


def test_labels_what_it_has_seen(model: Crf) -> None:
    tagging = model.tag([["cap"], ["low"], ["low"], ["num"]])
    assert tagging.labels == ("name", "word", "word", "year")
    assert all(0.5 < chance <= 1 for chance in tagging.probabilities)


def test_opinions_are_probabilities(model: Crf) -> None:
    opinion = model.opinion(prepare_sequence([["cap"], ["unseen"]]))
    for idx in range(2):
        assert sum(opinion.chance(label, idx) for label in model.labels) == pytest.approx(1.0)


def test_empty_sequence(model: Crf) -> None:
    assert model.tag([]).labels == ()


def test_training_is_deterministic(model: Crf) -> None:
    again = train_crf(EXAMPLES, options=CrfOptions(c1=0.01, c2=0.01, max_iterations=30))
    assert again.digest == model.digest
    assert again == model


def test_travels_between_processes(model: Crf) -> None:
    assert pickle.loads(pickle.dumps(model)).tag([["cap"]]) == model.tag([["cap"]])


def test_not_a_model(tmp_path: Path) -> None:
    path = tmp_path / "model.crfsuite"
    with pytest.raises(SetupError, match="cannot read the model"):
        load_crf(path)
    path.write_bytes(b"hello")
    with pytest.raises(SetupError, match="not a trained model"):
        load_crf(path)
