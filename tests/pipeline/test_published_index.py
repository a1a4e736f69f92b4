"""Portal nodes on machines of their own: each fetches the published index, follows it, and may change it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from portico.cli.showing import open_writable
from portico.config.template import format_import_toml
from portico.errors import PortalError
from portico.index.files import COMMITTED, bring_files, make_manifest
from portico.index.searcher import Searcher
from portico.pipeline.indexing import reindex
from portico.pipeline.opening import open_portal
from portico.pipeline.portal import Portal
from portico.pipeline.published_index import FILES, IndexFollower
from portico.pipeline.verify import verify_portal
from portico.store.opening import index_lock, open_store
from portico.types.correction import CorrectionKind
from tests.pipeline.test_correcting import FOREST, about, found, rebuilt
from tests.pipeline.test_importing import RECORDS, imported, write
from tests.postgresql import PostgresServer


@pytest.fixture
def builder(tmp_path: Path, postgresql: PostgresServer) -> Path:
    """A portal that is built in one folder; its store and its bodies can be seen from others."""
    folder = tmp_path / "builder"
    folder.mkdir()
    settings = f'{format_import_toml("Nodes")}\n[store]\nurl = "{postgresql.empty_portal()}"\n[blobs]\nurl = "file://{tmp_path}/bodies"\n'
    (folder / "portal.toml").write_text(settings)
    imported(write(tmp_path / "records.jsonl", *RECORDS), folder)
    return folder


@contextmanager
def run_node(builder: Path, name: str) -> Iterator[tuple[Portal, IndexFollower]]:
    """A machine that has nothing of the portal but its settings."""
    folder = builder.with_name(name)
    folder.mkdir()
    (folder / "portal.toml").write_text((builder / "portal.toml").read_text())
    with open_portal(folder) as portal:
        url, blobs = portal.settings.store.url, portal.settings.blobs.url
        store = open_store(url, folder, blobs=blobs)
        yield replace(portal, store=store), IndexFollower(portal)
        store.close()


def search(node: Portal, follow: IndexFollower, query: str) -> list[str]:
    name = follow()
    if follow._thread is not None:
        follow._thread.join()
        name = follow()
    assert name is not None
    return [hit.entity for hit in Searcher(node.places.index / name).search(query).hits]


def test_a_correction_on_any_node_is_found_on_all(builder: Path) -> None:
    with run_node(builder, "one") as (one, follow_one), run_node(builder, "two") as (two, follow_two):
        forest = found(one, FOREST)
        for node, follow in ((one, follow_one), (two, follow_two)):
            assert search(node, follow, "forests") == [forest.id]
            assert not search(node, follow, "thickets")
        said = about(forest, CorrectionKind.FIELD, "Growing decision thickets", field="title")
        assert reindex(one, one.store.contributions.corrections.make(said))
        assert search(one, follow_one, "thickets") == search(two, follow_two, "thickets") == [forest.id]
        assert not verify_portal(builder).open_faults
        assert "Growing decision thickets" in {paper["title"] for paper in rebuilt(builder)}
        assert search(two, follow_two, "thickets") == [forest.id]
        writable = open_writable(two)
        assert writable is not None
        assert writable.change_tree is None  # it would change a file that no build reads
        writable.store.close()


def test_one_machine_at_a_time_writes_the_index(builder: Path) -> None:
    with run_node(builder, "one") as (one, follow), run_node(builder, "two") as (two, _):
        forest = found(one, FOREST)
        with index_lock(two.places.folder, wait=True, store=two.store):
            said = about(forest, CorrectionKind.FIELD, "Growing decision thickets", field="title")
            assert not reindex(one, one.store.contributions.corrections.make(said))
        assert search(one, follow, "forests") == [forest.id]
        assert one.store.catalog.staleness.is_stale()  # so pages ask the store, too


def test_what_is_no_longer_the_index_is_not_kept(builder: Path) -> None:
    with run_node(builder, "one") as (one, follow):
        forest = found(one, FOREST)
        for title in ("Thickets", "Groves"):
            said = about(forest, CorrectionKind.FIELD, title, field="title")
            assert reindex(one, one.store.contributions.corrections.make(said))
        name = follow()
        assert name is not None
        written = make_manifest(one.places.index / name)
        published = {
            path.name.removesuffix(".zst") for path in (builder.parent / "bodies/index").rglob("*.zst")
        }
        assert published == {digest for _, digest in written.values()}
        assert {*one.store.blobs.names()}.isdisjoint(published)


def test_an_index_that_cannot_be_fetched_is_said_and_fetched_later(
    builder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shelf = builder.parent / "bodies" / "index"
    shelf.rename(shelf.with_name("away"))
    with run_node(builder, "one") as (one, follow):
        assert follow() is None
        assert "The published index cannot be fetched" in caplog.text
        shelf.with_name("away").rename(shelf)
        assert search(one, follow, "forests")


def test_a_copy_that_is_interrupted_is_the_old_index(builder: Path, tmp_path: Path) -> None:
    with run_node(builder, "one") as (one, follow):
        name = follow()
        assert name is not None
        folder = one.places.index / name
        before = (folder / COMMITTED).read_bytes()
        written = {**make_manifest(folder), "new.store": (3, "a"), COMMITTED: (9, "b")}

        def fetch(digest: str, path: Path) -> None:
            if digest == "b":
                raise PortalError("killed")
            path.write_bytes(b"new")

        with pytest.raises(PortalError, match="killed"):
            bring_files(folder, written, fetch)
        assert (folder / COMMITTED).read_bytes() == before
        assert (folder / "new.store").read_bytes() == b"new"
        assert Searcher(folder).search("forests").hits
        assert one.store.meta.get(FILES)
        follow._files = None
        assert search(one, follow, "forests")
        assert not (folder / "new.store").exists()
