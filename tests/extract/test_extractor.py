"""From a document to records: fields with places, contexts, and no error but our own."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portico.domains.papers import PAPERS
from portico.errors import InputError, NotAPaper
from portico.extract.extractor import Extractor, load_extractor, make_header_rows
from portico.extract.fields import FieldReader
from portico.extract.headless_abstracts import find_late_abstract
from portico.extract.tagger import Tagged
from portico.types.document import Document
from portico.types.record import Record
from tests.extract.pages import LETTER, Printed, document_of, plain_document

ABSTRACT = (
    "We show that messages in a radio network can be collected in lin-",
    "ear time. The proof rests on a new schedule of the nodes, and the",
    "experiments confirm that it is fast in practice.",
)
REFERENCES = (
    ("[1] L. R. Rabiner. A tutorial on hidden Markov models and selected ap-", 72.0),
    ("plications in speech recognition. Proceedings of the IEEE,", 90.0),
    ("77(2):257-286, 1989.", 90.0),
    ("[2] J. Lafferty, A. McCallum, and F. Pereira. Conditional random fields.", 72.0),
    ("In Proceedings of the Eighteenth International Conference on Machine", 90.0),
    ("Learning, pages 282-289, 2001.", 90.0),
)


def paper() -> Document:
    return document_of(
        Printed("Protocols for Collecting Responses", size=17.0, block=0),
        Printed("in Radio Networks1", size=17.0, block=0, raised="1"),
        Printed("Ann Bell1 and Carl Dorn2", size=12.0, block=1, raised="2"),
        Printed("Department of Computer Science, University of Northfield", block=2),
        Printed("bell@cs.northfield.test", block=2),
        Printed("Abstract", size=12.0, block=3),
        *(Printed(text, block=4) for text in ABSTRACT),
        Printed("1 Introduction", size=12.0, block=5),
        Printed("Hidden Markov models are well understood [1]. Others prefer", block=6),
        Printed("conditional models [2] today.", block=6),
        Printed("References", size=12.0, block=7),
        *(Printed(text, left=left, block=8) for text, left in REFERENCES),
    )


@pytest.fixture(scope="module")
def extract() -> Extractor:
    return load_extractor(PAPERS)


@pytest.fixture(scope="module")
def records(extract: Extractor) -> tuple[Record, ...]:
    return extract(paper())


def values(record: Record, name: str) -> list[str]:
    return [field.value for field in record.all(name)]


def test_header(records: tuple[Record, ...]) -> None:
    header = records[0]
    assert (header.id, header.kind) == ("d#header", "header")
    assert header.value("title") == "Protocols for Collecting Responses in Radio Networks"
    assert values(header, "author") == ["Ann Bell", "Carl Dorn"]
    assert header.value("abstract") == " ".join(ABSTRACT).replace("lin- ear", "linear")
    assert values(header, "email") == ["bell@cs.northfield.test"]


def test_references(records: tuple[Record, ...]) -> None:
    rabiner, lafferty = records[1:]
    assert (rabiner.id, rabiner.kind) == ("d#ref-1", "reference")
    assert rabiner.raw.startswith(
        "L. R. Rabiner. A tutorial on hidden Markov models and selected applications"
    )
    assert values(rabiner, "author") == ["L. R. Rabiner"]
    assert rabiner.value("year") == "1989"
    assert rabiner.value("venue") == "Proceedings of the IEEE"
    assert values(lafferty, "author") == ["J. Lafferty", "A. McCallum", "F. Pereira"]
    assert lafferty.value("title") == "Conditional random fields"
    assert lafferty.value("pages") == "282-289"


def test_contexts(records: tuple[Record, ...]) -> None:
    assert [context.text for context in records[1].contexts] == [
        "Hidden Markov models are well understood [1]."
    ]
    assert [context.text for context in records[2].contexts] == [
        "Others prefer conditional models [2] today."
    ]


def test_every_field_has_its_place_and_a_probability(records: tuple[Record, ...]) -> None:
    text = paper().text
    for record in records:
        assert 0 <= record.span.start < record.span.end <= len(text)
        for field in record.fields:
            if field.name in {"published", "venue_name"}:  # brought to another form than the printed one
                continue
            printed = field.span.of(text)
            assert printed
            assert 0 < field.confidence < 1
            first, last = field.value.split()[0], field.value.split()[-1]
            assert printed.startswith(first[:3])
            assert printed.endswith(last[-1:])


def test_same_document_same_records(extract: Extractor, records: tuple[Record, ...]) -> None:
    assert extract(paper()) == records
    assert load_extractor(PAPERS).model_id == extract.model_id


def test_not_a_paper(extract: Extractor) -> None:
    with pytest.raises(NotAPaper, match="no abstract or introduction"):
        extract(plain_document("Shopping list\nbread\nmilk"))


def test_a_reference_without_words_costs_no_paper(extract: Extractor) -> None:
    lines = [*paper().text.split("\n"), "[3]", "[4] C. Dorn. Trees. 1991."]
    found = extract(document_of(*(Printed(text, block=block) for block, text in enumerate(lines))))
    assert [record.raw[:6] for record in found[1:]] == ["L. R. ", "J. Laf", "C. Dor"]


LINE = st.sampled_from(
    ["Abstract", "1 Introduction", "References", "[1] A. Bell. Sound. 1990.", "2. Dorn, C. (1991)",
     "Ann Bell", "", "\u200b", "•", "-", "http://x.test", "{a,b}@x.test", "1999", "A. B. C.", "[", "∗",
     "References 1990", "x" * 300, "[2]", "3."]
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINE | st.text(max_size=40).map(lambda text: text.replace("\n", " ")), max_size=25))
def test_no_error_but_ours(extract: Extractor, lines: list[str]) -> None:
    for document in (plain_document("\n".join(lines)), document_of(*(Printed(line) for line in lines))):
        try:
            found = extract(document)
        except InputError:
            continue
        assert found[0].kind == "header"
        assert found[0].value("title")


@pytest.mark.parametrize(
    "line", ["in Radio Networks", "Ann Bell", "ear time", "conditional models", "plications"]
)
@pytest.mark.parametrize("unit", ["A", "a.", "1990", "x@"])
def test_a_word_without_end_costs_no_paper(extract: Extractor, line: str, unit: str) -> None:
    """Regular expressions that try every beginning of a word again would run for hours on this one."""
    endless = unit * (30_000 // len(unit))
    lines = tuple(
        Printed(text.replace(line, f"{line} {endless}"), size=17.0 - 2 * min(block, 3), block=block)
        for block, text in enumerate(paper().text.split("\n"))
    )
    records = extract(document_of(*lines))
    assert len(records) == 3
    assert endless in "".join(record.raw for record in records) or line == "conditional models"


def test_a_footnote_stands_in_no_sentence(extract: Extractor) -> None:
    """Nor does a sentence open with the rest of a word that was begun before the footnote."""
    lines = [
        Printed(text, size=12.0, block=block)
        for block, text in enumerate(paper().text.split("\n"))
        if "conditional models" not in text
    ]
    at = next(idx for idx, line in enumerate(lines) if "Others prefer" in line.text)
    lines[at + 1 : at + 1] = [
        Printed("Some are of a dif-", size=12.0, block=lines[at].block),
        Printed("Received in August; the author is now with a company, and writes on", size=8.0, block=91),
        Printed("something else.", size=8.0, block=91),
        Printed(
            "ferent mind and of another school, which we cannot discuss in full here,", size=12.0, block=92
        ),
        Printed("prefer conditional models [2] today.", size=12.0, block=92),
    ]
    contexts = [context.text for record in extract(document_of(*lines))[1:] for context in record.contexts]
    assert contexts[-1].startswith("mind and of another school")
    assert not any("Received" in text for text in contexts)


def test_words_of_the_title_are_no_authors() -> None:
    """The model may take a title's short last line for a name; its size and block say that it is not."""
    document = document_of(
        Printed("Schedules and Protocols for", size=17.0),
        Printed("Small Robots", size=17.0),
        Printed("Ann Bell", block=1),
        Printed("Department of Computer Science, University of Northfield", block=2),
    )
    rows = make_header_rows(document, document.lines)
    labels = ("title",) * 4 + ("author",) * 4 + ("affiliation",) * 7
    fields = FieldReader(PAPERS.kind("header"))(Tagged(rows, labels, (0.8,) * len(labels)), frozenset())
    assert [field.value for field in fields if field.name == "title"] == [
        "Schedules and Protocols for Small Robots"
    ]
    assert [field.value for field in fields if field.name == "author"] == ["Ann Bell"]


