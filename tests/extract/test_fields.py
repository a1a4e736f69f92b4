"""Fields say how sure they are and what else they could have been."""

from pathlib import Path

import pytest

from portico.domains.papers import PAPERS
from portico.errors import SetupError
from portico.extract.calibrations import read_calibrations, write_calibrations
from portico.extract.fields import FieldReader
from portico.extract.tagger import Tagged
from portico.extract.words import Row, split_spaced_words, split_words
from portico.learn.calibration import Calibration
from portico.types.document import Span
from portico.types.record import Field

REFERENCE = "A. Bell. Radio Nets in Theory. 12 June 1999. https://doi.org/10.1000/182"
LABELS = ("author", "author", "title", "title", "title", "title", "date", "date", "date", "note")


def read(*, runner_up: tuple[str, ...] = (), curve: Calibration | None = None) -> dict[str, Field]:
    rows = (Row(split_words(REFERENCE, Span(0, len(REFERENCE)))),)
    chances = (0.8,) * len(LABELS)
    other = Tagged(rows, runner_up, chances) if runner_up else None
    reader = FieldReader(PAPERS.kind("reference"), {"title": curve} if curve else {})
    return {field.name: field for field in reader(Tagged(rows, LABELS, chances, other), ())}


def test_values_and_places() -> None:
    fields = read()
    assert fields["title"].value == "Radio Nets in Theory"
    assert fields["title"].span.of(REFERENCE) == "Radio Nets in Theory"
    assert (fields["year"].value, fields["published"].value) == ("1999", "1999-06-12")
    assert (fields["doi"].value, fields["doi"].span.of(REFERENCE)) == ("10.1000/182", "10.1000/182")
    assert "url" not in fields


def test_an_author_is_named_once() -> None:
    text = "Mark Dorn Mark Dorn, Northfield Labs Eva Fox, Southfield Labs"
    rows = tuple(
        Row(split_words(text, Span(start, end))) for start, end in ((0, 9), (10, 36), (37, len(text)))
    )
    labels = ("author",) * 2 + ("affiliation",) * 8
    read = FieldReader(PAPERS.kind("header"))
    fields = read(Tagged(rows, labels, (0.8,) * 10), ())
    assert [one.value for one in fields if one.name == "author"] == ["Mark Dorn", "Eva Fox"]


def test_confidence_is_calibrated_by_field() -> None:
    fields = read(curve=Calibration(((0.0, 0.0), (1.0, 0.5))))
    assert fields["title"].confidence == pytest.approx(0.4)
    assert fields["year"].confidence == pytest.approx(0.8)


def test_runner_up_is_what_the_next_best_labels_say() -> None:
    fields = read(runner_up=(*LABELS[:4], "booktitle", "booktitle", *LABELS[6:]))
    assert fields["title"].runner_up == "Radio Nets"
    assert fields["year"].runner_up == ""  # both say the same
    assert read()["title"].runner_up == ""  # no other labeling was proposed


def test_a_calibrated_reader_is_another_model() -> None:
    kind = PAPERS.kind("reference")
    assert FieldReader(kind).digest == FieldReader(kind, {}).digest
    assert FieldReader(kind).digest != FieldReader(kind, {"title": Calibration(((0.5, 0.4),))}).digest


def test_calibrations_travel_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    written = {"header": {"title": Calibration(((0.25, 0.125), (1.0, 0.5)))}}
    write_calibrations(written, path)
    assert read_calibrations(path) == written


@pytest.mark.parametrize(
    "text", ["", "[1]", '{"header": {"title": [[1]]}}', '{"header": {"title": [["a", "b"]]}}']
)
def test_not_a_calibration(tmp_path: Path, text: str) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(text)
    with pytest.raises(SetupError, match="portico train calibration"):
        read_calibrations(path)


