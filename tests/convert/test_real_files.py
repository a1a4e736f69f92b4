"""Real papers of 1994 to 2024: read in order where they can be read, refused where they are gibberish."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.convert.converter import Converter
from portico.errors import Unreadable
from portico.types.document import Document, DocumentId

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter() as converter:
        yield converter


@pytest.fixture
def papers(labelled_data: Path) -> Path:
    return labelled_data / "data" / "papers"


def convert(converter: Converter, path: Path) -> Document:
    return converter(path.read_bytes(), media_type="", name=path.name, document_id=DocumentId("0"))


@pytest.mark.parametrize("path", ["r4/wang03a.pdf", "r5/meila05a.pdf", "r5/chapelle05a.pdf"])
def test_gibberish_is_refused(converter: Converter, papers: Path, path: str) -> None:
    with pytest.raises(Unreadable, match="the text layer is gibberish"):
        convert(converter, papers / "pmlr_pdf" / "pdf" / path)


FIRST_LINES = {
    "pmlr_pdf/pdf/v2/druck07a.pdf": [
        "Learning A* underestimates :",
        "Using inference to guide inference",
        "Gregory Druck",
        "University of Massachusetts",
        "Amherst MA",
        "gdruck@cs.umass.edu",
        "Mukund Narasimhan",
    ],
    "pmlr_pdf/pdf/r3/brown01a.pdf": [  # bitmap fonts in which c is a carriage return
        "Products of Hidden Markov Models",
        "Andrew D. Brown",
        "Dept. of Computer Science",
        "University of Toronto",
        "Canada",
        "andy@cs.utoronto.ca",
        "Geoffrey E. Hinton",
    ],
    "pmlr_pdf/pdf/r5/roos05a.pdf": [  # an accent drawn beside its letter
        "On the Behavior of MDL Denoising",
        "Teemu Roos",
        "Petri Myllymäki",
    ],
    "ps_papers/acl2/2000__wilding__paper.ps.gz": [
        "Rockwell Collins",
        "Using a Single-Threaded Object to Speed",
        "a Verified Graph Pathfinder",
        "Matthew Wilding",
        "Rockwell Collins, Inc.",
        "Advanced Technology Center",
        "mmwildin@collins.rockwell.com",
        "Abstract",
    ],
    "jose_pdf/pdf/jose.00049.pdf": [  # with a column of notes in the margin
        "A graduate student-led participatory live-coding",
        "quantitative methods course in R: Experiences on",
        "initiating, developing, and teaching",
    ],
}


@pytest.mark.parametrize("path", FIRST_LINES)
def test_first_lines(converter: Converter, papers: Path, path: str) -> None:
    lines = convert(converter, papers / path).text.split("\n")
    expected = FIRST_LINES[path]
    assert [line.rstrip("∗ ") for line in lines[: len(expected)]] == expected


def test_references_are_blocks(converter: Converter, papers: Path) -> None:
    document = convert(converter, papers / "jose_pdf" / "pdf" / "jose.00049.pdf")
    (first,) = [
        i for i, line in enumerate(document.lines) if line.span.of(document.text).startswith("Allaire, J.")
    ]
    blocks = [line.block for line in document.lines[first : first + 5]]
    assert blocks[0] == blocks[1] == blocks[2] != blocks[3] == blocks[4]


@pytest.mark.slow
def test_all_gibberish_and_nothing_else_is_refused(converter: Converter, papers: Path) -> None:
    """At least 9 of 10 text layers that are marked unusable, and none of the others, over all sets."""
    entries = [
        json.loads(line)
        for name in ("pmlr_pdf", "wild_pdf")
        for line in (papers / name / "truth.jsonl").read_text().splitlines()
    ]
    garbled = {
        entry["pdf"].rpartition("/")[2]
        for entry in entries
        if entry.get("garbled") or entry.get("quality", "").startswith("garbled")
    }
    refused = set()
    for path in sorted(path for kind in ("*.pdf", "*.ps", "*.ps.gz") for path in papers.rglob(kind)):
        try:
            convert(converter, path)
        except Unreadable:
            refused.add(path.name)
    assert refused <= garbled
    assert len(refused) >= 0.9 * len(garbled)
