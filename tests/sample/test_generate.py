"""The sample web is the same every time, has what it promises, and its truth is true of what is served."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from tests.sample.walker import Walk

from portico.errors import ConfigError, SetupError
from portico.sample import generate
from portico.sample.banks import SMALL
from portico.sample.generate import SampleWeb, write_sample_web
from portico.sample.printing import papers
from portico.sample.server import SampleServer


def read_lines(web: SampleWeb, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (web.folder / name).read_text("utf-8").splitlines()]


def file_of(web: SampleWeb, url: str) -> Path:
    return web.folder / "sites" / url.removeprefix("http://").split("?", 1)[0]


def fingerprints(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def letters(text: str) -> str:
    """Without spaces, hyphens and line ends, as a title may be broken over lines."""
    return "".join(c for c in text.replace("ﬁ", "fi").replace("ﬂ", "fl") if c.isalnum())


def test_same_seed_same_bytes(small_web: SampleWeb, tmp_path: Path) -> None:
    again = write_sample_web(tmp_path / "again", scale=SMALL)
    assert fingerprints(again.folder) == fingerprints(small_web.folder)


def test_other_seed_other_papers(small_web: SampleWeb, tmp_path: Path) -> None:
    other = write_sample_web(tmp_path / "other", scale=replace(SMALL, n_postscript=0), seed=8)
    titles = {row["title"] for row in read_lines(small_web, "truth.jsonl")}
    assert {row["title"] for row in read_lines(other, "truth.jsonl")} != titles


def test_a_finished_web_is_kept_and_an_outdated_one_replaced(tmp_path: Path) -> None:
    scale = replace(SMALL, n_postscript=0)
    folder = write_sample_web(tmp_path / "web", scale=scale).folder
    (folder / "witness").touch()
    assert (write_sample_web(folder, scale=scale).folder / "witness").exists()
    assert not (write_sample_web(folder, scale=scale, seed=8).folder / "witness").exists()


def test_a_folder_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ConfigError, match="no sample web"):
        write_sample_web(tmp_path, scale=SMALL)
    assert (tmp_path / "thesis.tex").exists()


def test_nothing_half_done_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="Debian package ghostscript"):
        write_sample_web(tmp_path / "web", scale=SMALL)
    assert list(tmp_path.iterdir()) == []


def test_the_remains_of_a_killed_generation_are_cleared(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    remains = tmp_path / f".web.{process.pid}.partial"
    (remains / "sites").mkdir(parents=True)
    write_sample_web(tmp_path / "web", scale=replace(SMALL, n_postscript=0))
    assert [path.name for path in tmp_path.iterdir()] == ["web"]


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    write_sample_web(
        tmp_path / "web",
        scale=replace(SMALL, n_postscript=0),
        progress=lambda what, done, total: told.append((what, done, total)),
    )
    assert ("papers", 14, 14) in told
    assert ("web pages", 2, 2) in told


@pytest.mark.parametrize("scale", ["small_web", "full_web"])
def test_a_polite_walk_finds_exactly_the_reachable_papers(scale: str, request: pytest.FixtureRequest) -> None:
    web: SampleWeb = request.getfixturevalue(scale)
    with SampleServer(web.folder) as server:
        walk = Walk(server.port, frozenset(web.hosts))
        walk.run(web.seeds)
    for row in read_lines(web, "truth.jsonl"):
        found = [url in walk.bodies for url in row["urls"]]
        assert found == [row["reachable"]] * len(found), row["id"]
    documents = {url for url in walk.bodies if url.rsplit(".", 1)[-1] in ("pdf", "ps", "gz")}
    papers = {url for row in read_lines(web, "truth.jsonl") for url in row["urls"]}
    assert documents <= papers | {row["url"] for row in read_lines(web, "truth_other.jsonl")}


def test_the_full_web_is_as_large_as_promised(full_web: SampleWeb) -> None:
    rows = read_lines(full_web, "truth.jsonl")
    files = Counter(path.suffix for path in full_web.folder.rglob("*"))
    formats = Counter("+".join(row["formats"]) for row in rows)
    assert len(full_web.hosts) >= 4
    assert files[".html"] >= 400
    assert sum(row["reachable"] for row in rows) >= 100
    assert len({row["topic"] for row in rows}) >= 12
    assert len({row["title"] for row in rows}) == len(rows)
    assert all(formats[name] > 2 for name in ("pdf", "ps", "ps.gz", "pdf+ps", "pdf+ps.gz"))
    assert {row["shelf"] for row in rows} >= {
        "personal",
        "reports",
        "project",
        "yearly",
        "library",
        "robots",
        "orphan",
    }
    assert any(len({url.split("/")[2] for url in row["urls"]}) > 1 for row in rows)
    assert any("?session=" in url for row in rows for url in row["urls"])
    kinds = Counter(row["kind"] for row in read_lines(full_web, "truth_other.jsonl"))
    assert set(kinds) >= {"slides", "form", "homework", "handout", "syllabus", "cv", "scan"}


def test_papers_are_real_and_print_their_truth(full_web: SampleWeb) -> None:
    n_checked = 0
    for row in read_lines(full_web, "truth.jsonl"):
        if "pdf" not in row["formats"]:
            continue
        url = next(url for url in row["urls"] if url.endswith(".pdf"))
        pages = pypdfium2.PdfDocument(file_of(full_web, url))
        assert 3 <= len(pages) <= 8, row["id"]
        first = letters(pages[0].get_textpage().get_text_range())
        last = letters("".join(page.get_textpage().get_text_range() for page in list(pages)[-2:]))
        assert letters(row["title"]) in first, row["id"]
        assert all(letters(author) in first for author in row["authors"]), row["id"]
        assert letters(row["abstract"])[:60] in first, row["id"]
        assert letters(row["references"][-1]["title"]).lower() in last.lower(), row["id"]
        n_checked += 1
    assert n_checked >= 80


def test_citations_are_true(full_web: SampleWeb) -> None:
    rows = {row["id"]: row for row in read_lines(full_web, "truth.jsonl")}
    references = [(row, reference) for row in rows.values() for reference in row["references"]]
    assert len(references) > 900
    for row, reference in references:
        assert reference["title"].lower() in reference["raw"].lower()
        if reference["cites"]:
            cited = rows[reference["cites"]]
            assert cited["year"] < row["year"]
            assert abs(cited["year"] - reference["year"]) <= 1
    for row in rows.values():
        assert [r["cites"] for r in row["references"] if r["cites"]] == row["cites"]
    slips = [r for _, r in references if r["cites"] and r["title"] != rows[r["cites"]]["title"]]
    assert 0 < len(slips) < len(references) / 10


def test_postscript_holds_the_words_of_its_paper(small_web: SampleWeb) -> None:
    pdf = next((small_web.folder / "sites").rglob("papers/*.pdf")).read_bytes()
    program = papers.convert_to_postscript([pdf])[0]
    assert program.startswith(b"%!PS-Adobe")
    assert papers.convert_to_postscript([pdf])[0] == program


def test_the_version_is_part_of_the_marker(small_web: SampleWeb) -> None:
    marker = json.loads((small_web.folder / generate.MARKER).read_text("utf-8"))
    assert marker["generator"] == generate.GENERATOR_VERSION
