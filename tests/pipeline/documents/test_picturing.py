"""First pages are drawn once, in the sandbox; what cannot be drawn costs nothing but its picture."""

import gzip
from base64 import b64decode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.engine.local import LocalEngine
from portico.pipeline.documents.picturing import run_picture
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.runners import BuildRun
from portico.store.documents.pages import PageRow
from portico.types.document import DocumentId, Span
from portico.types.page import BodyHash
from portico.types.record import Entity, EntityId, Field, RecordId
from tests.convert.hostile import GOOD
from tests.graphs import write_graph

BROKEN = b"%PDF-1.4 not really, but its first bytes say so"
POSTSCRIPT = b"""%!PS-Adobe-2.0
<< /PageSize [612 792] >> setpagedevice
/Times-Roman findfont 24 scalefont setfont 72 700 moveto (A printed title) show showpage
"""
PLAIN = b"A title in plain text, which has no pages"
TYPES = {
    GOOD: "application/pdf",
    BROKEN: "application/pdf",
    gzip.compress(POSTSCRIPT, mtime=0): "application/x-gzip",
    POSTSCRIPT: "application/postscript",
    PLAIN: "text/plain",
}


def name_of(body: bytes) -> DocumentId:
    return DocumentId(sha256(body).hexdigest())


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text('[[source]]\nseeds = ["http://a.test/"]\n')
    with open_for_building(tmp_path) as portal:
        for number, (body, media_type) in enumerate(TYPES.items()):
            portal.store.blobs.put(body)
            source = f"http://a.test/{number}"
            row = PageRow(source, "web", 0.0, "", BodyHash(name_of(body)), media_type, len(body))
            portal.store.documents.pages.put([row])
        write_graph(portal.store, [paper(name_of(body)) for body in TYPES], ())
        yield portal


def paper(document: DocumentId) -> Entity:
    record = RecordId(f"{document}#header")
    title = Field("title", "A title", Span(0, 7), 1.0)
    return Entity(EntityId(document[:8]), "paper", (record,), (document,), (title,), record)


def test_first_pages_become_small_pictures(portal: Portal) -> None:
    run = BuildRun(LocalEngine(1), ProgressLines(None), clock=lambda: 0.0)
    assert run_picture(portal, run).n_done == 4, "plain text has no pages to draw"
    assert not run_picture(portal, run).worked, "they are drawn already"
    drawn = [body for body in TYPES if body not in (BROKEN, PLAIN)]
    for body in drawn:
        found = portal.store.view.picture([name_of(BROKEN), name_of(body)])
        assert found is not None
        assert (found.width, found.height) == (306, 396)
        assert b64decode(found.png).startswith(b"\x89PNG\r\n")
    assert portal.store.view.picture([name_of(BROKEN)]) is None
    assert portal.store.documents.failures.groups() == ()
    write_graph(portal.store, [], ())
    assert run_picture(portal, run).n_dropped == 4, "whose papers are gone"
