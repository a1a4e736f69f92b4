"""Type is set as compositors set it: hyphens where words divide, lines full, nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.sample.printing.typesetting import (
    TIMES,
    Paragraph,
    TypedText,
    _break_lines,
    _words,
    find_break_points,
    set_paragraph,
    set_plain,
)


@pytest.mark.parametrize(
    ("word", "hyphenated"),
    [
        ("recognition", "recog-ni-tion"),
        ("learning", "learn-ing"),
        ("performance,", "per-for-mance,"),
        ("gathering", "gather-ing"),
        ("the", "the"),
        ("VOLCANITE", "VOLCANITE"),
        ("Åkerlund", "Åkerlund"),
        ("1995–1997", "1995–1997"),
    ],
)
def test_hyphenation(word: str, hyphenated: str) -> None:
    parts, start = [], 0
    for point in find_break_points(word):
        parts.append(word[start:point])
        start = point
    assert "-".join([*parts, word[start:]]) == hyphenated


@given(st.lists(st.text("abcdefghilmnorstu-.", min_size=1, max_size=14), min_size=1, max_size=60))
def test_no_letter_is_lost_at_line_ends(words: list[str]) -> None:
    lines = _break_lines(_words(set_plain(" ".join(words), TIMES.regular, 10)), 180, 12, hyphenate=True)
    printed = "".join(kind.text for line in lines for word in line for kind in word.types)
    assert printed.replace("-", "") == "".join(words).replace("-", "")


@given(st.lists(st.text("abcdefghilmnorstu", min_size=1, max_size=9), min_size=1, max_size=60))
def test_no_line_is_too_long(words: list[str]) -> None:
    for line in _break_lines(_words(set_plain(" ".join(words), TIMES.regular, 10)), 180, 12, hyphenate=True):
        assert sum(word.width for word in line) + sum(word.space for word in line[:-1]) <= 180


def test_a_heading_stays_with_its_text() -> None:
    heading = Paragraph(set_plain("Introduction", TIMES.bold, 12), 14, "left", keep=True)
    assert all(strip.keep for strip in set_paragraph(heading, 200))


def test_the_space_after_a_small_mark_is_a_whole_space() -> None:
    types = (
        TypedText("Orsini", TIMES.regular, 12),
        TypedText("*", TIMES.regular, 8, rise=4),
        TypedText(" and", TIMES.regular, 12),
    )
    words = _words(types)
    assert ["".join(kind.text for kind in word.types) for word in words] == ["Orsini*", "and"]
    assert words[0].space == TIMES.regular.width(" ", 12)
