"""Portico used from Python and for single files, as docs/python.md says."""

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import portico
from portico.cli.app import app
from portico.errors import InputError
from portico.python_api.portals import OpenedPortal
from tests.cli.test_operating import write_paper
from tests.serve.made import make_portal

REFERENCE = "P. E. Utgoff. Incremental induction of decision trees. Machine Learning, 4(2):161-186, 1989."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    make_portal(folder)
    (folder / "portal.toml").write_text('[portal]\ntitle = "Trees"\n[[source]]\nfolder = "."\n')
    return folder


@pytest.fixture
def portal(folder: Path) -> Iterator[OpenedPortal]:
    with portico.open(folder) as portal:
        yield portal


def test_papers_searches_and_citations(portal: OpenedPortal) -> None:
    (found, *_) = portal.search("title:forests")
    assert (found.id, found.year, found.venue) == ("forest", 1996, "Journal of Trees")
    assert found.authors == ("Ada Young", "José Nuñez")
    assert {each.id for each in found.references} == {"cited", "untitled"}
    assert {each.id for each in found.citers} == {"hostile", "parser"}
    assert found.to_bibtex().startswith("@article{young1996growing")
    assert portal.paper("merged") == portal.paper("forest")
    with pytest.raises(KeyError):
        portal.paper("never")


def test_every_paper_is_listed_once(portal: OpenedPortal) -> None:
    held = [each.id for each in portal.papers()]
    known = [each.id for each in portal.papers(cited_only=True)]
    assert len(set(held)) == len(held) < len(known) == len(set(known))
    assert json.dumps([each.to_dict() for each in portal.papers()])
    assert (("Learning", "Trees"), 2) in portal.topics()


def test_every_cell_of_the_notebook_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = json.loads((Path(__file__).parents[2] / "docs" / "portal.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    for cell in cells:
        exec(compile(cell, "portal.ipynb", "exec"), names)
        if "PORTAL" in cell and len(names) < 3:
            names["PORTAL"] = folder
    assert "Growing decision forests" in capsys.readouterr().out
    assert not [cell for cell in notebook["cells"] if cell.get("outputs")]


def test_a_reference_taken_apart() -> None:
    parsed = portico.parse_reference(f"  {REFERENCE}\n")
    assert parsed.title == "Incremental induction of decision trees"
    assert (parsed.authors, parsed.year, parsed.venue) == (("P. E. Utgoff",), "1989", "Machine Learning")
    assert all(0 < each.confidence <= 1 for each in parsed.fields)


@pytest.mark.parametrize(
    ("text", "said"), [("", "is empty"), (" \n", "is empty"), ("x " * 9_000, "one reference")]
)
def test_what_is_no_reference_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        portico.parse_reference(text)


def test_a_file_is_read(tmp_path: Path) -> None:
    write_paper(tmp_path / "one.pdf", "Growing Decision Forests & Trees")
    paper = portico.extract((tmp_path / "one.pdf").read_bytes())  # type: ignore[operator]  # a package, too
    assert paper.title == "Growing Decision Forests & Trees"
    assert paper.authors == ("Ada Young",)
    assert "measure how fast" in paper.abstract
    tei = ElementTree.fromstring(paper.to_tei())
    assert tei.findtext(".//{http://www.tei-c.org/ns/1.0}title") == paper.title


def test_files_on_the_command_line(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.pdf", tmp_path / "bad.pdf"
    write_paper(good, "Growing Decision Forests Quickly")
    bad.write_bytes(b"%PDF-1.4 and nothing else")
    ran = CliRunner().invoke(app, ["extract", str(bad), str(good), str(tmp_path / "none.pdf")])
    assert ran.exit_code == 1
    (line,) = ran.stdout.splitlines()
    assert json.loads(line)["title"] == "Growing Decision Forests Quickly"
    assert "2 of 3 files could not be read" in ran.stderr
    assert str(bad) in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "begins"), [([REFERENCE], '{"text"'), ([REFERENCE, "--format", "bibtex"], "@")]
)
def test_references_on_the_command_line(arguments: list[str], begins: str) -> None:
    assert CliRunner().invoke(app, ["parse", *arguments]).stdout.startswith(begins)
    piped = CliRunner().invoke(app, ["parse", *arguments[1:]], input=f"{REFERENCE}\n\n{REFERENCE}\n")
    assert piped.stdout.count("Incremental induction") >= 2
