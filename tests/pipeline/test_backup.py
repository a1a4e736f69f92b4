"""Copies are whole while others write, only what is new is copied again, and what is refused says why."""

import json
import shutil
import threading
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.errors import ConfigError, PortalError
from portico.pipeline.backup import back_up, restore
from portico.pipeline.collections.papers.export import export_papers
from portico.pipeline.importing import import_portal
from portico.pipeline.indexing import reindex
from portico.pipeline.opening import open_for_changes, open_portal
from portico.store.documents.pages import WEB, PageRow
from portico.store.opening import Store

N_PAPERS = 12


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small portal with an index and some bodies of pages."""
    folder = tmp_path_factory.mktemp("backup") / "portal"
    file = folder.parent / "papers.jsonl"
    rows = ({"title": f"Growing trees of kind {number}", "year": 1990 + number} for number in range(N_PAPERS))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_portal(file, folder, ProgressLines(None))
    with open_for_changes(folder) as opened:
        add_page(opened.store, 0)
    return folder


def add_page(store: Store, number: int) -> None:
    body = f"<p>page {number}".encode()
    (name,) = store.blobs.put_pages([body])
    store.documents.pages.put(
        [PageRow(f"http://a.test/{number}", WEB, body=name, media_type="text/html", fetched_at=1.0)]
    )


def papers(folder: Path) -> list[object]:
    with open_portal(folder) as opened:
        return list(export_papers(opened, cited=True))


def test_copies_are_whole_while_others_write(portal: Path, tmp_path: Path) -> None:
    """The writer adds pages, changes papers and writes the index, as builds and corrections do."""
    folder, copy, stop = tmp_path / "portal", tmp_path / "copy", threading.Event()
    shutil.copytree(portal, folder)

    def write() -> None:
        with open_for_changes(folder) as opened:
            names = list(opened.store.catalog.entities.digests())
            number = 0
            while not stop.is_set():
                number += 1
                add_page(opened.store, number)
                reindex(opened, names[number % N_PAPERS :])  # not while the index is being copied

    writer = threading.Thread(target=write)
    writer.start()
    try:
        found = [back_up(folder, copy) for _ in range(4)]  # each verified, or this raises
    finally:
        stop.set()
        writer.join()
    assert found[0].n_new == found[0].n_bodies
    assert found[-1].n_new < found[-1].n_bodies
    restored = tmp_path / "restored"
    restore(copy, restored, replace=False)
    assert papers(restored) == papers(portal)


def test_a_damaged_portal_is_not_copied_in_silence(portal: Path, tmp_path: Path) -> None:
    folder = tmp_path / "portal"
    shutil.copytree(portal, folder)
    store = next((folder / "index").glob("*/*.store"))
    store.write_bytes(store.read_bytes()[:-1])
    with pytest.raises(PortalError, match="not whole"):
        back_up(folder, tmp_path / "copy")


def test_nothing_is_written_over(portal: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds other things"):
        back_up(portal, other)
    with pytest.raises(ConfigError, match="is a file"):
        back_up(portal, other / "letter.txt")
    with pytest.raises(ConfigError, match="not a copy"):
        restore(portal, tmp_path / "new", replace=False)
    copy, folder = tmp_path / "copy", tmp_path / "portal"
    back_up(portal, copy)
    restore(copy, folder, replace=False)
    with pytest.raises(ConfigError, match="--replace"):
        restore(copy, folder, replace=False)
    restore(copy, folder, replace=True)
    (kept,) = tmp_path.glob("portal.replaced-*")
    assert papers(kept) == papers(folder)
