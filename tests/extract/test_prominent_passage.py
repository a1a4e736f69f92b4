"""A title is surer where its words and its looks agree."""

from dataclasses import replace

import pytest

from portico.extract.header_looks import LARGEST
from portico.extract.prominent_passage import AGAINST_LOOKS, MOST_ROWS, find_prominent
from portico.extract.tagger import Tagged
from portico.extract.words import Row, split_words
from portico.types.document import Span


def tagged(*printed: tuple[str, str, tuple[str, ...], float]) -> Tagged:
    """Lines of text, label, looks and size; every word is .8 sure of its label."""
    rows, labels, start = [], [], 0
    for text, label, looks, size in printed:
        words = split_words(" " * start + text, Span(start, start + len(text)))
        rows.append(Row(words, looks, size, block=int(size)))
        labels += [label] * len(words)
        start += len(text) + 1
    return Tagged(tuple(rows), tuple(labels), (0.8,) * len(labels))


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        (((LARGEST,), (LARGEST,), ()), 0.8),  # just its lines are the largest
        (((LARGEST,), (), ()), 0.8 * AGAINST_LOOKS),  # one of its lines is not
        (((), (), (LARGEST,)), 0.8 * AGAINST_LOOKS),  # others are
        (((), (), ()), 0.8),  # nothing is known
    ],
)
def test_looks_count(looks: tuple[tuple[str, ...], ...], expected: float) -> None:
    found = find_prominent(
        tagged(
            ("On Edges", "title", looks[0], 0.0),
            ("and Nets", "title", looks[1], 0.0),
            ("Ann Bell", "author", looks[2], 0.0),
        ),
        "title",
        other="note",
    )
    assert found is not None
    assert [word.text for word in found.words] == ["On", "Edges", "and", "Nets"]
    assert found.probabilities == pytest.approx((expected,) * 4)


def test_a_title_in_a_narrow_column_is_whole() -> None:
    lines = [(f"line {number} of it", "title", (LARGEST,), 24.0) for number in range(7)]
    found = find_prominent(tagged(*lines, ("Ann Bell", "author", (), 10.0)), "title", other="note")
    assert found is not None
    assert len(found.lines) == 7 < MOST_ROWS


def test_paragraphs_at_the_ends_of_a_title_that_are_none_are_left_out() -> None:
    found = find_prominent(
        tagged(
            ("FS I 01 - 301", "title", (LARGEST,), 12.0),
            ("On Edges", "title", (LARGEST,), 13.0),
            ("Ann Bell", "author", (), 10.0),
        ),
        "title",
        other="note",
        not_where=lambda paragraph: paragraph.startswith("FS"),
    )
    assert found is not None
    assert [word.text for word in found.words] == ["On", "Edges"]


@pytest.mark.parametrize(("looks", "words"), [((), 4), (("bold",), 2)])
def test_a_name_in_the_paragraph_of_a_title_is_told_by_its_style(looks: tuple[str, ...], words: int) -> None:
    found = find_prominent(
        tagged(
            ("Ann Bell", "author", (), 14.0),
            ("On Edges", "title", (LARGEST, *looks), 14.0),
            ("some text that is smaller and longer", "note", (), 9.0),
        ),
        "title",
        other="note",
    )
    assert found is not None
    assert len(found.words) == words


@pytest.mark.parametrize(
    ("chance", "words"),
    [(0.4, 3), (0.8, 2)],  # a second line that the model is not sure of; the names of the authors
)
def test_a_line_set_as_the_title_above_it_is_its_second(chance: float, words: int) -> None:
    found = tagged(
        ("On Edges", "title", (), 15.98),
        ("Quartets", "author", (), 16.02),
        ("some text that is smaller and longer", "note", (), 9.0),
    )
    title = find_prominent(
        replace(found, probabilities=(0.8, 0.8, chance, *found.probabilities[3:])), "title", other="note"
    )
    assert title is not None
    assert len(title.words) == words


def test_the_name_of_a_journal_may_end_a_title() -> None:
    found = find_prominent(
        tagged(("Black and Scholes in", "title", (), 15.8), ("Differential Equations", "title", (), 16.2)),
        "title",
        other="note",
        not_where=lambda paragraph: paragraph == "Differential Equations",
    )
    assert found is not None
    assert len(found.words) == 6
