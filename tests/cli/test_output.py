"""What commands write goes where it was sent, and nowhere else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_bad_input import paper
from tests.pipeline.portals import portico


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output") / "My Papers"
    folder.mkdir()
    paper(folder / "a.pdf")
    (folder / "loop.pdf").symlink_to(folder / "loop.pdf")
    (folder / "link.pdf").symlink_to(folder / "a.pdf")
    done = portico("build", folder)
    assert done.returncode == 0, done.stderr
    assert f"portico serve '{folder}'" in done.stdout, "a suggested command can be pasted"
    return folder


def test_links_are_known_by_their_own_names(papers: Path) -> None:
    status = json.loads(portico("status", papers, "--json").stdout)
    assert [row["source"] for row in status["failures"]] == [str(papers / "loop.pdf")]
    exported = json.loads(portico("export", "jsonl", papers).stdout)
    assert exported["sources"] == [str(papers / "a.pdf"), str(papers / "link.pdf")]


def test_an_export_replaces_a_file_and_writes_through_a_link(papers: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "papers.jsonl", tmp_path / "latest.jsonl"
    target.write_text("old")
    link.symlink_to(target)
    assert portico("export", "jsonl", papers, "-o", link).returncode == 0
    assert link.is_symlink()
    assert json.loads(target.read_text())["title"] == "Learning to Read Torn Pages"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest.jsonl", "papers.jsonl"]


@pytest.mark.parametrize("words", [["status"], ["export", "jsonl"]])
def test_a_full_disk_behind_the_output_is_said(papers: Path, words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "portico", *words, str(papers)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "portico: the output cannot be written: No space left on device\n"


def test_a_device_is_written_to_and_not_replaced(papers: Path) -> None:
    done = portico("export", "jsonl", papers, "-o", "/dev/full")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert Path("/dev/full").is_char_device()


def test_whoever_stops_reading_is_not_complained_to(papers: Path) -> None:
    command = f"{sys.executable} -m portico export jsonl '{papers}' | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
