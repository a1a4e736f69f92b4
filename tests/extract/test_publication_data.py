"""Year, venue, pages and DOI of a paper from its notices; covers are read and not taken for the paper."""

from dataclasses import replace

import pytest

from portico.domains.papers import PAPERS
from portico.extract.extractor import Extractor, load_extractor
from portico.types.document import Document, PageSize
from tests.extract.pages import LETTER, Printed, document_of

TEXT = ("We look at sounds in trees and how", "they travel in the wood of old oaks.") * 6


@pytest.fixture(scope="module")
def extract() -> Extractor:
    return load_extractor(PAPERS)


def paper(*heads: str, foot: str = "", first_page: int = 0) -> Document:
    lines = [
        *(Printed(head, size=8.0, block=0, page=first_page) for head in heads),
        Printed("Sounds in Old Trees", size=17.0, block=1, page=first_page),
        Printed("Ann Bell and Carl Dorn", size=12.0, block=2, page=first_page),
        Printed("Abstract", size=11.0, block=3, page=first_page),
        *(Printed(line, block=4, page=first_page) for line in TEXT[:6]),
        Printed("1 Introduction", size=12.0, block=5, page=first_page),
        *(Printed(line, block=6, page=first_page) for line in TEXT),
        Printed("References", size=12.0, block=7, page=first_page),
        Printed("[1] E. Fox. Light in trees. Journal of Trees, 12(3):4-9, 1987. doi:10.1000/other", block=8,
         page=first_page),
        *([Printed(foot, size=8.0, block=9, page=first_page)] if foot else []),
    ]  # fmt: skip
    return document_of(*lines, pages=(LETTER,) * (first_page + 1))


def told(records: tuple[object, ...] | object, extract: Extractor, document: Document) -> dict[str, str]:
    return {field.name: field.value for field in extract(document)[0].fields}


def test_head_and_foot(extract: Extractor) -> None:
    found = told((), extract, paper("Cognition 100 (2006) 73–99", foot="doi:10.1016/j.cognition.2005.11.006"))
    assert found["title"] == "Sounds in Old Trees"
    assert (found["venue"], found["journal"], found["year"]) == ("Cognition", "Cognition", "2006")
    assert (found["volume"], found["pages"]) == ("100", "73-99")
    assert found["doi"] == "10.1016/j.cognition.2005.11.006"


def test_every_value_has_its_place(extract: Extractor) -> None:
    document = paper("Cognition 100 (2006) 73–99", foot="doi:10.1016/j.cognition.2005.11.006")
    for field in extract(document)[0].fields:
        assert 0 < field.confidence < 1
        if field.name in {"venue", "year", "doi", "volume"}:
            assert field.span.of(document.text) == field.value


def test_a_doi_that_begins_a_line_of_a_reference_is_not_the_papers(extract: Extractor) -> None:
    first_page = [
        Printed("Sounds in Old Trees", size=17.0, block=1),
        Printed("Ann Bell and Carl Dorn", size=12.0, block=2),
        Printed("Abstract", size=11.0, block=3),
        *(Printed(line, block=4) for line in TEXT[:6]),
        Printed("1 Introduction", size=12.0, block=5),
        *(Printed(line, block=6) for line in TEXT),
    ]
    references = [
        Printed("References", size=12.0, block=7, page=1),
        Printed("[1] E. Fox. Light in trees. Journal of Trees, 12(3):4-9, 1987.", block=8, page=1),
        Printed("doi:10.1000/other", block=8, page=1),
        Printed("[2] G. Hill. Shade in trees. Journal of Trees, 13(1):5-8, 1988.", block=9, page=1),
    ]
    found = told((), extract, document_of(*first_page, *references, pages=(LETTER, LETTER)))
    assert {"doi", "venue", "year", "pages"}.isdisjoint(found)


def test_the_references_tell_nothing_of_the_paper(extract: Extractor) -> None:
    assert {"doi", "venue", "year", "pages"}.isdisjoint(told((), extract, paper()))


def test_metadata_is_believed_where_pages_are_silent(extract: Extractor) -> None:
    asides = (("xmp:doi", "10.1000/182"), ("info:subject", "Cognition 100 (2006) 73-99"))
    found = told((), extract, replace(paper(), asides=asides))
    assert (found["doi"], found["venue"], found["year"]) == ("10.1000/182", "Cognition", "2006")


def test_full_name_instead_of_abbreviation(extract: Extractor) -> None:
    found = told((), extract, paper("Journal of Biological Chemistry", "J. Biol. Chem. 2019; 5 : 950"))
    assert found["venue"] == "Journal of Biological Chemistry"


