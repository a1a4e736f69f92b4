"""Papers as BibTeX, RIS and CSL-JSON, read by the programs that people use."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.text.citation_formats import Citable, make_unique_keys, write_bibtex, write_csl_json, write_ris

ODD = "Incremental induction & 100% of {trees} in C# \\ $x_1$"
PAPERS = (
    Citable(
        "p1",
        ("Paul E. Utgoff",),
        {"title": "Incremental induction of decision trees", "year": "1989", "journal": "Machine Learning",
         "volume": "4", "pages": "161-186"},
    ),
    Citable("p2", ("Utgoff, P. E.",), {"title": ODD, "year": "1989", "booktitle": "Proc ML", "pages": "1–9"}),
    Citable(
        "p3",
        ("Ludwig van der Berg, Jr.", "Gödel, Kurt"),
        {"title": 'Über "Grundlagen" ~ ^ <b>', "year": "19xx", "url": "http://example.org/~a_b?x={1}"},
    ),
    Citable("p4", (), {"title": ""}),
    Citable("p5", ("AT&T Research and Friends",), {"title": "A report", "institution": "Tech. Report 90-1"}),
)  # fmt: skip


def test_keys_are_sensible_and_unique() -> None:
    keys = make_unique_keys(PAPERS)
    assert keys[:2] == ["utgoff1989incremental", "utgoff1989incrementalb"]
    assert len(set(keys)) == len(keys)
    assert len(set(make_unique_keys([PAPERS[0]] * 60))) == 60


def test_ris() -> None:
    lines = write_ris(PAPERS[:1]).split("\r\n")
    assert lines[0] == "TY  - JOUR"
    assert {"AU  - Utgoff, Paul E.", "SP  - 161", "EP  - 186", "PY  - 1989", "T2  - Machine Learning"} <= set(
        lines
    )
    assert lines[-2] == "ER  - "


def test_csl() -> None:
    item = json.loads(write_csl_json(PAPERS[:1]))[0]
    assert item["author"] == [{"family": "Utgoff", "given": "Paul E."}]
    assert item["issued"] == {"date-parts": [[1989]]}
    assert (item["type"], item["page"], item["id"]) == ("article-journal", "161-186", "utgoff1989incremental")


def test_organizations_are_no_people_and_reports_have_numbers() -> None:
    report = Citable("p6", ("IEEE Standards Association",), {"title": "A standard", "tech": "TR STD-7"})
    item = json.loads(write_csl_json([report]))[0]
    assert (item["author"], item["type"]) == ([{"literal": "IEEE Standards Association"}], "report")
    assert "AU  - IEEE Standards Association" in write_ris([report])
    assert "  number = {STD-7}," in write_bibtex([report])


FIELDS = st.fixed_dictionaries({"title": st.text(max_size=20), "year": st.text(max_size=6)})
LISTS = st.lists(st.builds(Citable, st.just("x"), st.tuples(st.text(max_size=20)), FIELDS), max_size=4)


@settings(max_examples=50, deadline=None)
@given(LISTS)
def test_any_text_gives_whole_records(papers: list[Citable]) -> None:
    assert len(json.loads(write_csl_json(papers))) == len(papers)
    ris = write_ris(papers)
    assert ris.count("ER  - \r\n") == len(papers)
    assert all(line[2:6] == "  - " for line in ris.split("\r\n")[:-1])
    bibtex = write_bibtex(papers)
    assert bibtex.count("{") == bibtex.count("}")


@pytest.mark.skipif(not shutil.which("bibtex"), reason="needs BibTeX (apt install texlive-binaries)")
def test_bibtex_reads_all_entries(tmp_path: Path) -> None:
    (tmp_path / "papers.bib").write_text(write_bibtex(PAPERS), encoding="utf-8")
    (tmp_path / "list.bst").write_text(_STYLE, encoding="utf-8")
    (tmp_path / "list.aux").write_text(
        "\\citation{*}\n\\bibstyle{list}\n\\bibdata{papers}\n", encoding="utf-8"
    )
    run = subprocess.run(["bibtex", "list"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert "error" not in run.stdout.lower()
    printed = (tmp_path / "list.bbl").read_text(encoding="utf-8").split()
    assert printed == make_unique_keys(PAPERS)


@pytest.mark.skipif(not shutil.which("biber"), reason="needs biber (apt install biber)")
def test_biber_reads_all_entries(tmp_path: Path) -> None:
    (tmp_path / "papers.bib").write_text(write_bibtex(PAPERS), encoding="utf-8")
    run = subprocess.run(["biber", "--tool", "--validate-datamodel", "papers.bib"],
                         cwd=tmp_path, capture_output=True, text=True, check=False)  # fmt: skip
    assert run.returncode == 0, run.stdout
    assert "ERROR" not in run.stdout
    written = (tmp_path / "papers_bibertool.bib").read_text(encoding="utf-8")
    assert all(key in written for key in make_unique_keys(PAPERS))


# A style that prints the key of every entry after taking its names apart, which is where BibTeX stumbles.
_STYLE = """ENTRY { author title year journal booktitle pages url institution volume howpublished } { } { }
FUNCTION {entry} { author empty$ { } { author num.names$ pop$ } if$ cite$ write$ newline$ }
FUNCTION {article} { entry } FUNCTION {inproceedings} { entry } FUNCTION {misc} { entry }
FUNCTION {techreport} { entry } FUNCTION {book} { entry } FUNCTION {default.type} { entry }
READ ITERATE {call.type$}
"""
