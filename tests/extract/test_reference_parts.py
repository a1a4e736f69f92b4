"""What the parts of a reference tell their words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.domains.papers import PAPERS
from portico.extract.features import Observer
from portico.extract.reference_parts import observe_parts
from portico.extract.word_context import observe_reference_context
from portico.extract.words import Row, split_words
from portico.types.document import Span

REFERENCE = "Ann Bell. Radio nets. In Workshop of Nets, Carl Dorn (Ed.), pages 1-9, 1999."


def features_of(word: str) -> set[str]:
    words = REFERENCE.split()
    tells = [["group=meeting"] if one == "Workshop" else [] for one in words]
    return set(observe_parts(words, tells)[words.index(word)])


@pytest.mark.parametrize(
    ("word", "feature"),
    [
        ("Ann", "P1:ann"),  # the part's first word
        ("Bell.", "Pn=0/2"),  # the first of three parts: "(Ed.)," ends none
        ("Radio", "P+:group=meeting"),  # what the next part holds
        ("1999.", "P:group=meeting"),
        ("Carl", "C-:group=meeting"),  # the clause before
        ("Carl", "editors+0"),
        ("pages", "editors-0"),
    ],
)
def test_part_features(word: str, feature: str) -> None:
    assert feature in features_of(word)


def test_no_editors_no_distance() -> None:
    assert not any("editors" in feature for feature in observe_parts(["Ann", "Bell."], [[], []])[0])


def test_one_list_of_features_a_word() -> None:
    kind = PAPERS.kind("reference")
    observe = Observer(PAPERS.lexicon(), kind.observations, observe_reference_context)
    row = Row(split_words(REFERENCE, Span(0, len(REFERENCE))))
    seen = observe((row,))
    assert len(seen) == len(row.words)
    assert "3e=x.x" in seen[1]


@given(st.lists(st.text(max_size=8) | st.sampled_from(["eds.", "1990.", '"Nets,"', "Bell"]), max_size=12))
def test_any_words_have_features(words: list[str]) -> None:
    assert len(observe_parts(words, [["x"] if word else [] for word in words])) == len(words)
