"""Records of other catalogs become papers, once; bad lines are named; what was exported comes back."""

import gzip
import json
import lzma
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.errors import ConfigError, InputError
from portico.pipeline.building import BuildSummary, build_portal
from portico.pipeline.collections.papers.export import export_papers
from portico.pipeline.collections.papers.imported_papers import read_paper
from portico.pipeline.export import write_jsonl
from portico.pipeline.imported_record import ImportedRecord
from portico.pipeline.importing import import_portal
from portico.pipeline.opening import open_portal
from portico.pipeline.progress import BuildRequest
from portico.pipeline.status import read_status
from portico.pipeline.verify import verify_portal

FOREST = {
    "title": "Growing decision forests",
    "authors": ["Ada Young", "José Nuñez"],
    "abstract": "Many decision trees are grown on random samples, and vote.",
    "year": 1996,
    "venue": "Journal of Trees",
    "url": "https://example.org/forest.pdf",
}
PARSER = {
    "id": "p2",
    "title": "Parsing with hidden Markov models",
    "authors": "Donald Knuth and Ada Young",
    "summary": "A hidden Markov model tags words before a chart parser builds trees.",
    "date": "1999-05-01",
    "references": [
        {
            "raw": "A. Young and J. Nunez. Growing decision forests. Journal of Trees, 1996.",
            "title": "Growing decision forests",
            "authors": ["A. Young", "J. Nunez"],
            "year": 1996,
            "contexts": ["Forests vote [1]."],
        },
        {
            "raw": "B. Old. Inducing decision trees from the top down. Annals of Trees, 1980.",
            "title": "Inducing decision trees from the top down",
            "authors": ["B. Old"],
            "journal": "Annals of Trees",
            "confidence": {"journal": 0.5},
        },
    ],
}
RECORDS: list[dict[str, Any]] = [FOREST, PARSER]


def write(path: Path, *lines: object) -> Path:
    words = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(words) + "\n")
    return path


def imported(file: Path, folder: Path) -> BuildSummary:
    return import_portal(file, folder, ProgressLines(None))


def exported(folder: Path) -> list[dict[str, Any]]:
    with open_portal(folder) as portal:
        return list(export_papers(portal, cited=True))


def test_records_become_papers_that_cite_each_other(tmp_path: Path) -> None:
    summary = imported(write(tmp_path / "two.jsonl", *RECORDS), tmp_path / "portal")
    assert (summary.n_held, summary.held, summary.n_failures) == (
        2,
        "2 papers, 1 more known from citations",
        0,
    )
    found = {paper["title"]: paper for paper in exported(tmp_path / "portal")}
    forest, parser = found["Growing decision forests"], found["Parsing with hidden Markov models"]
    assert forest["source"] == "https://example.org/forest.pdf"
    assert forest["authors"] == ["Ada Young", "José Nuñez"]
    assert forest["cited_by"] == [parser["id"]]
    assert forest["contexts"] == [{"citing": parser["id"], "text": "Forests vote [1]."}]
    assert parser["source"] == "record:two#p2"
    assert (parser["authors"], parser["year"]) == (["Donald Knuth", "Ada Young"], 1999)
    assert [bool(each["cites"]) for each in parser["references"]] == [True, True]


def test_importing_again_does_nothing_and_a_build_keeps_everything(tmp_path: Path) -> None:
    file, folder = write(tmp_path / "two.jsonl", *RECORDS), tmp_path / "portal"
    imported(file, folder)
    before = exported(folder)
    again = imported(file, folder)
    assert not any(report.worked for report in again.reports)
    assert again.reports[0].n_fresh == 2
    built = build_portal(folder, BuildRequest(), ProgressLines(None))
    assert not any(report.worked for report in built.reports)
    assert exported(folder) == before
    assert verify_portal(folder, repair=False).faults == ()


def test_a_changed_record_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "portal"
    imported(write(tmp_path / "two.jsonl", *RECORDS), folder)
    imported(write(tmp_path / "two.jsonl", FOREST | {"year": 1997}, PARSER), folder)
    years = {paper["title"]: paper["year"] for paper in exported(folder) if paper["source"]}
    assert years == {"Growing decision forests": 1997, "Parsing with hidden Markov models": 1999}
    assert verify_portal(folder, repair=False).faults == ()


