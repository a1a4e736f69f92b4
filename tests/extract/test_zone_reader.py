"""A list of references ends where the model of zones says, and is found where no heading announces it."""

import pytest

from portico.domains.papers import PAPERS
from portico.extract.zone_lines import REFERENCES, ZoneLine, observe_zone_lines, read_zone_lines
from portico.extract.zone_reader import ZoneReader
from portico.extract.zones import ZoneFinder
from portico.learn import crf
from portico.types.document import Document
from tests.extract.pages import Printed, document_of

READER = ZoneReader(crf.load_crf(PAPERS.models / PAPERS.zones))
FIND = ZoneFinder(PAPERS.headings, READER)

NAMES = ("Bell, A.", "Carr, D. E.", "Dorn, C.", "East, F. G.", "Fox, E.", "Gale, H.", "Hill, J.", "Ives, K.")
BODY = "The messages of a network are sent by its nodes one after the other, as was shown by others before."
BIOGRAPHY = (
    "Contributors",
    "ANN BELL is a lecturer in the department of physics of a small college near the coast. Her",
    "research interests are the speed of sound in still and in moving air, and how it is best taught",
    "to students who have never heard an echo. She enjoys sailing and plays the cello with friends.",
    "CARL DORN is a doctoral student at the same department. Before he came to the college he worked",
    "for a company that builds lamps and lenses for lighthouses. He is interested in mirrors that turn",
    "very fast, in the history of instruments, and in all that can be seen from the top of a tower.",
    "Address: Department of Physics, Small College, 12 Harbor Street, Northfield. Email: bell@nf.test",
)


def entries() -> list[str]:
    return [
        text
        for year, name in enumerate(NAMES, 1990)
        for text in (
            f"{name} ({year}). On the speed of sound and of light in still air and in water.",
            f"Journal of Acoustics, {year - 1980}(3), 45-67. Cambridge: University Press.",
        )
    ]


def paper(heading: str) -> Document:
    lines = [
        Printed("On Sound and Light in Air", size=17.0),
        Printed("Abstract", size=12.0, block=1),
        Printed("We show how sound travels.", block=2),
        Printed("1 Introduction", size=12.0, block=3),
        *(Printed(BODY, block=4, page=idx // 40) for idx in range(120)),
        *([Printed(heading, size=12.0, block=5, page=3)] if heading else []),
        *(
            Printed(text, left=72.0 if idx % 2 == 0 else 90.0, block=6 + idx // 2, page=3)
            for idx, text in enumerate(entries())
        ),
        Printed(BIOGRAPHY[0], size=12.0, block=30, page=4),
        *(Printed(text, block=31, page=4) for text in BIOGRAPHY[1:]),
    ]
    return document_of(*lines)


@pytest.mark.parametrize("heading", ["References", ""], ids=["heading", "no heading"])
def test_the_list_ends_before_the_biographies(heading: str) -> None:
    document = paper(heading)
    found = [line.span.of(document.text) for line in FIND(document).references]
    assert found == entries()


def test_a_list_of_publications_without_headings_of_a_paper_is_none() -> None:
    document = document_of(
        Printed("Curriculum Vitae", size=17.0),
        *(Printed(text, block=1 + idx // 2) for idx, text in enumerate(entries())),
    )
    assert FIND(document).references == ()


def test_headings_decide_alone_without_a_model() -> None:
    document = paper("References")
    found = ZoneFinder(PAPERS.headings)(document).references
    assert found[-1].span.of(document.text) == BIOGRAPHY[-1]
    assert ZoneFinder(PAPERS.headings)(paper("")).references == ()


def test_a_section_in_which_the_model_sees_no_list_stays_whole() -> None:
    document = document_of(*(Printed(BODY, block=idx) for idx in range(30)))
    lines = read_zone_lines(document, document.lines)
    assert READER.list_of_references(lines, range(10, 30), n_before=0) == (range(10, 30),)
    assert READER.references(lines) is None
    behind = read_zone_lines(document, document.lines, start=5)
    assert behind == lines[5:]
    assert READER.list_of_references(behind, range(10, 30), n_before=5) == (range(10, 30),)


def test_a_part_is_seen_at_its_place_in_the_whole() -> None:
    lines = tuple(ZoneLine(BODY, 0) for _ in range(40))
    whole, part = observe_zone_lines(lines), observe_zone_lines(lines[20:], n_before=20)
    assert whole[30] == part[10]
    assert REFERENCES in READER.model.labels


# The first eight references of a paper end a page; across the columns of the next one stand tables.
NUMBERED = (
    "[1] P. Beerel, A. Lines, M. Davies, and N.-H. Kim. Slack matching",
    "asynchronous designs. In Proc. Int’l Symp. on Asynchronous",
    "Circuits and Systems, pp. 184-194, 2006.",
    "[2] K. Fant and S. Brandt. Null Convention Logic: A complete and",
    "consistent logic for asynchronous digital circuit synthesis. In Proc.",
    "Int’l Conf. on Application-Specific Systems, Architectures, and",
    "Processors, pp. 261-273, 1996.",
    "[3] A. Lines. Pipelined asynchronous circuits. M.S. thesis, California",
    "Institute of Technology, 1995.",
)
TABLE = (
    "Table 1: PCHB vs. Hybrid PCHB-WCHB",
    *(
        f"c{5315 + 31 * row} {4739 + 997 * row} 22745 27484 1.622 0.29 240 437 0.91{row % 10} 1.000"
        for row in range(48)
    ),
)
BEHIND = (
    "[{}] A. Mishchenko, S. Chatterjee, and R. Brayton. DAG-aware AIG",
    "rewriting: A fresh look at combinational logic synthesis. In Proc.",
    "Design Automation Conference, pp. 532-535, 2006.",
    "[{}] A. Martin and M. Nyström. Asynchronous techniques for",
    "system-on-chip design. Proc. of the IEEE, 94(6): 1089-1120, 2006.",
)


@pytest.mark.parametrize(("numbers", "goes_on"), [((4, 5), True), ((1, 2), False), ((12, 13), False)])
def test_a_list_counts_on_behind_a_table(numbers: tuple[int, int], goes_on: bool) -> None:
    first, second = numbers
    behind = [BEHIND[0].format(first), *BEHIND[1:3], BEHIND[3].format(second), BEHIND[4]]
    document = document_of(
        Printed("Synthesis of Hybrid Circuits", size=17.0),
        Printed("Abstract", size=12.0, block=1),
        *(Printed(BODY, block=4, page=idx // 40) for idx in range(80)),
        Printed("7. References", size=12.0, block=5, page=2),
        *(Printed(text, block=6 + idx // 3, page=2) for idx, text in enumerate(NUMBERED)),
        *(Printed(text, block=20, page=3) for text in TABLE),
        *(Printed(text, block=30 + idx // 3, page=3) for idx, text in enumerate(behind)),
    )
    found = [line.span.of(document.text) for line in FIND(document).references]
    assert found == [*NUMBERED, *(behind if goes_on else ())]
