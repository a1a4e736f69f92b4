"""Scores of real papers count what people would count."""

from dataclasses import replace
from pathlib import Path

import pytest

from portico.errors import Unreadable
from portico.lab.datasets.paper_truth import PaperTruth, ReferenceFields, read_truth
from portico.lab.measures.papers import (
    collect_paper_trials,
    count_fields,
    count_references,
    measure_papers,
    normalize_text,
    run_paper,
    score_papers,
)
from portico.lab.publication_scores import PublicationTruth
from portico.lab.training.calibration import CalibrationTrial, measure_stated_calibration
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
    truth = PaperTruth(
        Path("a.pdf"), "On Sound", ("Ann Bell", "Carl Dorn"), "We show.", ("A. Bell. Sound. 1990.",)
    )
    records = (
        header(title=("On sound.",), author=("A. Bell", "E. Fox"), abstract=("We show",)),
        reference("A. Bell. Sound. 1990"),
        reference("Something else entirely, which nobody asked for. 1991."),
    )
    outcome = run_paper(truth, lambda _: DOCUMENT, lambda _: records)
    scores = score_papers([outcome])
    assert scores["title"] == 1.0
    assert scores["authors_f1"] == 0.5
    assert scores["abstract"] == 1.0
    assert scores["references_f1"] == pytest.approx(2 / 3, abs=1e-4)


def test_unreadable_counts_as_wrong_unless_the_truth_says_garbled() -> None:
    clean, garbled = PaperTruth(Path("a.pdf"), "A"), PaperTruth(Path("b.pdf"), "B", garbled=True)
    scores = score_papers([run_paper(truth, refuse, lambda _: ()) for truth in (clean, garbled)])
    assert scores["n"] == 1
    assert scores["title"] == 0.0
    assert scores["garbled_noticed"] == 1.0
    assert scores["clean_called_garbled"] == 1


def test_one_reference_counts_once() -> None:
    truth = PaperTruth(Path("a.pdf"), references=("A. Bell. Sound. 1990.", "A. Bell. Sound. 1990."))
    outcome = run_paper(
        truth, lambda _: DOCUMENT, lambda _: (header(title=("T",)), reference("A. Bell. Sound. 1990."))
    )
    assert count_references(outcome) == (1, 1, 2)


@pytest.mark.parametrize(
    ("one", "other"), [("Efﬁcient  Gödel-ing!", "efficient godel ing"), ("A—B", "a b"), ("Straße", "STRASSE")]
)
def test_normal(one: str, other: str) -> None:
    assert normalize_text(one) == normalize_text(other)


def test_folder_without_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"truth\.jsonl"):
        measure_papers(tmp_path, convert=refuse, extract=lambda _: ())


@pytest.mark.parametrize(
    ("title", "year", "n_right"),
    [("On sound.", "1990a", 1), ("On sound.", "1991", 0), ("A. Bell", "1990", 0)],
)
def test_title_and_year_of_a_reference_must_both_be_right(title: str, year: str, n_right: int) -> None:
    labelled = (
        ReferenceFields("On Sound", "1990", "A. Bell: On Sound. 1990."),
        ReferenceFields("On Light", "1995", "C. Dorn: On Light. A book of many pages. Oxford 1995."),
    )
    truth = PaperTruth(Path("a.pdf"), reference_fields=labelled)
    fields = (Field("title", title, Span(0, 1), 0.9), Field("year", year, Span(0, 1), 0.9))
    found = replace(reference("A. Bell: On Sound. 1990"), fields=fields)
    outcome = run_paper(truth, lambda _: DOCUMENT, lambda _: (header(title=("T",)), found))
    assert count_fields(outcome) == (2, 1, n_right)


def test_fields_are_read_from_tagged_lines(tmp_path: Path) -> None:
    (tmp_path / "truth.jsonl").write_text('{"id": "7", "n_refs": 2}\n', encoding="utf-8")
    (tmp_path / "refs_segmented").mkdir()
    lines = (
        "<author><surname>Bell</surname></author>: <title>On Sound</title>, <year>1990</year>.\n"
        "<author><surname>Dorn</surname></author>: <title>No Year</title>.\n"
    )
    (tmp_path / "refs_segmented" / "7.xml").write_text(lines, encoding="utf-8")
    (truth,) = read_truth(tmp_path)
    assert truth.reference_fields == (ReferenceFields("On Sound", "1990", "Bell: On Sound, 1990."),)


