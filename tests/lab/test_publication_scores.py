"""Year, venue and DOI count as found where a file prints them, and as right by the protocol of the set."""

from dataclasses import replace
from typing import Any

import pytest

from portico.lab.publication_scores import (
    PublicationTruth,
    is_same_title,
    read_publication,
    score_publications,
    surnames_f1,
)
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId

LINE: dict[str, Any] = {
    "title": "Sound: a study", "alt_titles": ["Sound"], "authors": ["Ann van Bell", "Carl Dorn"],
    "year": 1990, "alt_years": [1991], "venue": "Journal of Sound", "alt_venues": ["J. Sound"],
    "doi": "10.1000/AbC", "abstract": None, "n_refs": 40, "unsure": ["first_ref"],
}  # fmt: skip


def truth_of(**changes: Any) -> PublicationTruth:
    truth = read_publication({**LINE, **changes})
    assert truth is not None
    return truth


def records_of(n_refs: int = 0, **values: tuple[str, ...]) -> tuple[Record, ...]:
    fields = tuple(Field(name, value, Span(0, 1), 0.9) for name, given in values.items() for value in given)
    header = Record(RecordId("d#header"), "header", DocumentId("d"), "x", Span(0, 1), fields)
    return (
        header,
        *(replace(header, id=RecordId(f"d#ref-{idx}"), kind="reference") for idx in range(n_refs)),
    )


@pytest.mark.parametrize(
    ("name", "changes", "records", "recall", "precision", "of_all"),
    [
        ("year", {}, records_of(year=("1991",)), 1.0, 1.0, 1.0),
        ("year", {}, records_of(year=("1992",)), 0.0, 0.0, 0.0),
        ("year", {}, records_of(), 0.0, None, 0.0),
        ("year", {"year": None, "alt_years": None}, records_of(), None, None, 1.0),
        ("year", {"year": None, "alt_years": None}, records_of(year=("1990",)), None, 0.0, 0.0),
        ("venue", {}, records_of(venue=("The Journal of Sound",)), 1.0, 1.0, 1.0),
        ("venue", {"venue": None}, records_of(venue=("J. Sound",)), None, 1.0, 1.0),
        ("venue", {"venue": None}, records_of(venue=("Nature",)), None, 0.0, 0.0),
        ("doi", {}, records_of(doi=("10.1000/abc",)), 1.0, 1.0, 1.0),
        ("doi", {}, (), 0.0, None, 0.0),
        ("n_refs", {}, records_of(42), 1.0, 1.0, 1.0),
        ("n_refs", {}, records_of(43), 0.0, 0.0, 0.0),
    ],
)
def test_figures(
    name: str,
    changes: dict[str, Any],
    records: tuple[Record, ...],
    recall: float,
    precision: float,
    of_all: float,
) -> None:
    figures = score_publications([(truth_of(**changes), records)], are_all=True)[name]
    assert (figures["recall"], figures["precision"], figures["right_of_all"]) == (recall, precision, of_all)


def test_what_the_truth_is_unsure_of_is_not_scored() -> None:
    figures = score_publications([(truth_of(unsure=["year"]), records_of(year=("1700",)))], are_all=True)
    assert figures["year"]["n"] == 0
    assert figures["abstract"] == 1.0  # none printed, none found


@pytest.mark.parametrize(
    ("found", "is_right"), [("SOUND", True), ("Sound — a Study", True), ("A study", False)]
)
def test_titles(found: str, is_right: bool) -> None:
    assert is_same_title(truth_of(), found) == is_right


@pytest.mark.parametrize(
    ("found", "f1"), [(("A. Bell", "Dorn"), 1.0), (("A. Bell",), 2 / 3), (("Dorn", "Dorn"), 0.5), ((), 0.0)]
)
def test_surnames(found: tuple[str, ...], f1: float) -> None:
    assert surnames_f1(truth_of(), records_of(author=found)) == pytest.approx(f1)
