"""What is read of documents of the web, and what the builder keeps of those that are left out."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from portico.cli.app import app
from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.pipeline.documents.extracting import run_extract
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.store.codec import encode
from portico.store.documents.pages import WEB, PageRow
from portico.store.documents.results import Done
from portico.store.meta import read_kept_sources
from portico.types.page import BodyHash
from portico.types.stages import StageName
from tests.extract.pages import plain_document

THESIS = "http://a.test/thesis.pdf"
BODY = BodyHash("a" * 64)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    document = plain_document("On the growth of forests\nAda Young\nA thesis without any list of references.")
    with open_for_building(tmp_path) as portal:
        portal.store.documents.pages.put([PageRow(THESIS, WEB, 0.0, body=BODY, media_type="application/pdf")])
        portal.store.documents.results.put_many(
            StageName.CONVERT, [Done(BODY, "key", encode(document), 0.0, 0.0)]
        )
    return tmp_path


def extract(portal: Portal) -> list[str]:
    """The documents that records were read from."""
    run_extract(portal, BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0))
    return list(portal.store.documents.results.digests(StageName.EXTRACT))


def test_what_the_builder_keeps_is_read_in_every_build(folder: Path) -> None:
    with open_for_building(folder) as portal:
        assert extract(portal) == []
        assert [row.kind for row in portal.store.documents.failures.all()] == ["NotAPaper"]
    runner = CliRunner()
    assert "kept from the next" in runner.invoke(app, ["keep", THESIS, str(folder)]).stdout
    for _ in range(2):
        with open_for_building(folder) as portal:
            assert read_kept_sources(portal.store.meta) == (THESIS,)
            assert extract(portal) == [BODY]
            assert not list(portal.store.documents.failures.all())
    assert runner.invoke(app, ["keep", THESIS, str(folder), "--undo"]).exit_code == 0
    with open_for_building(folder) as portal:
        assert extract(portal) == []


def test_an_address_that_nothing_came_from_is_not_kept(folder: Path) -> None:
    answer = CliRunner().invoke(app, ["keep", "http://a.test/thesi.pdf", str(folder)])
    assert answer.exit_code == 1
