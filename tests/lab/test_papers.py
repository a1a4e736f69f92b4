"""Scores of real papers count what people would count."""

from pathlib import Path

import pytest

from portico.errors import Unreadable
from portico.lab.papers import measure_papers, normal, reference_counts, run, score
from portico.lab.truth import Truth
from portico.types.document import Document, DocumentId, Span
from portico.types.record import Field, Record, RecordId

DOCUMENT = Document(DocumentId("d"), "text/plain", "x", (), ())


def header(**fields: tuple[str, ...]) -> Record:
    found = tuple(Field(name, value, Span(0, 1), 0.9) for name, values in fields.items() for value in values)
    return Record(RecordId("d#header"), "header", DocumentId("d"), "x", Span(0, 1), found)


def reference(raw: str) -> Record:
    return Record(RecordId("d#ref-1"), "reference", DocumentId("d"), raw, Span(0, 1), ())


def refuse(_: Path) -> Document:
    raise Unreadable("gibberish")


def test_scores() -> None:
    truth = Truth(
        Path("a.pdf"), "On Sound", ("Ann Bell", "Carl Dorn"), "We show.", ("A. Bell. Sound. 1990.",)
    )
    records = (
        header(title=("On sound.",), author=("A. Bell", "E. Fox"), abstract=("We show",)),
        reference("A. Bell. Sound. 1990"),
        reference("Something else entirely, which nobody asked for. 1991."),
    )
    outcome = run(truth, lambda _: DOCUMENT, lambda _: records)
    scores = score([outcome])
    assert scores["title"] == 1.0
    assert scores["authors_f1"] == 0.5
    assert scores["abstract"] == 1.0
    assert scores["references_f1"] == pytest.approx(2 / 3, abs=1e-4)


def test_unreadable_counts_as_wrong_unless_the_truth_says_garbled() -> None:
    clean, garbled = Truth(Path("a.pdf"), "A"), Truth(Path("b.pdf"), "B", garbled=True)
    scores = score([run(truth, refuse, lambda _: ()) for truth in (clean, garbled)])
    assert scores["n"] == 1
    assert scores["title"] == 0.0
    assert scores["garbled_noticed"] == 1.0
    assert scores["clean_called_garbled"] == 1


def test_one_reference_counts_once() -> None:
    truth = Truth(Path("a.pdf"), references=("A. Bell. Sound. 1990.", "A. Bell. Sound. 1990."))
    outcome = run(
        truth, lambda _: DOCUMENT, lambda _: (header(title=("T",)), reference("A. Bell. Sound. 1990."))
    )
    assert reference_counts(outcome) == (1, 1, 2)


@pytest.mark.parametrize(
    ("one", "other"), [("Efﬁcient  Gödel-ing!", "efficient godel ing"), ("A—B", "a b"), ("Straße", "STRASSE")]
)
def test_normal(one: str, other: str) -> None:
    assert normal(one) == normal(other)


def test_folder_without_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"truth\.jsonl"):
        measure_papers(tmp_path, convert=refuse, extract=lambda _: ())
