"""References are told apart in every style: numbers, keys, hanging and first-line indents, space, words."""

import pytest

from portico.domains.papers import PAPERS
from portico.extract.reference_lines import see_lines
from portico.extract.splitting import BEGIN, Splitter, find_labels, observe_entry_lines
from portico.learn import crf
from tests.extract.pages import Printed, document_of, plain_document

split = Splitter(crf.load_crf(PAPERS.models / PAPERS.splitting))

BELL = ("Bell, A., and Dorn, C. (1990). On the speed of sound in", "still air. Acustica, 12(3):45-67.")
EAST = ("East, F. G. (1991). Measuring light with mirrors that turn", "very fast. Optica, 3:1-20.")
GALE = (
    "Gale, H. (1993). Winds of the northern sea. In Proceedings",
    "of the Fourth Weather Conference, pages 7-12.",
)
THREE = (BELL, EAST, GALE)


def joined(document_lines: tuple[Printed, ...]) -> list[str]:
    document = document_of(*document_lines)
    entries = split(document, document.lines)
    return [" ".join(line.span.of(document.text) for line in entry.lines) for entry in entries]


def hanging() -> tuple[Printed, ...]:
    return tuple(
        Printed(text, left=72.0 if idx == 0 else 90.0) for entry in THREE for idx, text in enumerate(entry)
    )


def first_line_indent() -> tuple[Printed, ...]:
    return tuple(
        Printed(text, left=90.0 if idx == 0 else 72.0, block=block)
        for block, entry in enumerate(THREE)
        for idx, text in enumerate(entry)
    )


def spaced() -> tuple[Printed, ...]:
    return tuple(
        Printed(text, gap=8.0 if idx == 0 else 0.0, block=block)
        for block, entry in enumerate(THREE)
        for idx, text in enumerate(entry)
    )


def two_columns() -> tuple[Printed, ...]:
    lines = hanging()
    return (*lines[:3], *(Printed(line.text, left=line.left + 240.0, page=1) for line in lines[3:]))


@pytest.mark.parametrize(
    "style", [hanging, first_line_indent, spaced, two_columns], ids=lambda style: style.__name__
)
def test_references_without_labels(style: object) -> None:
    assert callable(style)
    assert joined(style()) == [" ".join(entry) for entry in THREE]


@pytest.mark.parametrize(
    ("marks", "labels"),
    [
        (("[1] ", "[2] ", "[3] "), ["1", "2", "3"]),
        (("1. ", "2. ", "3. "), ["1", "2", "3"]),
        (("(1) ", "(2) ", "(3) "), ["1", "2", "3"]),
        (("1 ", "2 ", "3 "), ["1", "2", "3"]),
        (("[BD90] ", "[Eas91] ", "[Gal93] "), ["BD90", "Eas91", "Gal93"]),
        (("[Bell and Dorn, 1990] ", "[East, 1991] ", "[Gale, 1993] "), None),
    ],
)
def test_labels(marks: tuple[str, ...], labels: list[str] | None) -> None:
    text = "\n".join(mark + "\n".join(entry) for mark, entry in zip(marks, THREE, strict=True))
    document = plain_document(text)
    entries = split(document, document.lines)
    assert [len(entry.lines) for entry in entries] == [2, 2, 2]
    assert [entry.label for entry in entries] == (labels or [mark.strip(" []") for mark in marks])


@pytest.mark.parametrize(
    ("lines", "starts"),
    [
        (["[1] A. Bell, 1990.", "12. Kluwer,", "[2] C. Dorn, 1991.", "[3] E. Fox"], [0, 2, 3]),
        (["[1] A. Bell", "[2] C. Dorn", "[4] E. Fox", "[5] G. Hall"], [0, 1, 2, 3]),  # a label was lost
        (["Bell, A. 1990.", "Dorn, C. 1991.", "12 Springer"], []),
        (["1990. Springer", "1991. Kluwer"], []),
    ],
)
def test_find_labels(lines: list[str], starts: list[int]) -> None:
    assert sorted(find_labels(lines)) == starts


