"""Catalogs of other programs are recognized and read, and what we export in a format comes back whole."""

import gzip
import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.errors import ConfigError
from portico.pipeline.building import BuildSummary
from portico.pipeline.catalogs.formats import CatalogFormat, read_catalog, recognize_format
from portico.pipeline.catalogs.items import CatalogItem
from portico.pipeline.collections.papers.export import export_papers
from portico.pipeline.importing import import_portal
from portico.pipeline.opening import open_portal
from portico.pipeline.status import read_status
from tests.convert.hostile import GOOD

BIBTEX = r"""
@string{jml = "Journal of Machine Learning"}
@article{young96, author = {Young, Ada and N{\'u}{\~n}ez, Jos\'e and {The LIGO Collaboration}},
  title = {Growing {Decision} Forests in $O(n\log n)$}, journal = jml, year = 1996, month = feb, volume = 3,
  number = {4}, pages = {12--34}, doi = {https://doi.org/10.1000/x_y}, keywords = {forests, voting},
  abstract = {Trees vote \& win.}}
@inproceedings{old80, title = {{IP} = {PSPACE}}, author = "B. Old", crossref = {conf}}
@proceedings{conf, title = {Proceedings of Conf}, year = 1980, publisher = {ACM}}
@article{broken, title = {No end, year = 1990
@article{young96, title = {The same key again}, journal = jml # " Letters"}
@misc{comma, title = {No comma} year = {2000}}
"""
RIS = """TY  - CPAPER
AU  - Vallée Poussin, Charles de la
A2  - Editor, E.
TI  - A title that
  goes on
T2  - Proceedings of Conf
PY  - 1999/02/03/
SP  - 1
EP  - 7
KW  - one
KW  - two
SN  - 978-3-16-148410-0
ER  -
TY  - JOUR
TI  - The end is missing
"""
CSL = [
    {"id": "x", "type": "article-journal", "title": "CSL &amp; <i>more</i>", "container-title": "A Journal",
     "author": [{"family": "Aha", "given": "David W.", "suffix": "Jr."}, {"literal": "CERN"}],
     "issued": {"date-parts": [[1999, 7, 4]]}, "page": "1-9", "ISSN": "1234-5678", "DOI": "10.1/x"},
    "no object",
]  # fmt: skip
CROSSREF = {
    "status": "ok",
    "message": {"items": [{
        "DOI": "10.5555/1", "prefix": "10.5555", "type": "journal-article", "title": ["Psychoceramics"],
        "author": [{"given": "Josiah", "family": "Carberry", "affiliation": [{"name": "Brown University"}]}],
        "container-title": ["Journal of Psychoceramics"], "issued": {"date-parts": [[2008, 8]]},
        "abstract": "<jats:p>Cracked pots.</jats:p>", "ISSN": ["0264-3561"],
        "reference": [{"unstructured": "Young. Forests. 1996", "article-title": "Forests", "year": "1996"}],
    }]},
}  # fmt: skip
OPENALEX = {
    "id": "https://openalex.org/W1", "doi": "https://doi.org/10.1/oa", "title": "Open things",
    "type": "article", "publication_year": 2020, "publication_date": "2020-03-01", "language": "en",
    "authorships": [{"author": {"display_name": "Ada Young"}, "raw_affiliation_strings": ["MIT"]}],
    "primary_location": {"source": {"display_name": "Open Journal"}, "landing_page_url": "https://oa.org/1"},
    "biblio": {"volume": "1", "issue": "2", "first_page": "3", "last_page": "4"},
    "abstract_inverted_index": {"Things": [0], "open.": [2], "are": [1]},
}  # fmt: skip
ENDNOTE = """<xml><records><record><ref-type name="Journal Article">17</ref-type><contributors><authors>
<author><style face="normal">Young, Ada</style></author></authors></contributors><titles>
<title><style>Forests of EndNote</style></title><secondary-title>A Journal</secondary-title></titles>
<pages>1-9</pages><dates><year>1996</year></dates><keywords><keyword>trees</keyword></keywords>
<urls><pdf-urls><url>internal-pdf://12/a.pdf</url></pdf-urls></urls></record></records></xml>"""
JATS = """<article xml:lang="en"><front><journal-meta><journal-title-group>
<journal-title>PLoS X</journal-title>
</journal-title-group><issn>1234-5678</issn></journal-meta><article-meta><article-id pub-id-type="doi">10.1/j
</article-id><title-group><article-title>On <italic>E. coli</italic></article-title></title-group>
<contrib-group>
<contrib contrib-type="author"><name><surname>Young</surname><given-names>Ada</given-names></name></contrib>
<aff><label>1</label>MIT</aff></contrib-group><pub-date pub-type="epub"><day>4</day><month>7</month><year>1999
</year></pub-date><volume>3</volume><fpage>1</fpage><lpage>9</lpage><abstract><p>Short.</p></abstract>
<kwd-group><kwd>bacteria</kwd></kwd-group></article-meta></front><back><ref-list><ref><mixed-citation>
Old B. <article-title>Inducing trees</article-title>. <year>1980</year>.</mixed-citation></ref></ref-list>
</back></article>"""
PUBMED = """<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>77</PMID><Article><Journal><ISSN>1234-5678
</ISSN><JournalIssue><Volume>3</Volume><PubDate><Year>1999</Year><Month>Jul</Month></PubDate></JournalIssue>
<Title>The Lancet</Title></Journal><ArticleTitle>Of hearts.</ArticleTitle><Abstract>
<AbstractText Label="AIM">Look.
</AbstractText></Abstract><AuthorList><Author><LastName>Young</LastName><ForeName>Ada</ForeName></Author>
</AuthorList>
<Language>ger</Language></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""
OAI = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header>
<identifier>oai:a:1
</identifier></header><metadata><dc xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Harvested</dc:title>
<dc:creator>Young, Ada</dc:creator><dc:date>1999-05</dc:date><dc:identifier>https://a.org/1</dc:identifier>
<dc:subject>trees</dc:subject></dc></metadata></record><record><header status="deleted"><identifier>oai:a:2
</identifier></header></record></ListRecords></OAI-PMH>"""


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def read(path: Path) -> list[CatalogItem]:
    return list(read_catalog(path, recognize_format(path)))


