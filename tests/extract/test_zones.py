"""Headers end where the text begins, references begin at their heading, and not everything is a paper."""

import pytest

from portico.domains.papers import PAPERS
from portico.errors import NotAPaper
from portico.extract.furniture import repeated_lines
from portico.extract.headings import is_heading
from portico.extract.zones import ZoneFinder, check_paper
from portico.types.document import Document, PageSize
from tests.extract.pages import LETTER, Printed, document_of, plain_document

find_zones = ZoneFinder(PAPERS.headings)

REFERENCES = "[1] A. Bell. Sound travels. Acustica, 1990.\n[2] C. Dorn. Light travels. Optica, 1991."
PAPER = f"""A Title
Ann Bell
Abstract
We show things.
1 Introduction
Things are shown [1].
References
{REFERENCES}"""


def texts(document: Document, lines: object) -> list[str]:
    assert isinstance(lines, tuple)
    return [line.span.of(document.text) for line in lines]


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("References", True),
        ("REFERENCES", True),
        ("7. References", True),
        ("VII. REFERENCES", True),
        ("R EFERENCES", True),
        ("R E F E R E N C E S", True),
        ("Bibliography", True),
        ("References and Notes", True),
        ("Literatur", True),
        ("Literature Cited", True),
        ("Reference implementation", False),
        ("references to this work are few", False),
        ("The references of a paper are listed at its end, in the order of the letters.", False),
    ],
)
def test_heading_of_references(line: str, is_one: bool) -> None:
    assert is_heading(line, PAPERS.headings.references) is is_one


@pytest.mark.parametrize(
    "heading",
    ["1 Introduction", "1. INTRODUCTION", "I. Introduction", "I NTRODUCTION", "1 . 1 I N T RO D U CT I O N"],
)
def test_header_ends_at_introduction(heading: str) -> None:
    document = plain_document(PAPER.replace("1 Introduction", heading))
    zones = find_zones(document)
    assert texts(document, zones.header) == ["A Title", "Ann Bell", "Abstract", "We show things."]
    assert zones.has_abstract
    assert zones.has_introduction


def test_references_end_at_appendix() -> None:
    document = plain_document(PAPER + "\nAppendix A: Proofs\nThe proof is long.")
    assert texts(document, find_zones(document).references) == REFERENCES.split("\n")


def test_last_heading_counts() -> None:
    contents = "Contents\nReferences\n12\n" + PAPER
    document = plain_document(contents)
    assert texts(document, find_zones(document).references) == REFERENCES.split("\n")


def test_references_without_heading() -> None:
    numbered = "\n".join(
        f"[{n}] A. Bell. Part {n} of a long work. Acustica, 19{n + 70}." for n in range(1, 7)
    )
    document = plain_document("A Title\nAbstract\nWe show things.\n" + "Some words.\n" * 12 + numbered)
    assert texts(document, find_zones(document).references) == numbered.split("\n")


def test_running_heads_and_page_numbers_are_dropped() -> None:
    head = [Printed("Bell: On Sound", page=page) for page in range(4)]
    foot = [Printed(str(page + 1), page=page, gap=500.0) for page in range(4)]
    bodies = [[Printed(f"Line {page}{row} of the text", page=page) for row in range(5)] for page in range(4)]
    lines = [line for page in range(4) for line in (head[page], *bodies[page], foot[page])]
    document = document_of(*lines)
    zones = find_zones(document)
    kept = texts(document, zones.header + zones.body + zones.references)
    assert [text for text in kept if not text.startswith("Line")] == ["Bell: On Sound"]  # of the first page


SLIDES = (PageSize(720.0, 540.0),) * 3


@pytest.mark.parametrize(
    ("text", "pages", "n_references", "reason"),
    [
        (PAPER, SLIDES, 2, "slides"),
        ("Syllabus\nWeek 1: lists\nWeek 2: trees", (), 0, "no abstract or introduction heading and no ref"),
        ("Homework 3\nIntroduction\nProve the theorem.", (), 0, "no reference section"),
        ("Reading list\nReferences\n" + REFERENCES, (), 2, "no abstract or introduction heading"),
    ],
)
def test_not_a_paper(text: str, pages: tuple[PageSize, ...], n_references: int, reason: str) -> None:
    document = plain_document(text)
    document = Document(document.id, document.media_type, document.text, document.lines, pages)
    with pytest.raises(NotAPaper, match=reason):
        check_paper(document, find_zones(document), n_references)


def test_many_references_make_a_paper_without_abstract() -> None:
    document = plain_document("A Title\nAnn Bell\nSome text.\nReferences\n" + REFERENCES)
    check_paper(document, find_zones(document), 12)


@pytest.mark.parametrize(
    "banner", ["ACCEPTED MANUSCRIPT", "discussion paper", "RESEARCH", "www.archive.info"]
)
def test_banners_are_no_part_of_the_header(banner: str) -> None:
    document = plain_document(f"{banner}\n\n{PAPER}")
    assert texts(document, find_zones(document).header)[0] == "A Title"


