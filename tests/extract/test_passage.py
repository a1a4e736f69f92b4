"""Lines become running text again, and every character still knows its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.extract.passage import collect_vocabulary, read_lines
from portico.extract.words import split_words
from portico.types.document import Span


def read(text: str, vocabulary: frozenset[str] = frozenset()) -> str:
    position = 0
    lines = []
    for row in text.split("\n"):
        lines.append(split_words(text, Span(position, position + len(row))))
        position += len(row) + 1
    passage = read_lines(lines, vocabulary)
    for idx, character in enumerate(passage.text):
        assert character == " " or passage.span(idx, idx + 1).of(text) == character
    return passage.text


@pytest.mark.parametrize(
    ("text", "vocabulary", "expected"),
    [
        ("informa-\ntion theory", set(), "information theory"),
        ("multi-\nagent systems", {"multi", "agent"}, "multi-agent systems"),
        ("multi-\nagent systems", {"multi", "agent", "multiagent"}, "multiagent systems"),
        ("Smith-\nJones", set(), "Smith-Jones"),
        ("pages 12-\n19", set(), "pages 12- 19"),
        ("-\ntwo", set(), "- two"),
        ("one\ntwo", set(), "one two"),
        ("self-adjoint\noperators", set(), "self-adjoint operators"),
    ],
)
def test_line_ends(text: str, vocabulary: set[str], expected: str) -> None:
    assert read(text, frozenset(vocabulary)) == expected


@given(st.text(alphabet="ab -\n\u00adÄ9.", max_size=60))
def test_places_are_true(text: str) -> None:
    read(text)


def test_halves_of_broken_words_are_no_words() -> None:
    text = "The informa-\ntion in Multi-agent sys\u00ad \n\ntems, x1 theory-\nladen theory"
    assert collect_vocabulary(text) == {"the", "in", "multi", "agent", "tems", "theory"}