def tell(item: CatalogItem) -> Any:
    assert not item.error, item.error
    return item.told


def imported(file: Path, folder: Path) -> BuildSummary:
    return import_portal(file, folder, ProgressLines(None))


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a", BIBTEX, CatalogFormat.BIBTEX), ("a.txt", RIS, CatalogFormat.RIS),
        ("a.json", CSL, CatalogFormat.JSON),
        ("b.json", CROSSREF, CatalogFormat.JSONL), ("c", ENDNOTE, CatalogFormat.XML),
        ("d.json", '{"title": "A"}\n{"title": "B"}\n', CatalogFormat.JSONL),
        ("e.json", "{\n}", CatalogFormat.JSON),
    ],
)  # fmt: skip
def test_formats_are_recognized(tmp_path: Path, name: str, content: object, kind: CatalogFormat) -> None:
    assert recognize_format(write(tmp_path / name, content)) is kind


def test_what_is_no_catalog_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no format that can be imported"):
        recognize_format(write(tmp_path / "notes.txt", "Dear diary"))
    with pytest.raises(ConfigError, match="folder without catalogs"):
        imported(tmp_path, tmp_path / "portal")


def test_bibtex_is_read_as_people_read_it_and_faults_have_their_line(tmp_path: Path) -> None:
    items = read(write(tmp_path / "a.bib", BIBTEX))
    forest, ip = (tell(next(i for i in items if i.place == line)) for line in ("3", "7"))
    assert forest["title"] == "Growing Decision Forests in O(n log n)"
    assert forest["authors"] == ["Ada Young", "José Núñez", "The LIGO Collaboration"]
    assert forest["fields"] == {
        "journal": ["Journal of Machine Learning"], "volume": ["3"], "number": ["4"], "pages": ["12–34"],
        "doi": ["10.1000/x_y"], "publication_type": ["article"], "published": ["1996-02"],
        "keyword": ["forests", "voting"],
    }  # fmt: skip
    assert (forest["abstract"], forest["year"]) == ("Trees vote & win.", "1996")
    assert (ip["title"], ip["venue"], ip["year"]) == ("IP = PSPACE", "Proceedings of Conf", "1980")
    assert {item.place: item.error[:26] for item in items if item.error} == {
        "9": "this entry cannot be read:", "11": "comma: something stands be",
    }  # fmt: skip
    again = next(
        i.told for i in items if isinstance(i.told, dict) and i.told["title"] == "The same key again"
    )
    assert again["venue"] == "Journal of Machine Learning Letters"


def test_ris_is_read_entry_by_entry(tmp_path: Path) -> None:
    first, second = read(write(tmp_path / "a.ris", RIS))
    told = tell(first)
    assert (told["title"], told["authors"]) == ("A title that goes on", ["Vallée Poussin, Charles de la"])
    assert told["fields"] == {
        "publication_type": ["inproceedings"], "booktitle": ["Proceedings of Conf"],
        "published": ["1999-02-03"],
        "pages": ["1–7"], "isbn": ["978-3-16-148410-0"], "keyword": ["one", "two"], "editor": ["E. Editor"],
    }  # fmt: skip
    assert (second.place, tell(second)["title"]) == ("14", "The end is missing")


