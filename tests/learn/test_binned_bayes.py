"""A value function asked by words gives what it gives by columns, and comes back from its file."""

import pytest

from portico.errors import ConfigError
from portico.learn.binned_bayes import (
    ItemBags,
    WordValue,
    count_bins,
    find_widespread,
    from_bytes,
    train_binned,
)
from portico.learn.counts import count_columns

WORDS = ("paper", "ps", "course", "homework")
BAGS = ItemBags(
    own=count_columns([[0, 1], [0], [2], [2, 3]], 4),
    shared=count_columns([[1], [3]], 4),
    place_of=(0, 0, 1, 1),
    item_of=(0, 1, 2, 3),
)


@pytest.fixture
def model() -> WordValue:
    return WordValue(WORDS, train_binned(count_bins(BAGS, [1.0, 0.5, 0.0, 0.0], (1.0, 0.5))))


def test_words_are_columns(model: WordValue) -> None:
    by_columns = model.value.likelihoods(count_columns([[0, 0, 3]], 4))[0]
    assert model.likelihood(["paper", "paper", "homework", "never seen"]) == pytest.approx(by_columns)


def test_what_led_to_reward_ranks_higher(model: WordValue) -> None:
    ranks = [model.rank(model.likelihood(words)) for words in (["paper", "ps"], [], ["course", "homework"])]
    assert ranks == sorted(ranks, reverse=True)


def test_the_loudest_words_come_first(model: WordValue) -> None:
    voices = dict(model.voices(["paper", "homework", "never seen"]))
    assert voices["paper"] > 0 > voices["homework"]
    assert "never seen" not in voices


def test_a_model_comes_back_from_its_file(model: WordValue) -> None:
    again = from_bytes(model.to_bytes())
    assert again.words == WORDS
    assert again.likelihood(["paper", "course"]) == pytest.approx(model.likelihood(["paper", "course"]))
    assert again.rank(again.likelihood(["ps"])) == pytest.approx(model.rank(model.likelihood(["ps"])))


def test_only_words_of_several_sets_are_kept(model: WordValue) -> None:
    other = ItemBags(
        own=count_columns([[0, 3]], 4), shared=count_columns([[]], 4), place_of=(0,), item_of=(0,)
    )
    columns = find_widespread([BAGS, other], 2)
    assert columns == [0, 3]
    narrow = model.narrowed(columns)
    assert narrow.words == ("paper", "homework")
    assert narrow.likelihood(["paper", "ps"]) == pytest.approx(model.likelihood(["paper"]))


@pytest.mark.parametrize("body", [b"", b"PK\x03\x04", b"no model at all"])
def test_what_is_no_model_is_refused(body: bytes) -> None:
    with pytest.raises(ConfigError, match="train it again"):
        from_bytes(body)