def test_what_was_exported_comes_back(tmp_path: Path) -> None:
    """Fields, references, citations, contexts, ids, topics: an export of the import is the same file."""
    pager: dict[str, Any] = {
        "title": "Paging without tears",
        "authors": ["Y. Dunn"],
        "doi": "10.1/7",
        "venue": "Old Systems",
    }
    pager |= {"keywords": "no field of ours", "references": PARSER["references"][:1], "sources": ["/a", "/b"]}
    doubted = FOREST | {"confidence": {"year": 0.25}}
    imported(write(tmp_path / "made.jsonl", doubted, PARSER, pager), tmp_path / "one")
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    for portal, file in ((tmp_path / "one", first), (tmp_path / "two", second)):
        if portal.name == "two":
            imported(first, portal)
        with open_portal(portal) as opened:
            assert write_jsonl(opened, file, cited=True) == 4
    assert [json.loads(line) for line in second.open()] == [json.loads(line) for line in first.open()]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON: Expecting property name"),
        ("[]", "an object in braces"),
        ("{}", "no title"),
        ('{"title": "   "}', "no title"),
        ('{"title": "A", "authors": 7}', "authors are a list"),
        ('{"title": "A", "authors": [7]}', "an author is a name"),
        ('{"title": "A", "references": "none"}', "references are a list"),
        ('{"title": "A", "confidence": {"title": 2}}', "between 0 and 1"),
        ('{"title": "A", "n": ' + "9" * 9999 + "}", "endless number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_and_costs_nothing_else(tmp_path: Path, line: str, reason: str) -> None:
    file = write(tmp_path / "some.jsonl", FOREST, line, PARSER)
    summary = imported(file, tmp_path / "portal")
    assert (summary.n_held, summary.n_failures) == (2, 1)
    with open_portal(tmp_path / "portal") as portal:
        (failure,) = read_status(portal)["failures"]
    assert failure["source"] == f"{file}:2"
    assert reason in failure["reason"]


def test_lines_that_were_mended_are_no_failures_any_more(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_bytes(b"\xff\n" + json.dumps(FOREST).encode() + b"\n")
    assert imported(file, tmp_path / "portal").n_failures == 1
    assert imported(write(file, FOREST), tmp_path / "portal").n_failures == 0


def test_two_records_of_one_place_are_not_merged_silently(tmp_path: Path) -> None:
    file = write(tmp_path / "some.jsonl", FOREST, FOREST, FOREST | {"title": "Another title altogether"})
    summary = imported(file, tmp_path / "portal")
    assert (summary.n_held, summary.n_failures) == (1, 1)


@pytest.mark.parametrize("suffix", [".xz", ".gz"])
def test_packed_files_are_read(tmp_path: Path, suffix: str) -> None:
    text = "\n".join(map(json.dumps, RECORDS)).encode()
    file = tmp_path / f"two.jsonl{suffix}"
    file.write_bytes(lzma.compress(text) if suffix == ".xz" else gzip.compress(text))
    assert imported(file, tmp_path / "portal").n_held == 2
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(ConfigError, match="cannot be unpacked"):
        imported(file, tmp_path / "portal")


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_what_is_no_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=r"no such file|is a folder"):
        imported(tmp_path / name, tmp_path / "portal")
    assert not (tmp_path / "portal").exists()


def read(**record: object) -> ImportedRecord:
    found = read_paper({"title": "A title"} | record, catalog="c")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ("A. McCallum, K. Nigam and J. Rennie", ["A. McCallum", "K. Nigam", "J. Rennie"]),
        (["Ada  Young", ""], ["Ada Young"]),
        ([{"name": "Ada Young"}, {"given": "José", "family": "Nuñez"}], ["Ada Young", "José Nuñez"]),
        ([["Young", "Ada", ""]], ["Ada Young"]),
        (None, []),
    ],
)
def test_authors_in_every_form(authors: object, names: list[str]) -> None:
    header = read(authors=authors).records[0]
    assert [field.value for field in header.all("author")] == names


def test_what_authors_typed_for_tex_is_read_as_printed() -> None:
    found = read(
        title=r"{On} $\ell_1$ norms \& the Erd\H{o}s number",
        authors=[{"given": r"Andr\'e", "family": r"M{\"u}ller"}],
        abstract=r"It takes $O(n\log n)$, or $\ours{n}$, and costs $5 to $6.",
        doi="10.1/a--b{c}",
        references=[{"title": r"G{\"o}del's proof", "raw": r"G{\"o}del's proof, 1990"}],
    )
    header, reference = found.records
    assert header.value("title") == "On ℓ₁ norms & the Erdős number"
    assert header.value("author") == "André Müller"
    assert header.value("abstract") == r"It takes O(n log n), or $\ours{n}$, and costs $5 to $6."
    assert header.value("doi") == "10.1/a--b{c}", "only what people read"
    assert (reference.raw, reference.value("title")) == ("Gödel's proof, 1990", "Gödel's proof")


