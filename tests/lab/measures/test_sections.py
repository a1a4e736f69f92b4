"""Splitting lists of references is measured on sections that the model was not trained on."""

import json
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from portico.extract.splitting import BEGIN
from portico.extract.zone_lines import APPENDIX, BACK, BODY, HEADER, REFERENCES, ZoneLine
from portico.lab.datasets.grobid import read_reference_sections
from portico.lab.measures.sections import (
    measure_splitting,
    measure_zones,
    read_segmented_documents,
    train_zones,
)
from portico.lab.scores import score_labels

FLOORS = json.loads((Path(__file__).parents[3] / "gates" / "floors.json").read_text(encoding="utf-8"))


@pytest.mark.data
def test_splitting(labelled_data: Path) -> None:
    """A few dozen sections teach enough to do better than to begin a reference on every line."""
    data = labelled_data / "data"
    found = measure_splitting(data, quick=True)["crf"]
    assert found["begin_f1"] >= FLOORS["splitting.begin_f1.quick"]
    sections = read_reference_sections(data / "references" / "grobid")
    everywhere = score_labels((section.labels, [BEGIN] * len(section.labels)) for section in sections)
    assert found["begin_f1"] > dict(everywhere.by_label)[BEGIN]


TEI = """<tei><text xml:lang="en">
<front>On Sound <lb/>Ann Bell <lb/></front>
<page>1 <lb/></page>
<body>1 Introduction <lb/>Sound travels <lb/>in air. <lb/></body>
<div type="acknowledgement">Thanks to all. <lb/></div>
<listBibl>[1] C. Dorn. Light. <lb/></listBibl>
<div type="annex">A Proofs <lb/></div>
<front>How to cite this paper <lb/></front>
</text></tei>"""
ROWS = (
    "On Sound BLOCKSTART PAGESTART HIGHERFONT 1 0",
    "Ann Bell BLOCKSTART PAGEIN LOWERFONT 0 1",
    "1 1 BLOCKSTART PAGEEND SAMEFONTSIZE 0 0",
    "1 Introduction BLOCKSTART PAGESTART HIGHERFONT 1 0",
    "Sound travels BLOCKSTART PAGEIN LOWERFONT 0 0",
    "in air BLOCKIN PAGEIN SAMEFONTSIZE 0 0",
    "Thanks to BLOCKSTART PAGEIN SAMEFONTSIZE 0 0",
    "[ 1 BLOCKSTART PAGEIN SAMEFONTSIZE 0 0",
    "A Proofs BLOCKSTART PAGEIN SAMEFONTSIZE 0 0",
    "How to BLOCKSTART PAGEIN SAMEFONTSIZE 0 0",
)


def layout() -> str:
    """Rows as in the published files: two words, five spellings of the first, then how the line is set."""
    rows = []
    for row in ROWS:
        first, second, block, page, size, bold, italic = row.split()
        rows.append(" ".join([first, second, *["x"] * 5, block, page, "NEWFONT", size, bold, italic]))
    return "\n".join(rows)


def archive(folder: Path, n_documents: int = 1) -> Path:
    folder.mkdir(parents=True)
    with tarfile.open(folder / "segmentation.tar.gz", "w:gz") as file:
        for number in range(n_documents):
            for ending, text in ((".tei.xml", TEI), ("", layout())):
                body = text.encode()
                member = tarfile.TarInfo(f"corpus/{number}.training.segmentation{ending}")
                member.size = len(body)
                file.addfile(member, BytesIO(body))
    return folder


def test_lines_zones_and_layout(tmp_path: Path) -> None:
    (document,) = read_segmented_documents(archive(tmp_path / "grobid"))
    assert document.lines[0] == ZoneLine("On Sound", 1, 1, starts_block=True, bold=True)
    assert document.lines[4] == ZoneLine("in air.", 2, 0)
    assert document.zones == (HEADER, HEADER, BODY, BODY, BODY, BACK, REFERENCES, APPENDIX, BACK)


def test_a_layout_of_another_text_is_not_used(tmp_path: Path) -> None:
    folder = archive(tmp_path / "grobid")
    with tarfile.open(folder / "segmentation.tar.gz", "w:gz") as file:
        for ending, text in ((".tei.xml", TEI), ("", layout().replace("S", "Q").replace("A", "Q"))):
            member = tarfile.TarInfo(f"0.training.segmentation{ending}")
            member.size = len(text.encode())
            file.addfile(member, BytesIO(text.encode()))
    assert read_segmented_documents(folder) == ()


def test_a_model_is_trained_and_measured(tmp_path: Path) -> None:
    """Four documents teach what four others of the same make are: nothing is left to get wrong."""
    archive(tmp_path / "headers" / "grobid", n_documents=8)
    figures = measure_zones(tmp_path)["crf"]
    assert figures["f1"] == dict.fromkeys((HEADER, BODY, BACK, REFERENCES, APPENDIX), 1.0)
    assert (figures["line"], figures["n_documents"], figures["n_lines"]) == (1.0, 8, 72)
    model = train_zones(tmp_path, tmp_path / "out" / "zones.crfsuite")
    assert (tmp_path / "out" / "zones.crfsuite").read_bytes() == model.body