def test_an_abstract_that_the_text_does_not_hold_is_told_apart_and_still_counts() -> None:
    document = replace(DOCUMENT, text="On Sound. Abstract. We show how to hear. 1 Introduction. Sound.")
    records = (header(title=("On Sound",), abstract=("We show how to hear.",)),)
    abstracts = ("We show how to hear.", "A survey.")
    truths = [PaperTruth(Path("a"), abstract=abstract) for abstract in abstracts]
    scores = score_papers([run_paper(truth, lambda _: document, lambda _: records) for truth in truths])
    assert (scores["abstract"], scores["abstract_in_text"]) == (0.5, 1.0)


def test_a_title_that_the_text_does_not_hold_is_told_apart_and_still_counts() -> None:
    document = replace(DOCUMENT, text="On Sound. Abstract. We show how to hear.")
    truths = [PaperTruth(Path("a"), title=title) for title in ("On Sound", "A Novel Sound")]
    outcomes = [
        run_paper(truth, lambda _: document, lambda _: (header(title=("On Sound",)),)) for truth in truths
    ]
    scores = score_papers(outcomes)
    assert (scores["title"], scores["title_in_text"]) == (0.5, 1.0)


def test_a_title_that_another_program_missed_still_counts(tmp_path: Path) -> None:
    row = '{"id": "1", "title": "Hard to Read", "title_found": false}'
    (tmp_path / "truth.jsonl").write_text(row, encoding="utf-8")
    assert [truth.title for truth in read_truth(tmp_path)] == ["Hard to Read"]


def test_what_was_said_of_fields_is_held_against_the_truth() -> None:
    truth = PaperTruth(
        Path("a.pdf"), "On Sound", ("Ann Bell",), reference_fields=(ReferenceFields("Sound", "1990"),)
    )
    cited = replace(reference("A. Bell. Sound. 1991."), fields=(Field("year", "1991", Span(0, 1), 0.8),))
    records = (header(title=("On Sound",), author=("Ann Bell", "Eve Fox")), cited)
    trials = collect_paper_trials([run_paper(truth, lambda _: DOCUMENT, lambda _: records)])
    assert trials["title"] == [CalibrationTrial(0, 0.9, is_right=True)]
    assert [trial.is_right for trial in trials["author"]] == [True, False]
    assert trials["year"] == [CalibrationTrial(0, 0.8, is_right=False)]
    assert measure_stated_calibration(trials)["author"]["ece"] == pytest.approx(0.4)


def test_what_was_said_of_a_publication_is_held_against_the_truth() -> None:
    told = PublicationTruth(years=("2004",), venues=("Cognition",), unsure=frozenset({"doi"}))
    records = (header(year=("2004",), venue=("Sound and Light",), doi=("10.1000/182",)),)
    truth = PaperTruth(Path("a.pdf"), "On Sound", publication=told)
    trials = collect_paper_trials([run_paper(truth, lambda _: DOCUMENT, lambda _: records)])
    assert [trial.is_right for trial in trials["published"]] == [True]
    assert [trial.is_right for trial in trials["venue"]] == [False]
    assert "doi" not in trials


def test_sets_are_scored_apart_and_together(tmp_path: Path) -> None:
    for name, title in (("one", "On Sound"), ("two", "On Light")):
        (tmp_path / name).mkdir()
        row = f'{{"id": "1", "title": "{title}"}}'
        (tmp_path / name / "truth.jsonl").write_text(row, encoding="utf-8")
    figures = measure_papers(
        tmp_path, convert=lambda _: DOCUMENT, extract=lambda _: (header(title=("On Sound",)),)
    )
    assert {name: found["title"] for name, found in figures.items()} == {"one": 1.0, "two": 0.0, "all": 0.5}
    assert figures["all"]["calibration"]["title"]["ece"] == pytest.approx(0.4)