def test_no_calibration(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be read"):
        read_calibrations(tmp_path / "calibration.json")


@pytest.mark.parametrize(
    ("dates", "year"),
    [("2004. 2–6 July.", "2004"), ("2–6 July. 2004.", "2004"), ("(2009). 25 January 2014.", "2009")],
)
def test_the_first_date_that_has_a_year_gives_the_year(dates: str, year: str) -> None:
    first, second = dates.split(". ")
    text = f"{first}. Nets. {second}"
    rows = (Row(split_words(text, Span(0, len(text)))),)
    labels = (*["date"] * len(first.split()), "title", *["date"] * len(second.split()))
    fields = FieldReader(PAPERS.kind("reference"))(Tagged(rows, labels, (0.8,) * len(labels)), ())
    assert [field.value for field in fields if field.name == "year"] == [year]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Deep End,Oslo: Fox.", ["Deep", "End,", "Oslo:", "Fox."]),
        ("Sound’,Nature 12:3-4", ["Sound’,", "Nature", "12:3-4"]),
        ("manual.Brussels 2011.Who", ["manual.", "Brussels", "2011.", "Who"]),
        ("J.E.Smith U.S.A. AI:A http://a.test/B,C ann@b.test", None),
    ],
)
def test_a_lost_space_is_given_back(text: str, words: list[str] | None) -> None:
    found = split_spaced_words(text, Span(0, len(text)))
    assert [word.text for word in found] == (words or text.split())
    assert all(word.span.of(text) == word.text for word in found)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Murray Shanahan", "Global Access", "Abstract"], ["Murray Shanahan"]),
        (["Global Access", "John Miller and Carl Dorn", "Abstract"], ["John Miller", "Carl Dorn"]),
        (["Global Access", "Department of Physics", "Abstract"], []),
    ],
)
def test_names_alone_beside_a_title_are_authors_where_none_was_found(
    lines: list[str], expected: list[str]
) -> None:
    text = "\n".join(lines)
    starts = [text.index(line) for line in lines]
    rows = tuple(
        Row(split_words(text, Span(start, start + len(line))), block=start)
        for start, line in zip(starts, lines, strict=True)
    )
    labels = ["title" if "Global" in row.text else "note" for row in rows for _ in row.words]
    fields = FieldReader(PAPERS.kind("header"))(Tagged(rows, tuple(labels), (0.8,) * len(labels)), ())
    assert [one.value for one in fields if one.name == "author"] == expected


def read_authors(*printed: tuple[str, str, float]) -> list[str]:
    """The authors of lines of text, label and size."""
    text = "\n".join(line for line, _, _ in printed)
    starts = [text.index(line) for line, _, _ in printed]
    rows = tuple(
        Row(split_words(text, Span(start, start + len(line))), size=size, block=start)
        for start, (line, _, size) in zip(starts, printed, strict=True)
    )
    labels = [label for row, (_, label, _) in zip(rows, printed, strict=True) for _ in row.words]
    fields = FieldReader(PAPERS.kind("header"))(Tagged(rows, tuple(labels), (0.8,) * len(labels)), ())
    return [one.value for one in fields if one.name == "author"]


@pytest.mark.parametrize(
    ("size", "expected"), [(10.0, ["Emal Soylu", "Damini Choudhry"]), (9.0, ["Emal Soylu"])]
)
def test_a_line_set_as_names_are_is_a_name(size: float, expected: list[str]) -> None:
    found = read_authors(
        ("Global Access", "title", 17.0),
        ("Emal Soylu", "author", 10.0),
        ("Northfield College", "affiliation", 9.0),
        ("Damini Choudhry", "affiliation", size),
        ("Southfield College", "affiliation", 9.0),
    )
    assert found == expected


def test_the_author_of_a_thesis_is_announced() -> None:
    found = read_authors(
        ("Global Access", "title", 17.0), ("vorgelegt von", "note", 10.0), ("Graziano Ruggeri", "note", 12.0)
    )
    assert found == ["Graziano Ruggeri"]


def test_names_of_a_citation_are_not_those_of_the_authors() -> None:
    found = read_authors(
        ("Global Access", "title", 17.0),
        ("Citation: Soylu E, Choudhry D", "author", 7.0),
        ("Emal Soylu and Damini Choudhry", "author", 10.0),
    )
    assert found == ["Emal Soylu", "Damini Choudhry"]
