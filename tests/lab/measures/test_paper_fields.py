"""The field of a paper by what was read of it, scored as the sets tell it."""

from pathlib import Path

from portico.classify.fields import read_fields
from portico.domains import papers
from portico.lab.measures.paper_fields import score_paper_fields
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId

MODEL = read_fields((Path(papers.__file__).parent / "models" / "fields.npz").read_bytes())


def a_paper(title: str) -> tuple[Record, ...]:
    fields = (Field("title", title, Span(0, 1), 0.9),)
    return (Record(RecordId("r"), "header", DocumentId("d"), "", Span(0, 1), fields),)


def test_fields_are_scored_in_the_words_of_the_sets() -> None:
    asked = [
        ("medicine", a_paper("Randomised trial of aspirin for patients with stroke in primary care")),
        ("humanities", a_paper("Roman pottery and trade at an archaeological excavation of the Iron Age")),
        ("biology", a_paper("Chemotherapy for patients with breast cancer: a randomised clinical trial")),
        ("physics", ()),
    ]
    scores = score_paper_fields(asked, MODEL)
    assert scores["recall"] == 0.5
    assert scores["recall_of_kin"] == 0.75  # medicine for biology is as good
    assert scores["precision"] == 2 / 3  # of a paper without words no field is said
