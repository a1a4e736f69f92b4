"""What was fetched comes back out of the archive byte for byte, by our own reading and by warcio's."""

import gzip
import re
import zlib
from base64 import b32encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from portico.cli.progress_lines import make_progress
from portico.errors import PortalError
from portico.pipeline.building import build_portal
from portico.pipeline.export import WarcCounts, write_warc
from portico.pipeline.opening import open_portal
from portico.pipeline.progress import BuildRequest
from portico.types.stages import StageName
from tests.crawl.web import Web

HOME, PAPER = "http://a.test/", "http://a.test/p%20q.pdf"
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\nWARC/1.1\r\n\r\nnot much of a paper\r\n\r\n"
NOW = 1_700_000_000.5


@dataclass(frozen=True)
class Found:
    """A record as a reader sees it."""

    fields: dict[str, str]
    block: bytes


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("portal")
    with Web() as web:
        web.link(HOME, "p%20q.pdf", "moved", "missing")
        web.add(PAPER, PDF, media_type="application/pdf", headers={"ETag": '"one"'})
        web.add("http://a.test/moved", status=301, headers={"Location": HOME})
        (folder / "portal.toml").write_text(
            f'[portal]\ntitle = "Löwe"\n[[source]]\nseeds = ["{HOME}"]\n'
            f'[spider]\npolicy = "breadth-first"\n[fetch]\ndelay_s = 0.0\nproxy = "{web.address}"\n',
            encoding="utf-8",
        )
        build_portal(folder, BuildRequest(stages=(StageName.CRAWL,)), make_progress(quiet=True))
    return folder


def export(portal: Path, path: Path) -> WarcCounts:
    with open_portal(portal) as opened:
        return write_warc(opened, path, NOW)


def members(packed: bytes) -> Iterator[bytes]:
    """Each gzip member by itself."""
    while packed:
        unpacking = zlib.decompressobj(wbits=31)
        yield unpacking.decompress(packed)
        packed = unpacking.unused_data


def read(whole: bytes) -> Iterator[Found]:
    """Strictly by the standard's grammar."""
    while whole:
        head, _, rest = whole.partition(b"\r\n\r\n")
        version, *lines = head.decode().split("\r\n")
        assert version == "WARC/1.1"
        assert all(re.fullmatch(r"[!-9;-~]+: .+", line) for line in lines)
        fields = {name: value for name, _, value in (line.partition(": ") for line in lines)}
        length = int(fields["Content-Length"])
        assert rest[length : length + 4] == b"\r\n\r\n"
        yield Found(fields, rest[:length])
        whole = rest[length + 4 :]


def test_every_answer_comes_back(portal: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    assert export(portal, path) == WarcCounts(n_bodies=2, n_redirects=1)
    records = [found for member in members(path.read_bytes()) for found in read(member)]
    assert [found.fields["WARC-Type"] for found in records[:1]] == ["warcinfo"]
    assert "isPartOf: Löwe\r\n".encode() in records[0].block
    bodies = {f.fields["WARC-Target-URI"]: f for f in records if f.fields["WARC-Type"] == "resource"}
    assert bodies[PAPER].block == PDF
    assert bodies[PAPER].fields["Content-Type"] == "application/pdf"
    told = {f.fields["WARC-Target-URI"]: f for f in records if f.fields["WARC-Type"] == "metadata"}
    assert (
        told[PAPER].block == b'via: http://a.test/\r\nhopsFromSeed: L\r\nhttpStatus: 200\r\netag: "one"\r\n'
    )
    assert told[PAPER].fields["WARC-Concurrent-To"] == bodies[PAPER].fields["WARC-Record-ID"]
    assert b"redirectsTo: http://a.test/\r\n" in told["http://a.test/moved"].block
    for found in records[1:]:
        digest = b32encode(sha1(found.block, usedforsecurity=False).digest()).decode()
        assert found.fields["WARC-Block-Digest"] == f"sha1:{digest}"
        assert found.fields["WARC-Warcinfo-ID"] == records[0].fields["WARC-Record-ID"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", found.fields["WARC-Date"])
    ids = [found.fields["WARC-Record-ID"] for found in records]
    assert len(set(ids)) == len(ids)


def test_each_record_is_compressed_by_itself_and_nothing_else_differs(portal: Path, tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.warc", tmp_path / "b" / "a.warc.gz"
    packed.parent.mkdir()
    export(portal, plain)
    export(portal, packed)
    assert all(len(list(read(member))) == 1 for member in members(packed.read_bytes()))
    unnamed = [plain.read_bytes(), gzip.decompress(packed.read_bytes()).replace(b"a.warc.gz", b"a.warc")]
    uuid = re.compile(rb"urn:uuid:[0-9a-f-]+")  # that of the warcinfo record is made of the file's name
    assert uuid.sub(b"", unnamed[0]) == uuid.sub(b"", unnamed[1])


def test_another_export_of_the_same_is_the_same(portal: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    export(portal, path)
    first = path.read_bytes()
    export(portal, path)
    assert path.read_bytes() == first


def test_a_file_that_cannot_be_written_is_said_so_and_leaves_nothing(portal: Path, tmp_path: Path) -> None:
    with pytest.raises(PortalError, match="cannot be written"):
        export(portal, tmp_path / "missing" / "a.warc.gz")
    assert not list(tmp_path.iterdir())


def test_warcio_reads_the_archive(portal: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    export(portal, path)
    with path.open("rb") as stream:
        found = {
            record.rec_headers.get_header("WARC-Target-URI"): record.content_stream().read()
            for record in ArchiveIterator(stream, check_digests="raise")
            if record.rec_type == "resource"
        }
    assert found[PAPER] == PDF
    assert len(found) == 2
