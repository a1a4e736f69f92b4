"""The passage shown under a result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.index.query import parse_query
from portico.index.snippets import LENGTH, PassageFinder

FILLER = "Nothing of interest is said in this sentence, which only takes up room. " * 10


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Trees and tree houses", "tree", ["tree"]),
        ("Trees and tree houses", "tree*", ["Trees", "tree"]),
        ("Hidden\nMarkov models; hidden things", '"hidden markov"', ["Hidden Markov"]),
        ("Über Gödel", "godel uber", ["Über", "Gödel"]),
        ("state-of-the-art", "state-of-the-art", ["state-of-the-art"]),
        ("Good and bad", "good -bad", ["Good"]),
        ("Anything", "", []),
        ("", "word", []),
    ],
)
def test_marks(text: str, query: str, marked: list[str]) -> None:
    snippet = PassageFinder(parse_query(query).sought).best([text])
    assert [snippet.text[start:end] for start, end in snippet.marks] == marked


def test_the_best_passage_is_shown() -> None:
    text = f"{FILLER}A zebra came. {FILLER}The zebra met a lion at the water. {FILLER}"
    snippet = PassageFinder(parse_query("zebra lion").sought).best([text])
    assert "zebra met a lion" in snippet.text
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")
    assert len(snippet.text) <= LENGTH + 2


def test_the_abstract_is_preferred_unless_the_body_fits_better() -> None:
    abstract, body = "About zebras and a lion.", "The lion, the tiger and the bear."
    assert PassageFinder(parse_query("lion").sought).best([abstract, body]).text == abstract
    assert PassageFinder(parse_query("lion tiger").sought).best([abstract, body]).text == abstract
    assert PassageFinder(parse_query("lion tiger bear").sought).best([abstract, body]).text == body
    assert PassageFinder(parse_query("").sought).best(["", body]).text == body


@given(st.text(max_size=2000), st.text(alphabet="abc ", max_size=10))
def test_marks_never_leave_the_text_nor_overlap(text: str, query: str) -> None:
    snippet = PassageFinder(parse_query(query).sought).best([text])
    ends = [0, *(place for mark in snippet.marks for place in mark), len(snippet.text)]
    assert ends == sorted(ends)
    assert len(snippet.text) <= LENGTH + 2


@given(st.text(max_size=60))
def test_folding_keeps_places_true(text: str) -> None:
    marks = PassageFinder(parse_query("godel").sought).best([f"{text} Gödel"]).marks
    shown = PassageFinder(parse_query("godel").sought).best([f"{text} Gödel"]).text
    assert "Gödel" in [shown[start:end] for start, end in marks]


def test_a_body_is_looked_at_only_where_the_abstract_lacks_the_words() -> None:
    abstract, body = "Trees grow.", "Trees and forests and meadows grow and burn."
    assert PassageFinder(parse_query("trees grow").sought).best([abstract, body]).text == abstract
    assert PassageFinder(parse_query("meadows forests burn").sought).best([abstract, body]).text == body
