"""Bad input gets one message that says what, where and what to do, and nothing is lost."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from portico.convert.sandbox import choose_sandbox
from portico.errors import SetupError
from portico.store.opening import build_lock, open_store
from tests.pipeline.portals import portico

pytestmark = pytest.mark.slow  # builds again and again

PORTAL = '[portal]\ntitle = "A"\n[[source]]\nfolder = "papers"\n'


def paper(path: Path, *, encrypt: StandardEncryption | None = None) -> None:
    """A small but real paper."""
    canvas = Canvas(str(path), encrypt=encrypt)
    canvas.setFont("Times-Bold", 20)
    canvas.drawString(72, 760, "Learning to Read Torn Pages")
    canvas.setFont("Times-Roman", 12)
    canvas.drawString(72, 735, "Vera Amberley and Tobias Quillfeather")
    body = [
        "Abstract",
        "We present a method that reads pages which were torn before they were scanned.",
        "The method learns from examples and needs no rules written by hand.",
        "1 Introduction",
        "Torn pages have been studied for a long time [1], and more recently in [2].",
        "We show that the words on both sides of a tear tell what stood between them.",
        "References",
        "[1] V. Amberley. Reading between the tears. Journal of Paper Studies, 4(2):11-29, 1996.",
        "[2] T. Quillfeather. Words at the edge. In Proceedings of the Workshop on Edges, 1998.",
    ]
    for idx, line in enumerate(body):
        canvas.drawString(72, 700 - 20 * idx, line)
    canvas.save()


def nothing(_: Path) -> None:
    pass


def a_folder(folder: Path) -> None:
    folder.mkdir()


def a_file(folder: Path) -> None:
    paper(folder)


def settings(text: str | bytes) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / "papers").mkdir(parents=True)
        (folder / "portal.toml").write_bytes(text.encode() if isinstance(text, str) else text)

    return make


def newer_store(folder: Path) -> None:
    settings(PORTAL)(folder)
    open_store("sqlite:///portico.db", folder, create=True).close()
    with sqlite3.connect(folder / "portico.db") as database:
        database.execute("UPDATE meta SET value = '999' WHERE key = 'schema_version'")


def foreign_store(folder: Path) -> None:
    settings(PORTAL)(folder)
    (folder / "portico.db").write_bytes(b"this is no database at all " * 100)


@pytest.mark.parametrize(
    ("make", "command", "words"),
    [
        (nothing, ["build"], ["no such folder", "portico init"]),
        (a_folder, ["build"], ["no documents", "*.pdf", "portico init"]),
        (a_file, ["build"], ["is a file", "portico build"]),
        (a_folder, ["serve"], ["is not a portal", "portico build"]),
        (settings(PORTAL), ["serve"], ["no database yet", "portico build"]),
        (settings("[portal\n"), ["build"], ["portal.toml:1"]),
        (settings(b"\xff\xfe\x00"), ["build"], ["portal.toml", "UTF-8"]),
        (
            settings(
                '[portal]\ntitel = "A"\n[spider]\npolicy = "depth-first"\n[[source]]\nfolder = "papers"\n'
            ),
            ["build"],
            ["portal.toml:2", "titel", "title", "portal.toml:4", "breadth-first"],
        ),
        (settings("[portal]\n"), ["build"], ["nothing to collect", "[[source]]"]),
        (
            settings('[[source]]\nfolder = "elsewhere"\n'),
            ["build"],
            ["portal.toml:2", "no folder", "elsewhere"],
        ),
        (settings(PORTAL), ["init"], ["portal.toml already exists"]),
        (newer_store, ["build"], ["portico.db", "999", "newer"]),
        (newer_store, ["status"], ["portico.db", "999", "newer"]),
        (foreign_store, ["build"], ["portico.db", "not a readable database"]),
    ],
)
def test_one_clear_message(
    tmp_path: Path, make: Callable[[Path], None], command: list[str], words: list[str]
) -> None:
    folder = tmp_path / "portal"
    make(folder)
    done = portico(*command, folder)
    assert done.returncode != 0
    assert done.stderr.startswith("portico: ")
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_a_seed_that_does_not_resolve(tmp_path: Path) -> None:
    folder = tmp_path / "portal"
    folder.mkdir()
    (folder / "portal.toml").write_text('[[source]]\nseeds = ["http://nowhere.invalid/"]\n')
    done = portico("build", folder)
    assert done.returncode == 1
    assert "http://nowhere.invalid/ could not be fetched" in done.stdout
    assert "resolve" in done.stdout


def test_a_second_build_at_once_is_refused_and_names_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "portal"
    settings(PORTAL)(folder)
    with build_lock(folder):
        done = portico("build", folder)
    assert done.returncode == 1
    assert "is being built by process" in done.stderr


def test_a_missing_sandbox_is_said_once_and_no_file_is_blamed(tmp_path: Path) -> None:
    folder = tmp_path / "Papers"
    folder.mkdir()
    for name in ("a.pdf", "b.pdf"):
        paper(folder / name)
        (folder / name).write_bytes((folder / name).read_bytes() + name.encode())
    done = portico("build", folder, environment={"PATH": str(tmp_path)})
    # Landlock takes its place where the kernel has it; elsewhere nothing is read until it is installed.
    try:
        has_landlock = choose_sandbox("landlock") == "landlock"
    except SetupError:
        has_landlock = False
    assert done.returncode == (0 if has_landlock else 1)
    assert (done.stdout + done.stderr).count("bubblewrap is not installed") == 1
    assert ("read under Landlock instead" in done.stdout + done.stderr) == has_landlock
    assert json.loads(portico("status", folder, "--json").stdout)["failures"] == []
    assert portico("build", folder).returncode == 0, "installed since, it goes on"


def test_bad_files_are_failures_and_the_good_one_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "Papers"
    folder.mkdir()
    paper(folder / "good.pdf")
    paper(folder / "encrypted.pdf", encrypt=StandardEncryption("secret", ownerPassword="owner"))
    body = (folder / "good.pdf").read_bytes()
    (folder / "truncated.pdf").write_bytes(body[: len(body) // 3])
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "page.pdf").write_bytes(b"<html><body>Please log in</body></html>")
    (folder / "loops.ps").write_bytes(b"%!PS-Adobe-3.0\n{ } loop\n")
    with (folder / "huge.pdf").open("wb") as huge:
        huge.truncate(1 << 30)
    (folder / "copy of good.pdf").write_bytes(body)
    portal = folder / ".portico"
    portal.mkdir()
    (portal / "portal.toml").write_text(
        '[portal]\ntitle = "Papers"\n[[source]]\nfolder = ".."\n[convert]\ntimeout_s = 5\n'
    )

    done = portico("build", folder)
    assert done.returncode == 0, done.stderr
    status = json.loads(portico("status", folder, "--json").stdout)
    reasons = {Path(row["source"]).name: row["reason"] for row in status["failures"]}
    expected = {
        "encrypted.pdf": "password",
        "truncated.pdf": "",
        "empty.pdf": "empty",
        "page.pdf": "HTML",
        "loops.ps": "5 s",
        "huge.pdf": "larger than the limit",
    }
    assert set(reasons) == set(expected)
    for name, words in expected.items():
        assert words in reasons[name], reasons[name]

    (exported,) = portico("export", "jsonl", folder).stdout.splitlines()
    found = json.loads(exported)
    assert found["title"] == "Learning to Read Torn Pages"
    assert found["authors"] == ["Vera Amberley", "Tobias Quillfeather"]
    assert [Path(source).name for source in found["sources"]] == ["copy of good.pdf", "good.pdf"]
    assert [reference["year"] for reference in found["references"]] == [1996, 1998]


def test_added_changed_and_removed_files_are_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "Papers"
    folder.mkdir()
    paper(folder / "a.pdf")
    assert "1 paper," in portico("build", folder).stdout
    assert "Nothing to do" in portico("build", folder).stdout
    shutil.copy(folder / "a.pdf", folder / "b.pdf")
    (folder / "a.pdf").unlink()
    portico("build", folder)
    (exported,) = portico("export", "jsonl", folder).stdout.splitlines()
    assert json.loads(exported)["source"] == str(folder / "b.pdf")
    (folder / "b.pdf").unlink()
    assert "0 papers" in portico("build", folder).stdout