@pytest.mark.parametrize(
    ("record", "source"),
    [
        ({"source": "https://a.org/1"}, "https://a.org/1"),
        ({"url": "https://a.org/2", "doi": "10.1/x"}, "https://a.org/2"),
        ({"doi": "10.1/x"}, "https://doi.org/10.1/x"),
        ({"id": 7}, "record:c#7"),
        ({"id": "0704.0002"}, "record:c#0704.0002"),
        ({"id": "0704.0002", "categories": ["cs.CG"]}, "https://arxiv.org/abs/0704.0002"),
        ({"id": "cs/0112017", "categories": "cs.CL"}, "https://arxiv.org/abs/cs/0112017"),
        ({"source": "ftp://a.org/3.ps"}, "ftp://a.org/3.ps"),
        ({"id": 7, "url": "javascript:alert(1)"}, "record:c#7"),
        ({"id": 7, "url": " DATA:text/html,x", "doi": "10.1/x"}, "https://doi.org/10.1/x"),
        ({"sources": ["file:///etc/passwd", "/home/ada/a.pdf"]}, "/home/ada/a.pdf"),
    ],
)
def test_where_a_record_is_from(record: dict[str, object], source: str) -> None:
    assert read(**record).sources == (source,)


def test_halves_of_characters_are_replaced_and_can_be_written(tmp_path: Path) -> None:
    line = (
        r'{"title": "Half \ud800 of \ud83d\ude00", "authors": ["\udc00 Ada"], "url": "https://a.org/\udfff"}'
    )
    assert imported(write(tmp_path / "some.jsonl", line), tmp_path / "portal").n_held == 1
    with open_portal(tmp_path / "portal") as portal:
        write_jsonl(portal, tmp_path / "out.jsonl", cited=True)
    (found,) = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert (found["title"], found["authors"]) == ("Half � of 😀", ["� Ada"])
    assert found["source"] == "https://a.org/�"


def test_failures_name_the_file_wherever_it_was_named_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "some.jsonl", FOREST, "{}")
    monkeypatch.chdir(tmp_path)
    imported(Path("some.jsonl"), tmp_path / "portal")
    imported(file, tmp_path / "portal")  # the same file by another name: the same failure, not one more
    with open_portal(tmp_path / "portal") as portal:
        assert [failure["source"] for failure in read_status(portal)["failures"]] == [f"{file}:2"]


@pytest.mark.parametrize(
    ("record", "published"),
    [
        ({"created": "2007-03-30"}, "2007-03-30"),
        ({"date": "1999-07-04T10:00:00Z"}, "1999-07-04"),
        ({"year": 1999, "date": "1999-07"}, "1999-07"),
        ({"year": 1998, "date": "1999-07"}, None),
        ({"date": "1999-13-01"}, None),
        ({"date": "July 1999"}, None),
    ],
)
def test_the_day_is_kept_where_it_is_told(record: dict[str, object], published: str | None) -> None:
    assert read(**record).records[0].value("published") == published


def test_the_newest_papers_are_in_order_of_their_days(tmp_path: Path) -> None:
    dates = ("1999-02", "1999", "1999-11-03", "1998-12-31", "1999-11-20")
    titles = ("Zebras", "Apples", "Yams", "Bears", "Cities")
    told = [
        {"title": f"{title} of the north", "date": date} for title, date in zip(titles, dates, strict=True)
    ]
    imported(write(tmp_path / "dated.jsonl", *told), tmp_path / "portal")
    with open_portal(tmp_path / "portal") as portal:
        newest = [
            (paper.value("title") or "").split()[0]
            for paper in portal.store.view.entities.papers(order="date")
        ]
    assert newest == ["Cities", "Yams", "Zebras", "Apples", "Bears"]


def test_every_value_has_its_place_in_the_text() -> None:
    found = read(**{key: value for key, value in PARSER.items() if key != "title"})
    for record in found.records:
        for field in record.fields:
            assert field.span.of(found.document.text) == field.value
        for context in record.contexts:
            assert context.span.of(found.document.text) == context.text
    assert found.records[1].span.of(found.document.text) == found.records[1].raw


def test_a_value_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="more than"):
        read(abstract="x" * 5_000_000)


def test_a_paper_that_is_only_cited_is_not_held() -> None:
    assert read_paper({"title": "A", "source": None, "cited_by": ["x"]}, catalog="c") is None


def test_a_line_without_end_takes_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl.gz"
    with gzip.open(file, "wb", compresslevel=1) as stream:
        stream.write(json.dumps(FOREST).encode() + b"\n")
        for _ in range(400):
            stream.write(b" " * 1_000_000)
    tracemalloc.start()
    try:
        summary = imported(file, tmp_path / "portal")
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (summary.reports[0].n_done, summary.reports[0].n_failed) == (1, 1)
    assert peak < 330_000_000