def test_notes_of_typesetters_are_no_part_of_the_header() -> None:
    document = plain_document(f"Draft version May 1, 2020\nTypeset using LATEX twocolumn style\n\n{PAPER}")
    assert texts(document, find_zones(document).header)[0] == "A Title"


def test_notes_of_typesetters_go_in_the_block_of_the_title_too() -> None:
    document = document_of(
        Printed("Draft version May 1, 2020", size=9.0, block=1),
        Printed("Typeset using LATEX twocolumn style in AASTeX631", size=9.0, block=1),
        *(Printed(text, block=1) for text in PAPER.split("\n")),
    )
    assert texts(document, find_zones(document).header)[0] == "A Title"


def test_single_words_that_recur_in_figures_are_no_heads() -> None:
    text = [
        f"{word} of oaks and elms"
        for word in ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    ]
    printed = [
        Printed(line, page=page, gap=500.0 if line == "Time" else 0.0)
        for page, own in enumerate(text)
        for line in (
            "Journal of Trees",
            *(f"{own} {'x' * idx}" for idx in range(9)),
            *["Time"] * (page in (3, 5)),
        )
    ]
    document = document_of(*printed, pages=(LETTER,) * len(text))
    assert texts(document, tuple(repeated_lines(document))) == ["Journal of Trees"]


def test_a_word_of_the_title_is_no_banner() -> None:
    document = plain_document(PAPER.replace("A Title", "A Title of Some\nResearch"))
    assert texts(document, find_zones(document).header)[:2] == ["A Title of Some", "Research"]


def test_the_last_word_of_a_title_is_no_banner() -> None:
    document = document_of(
        Printed("The elephant in the room: mapping European Union", size=19.0, block=1),
        Printed("Studies", size=19.0, block=2),
        *(Printed(text, block=4) for text in PAPER.split("\n")[1:]),
    )
    assert texts(document, find_zones(document).header)[1] == "Studies"


def test_a_column_beside_an_abstract_does_not_divide_it() -> None:
    editors = [f"Edited by: Editor {number}" for number in range(20)]
    document = document_of(
        Printed("A Title of Some Length", size=19.0, block=1),
        Printed("We look at sounds in trees and how", left=250.0, block=2),
        *(
            Printed(text, size=7.0, block=3, gap=-14.0 if not idx else -6.0)
            for idx, text in enumerate(editors)
        ),
        Printed("they travel in the wood of old oaks.", left=250.0, block=4, gap=-44.0),
        *(
            Printed(text, block=5, gap=40.0 if not idx else 0.0)
            for idx, text in enumerate(PAPER.split("\n")[1:])
        ),
    )
    header = texts(document, find_zones(document).header)
    assert (
        header.index("they travel in the wood of old oaks.")
        == header.index("We look at sounds in trees and how") + 1
    )


def test_numbered_places_are_no_headings() -> None:
    places = ("1 Faculty of Law, Southfield College", "2 Bell Labs, Northfield")
    text = PAPER.replace("Abstract\n", "").replace("1 Introduction", "Prologue")
    document = plain_document(text.replace("A Title\n", "A Title\nAnn Bell\n" + "\n".join(places) + "\n", 1))
    assert set(places) <= set(texts(document, find_zones(document).header))


def test_the_cover_of_an_archive_is_left_out() -> None:
    document = with_front("www.ssoar.info", "A Title of Some Length", "Nutzungsbedingungen:")
    zones = find_zones(document)
    assert {line.page for line in zones.header} == {1}
    assert texts(document, zones.header)[0] == "A Title of Some Length"


@pytest.mark.parametrize(
    "line",
    ["The age of enlightenment and its critics", "On general rights in law", "A permalink of a kind"],
)
def test_words_of_covers_make_no_cover_of_a_page_that_is_not_repeated(line: str) -> None:
    document = with_front("Unity and Its Enemies", "Eva Fox", line)
    assert not find_zones(document).cover
    assert texts(document, find_zones(document).header)[0] == "Unity and Its Enemies"


def with_front(*front: str) -> Document:
    """A paper behind a page of these lines, the second of them in large letters."""
    title = "A Title of Some Length"
    lines = [Printed(text, block=idx, size=16.0 if idx < 2 else 9.0) for idx, text in enumerate(front)]
    lines += [
        Printed(text, block=90 + (idx > 0), page=1, size=10.0 if idx else 14.0)
        for idx, text in enumerate(PAPER.replace("A Title", title).split("\n"))
    ]
    return document_of(*lines, pages=(PageSize(612.0, 792.0),) * 2)


def test_what_stands_beside_a_title_is_read_behind_it() -> None:
    title, journal = "Reflexivity and Subjectivity:", "Volume 3, No. 3, Art. 13"
    document = document_of(
        Printed(title, size=12.0, block=1),
        Printed(journal, size=9.0, left=412.0, block=2, gap=-14.0),
        Printed("A Dialogical Perspective", size=12.0, block=3, gap=4.0),
        *(Printed(text, block=4) for text in PAPER.split("\n")[1:]),
    )
    header = texts(document, find_zones(document).header)
    assert header[:3] == [title, "A Dialogical Perspective", journal]
