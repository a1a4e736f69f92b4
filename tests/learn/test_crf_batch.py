"""Arrays say of sequences what crfsuite says of each alone, however many and however long they are."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.errors import SetupError
from portico.learn import crf_batch
from portico.learn.crf import Crf, CrfOptions, prepare_sequence, train_crf
from portico.learn.crf_batch import CrfBatch, CrfWeights, read_weights

Sequences = list[list[list[str]]]

EXAMPLES = [
    ([["cap", "a"], ["low"], ["num", "b"]], ["name", "word", "year"]),
    ([["low", "b"], ["num"]], ["word", "year"]),
    ([["cap"], ["cap", "b"], ["low", "a"]], ["name", "name", "word"]),
    ([["num"], ["low"]], ["word", "year"]),
]
OTHER = [([["cap"], ["low"]], ["first", "last"]), ([["low"], ["é b"]], ["last", "last"])]
MODELS = tuple(
    train_crf(examples * 4, options=CrfOptions(c1=c1, c2=0.1, max_iterations=20))
    for examples, c1 in ((EXAMPLES, 0.0), (OTHER, 0.01))
)
SEQUENCES = st.lists(
    st.lists(
        st.lists(st.sampled_from(["cap", "low", "num", "a", "b", "é b", "unseen"]), max_size=4),
        min_size=1,
        max_size=12,
    ),
    max_size=9,
)


def test_weights_are_those_of_the_file() -> None:
    weights = read_weights(MODELS[1].body)
    assert set(weights.labels) == {"first", "last"}
    assert set(weights.features) == {"cap", "low", "é b"}
    row, column = weights.features.index("cap"), weights.labels.index("first")
    assert weights.seen[row, column] > 0 > weights.moves[column, column] - 1
    assert weights.seen.shape == (3, 2)


@pytest.mark.parametrize("body", [b"", b"hello", MODELS[0].body[:60], b"lCRX" + MODELS[0].body[4:]])
def test_not_a_model(body: bytes) -> None:
    with pytest.raises(SetupError, match="not a trained model"):
        read_weights(body)


@settings(max_examples=60, deadline=None)
@given(SEQUENCES)
def test_says_what_crfsuite_says(sequences: Sequences) -> None:
    assert_same(CrfBatch([read_weights(model.body) for model in MODELS]), sequences)


def test_many_positions_are_worked_on_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crf_batch, "GROUP_POSITIONS", 5)
    sequences = [[["low"]] * length for length in (1, 7, 2, 3, 1, 1)]
    assert_same(CrfBatch([read_weights(model.body) for model in MODELS]), sequences)


def assert_same(many: CrfBatch, sequences: Sequences) -> None:
    solved = many.solve(sequences)
    assert len(solved) == len(sequences)
    for sequence, said in zip(sequences, solved, strict=True):
        for model, solution in zip(MODELS, said, strict=True):
            assert_opinion(model, sequence, solution)


def assert_opinion(model: Crf, sequence: Sequence[Sequence[str]], solution: crf_batch.CrfSolution) -> None:
    opinion = model.opinion(prepare_sequence(sequence))
    weights = read_weights(model.body)
    table = solution.chances.tolist()
    assert len(table) == len(sequence)
    for idx, row in enumerate(table):
        for label, chance in zip(weights.labels, row, strict=True):
            assert chance == pytest.approx(opinion.chance(label, idx), abs=1e-9)
    # Of labelings that are equally likely either will do.
    assert score(weights, sequence, solution.labels) == pytest.approx(
        score(weights, sequence, opinion.labels)
    )


def score(weights: CrfWeights, sequence: Sequence[Sequence[str]], labels: Sequence[str]) -> float:
    columns = [weights.labels.index(label) for label in labels]
    seen = sum(
        weights.seen[weights.features.index(text), column]
        for features, column in zip(sequence, columns, strict=True)
        for text in features
        if text in weights.features
    )
    return float(seen + sum(weights.moves[one, other] for one, other in pairwise(columns)))
