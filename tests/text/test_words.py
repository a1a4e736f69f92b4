"""Words as they are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.text.words import STOP_WORDS, make_printable, make_singular, split_tokens, split_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Learning to Play Games", ["learning", "play", "game"]),
        ("the of and", []),
        ("Case-based reasoning", ["case", "based", "reasoning"]),
        ("C++ and C# (not C)", ["c++", "c#", "c"]),
        ("x+ y# ++", ["x", "y"]),
        ("queries, classes; analyses", ["query", "class", "analysis"]),
        ("“Naïve” Bayes — Ünïcode", ["naïve", "baye", "ünïcode"]),
        ("snake_case", ["snake", "case"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert split_words(text) == expected


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("networks", "network"),
        ("queries", "query"),
        ("boxes", "box"),
        ("caches", "cache"),
        ("automata", "automaton"),
        ("searches", "search"),
        ("hashes", "hash"),
        ("classes", "class"),
        ("class", "class"),
        ("analysis", "analysis"),
        ("corpus", "corpus"),
        ("gas", "gas"),
        ("ties", "ties"),
    ],
)
def test_singular(plural: str, expected: str) -> None:
    assert make_singular(plural) == expected


@given(st.text())
def test_any_text_gives_words_without_separators(text: str) -> None:
    for word in split_words(text):
        assert word
        assert word not in STOP_WORDS
        assert not any(char.isspace() for char in word)


@given(st.text(), st.text())
def test_words_of_two_texts_are_the_words_of_both(first: str, second: str) -> None:
    assert split_tokens(f"{first}\n{second}") == split_tokens(first) + split_tokens(second)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 字", "plain é 字"),
        ("two\nlines", "two\nlines"),
        ("\x1b]0;owned\x07.pdf", "\\x1b]0;owned\\x07.pdf"),
        ("a\rb\u202ec\x9b2J", "a\\rb\\u202ec\\x9b2J"),
    ],
)
def test_a_terminal_is_shown_no_commands(text: str, shown: str) -> None:
    assert make_printable(text) == shown