@pytest.mark.parametrize(
    ("footnote", "n_authors"),
    [
        (
            (
                "* The views expressed here are those of the author. Helpful comments from",
                "Marina Kesner, Eduard Kusen, Jacob Gyntelberg and two anonymous referees are",
                "gratefully acknowledged.",
            ),
            1,
        ),
        (("Also at the institute:", "Marina Kesner, Eduard Kusen, Jacob Gyntelberg", "and others."), 4),
    ],
    ids=["thanked", "not thanked"],
)
def test_people_who_are_thanked_are_no_authors(footnote: tuple[str, ...], n_authors: int) -> None:
    document = document_of(
        Printed("Free Movement of Capital", size=14.0),
        Printed("Dubravko Mihaljek", block=1),
        Printed("Bank for International Settlements", block=1),
        *(Printed(text, size=8.0, block=2) for text in footnote),
    )
    rows = make_header_rows(document, document.lines)
    labels = (
        ["title"] * 4
        + ["author"] * 2
        + ["affiliation"] * 4
        + ["note"] * len(rows[3].words)
        + ["author" if idx < 6 else "note" for idx in range(len(rows[4].words) + len(rows[5].words))]
    )
    tagged = Tagged(rows, tuple(labels), (0.8,) * len(labels))
    fields = FieldReader(PAPERS.kind("header"))(tagged, frozenset())
    authors = [field.value for field in fields if field.name == "author"]
    assert len(authors) == n_authors
    assert authors[0] == "Dubravko Mihaljek"


