"""Columns of words, looked up by the array."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.learn import word_index
from portico.learn.counts import to_dense
from portico.learn.word_index import UNKNOWN, WordIndex

WORDS = ("a", "ab", "abcdefgh", "abcdefghi", "abcdefghij" * 5, "naïve", "東京", "ß" * 40)
COLUMNS = {word: column for column, word in enumerate(WORDS)}


@settings(max_examples=200)
@given(st.lists(st.lists(st.sampled_from((*WORDS, "unknown", "abcdefghx", "")), max_size=12), max_size=5))
def test_counts_what_a_dictionary_would(rows: list[list[str]]) -> None:
    known = WordIndex(lambda word: COLUMNS.get(word, UNKNOWN))
    for _ in range(2):  # learned, then remembered
        table = to_dense(known.count([" ".join(row) for row in rows], len(WORDS)))
        expected = [Counter(row) for row in rows]
        assert table.tolist() == [[counted[word] for word in WORDS] for counted in expected]


def test_many_texts_are_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_index, "_TEXTS_AT_ONCE", 2)
    table = WordIndex(int).count(["0 1", "", "2 2 2", " 1", "0"], 3)
    assert to_dense(table).tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 3], [0, 1, 0], [1, 0, 0]]
    assert to_dense(WordIndex(int).count([], 3)).shape == (0, 3)


def test_every_form_is_asked_for_once() -> None:
    asked: list[str] = []

    def column_of(word: str) -> int:
        asked.append(word)
        return len(word) % 2

    known = WordIndex(column_of)
    known.count(["one two three", "two  three "], 2)
    known.count(["three four"], 2)
    assert sorted(asked) == ["four", "one", "three", "two"]


@pytest.mark.parametrize("most_forms", [1 << 20, 1000])
def test_the_table_grows_and_forgets(monkeypatch: pytest.MonkeyPatch, most_forms: int) -> None:
    monkeypatch.setattr(word_index, "_FIRST_PLACES", 16)
    monkeypatch.setattr(word_index, "_MOST_FORMS", most_forms)
    known = WordIndex(int)
    for first in range(0, 3000, 500):
        numbers = range(first, first + 500)
        table = known.count([" ".join(map(str, numbers)), str(first // 2)], 3500)
        assert table.indices.tolist() == [*numbers, first // 2]