def test_what_follows_in_another_size_is_cut_off() -> None:
    tail = [Printed(f"Ann Bell is a member of the board, line {idx}.", size=12.0) for idx in range(4)]
    assert joined((*hanging(), *tail)) == [" ".join(entry) for entry in THREE]


def test_empty_section() -> None:
    assert split(plain_document("x"), ()) == ()


def test_a_bullet_is_no_part_of_its_reference() -> None:
    lines = tuple(
        Printed(text if idx else "• " + text, left=90.0 if idx else 72.0)
        for entry in THREE
        for idx, text in enumerate(entry)
    )
    document = document_of(*lines)
    entries = split(document, document.lines)
    assert [(entry.label, entry.label_end) for entry in entries] == [("", 2)] * 3


# As ACM's style sets them: every first line opens a paragraph, and all others hang.
ACM_STYLE = """
Andreas Abel, Nils Anders Danielsson, and Oskar Eriksson. 2023. A Graded Modal Dependent Type Theory
 and Erasure, Formalized. Proc. ACM Program. Lang. 7, ICFP (2023), 920–954. doi:10.1145/3607862
Andreas Abel, Joakim Öhman, and Andrea Vezzosi. 2018. Decidability of conversion for type theory. Proc.
 ACM Program. Lang. 2, POPL (2018), 23:1–23:29. doi:10.1145/3158111
Thorsten Altenkirch and Ambrus Kaposi. 2017. Normalisation by Evaluation for Type Theory. Log. Methods
 Comput. Sci. 13, 4 (2017). doi:10.23638/LMCS-13(4:1)2017
Michael Artin, Alexander Grothendieck, and Jean-Louis Verdier. 1971. Theorie de Topos et Cohomologie I,
 II, III. Lecture Notes in Mathematics, Vol. 269, 270, 305. Springer.
Marcin Benke, Peter Dybjer, and Patrik Jansson. 2003. Universes for Generic Programs and Proofs in Type
 Theory. Nord. J. Comput. 10, 4 (2003), 265–289.
Edwin C. Brady. 2021. Idris 2: Quantitative Type Theory in Practice. In 35th European Conference on Object-
 Programming, ECOOP 2021, July 11-17, 2021, Aarhus, Denmark (Virtual Conference) (LIPIcs, Vol. 194), Anders
 Møller and Manu Sridharan (Eds.). Schloss Dagstuhl, 9:1–9:26. doi:10.4230/LIPICS.ECOOP.2021.9
Ana Bove, Peter Dybjer, and Ulf Norell. 2009. A Brief Overview of Agda. In Theorem Proving in Higher
 Order Logics, 22nd International Conference, TPHOLs 2009, Munich, Germany, August 17-20,
 2009. Proceedings (Lecture Notes in Computer Science, Vol. 5674), Stefan Berghofer, Tobias Nipkow, and
 Makarius Wenzel (Eds.). Springer, 73–78. doi:10.1007/978-3-642-03359-9_6
""".strip()


def test_lines_that_look_alike_are_alike() -> None:
    """A line that reads like a beginning, but hangs as no beginning does, goes on."""
    expected = ACM_STYLE.replace("\n ", " ").split("\n")
    printed: list[Printed] = []
    for text in ACM_STYLE.split("\n"):
        hangs = text.startswith(" ")
        block = printed[-1].block + (not hangs) if printed else 0
        printed.append(Printed(text.strip(), left=56.0 if hangs else 46.0, block=block))
    assert joined(tuple(printed)) == expected
    document = document_of(*printed)
    alone = split.model.tag(observe_entry_lines(see_lines(document, document.lines), {})).labels
    assert alone.count(BEGIN) > len(expected), "the model alone begins one too many"
