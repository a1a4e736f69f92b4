"""Bytes are believed, names and headers are not."""

import bz2
import contextlib
import gzip
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.convert.sniffing import (
    COMPRESS,
    Damaged,
    Overflow,
    detect_packing,
    is_convertible,
    sniff_media_type,
    unpack,
)

PDF, PS = b"%PDF-1.4\n", b"%!PS-Adobe-2.0\n"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (PDF, "application/pdf"),
        (b"HTTP/1.0 200 OK\r\n\r\n" + PDF, "application/pdf"),
        (PS, "application/postscript"),
        (b"\x04" + PS, "application/postscript"),
        (b"\x1b%-12345X@PJL JOB\n" + PS, "application/postscript"),
        (gzip.compress(PS, mtime=0), "application/postscript+gzip"),
        (gzip.compress(PDF * 9000, mtime=0)[:200], "application/pdf+gzip"),  # a head is cut anywhere
        (bz2.compress(PDF), "application/pdf+bzip2"),
        (gzip.compress(b"some text", mtime=0), "application/gzip"),
        (b"\x1f\x9d", "application/compress"),
        (b"  \n<!DOCTYPE HTML><title>404</title>", "text/html"),
        (b"\x89PNG\r\n\x1a\nxxxx", "image/png"),
        (b"PK\x03\x04", "application/zip"),
        (b"just words\n", "text/plain"),
        (b"\x00\x01\x02", "application/octet-stream"),
        (b"", "application/x-empty"),
    ],
)
def test_sniff(head: bytes, expected: str) -> None:
    assert sniff_media_type(head, "application/pdf", "paper.pdf") == expected


def test_what_says_nothing_is_what_was_declared() -> None:
    assert sniff_media_type(b"no tags at all", "text/html; charset=utf-8") == "text/html"
    assert sniff_media_type(b"no tags at all", "", "index.HTML") == "text/html"


@pytest.mark.parametrize(
    "media_type",
    ["application/pdf", "application/postscript+gzip", "application/pdf+compress", "application/x-dvi+gzip"],
)
def test_convertible(media_type: str) -> None:
    assert is_convertible(media_type)


@pytest.mark.parametrize("media_type", ["application/gzip", "text/html", "", "application/pdfx"])
def test_not_convertible(media_type: str) -> None:
    assert not is_convertible(media_type)


@given(st.binary(max_size=200))
def test_any_head_has_a_type(head: bytes) -> None:
    assert "/" in sniff_media_type(head)


@given(st.binary(max_size=4000))
def test_gzip_and_bzip2_come_back(body: bytes) -> None:
    assert unpack(gzip.compress(body) + gzip.compress(body), "gzip", max_bytes=9000) == body + body
    assert unpack(bz2.compress(body), "bzip2", max_bytes=4000) == body


@given(st.binary(max_size=300), st.sampled_from([b"\x1f\x8b\x08", b"BZh9", b"\x1f\x9d\x90"]))
def test_damage_is_damage(body: bytes, start: bytes) -> None:
    packed = start + body
    with contextlib.suppress(Damaged, Overflow):  # and nothing else
        unpack(packed, detect_packing(packed), max_bytes=100_000)


@pytest.mark.parametrize("max_width", [10, 12, 16])
def test_compress_reads_what_gzip_reads(max_width: int) -> None:
    body = b"".join(b"%d squared is %d\n" % (i, i * i) for i in range(20_000))
    packed = lzw(body, max_width)
    by_gzip = subprocess.run(["gzip", "-dc"], input=packed, stdout=subprocess.PIPE, check=True).stdout
    assert by_gzip == body
    assert unpack(packed, COMPRESS, max_bytes=len(body)) == body


@given(st.binary(max_size=2000))
def test_compress_comes_back(body: bytes) -> None:
    assert unpack(lzw(body, 10), COMPRESS, max_bytes=2000) == body


def lzw(body: bytes, max_width: int) -> bytes:
    """As Unix compress packs it, without ever clearing the table."""
    table = {bytes([i]): i for i in range(256)}
    n_codes, width, bits, n_bits, n_in_group = 257, 9, 0, 0, 0
    out = bytearray([0x1F, 0x9D, 0x80 | max_width])

    def emit(code: int) -> None:
        nonlocal bits, n_bits, n_in_group
        bits |= code << n_bits
        n_bits += width
        n_in_group = (n_in_group + 1) % 8
        while n_bits >= 8:
            out.append(bits & 0xFF)
            bits, n_bits = bits >> 8, n_bits - 8

    word = b""
    for byte in body:
        longer = word + bytes([byte])
        if longer in table:
            word = longer
            continue
        emit(table[word])
        # The reader of the codes is one entry behind.
        if n_codes > (1 << width) - 1 and width < max_width:
            while n_in_group:
                emit(0)
            width += 1
        if n_codes < 1 << max_width:
            table[longer] = n_codes
            n_codes += 1
        word = bytes([byte])
    if word:
        emit(table[word])
    return bytes(out) + (bytes([bits & 0xFF]) if n_bits else b"")


def test_bombs_are_not_unpacked() -> None:
    with pytest.raises(Overflow):
        unpack(gzip.compress(bytes(50_000_000)), "gzip", max_bytes=1_000_000)


def test_members_of_gzip_without_end_cost_no_more_than_their_length() -> None:
    """20 bytes each: what is left was copied for every one of them."""
    n_members = 100_000
    assert unpack(gzip.compress(b"", mtime=0) * n_members, "gzip", max_bytes=10) == b""
