"""Folders as a source: added, changed and removed files, and files that cannot be read."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.config.settings import FolderSource
from portico.engine.local import LocalEngine
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun
from portico.pipeline.sources.folders import SourceFolder, describe_unread, read_folders
from portico.store.documents.folder_blobs import FolderBlobs
from portico.store.meta import read_unread_kinds
from portico.store.opening import Store, open_store
from portico.types.page import BodyHash

PDF = b"%PDF-1.4 not really, but its first bytes say so"


class Library:
    """A folder of papers with its portal inside, and a clock that only we move."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.store = folder, store
        self.source = SourceFolder(
            "..", folder, ("*.pdf", "*.ps", "*.ps.gz"), folder / ".portico", max_bytes=1000
        )

    def write(self, name: str, body: bytes, *, at: int = 1) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        os.utime(path, (at, at))
        return path

    def read(self, *, forget: bool = False) -> StageReport:
        run = BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0, forget=forget)
        return read_folders([self.source], self.store, run)

    def bodies(self) -> dict[str, str]:
        return {row.source: row.body for row in self.store.documents.pages.bodies()}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    (tmp_path / ".portico").mkdir()
    store = open_store("sqlite:///portico.db", tmp_path / ".portico", create=True)
    yield Library(tmp_path, store)
    store.close()


def counts(report: StageReport) -> tuple[int, int, int, int]:
    return report.n_done, report.n_failed, report.n_fresh, report.n_dropped


def test_files_are_found_below_and_nothing_else(library: Library) -> None:
    library.write("a.pdf", PDF)
    library.write("deep/er/B.PDF", PDF + b"2")
    library.write("deep/c.ps.gz", b"\x1f\x8b")
    library.write("notes.txt", b"no")
    library.write(".hidden/d.pdf", PDF + b"3")
    library.write(".portico/blobs/e.pdf", PDF + b"4")
    assert counts(library.read()) == (3, 0, 0, 0)
    assert set(library.bodies()) == {"../a.pdf", "../deep/er/B.PDF", "../deep/c.ps.gz"}


def test_an_unchanged_file_is_not_read_again(library: Library) -> None:
    library.write("a.pdf", PDF)
    library.read()
    assert counts(library.read()) == (0, 0, 1, 0)


def test_what_was_read_is_sealed_while_others_are_read(library: Library) -> None:
    library.write("a.pdf", PDF)
    library.write("b.pdf", PDF)
    n_known: list[int] = []
    run = BuildRun(
        LocalEngine(1),
        ProgressLines(None),
        clock=lambda: 0.0,
        keep_seals=lambda: n_known.append(len(library.bodies())),
    )
    read_folders([library.source], library.store, run)
    assert n_known == [1, 1], "outside of any transaction, after each file"


def test_a_changed_file_is_read_again(library: Library) -> None:
    library.write("a.pdf", PDF)
    library.read()
    before = library.bodies()
    library.write("a.pdf", PDF + b" and more", at=2)
    assert counts(library.read()) == (1, 0, 0, 0)
    assert library.bodies() != before


def test_a_removed_file_leaves_with_its_body(library: Library) -> None:
    library.write("a.pdf", PDF)
    kept = library.write("b.pdf", PDF + b"2")
    library.read()
    (library.folder / "a.pdf").unlink()
    assert counts(library.read()) == (0, 0, 1, 1)
    assert list(library.bodies()) == ["../b.pdf"]
    assert [library.store.blobs.get(name) for name in library.store.blobs.names()] == [kept.read_bytes()]


def test_a_body_that_another_file_has_stays(library: Library) -> None:
    library.write("a.pdf", PDF)
    library.write("copy.pdf", PDF)
    library.read()
    (library.folder / "a.pdf").unlink()
    library.read()
    assert list(library.bodies()) == ["../copy.pdf"]
    assert len(list(library.store.blobs.names())) == 1


def test_a_file_over_the_limit_is_a_failure_that_says_what_to_do(library: Library) -> None:
    library.write("huge.pdf", PDF * 100)
    assert counts(library.read()) == (0, 1, 0, 0)
    (failure,) = library.store.documents.failures.all()
    assert failure.source == "../huge.pdf"
    assert "larger than the limit" in failure.reason
    assert "max_bytes" in failure.reason
    assert counts(library.read()) == (0, 0, 1, 0), "an unchanged file is not tried again"


def test_a_failure_goes_when_the_file_is_mended(library: Library) -> None:
    library.write("huge.pdf", PDF * 100)
    library.read()
    library.write("huge.pdf", PDF, at=2)
    assert counts(library.read()) == (1, 0, 0, 0)
    assert list(library.store.documents.failures.all()) == []


def test_a_whole_folder_that_is_empty_may_only_be_not_mounted(library: Library) -> None:
    for name in ("a.pdf", "b.pdf"):
        library.write(name, PDF + name.encode())
    library.read()
    for name in ("a.pdf", "b.pdf"):
        (library.folder / name).unlink()
    kept = library.read()
    assert counts(kept) == (0, 0, 0, 0)
    assert "--forget" in kept.note
    assert len(library.bodies()) == 2
    assert counts(library.read(forget=True)) == (0, 0, 0, 2)