def test_the_abstract_of_a_thesis_is_not_its_table_of_contents() -> None:
    sentence = "This sentence of the abstract is as long as a line of a thesis."
    contents = "1.1 How the contents of a thesis are set . . . . . . . . . . 7"
    lines = ["Abstract", *[contents] * 6, "Abstract", *[sentence] * 5]
    found = find_late_abstract(
        document_of(Printed("A Thesis", page=0), *(Printed(line, page=1) for line in lines)), "abstract"
    )
    assert found is not None
    assert "contents" not in found.value
    assert found.value.startswith("This sentence")


@pytest.mark.parametrize(
    ("notice", "expected"),
    [
        ("We look at sounds in trees and how they travel in the wood of old oaks.", True),
        ("Permission to copy all of this work is granted to whoever reads it twice.", False),
    ],
)
def test_an_abstract_without_heading_stands_before_the_introduction(notice: str, *, expected: bool) -> None:
    text = ("We look at sounds in trees and how", "they travel in the wood of old oaks.") * 9
    document = document_of(
        Printed("Sounds in Old Trees", size=17.0),
        Printed("Ann Bell and Carl Dorn", size=12.0, block=1),
        *(Printed(notice, size=9.0, block=2) for _ in range(6)),
        Printed("1 Introduction", size=12.0, block=3),
        *(Printed(line, block=4) for line in text),
        Printed("References", size=12.0, block=5),
        Printed("[1] E. Fox. Light in trees. Journal of Trees, 12(3):4-9, 1987.", block=6),
    )
    found = load_extractor(PAPERS)(document)[0].value("abstract")
    assert (found is not None) is expected


@pytest.mark.parametrize("is_apart", [False, True])
def test_a_manuscript_with_numbered_lines(*, is_apart: bool) -> None:
    text = ("We look at sounds in trees and how", "they travel in the wood of old oaks.") * 9
    printed = [
        ("Sounds in Old Trees and", 17.0, 0), ("What We Hear in Them", 17.0, 0),
        ("Ann Bell and Carl Dorn", 12.0, 1), ("Abstract", 11.0, 2), *((line, 10.0, 3) for line in text[:6]),
        ("Introduction", 12.0, 4), *((line, 10.0, 5) for line in text), ("References", 12.0, 6),
        ("E. Fox. Light in trees. Journal of Trees, 12(3):4-9, 1987.", 10.0, 7),
    ]  # fmt: skip
    lines = []
    for number, (line, size, block) in enumerate(printed, start=7):
        if is_apart:
            lines += [
                Printed(str(number), size=6.0, left=20.0, block=block),
                Printed(line, size=size, block=block),
            ]
        else:
            lines.append(Printed(f"{number} {line}", size=size, block=block))
    header, *references = load_extractor(PAPERS)(document_of(*lines))
    assert header.value("title") == "Sounds in Old Trees and What We Hear in Them"
    assert [field.value for field in header.all("author")] == ["Ann Bell", "Carl Dorn"]
    assert header.value("abstract") == " ".join(text[:6])
    assert len(references) == 1


def test_numbers_of_references_are_not_those_of_lines(extract: Extractor) -> None:
    text = ("We look at sounds in trees and how", "they travel in the wood of old oaks.") * 9
    cited = [
        f"{number} E. Fox. Light in trees. Journal of Trees, {number}(3):4-9, 1987."
        for number in range(1, 20)
    ]
    document = document_of(
        Printed("Sounds in Old Trees", size=17.0),
        Printed("Ann Bell and Carl Dorn", size=12.0, block=1),
        Printed("Abstract", size=11.0, block=2),
        *(Printed(line, block=3) for line in text[:6]),
        Printed("Introduction", size=12.0, block=4),
        *(Printed(line, block=5) for line in text),
        *(Printed(line, block=6, page=1) for line in text),
        Printed("References", size=12.0, block=7, page=2),
        *(Printed(line, block=8, page=2) for line in cited),
        pages=(LETTER,) * 3,
    )
    assert len(extract(document)) == 1 + len(cited)