def test_json_of_several_catalogs_is_read(tmp_path: Path) -> None:
    csl = tell(read(write(tmp_path / "csl.json", CSL))[0])
    assert (csl["title"], csl["authors"]) == ("CSL & more", ["David W. Aha Jr.", "CERN"])
    assert csl["fields"]["published"] == ["1999-07-04"]
    crossref = tell(read(write(tmp_path / "crossref.json", json.dumps(CROSSREF, indent=1)))[0])
    assert (crossref["title"], crossref["abstract"]) == ("Psychoceramics", "Cracked pots.")
    assert crossref["fields"]["affiliation"] == ["Brown University"]
    assert crossref["references"][0]["title"] == "Forests"
    packed = tmp_path / "works.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(OPENALEX).encode()))
    work = tell(read(packed)[0])
    assert (work["abstract"], work["venue"], work["sources"]) == (
        "Things are open.", "Open Journal", ["https://oa.org/1"],
    )  # fmt: skip
    assert work["fields"]["pages"] == ["3–4"]


def test_records_in_xml_are_read(tmp_path: Path) -> None:
    endnote, jats, pubmed, oai = (
        tell(read(write(tmp_path / f"{number}.xml", content))[0])
        for number, content in enumerate((ENDNOTE, JATS, PUBMED, OAI))
    )
    assert (endnote["title"], endnote["authors"], endnote["year"]) == (
        "Forests of EndNote",
        ["Ada Young"],
        "1996",
    )
    assert (jats["title"], jats["venue"], jats["year"]) == ("On E. coli", "PLoS X", "1999")
    assert jats["fields"]["affiliation"] == ["MIT"]
    assert jats["references"] == [
        {"title": "Inducing trees", "year": "1980", "raw": "Old B. Inducing trees. 1980."}
    ]
    assert (pubmed["title"], pubmed["abstract"]) == ("Of hearts", "Aim: Look.")
    assert (pubmed["fields"]["language"], pubmed["fields"]["published"]) == (["de"], ["1999-07"])
    assert (oai["title"], oai["authors"]) == ("Harvested", ["Ada Young"])
    assert oai["sources"] == ["https://a.org/1", "record:3#oai:a:1"]
    assert [each.deleted for each in read(tmp_path / "3.xml")] == ["", "oai:a:2"]


def test_broken_xml_gives_what_is_before_and_opens_nothing_outside(tmp_path: Path) -> None:
    cut = read(write(tmp_path / "cut.xml", JATS.replace("<article ", "<set><article ", 1) + "<article><fr"))
    assert tell(cut[0])["title"] == "On E. coli"
    assert "not well-formed XML" in cut[1].error
    secret = write(tmp_path / "secret", "hush")
    entity = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]>' + JATS.replace("E. coli", "&x;")
    assert "hush" not in str(read(write(tmp_path / "entity.xml", entity)))


