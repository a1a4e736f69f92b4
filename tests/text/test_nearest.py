"""Guesses at what was meant: helpful or none."""

import pytest

from portico.text.words import find_nearest

KEYS = ("delay_s", "timeout_s", "max_bytes", "max_redirects", "proxy")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("delay", "delay_s"),
        ("dealy", "delay_s"),
        ("DELAY_S", "delay_s"),
        ("max_redirect", "max_redirects"),
        ("prox", "proxy"),
        ("speed", None),
        ("", None),
    ],
)
def test_nearest(word: str, meant: str | None) -> None:
    assert find_nearest(word, KEYS) == meant


def test_the_first_of_equals() -> None:
    assert find_nearest("ab", ("abc", "abd")) == "abc"


def test_nothing_is_near_nothing() -> None:
    assert find_nearest("word", ()) is None
