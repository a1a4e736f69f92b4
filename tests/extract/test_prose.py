"""An abstract is whole paragraphs, whatever names and years stand in them, and ends at the next heading."""

import pytest

from portico.extract.prose import complete_paragraphs
from portico.extract.tagger import Tagged
from portico.extract.words import Row, split_words
from portico.types.document import Span

BOLD = ("layout", "bold")
Printed = tuple[int, float, tuple[str, ...], str, str]
"""Block, size, looks, the labels of the words ("a" abstract, "n" note…; the last goes on), the line."""

NAMES = {"a": "abstract", "n": "note", "p": "author", "k": "keyword", "t": "title"}


def tagged(*printed: Printed) -> Tagged:
    rows, labels, start = [], [], 0
    for block, size, looks, letters, text in printed:
        words = split_words(" " * start + text, Span(start, start + len(text)))
        rows.append(Row(words, looks, size, block))
        labels += [NAMES[letters[min(idx, len(letters) - 1)]] for idx in range(len(words))]
        start += len(text) + 1
    return Tagged(tuple(rows), tuple(labels), (0.9,) * len(labels))


def abstract_of(mended: Tagged) -> str:
    words = [word.text for row in mended.rows for word in row.words]
    return " ".join(word for word, label in zip(words, mended.labels, strict=True) if label == "abstract")


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (  # names that are cited inside of a paragraph are not authors
            [(1, 10.0, (), "aaaapp", "We go on where Ann Bell"), (1, 10.0, (), "a", "had to stop.")],
            "We go on where Ann Bell had to stop.",
        ),
        (  # a paragraph that opens like a note and goes on from one of the abstract
            [(1, 10.0, (), "a", "We show how."), (2, 10.0, (), "n", "This is reprinted from Edges,"),
             (2, 10.0, (), "nnaaaaaaa", "12. It says what others have not said.")],
            "We show how. This is reprinted from Edges, 12. It says what others have not said.",
        ),
        (  # a paragraph of its own that is no part of it
            [(1, 10.0, (), "a", "We show how."), (2, 10.0, (), "n", "Technical Report 12")],
            "We show how.",
        ),
        (  # keywords that are printed below it in one paragraph stay
            [(1, 10.0, (), "a", "We show how."), (1, 10.0, (), "k", "Keywords: edges")],
            "We show how.",
        ),
        (  # a footnote in small letters
            [(1, 10.0, (), "a", "We show"), (1, 10.0, (), "a", "how."), (2, 8.0, (), "a", "We thank Bell"),
             (2, 8.0, (), "a", "and Dorn.")],
            "We show how.",
        ),
        (  # the small line of a formula belongs to it
            [(1, 10.0, (), "a", "We show"), (1, 10.0, (), "a", "how"), (2, 7.0, (), "a", "√"),
             (3, 10.0, (), "a", "of n is"), (3, 10.0, (), "a", "found.")],
            "We show how √ of n is found.",
        ),
        (  # the text behind it, in larger letters, with its heading
            [(1, 9.0, (), "a", "We show"), (1, 9.0, (), "a", "how."), (2, 14.0, BOLD, "a", "1 Summary"),
             (3, 11.0, (), "a", "Others have"), (3, 11.0, (), "a", "shown it too.")],
            "We show how.",
        ),
        (  # all between its heading and the next that looks the same
            [(1, 12.0, BOLD, "a", "Summary"), (2, 10.0, (), "a", "We show how."),
             (3, 10.0, (), "n", "It is free."), (4, 12.0, BOLD, "n", "Statement of Need"),
             (5, 10.0, (), "a", "People need it.")],
            "Summary We show how. It is free.",
        ),
        (  # a heading of keywords is of another field
            [(1, 12.0, BOLD, "a", "Abstract"), (2, 10.0, (), "a", "We show how."),
             (3, 12.0, BOLD, "k", "Keywords"), (4, 10.0, (), "k", "edges")],
            "Abstract We show how.",
        ),
        (  # without layout nothing is known of paragraphs
            [(0, 0.0, (), "aaaapp", "We go on where Ann Bell"), (0, 0.0, (), "a", "had to stop.")],
            "We go on where had to stop.",
        ),
        ([(1, 10.0, (), "t", "No abstract at all")], ""),
    ],
)  # fmt: skip
def test_what_is_the_abstract(printed: list[Printed], expected: str) -> None:
    assert abstract_of(complete_paragraphs(tagged(*printed), "abstract", other="note")) == expected


def test_mended_words_are_less_sure() -> None:
    before = tagged((1, 10.0, (), "aaaappaaa", "We go on where Ann Bell had to stop."))
    mended = complete_paragraphs(before, "abstract", other="note")
    assert mended.labels == ("abstract",) * 9
    assert mended.probabilities == (0.9, 0.9, 0.9, 0.9, 0.6, 0.6, 0.9, 0.9, 0.9)