def test_files_without_entries_and_names_too_long_for_files_end_no_import(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.ris", "")) == []
    (item,) = read(write(tmp_path / "a.bib", f"@misc{{a, title = {{x}}, file = {{{'a' * 5000}.pdf}}}}"))
    assert (tell(item)["title"], item.files) == ("x", ())


def test_a_packed_catalog_with_a_changed_byte_is_said_to_be_damaged(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(json.dumps(CSL).encode() * 9, mtime=0))
    packed[40] ^= 0xFF
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(packed)
    with pytest.raises(ConfigError, match=r"a\.jsonl\.gz: cannot be unpacked"):
        list(read_catalog(file, CatalogFormat.JSONL))


CSV = (
    "\ufeffKey;Publication Year;Author;Title;Publication Title;DOI;Manual Tags\n"
    'A1;1996;"Young, Ada; Núñez García, José";"Forests; or ""trees""";A Journal;10.1/t;trees|forests\n'
    ";;;;;;\nB2;;;;;;\n"
)


def test_tables_are_read_by_the_names_of_their_columns(tmp_path: Path) -> None:
    first, untitled = read(write(tmp_path / "zotero.csv", CSV))
    assert first.place == "2"
    assert tell(first) == {
        "id": "A1",
        "title": 'Forests; or "trees"',
        "authors": ["Ada Young", "Núñez García, José"],
        "year": "1996",
        "venue": "A Journal",
        "fields": {"doi": ["10.1/t"], "keyword": ["trees", "forests"]},
        "sources": ["https://doi.org/10.1/t"],
    }
    assert tell(untitled) == {"id": "B2"}
    (nothing,) = read(write(tmp_path / "a.tsv", "a\tb\n1\t2\n"))
    assert nothing.error == "the first row names no column Title"


def test_attached_files_are_the_papers_of_their_records(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.pdf").write_bytes(GOOD)
    entry = "@article{a, title={Quite another title}, author={Ada Young}, file={A:files/a.pdf:pdf}}"
    for _again in range(2):
        imported(write(tmp_path / "a.bib", entry), tmp_path / "portal")
        with open_portal(tmp_path / "portal") as portal:
            papers = list(export_papers(portal, cited=False))
            assert read_status(portal)["failures"] == []
        assert [len(paper["sources"]) for paper in papers] == [2]


@pytest.mark.parametrize(
    "catalog",
    [
        f'@string{{a = "{"x " * 50_000}"}}' + "@article{k, title={t}, journal = a}\n" * 100,
        f'@string{{a = "{"x " * 200}"}}' + f"@article{{k, title={{t}}, journal = {' # '.join('a' * 5_000)}}}",
        f"@book{{p, title={{{'x ' * 50_000}}}}}" + "@inproceedings{k, title={t}, crossref={p}}\n" * 100,
    ],
    ids=["abbreviation", "joined", "crossref"],
)
def test_what_entries_share_is_not_told_without_end(tmp_path: Path, catalog: str) -> None:
    items = read(write(tmp_path / "a.bib", catalog))
    assert len(items) in (1, 100, 101)
    assert sum(len(str(item.told)) for item in items) < 3 * len(catalog)


@pytest.mark.parametrize(
    ("name", "unit", "times", "says"),
    [
        ("a.json.xz", b"0,", 10_000_000, "bytes; split it"),
        ("a.json", b"{},", 10_000_001, "values; split it"),
        ("a.bib", b"@a{", 500_001, "values; split it"),
    ],
)
def test_a_file_that_would_fill_the_memory_is_not_parsed(
    tmp_path: Path, name: str, unit: bytes, times: int, says: str
) -> None:
    body = b"[" + unit * times
    file = tmp_path / name
    file.write_bytes(lzma.compress(body, preset=0) if name.endswith("xz") else body)
    with pytest.raises(ConfigError, match=says):
        read(file)


def test_an_abstract_of_one_word_at_a_million_places_is_cut(tmp_path: Path) -> None:
    work = {"id": "https://openalex.org/W7", "title": "T", "authorships": []}
    long = work | {"abstract_inverted_index": {"word" * 20: [*range(1_000_000)]}}
    (item,) = read(write(tmp_path / "a.json", json.dumps(long)))
    assert isinstance(item.told, dict)
    assert 90_000 < len(item.told["abstract"]) <= 100_000


@pytest.mark.parametrize("named", ["../home/secret.pdf", "{home}/secret.pdf", "link.pdf"])
def test_a_catalog_of_a_stranger_publishes_no_other_files(tmp_path: Path, named: str) -> None:
    home, catalogs = tmp_path / "home", tmp_path / "catalogs"
    home.mkdir()
    catalogs.mkdir()
    (home / "secret.pdf").write_bytes(GOOD)
    (catalogs / "link.pdf").symlink_to(home / "secret.pdf")
    entry = f"@article{{a, title={{A bait}}, author={{Ada Young}}, file={{{named.format(home=home)}}}}}"
    file = write(catalogs / "a.bib", entry)
    imported(file, tmp_path / "portal")
    with open_portal(tmp_path / "portal") as portal:
        assert [len(paper["sources"]) for paper in export_papers(portal, cited=False)] == [1]
        (failure,) = read_status(portal)["failures"]
        assert "outside of the catalog's folder" in failure["reason"]
    import_portal(file, tmp_path / "portal", ProgressLines(None), attached=[home])
    with open_portal(tmp_path / "portal") as portal:
        assert [len(paper["sources"]) for paper in export_papers(portal, cited=False)] == [2]
        assert read_status(portal)["failures"] == []


_IN_LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
from portico.pipeline.catalogs.formats import CatalogFormat, read_catalog
from portico.pipeline.catalogs import xml_records
xml_records._MOST_ELEMENTS = 10_000
with open("/proc/self/statm") as told:
    taken = int(told.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 60_000_000, taken + 60_000_000))
for item in read_catalog(Path(sys.argv[1]), CatalogFormat.XML):
    print(item.error or item.told["title"])
"""


@pytest.mark.parametrize("inside", [True, False], ids=["in a record", "between records"])
def test_a_small_file_of_many_elements_fills_no_memory(tmp_path: Path, inside: bool) -> None:
    record = "<record><ref-type name='Book'/><titles><title>A title</title></titles>"
    start, end = ("", "</record>") if inside else ("</record>", "")
    file = tmp_path / "a.xml.gz"
    file.write_bytes(gzip.compress(f"<xml>{record}{start}{'<x/>' * 800_000}{end}</xml>".encode()))
    assert file.stat().st_size < 10_000
    command = [sys.executable, "-c", _IN_LITTLE_MEMORY, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ("more elements than any paper" if inside else "A title") in done.stdout
