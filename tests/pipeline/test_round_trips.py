"""What a portal exports in any format and another portal imports is exported there as the same again."""

import csv
import io
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from starlette.testclient import TestClient

from portico.cli.progress_lines import ProgressLines
from portico.cli.showing import open_app
from portico.pipeline.collections.papers.export import export_papers
from portico.pipeline.importing import import_portal
from portico.pipeline.opening import open_portal
from portico.serve.papers.citation_export import make_citable
from portico.store.portal_view import Source
from portico.text.citation_formats import FORMATS, Citable

LIBRARY = r"""
@string{jml = "Journal of Machine Learning"}
@article{young96, author = {Young, Ada and N{\'u}{\~n}ez, Jos\'e and {The LIGO Collaboration}},
  title = {Growing {Decision} Forests in $O(n\log n)$}, journal = jml, year = 1996, month = feb, volume = 3,
  number = {4}, pages = {12--34}, doi = {https://doi.org/10.1000/x_y}, keywords = {forests, voting},
  issn = {1234-5678}, language = {en}, abstract = {Trees vote \& win; "all" of them, =1+1.}}
@inproceedings{old80, title = {{IP} = {PSPACE}}, author = "B. Old", booktitle = {Proceedings of Conf},
  year = 1980, publisher = {ACM}, url = {https://conf.example.org/80}}
@phdthesis{t, title = {=A Thesis of {\O}ld}, school = {MIT}, year = 2001,
  author = {Garc{\'i}a M{\'a}rquez, Gabriel and Vall{\'e}e Poussin, Jr., Charles de la}}
@techreport{r, title = {Small Reports}, institution = {Brown University}, number = {CS-1}, year = 1977,
  author = {Aha, David W.}, language = {de}, note = {no more}}
@incollection{c, title = {A Chapter}, booktitle = {A Book of Chapters}, year = 1999, isbn = {9783161484100},
  author = {M{\"u}ller, Jo{\~a}o}, pages = {7}, abstract = {Chapters are read.}}
"""
PATIENCE_S = 60
_DERIVED = {"id", "url", "citations", "topics", "source", "cited_by", "contexts"}
"""What a portal makes itself, or names by its own ids and files."""


def cite_all(folder: Path, ending: str) -> str:
    with open_portal(folder) as portal:
        papers: list[Citable] = []
        for entity in sorted(portal.store.catalog.entities.all(), key=lambda each: each.value("title") or ""):
            named = [
                Source(source, "record", document, "", 0, 0.0)
                for document in entity.documents
                for source in portal.sources(document)
            ]
            citable = make_citable(entity, named)
            papers.append(Citable("", citable.authors, citable.fields, citable.told_kind, citable.keywords))
    return FORMATS[ending][1](papers)


def export_lines(folder: Path) -> str:
    with open_portal(folder) as portal:
        return "".join(json.dumps(paper) + "\n" for paper in export_papers(portal, cited=False))


def download(folder: Path, path: str) -> str:
    app = open_app(folder)
    try:
        site, until = TestClient(app, base_url="http://127.0.0.1"), time.monotonic() + PATIENCE_S
        # A change is told a moment after it was written.
        while "noRecordsMatch" in (text := site.get(path).text) and time.monotonic() < until:
            time.sleep(0.2)
        return text
    finally:
        app.state.opened.close()


def read_rows(text: str) -> list[dict[str, Any]]:
    return [dict(row) for row in csv.DictReader(io.StringIO(text))]


def read_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def read_dublin_core(text: str) -> list[dict[str, Any]]:
    """By element; the address in the portal and the topic are its own."""
    said = "{http://purl.org/dc/elements/1.1/}"
    records: list[dict[str, Any]] = []
    for record in etree.fromstring(text.encode()).iter("{*}record"):
        values: dict[str, Any] = {}
        for each in record.iter(f"{said}*"):
            values.setdefault(each.tag.removeprefix(said), []).append(each.text)
        values["identifier"] = [each for each in values["identifier"] if "127.0.0.1" not in each]
        records.append({name: value for name, value in values.items() if name != "subject"})
    return records


def compare_as_they_are(text: str) -> list[dict[str, Any]]:
    return [{"text": re.sub(r"^(ID  - .*|@(\w+)\{\w+,)$", r"\2", text, flags=re.MULTILINE)}]


Exported = Callable[[Path], str]
FORMS: dict[str, tuple[Exported, Callable[[str], list[dict[str, Any]]]]] = {
    "bib": (lambda folder: cite_all(folder, "bib"), compare_as_they_are),
    "ris": (lambda folder: cite_all(folder, "ris"), compare_as_they_are),
    "json": (lambda folder: cite_all(folder, "json"), compare_as_they_are),
    "jsonl": (export_lines, read_lines),
    "served.jsonl": (lambda folder: download(folder, "/download/papers.jsonl"), read_lines),
    "csv": (lambda folder: download(folder, "/download/papers.csv"), read_rows),
    "xml": (
        lambda folder: download(folder, "/oai?verb=ListRecords&metadataPrefix=oai_dc"),
        read_dublin_core,
    ),
}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first")
    (folder / "library.bib").write_text(LIBRARY, encoding="utf-8")
    import_portal(folder / "library.bib", folder / "portal", ProgressLines(None))
    return folder / "portal"


@pytest.mark.parametrize("form", FORMS)
def test_no_field_that_the_format_has_is_lost(first: Path, tmp_path: Path, form: str) -> None:
    export, read = FORMS[form]
    sent = export(first)
    (tmp_path / f"sent.{form}").write_text(sent, encoding="utf-8")
    import_portal(tmp_path / f"sent.{form}", tmp_path / "portal", ProgressLines(None))
    before, after = (
        sorted(
            ({name: value for name, value in each.items() if name not in _DERIVED} for each in read(text)),
            key=str,
        )
        for text in (sent, export(tmp_path / "portal"))
    )
    assert after == before
    assert len(before) in (1, 5)
    assert all(word in sent.lower() for word in ("growing", "pspace", "thesis", "reports", "chapter"))
