"""Exports the portal as JSON lines, and its fetched pages as a web archive (WARC 1.1, ISO 28500).

A WARC `response` record needs the complete response, headers included. Portico stores complete bodies but
only the headers it needs, so it writes `resource` records, and the rest in `metadata` records.
"""

import gzip
import json
import sys
from base64 import b32encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path
from typing import BinaryIO
from uuid import NAMESPACE_URL, uuid5

from portico import __version__
from portico.errors import PortalError
from portico.files import replacing
from portico.pipeline.portal import Portal
from portico.store.crawl.history import KeptAnswer
from portico.types.page import BodyHash

FIELDS = "application/warc-fields"
UNKNOWN_TYPE = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class WarcCounts:
    """The contents of an archive."""

    n_bodies: int = 0
    n_redirects: int = 0


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record: named header fields in order, and a block of bytes."""

    kind: str
    fields: tuple[tuple[str, str], ...]
    block: bytes

    def encoded(self) -> bytes:
        lines = [("WARC-Type", self.kind), *self.fields, ("Content-Length", str(len(self.block)))]
        head = "".join(f"{name}: {_join_lines(value)}\r\n" for name, value in lines)
        return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + self.block + b"\r\n\r\n"


def write_warc(portal: Portal, path: Path, now: float) -> WarcCounts:
    """Write every web response to an archive, atomically; `.gz` files are compressed record by record."""
    try:
        with replacing(path) as unfinished, unfinished.open("wb") as file:
            return _write_records(portal, file, path, now)
    except OSError as error:
        raise PortalError(f"{path}: cannot be written: {error.strerror}") from error


def _write_records(portal: Portal, file: BinaryIO, path: Path, now: float) -> WarcCounts:
    # Each record is compressed separately, so that a reader can start at any (annex D of the standard).
    packs = path.suffix == ".gz"
    n_bodies = n_redirects = 0
    for record in _make_records(portal, path.name, now):
        whole = record.encoded()
        file.write(gzip.compress(whole, mtime=0) if packs else whole)
        n_bodies += record.kind == "resource"
        n_redirects += record.kind == "metadata" and _REDIRECT_FIELD in record.block
    return WarcCounts(n_bodies, n_redirects)


_REDIRECT_FIELD = b"redirectsTo: "


def _make_records(portal: Portal, name: str, now: float) -> Iterator[WarcRecord]:
    info = _make_info(portal, name, now)
    yield info
    info_id = dict(info.fields)["WARC-Record-ID"]
    for answer in portal.store.crawl.history.answers():
        concerning: tuple[tuple[str, str], ...] = ()
        if answer.body is not None:
            resource = _make_resource(portal, answer, answer.body, info_id)
            concerning = (("WARC-Concurrent-To", dict(resource.fields)["WARC-Record-ID"]),)
            yield resource
        yield _make_metadata(answer, info_id, concerning)


def _make_info(portal: Portal, name: str, now: float) -> WarcRecord:
    block = _format_fields(
        ("software", f"portico/{__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("isPartOf", portal.settings.portal.title),
        ("robots", "obey" if portal.settings.fetch.obey_robots else "ignore"),
    )
    return WarcRecord(
        "warcinfo",
        (
            ("WARC-Record-ID", _make_id("warcinfo", name, repr(now))),
            ("WARC-Date", _format_date(now)),
            ("WARC-Filename", name),
            ("Content-Type", FIELDS),
        ),
        block,
    )


def _make_resource(portal: Portal, answer: KeptAnswer, body: BodyHash, info_id: str) -> WarcRecord:
    block = portal.store.blobs.get(body)
    return WarcRecord(
        "resource",
        (
            ("WARC-Record-ID", _make_id("resource", answer.url, body, repr(answer.fetched_at))),
            ("WARC-Target-URI", answer.url),
            ("WARC-Date", _format_date(answer.fetched_at)),
            ("WARC-Warcinfo-ID", info_id),
            ("WARC-Block-Digest", _digest_block(block)),
            ("Content-Type", answer.media_type or UNKNOWN_TYPE),
        ),
        block,
    )


def _make_metadata(answer: KeptAnswer, info_id: str, concerning: tuple[tuple[str, str], ...]) -> WarcRecord:
    """Make a record of what is known besides the body; `via` and `hopsFromSeed` are standard names."""
    known = (
        ("via", answer.via),
        ("hopsFromSeed", "L" * answer.depth),
        ("httpStatus", str(answer.status)),
        ("etag", answer.etag),
        ("lastModified", answer.last_modified),
        ("redirectsTo", answer.origin if answer.origin != answer.url else None),
    )
    block = _format_fields(*((name, value) for name, value in known if value))
    return WarcRecord(
        "metadata",
        (
            ("WARC-Record-ID", _make_id("metadata", answer.url, repr(answer.fetched_at))),
            ("WARC-Target-URI", answer.url),
            ("WARC-Date", _format_date(answer.fetched_at)),
            ("WARC-Warcinfo-ID", info_id),
            *concerning,
            ("WARC-Block-Digest", _digest_block(block)),
            ("Content-Type", FIELDS),
        ),
        block,
    )


def _format_fields(*fields: tuple[str, str]) -> bytes:
    return "".join(f"{name}: {_join_lines(value)}\r\n" for name, value in fields).encode()


def _make_id(*parts: str) -> str:
    """Make an id for a record; the same record has the same id in every export."""
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, chr(0).join(parts))}>"


def _format_date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _digest_block(block: bytes) -> str:
    # The digest that every WARC tool knows; it identifies the block and protects nothing.
    return f"sha1:{b32encode(sha1(block, usedforsecurity=False).digest()).decode()}"


def _join_lines(value: str) -> str:
    return " ".join(value.split())


def write_jsonl(portal: Portal, output: Path | None, *, cited: bool) -> int:
    """Write every held paper, atomically, and with `cited` also cited papers; return their number."""
    if output is None:
        return sum(1 for line in _lines(portal, cited=cited) if sys.stdout.write(line))
    target = output.resolve()  # a link stays a link, and its target is written
    if target.exists() and not target.is_file():
        return _write(portal, target, cited=cited)  # a pipe or a device cannot be replaced
    with replacing(target) as unfinished:
        return _write(portal, unfinished, cited=cited)


def _write(portal: Portal, path: Path, *, cited: bool) -> int:
    try:
        with path.open("w", encoding="utf-8") as stream:
            return sum(1 for line in _lines(portal, cited=cited) if stream.write(line))
    except OSError as error:
        raise PortalError(f"{path}: cannot be written: {error.strerror}") from error


def _lines(portal: Portal, *, cited: bool) -> Iterator[str]:
    for each in portal.collection.export(portal, cited=cited):
        yield json.dumps(each, ensure_ascii=False) + "\n"