COVER = (
    "Northfield University Research Repository", "Recommended Citation",
    "Bell, A. & Dorn, C. (2009). Sounds in Old Trees. Journal of Sound and Vibration, 12(2), 34-56.",
    "This article is brought to you for free and open access by the Library.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("heads", "venue"),
    [
        (("Bell and Dorn / Zeitschrift für Baumkunde 4 (2006) 73–99",), "Zeitschrift für Baumkunde"),
        (("Cite as: Bell (2006) Sounds in Old Trees. Old Woods Studies 4(2): 73–99",), "Old Woods Studies"),
        (("Quality of Woods", "Qual. Woods 2006;4:73–99"), "Quality of Woods"),
        (("Journal of Old Woods", "August 2006, Volume 4, Issue 7"), "Journal of Old Woods"),
        (("Journal of Old Woods", "https://doi.org/10.1000/182"), "Journal of Old Woods"),
        (("Zeitschrift für Baumkunde, 46. Jg., Heft 6, 2006, S. 73-99",), "Zeitschrift für Baumkunde"),
        (("An International Journal 4 (2006) 73–99",), None),
    ],
)  # fmt: skip
def test_venues_that_are_in_no_list(extract: Extractor, heads: tuple[str, ...], venue: str | None) -> None:
    assert told((), extract, paper(*heads)).get("venue") == venue


def test_the_line_before_a_venue_is_no_part_of_it(extract: Extractor) -> None:
    found = told((), extract, paper("Special Letters on Gear", "Annals of Botany 56, 12-19 (2007)"))
    assert (found["venue"], found["year"]) == ("Annals of Botany", "2007")


def test_a_cover_is_read_and_is_not_the_paper(extract: Extractor) -> None:
    behind = paper(first_page=1)
    cover = [Printed(line, size=20.0, block=90 + idx) for idx, line in enumerate(COVER)]
    front = document_of(*cover, pages=(PageSize(612.0, 792.0),))
    shift = len(front.text) + 1
    moved = tuple(
        replace(
            line,
            span=type(line.span)(line.span.start + shift, line.span.end + shift),
            runs=tuple(
                replace(run, span=type(run.span)(run.span.start + shift, run.span.end + shift))
                for run in line.runs
            ),
        )
        for line in behind.lines
    )
    document = replace(behind, text=f"{front.text}\n{behind.text}", lines=front.lines + moved)
    found = told((), extract, document)
    assert found["title"] == "Sounds in Old Trees"
    assert (found["venue"], found["year"], found["pages"]) == (
        "Journal of Sound and Vibration",
        "2009",
        "34-56",
    )


def test_what_is_no_paper_is_read_where_nothing_is_refused(extract: Extractor) -> None:
    letter = document_of(
        Printed("Letters from the Forest", size=18.0, block=0),
        Printed("Ann Bell", size=12.0, block=1),
        *(Printed(line, block=2) for line in TEXT),
    )
    header, *references = replace(extract, is_choosy=False)(letter)
    assert header.value("title") == "Letters from the Forest"
    assert not references


@pytest.mark.parametrize(
    ("told", "title"),
    [
        ("Sounds in Old Trees", "Sounds in Old Trees"),
        ("Microsoft Word - sounds.doc", "Sounds in Old Trees"),
        ("Another paper that nobody prints here", "Sounds in Old Trees"),
    ],
)
def test_metadata_titles_are_believed_where_the_page_agrees(
    extract: Extractor, told: str, title: str
) -> None:
    (header, *_) = extract(replace(paper(), asides=(("info:title", told),)))
    assert header.value("title") == title


def test_a_title_does_not_end_in_the(extract: Extractor) -> None:
    document = document_of(
        Printed("Global Access, Embodiment, and the", size=18.0, block=0),
        Printed("Conscious Subject", size=18.0, block=1),
        Printed("Ann Bell", size=12.0, block=2),
        Printed("Abstract", size=11.0, block=3),
        *(Printed(line, block=4) for line in TEXT),
        Printed("References", size=12.0, block=7),
        Printed("[1] E. Fox. Light in trees. Journal of Trees, 12(3):4-9, 1987.", block=8),
    )
    title = extract(document)[0].value("title")
    assert title == "Global Access, Embodiment, and the Conscious Subject"


def test_a_paper_appeared_no_earlier_than_what_it_cites(extract: Extractor) -> None:
    document = paper("Trees and Bushes 4 (1987) 3–9")
    assert told((), extract, document)["year"] == "1987"
    text = document.text.replace("12(3):4-9, 1987.", "2 (1995). (1996).  ")
    assert "year" not in told((), extract, replace(document, text=text))


def test_a_journal_printed_above_a_title_is_no_part_of_it(extract: Extractor) -> None:
    document = document_of(
        Printed("Cognition 100 (2006) 73–99", size=8.0),
        Printed("Cognition", size=19.0, block=1),
        Printed("Sounds in Old Trees", size=17.0, block=2),
        Printed("And What We Hear in Them", size=17.0, block=2),
        Printed("Ann Bell and Carl Dorn", size=12.0, block=3),
        Printed("Abstract", size=11.0, block=4),
        *(Printed(line, block=5) for line in TEXT[:6]),
        Printed("1 Introduction", size=12.0, block=6),
        *(Printed(line, block=7) for line in TEXT),
        Printed("References", size=12.0, block=8),
        Printed("[1] E. Fox. Light in trees. Journal of Trees, 12(3):4-9, 1987.", block=9),
    )
    assert told((), extract, document)["title"] == "Sounds in Old Trees And What We Hear in Them"