def test_a_folder_in_which_most_is_other_than_before_loses_nothing_unasked(library: Library) -> None:
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        library.write(name, PDF + name.encode())
    library.read()
    for name in ("a.pdf", "b.pdf"):
        (library.folder / name).unlink()
    library.write("of-another-folder.pdf", PDF + b"other")
    kept = library.read()
    assert counts(kept) == (1, 0, 1, 0)
    assert "2 of the 3 documents" in kept.note
    assert len(library.bodies()) == 4
    assert counts(library.read(forget=True)) == (0, 0, 2, 2)


@pytest.mark.skipif(os.getuid() == 0, reason="root may open everything")
def test_a_closed_folder_is_a_failure_and_its_papers_stay(library: Library) -> None:
    library.write("a.pdf", PDF)
    library.write("deep/b.pdf", PDF + b"2")
    library.read()
    (library.folder / "deep").chmod(0)
    try:
        assert counts(library.read()) == (0, 1, 1, 0)
        assert len(library.bodies()) == 2
        assert counts(library.read()) == (0, 0, 1, 0), "said once"
    finally:
        (library.folder / "deep").chmod(0o755)
    library.read()
    assert list(library.store.documents.failures.all()) == []


@pytest.mark.parametrize("kind", ["dangling link", "no longer a file"])
def test_what_cannot_be_opened_is_a_failure(library: Library, kind: str) -> None:
    if kind == "dangling link":
        (library.folder / "gone.pdf").symlink_to(library.folder / "nowhere.pdf")
    else:
        os.mkfifo(library.folder / "pipe.pdf")
    assert counts(library.read())[:2] == (0, 1)


def test_a_link_out_of_the_folder_is_not_followed(
    library: Library, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.pdf"
    secret.write_bytes(PDF + b"secret")
    (library.folder / "out.pdf").symlink_to(secret)
    library.write("deep/a.pdf", PDF)
    (library.folder / "in.pdf").symlink_to(library.folder / "deep" / "a.pdf")
    assert counts(library.read()) == (2, 1, 0, 0)
    assert library.store.documents.pages.get("../in.pdf") is not None
    assert library.store.documents.pages.get("../out.pdf") is None
    (failure,) = library.store.documents.failures.all()
    assert "link out of the folder" in failure.reason
    secret.unlink()
    (library.folder / "inside.pdf").symlink_to("nowhere.pdf")
    library.read()
    reasons = [failure.reason for failure in library.store.documents.failures.all()]
    assert reasons == ["this is a link to a file that does not exist"] * 2


def test_every_empty_file_is_a_failure_of_its_own(library: Library) -> None:
    names = ("a.pdf", "b.pdf", "c.ps")
    for name in names:
        library.write(name, b"")
    assert counts(library.read()) == (0, 3, 0, 0)
    failures = list(library.store.documents.failures.all())
    assert sorted(row.source for row in failures) == [f"../{name}" for name in names]
    assert {row.reason for row in failures} == {"is empty (0 bytes)"}
    library.write("a.pdf", PDF, at=2)
    assert counts(library.read()) == (1, 0, 2, 0)


def test_files_of_other_kinds_are_counted_in_one_line(library: Library) -> None:
    library.source = replace(library.source, patterns=FolderSource("").patterns)
    unread = ("a.txt", "deep/b.TXT", "c.bib")
    passed_over = (".hidden.txt", "Thumbs.db", "style.css", "picture.png", ".portico/portal.toml")
    for name in (*unread, *passed_over, "p.pdf"):
        library.write(name, PDF)
    said = "3 files are of kinds that are not read (2 .txt, 1 .bib); portico import reads .bib"
    assert library.read().note == said
    assert library.read().note == ""
    assert describe_unread(read_unread_kinds(library.store.meta)) == said
    for name in unread[:2]:
        (library.folder / name).unlink()
    said = "1 file is of a kind that is not read (1 .bib); portico import reads .bib"
    assert library.read().note == said


def test_a_name_that_is_not_utf8_is_read_under_a_printable_one(library: Library) -> None:
    path = os.fsencode(library.folder) + b"/caf\xe9.pdf"
    Path(os.fsdecode(path)).write_bytes(PDF)
    assert counts(library.read()) == (1, 0, 0, 0)
    assert list(library.bodies()) == ["../caf\\xe9.pdf"]


@pytest.mark.parametrize("replaced_by", ["nothing", "pipe", "device"])
def test_file_that_is_replaced_once_it_was_read(
    library: Library, replaced_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = library.write("a.pdf", PDF)
    put_file = type(library.store.blobs).put_file

    def put_and_replace(
        blobs: FolderBlobs, file: Path, *, max_bytes: int, within: Sequence[Path]
    ) -> BodyHash:
        name = put_file(blobs, file, max_bytes=max_bytes, within=within)
        path.unlink()
        if replaced_by == "pipe":
            os.mkfifo(path)
        elif replaced_by == "device":
            path.symlink_to("/dev/zero")
        return name

    monkeypatch.setattr(FolderBlobs, "put_file", put_and_replace)
    assert counts(library.read()) == (1, 0, 0, 0)
    row = library.store.documents.pages.get("../a.pdf")
    assert row is not None
    assert row.media_type == "application/pdf"
