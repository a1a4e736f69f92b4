"""What a body is, whatever its header says."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.crawl.media_types import detect_media_type, read_charset


def gz(body: bytes) -> bytes:
    """Without the time of day, which would give a test another name on every run."""
    return gzip.compress(body, mtime=0)


@pytest.mark.parametrize(
    ("declared", "head", "expected"),
    [
        ("application/pdf", b"%PDF-1.7\n", "application/pdf"),
        ("text/html", b"%PDF-1.7\n", "application/pdf"),
        ("text/plain", b"\r\nrubbish%PDF-1.2", "application/pdf"),
        ("application/octet-stream", b"%!PS-Adobe-2.0", "application/postscript"),
        ("text/plain", b"\x04%!PS", "application/postscript"),
        ("", b"\x1b%-12345X@PJL ENTER LANGUAGE=POSTSCRIPT\n%!PS-Adobe", "application/postscript"),
        ("", b"\x1b%-12345X@PJL ENTER LANGUAGE=PCL\n", "text/plain"),
        ("application/x-gzip", gz(b"%!PS-Adobe"), "application/postscript"),
        (
            "application/x-gzip",
            gz(b"%!PS-Adobe" + bytes(range(256)) * 40)[:99],
            "application/postscript",
        ),
        ("application/x-gzip", gz(b"tar or whatever"), "application/gzip"),
        ("application/x-gzip", b"\x1f\x8bbroken", "application/gzip"),
        ("application/octet-stream", b"\x1f\x9d\x90%B\x84", "application/postscript"),
        ("application/pdf", b"<html><body>Please log in", "application/octet-stream"),
        ("application/pdf", b"", "application/octet-stream"),
        ("text/html; charset=utf-8", b"hello", "text/html"),
        ("TEXT/HTML", b"", "text/html"),
        ("text/html", b"<html>\x00\x01", "text/html"),
        ("text/html", b"\x89PNG\r\n\x1a\n\x00", "application/octet-stream"),
        ("application/xhtml+xml", b"<?xml version='1.0'?><html>", "text/html"),
        ("", b"<!DOCTYPE HTML PUBLIC", "text/html"),
        ("application/octet-stream", b"  <HTML>", "text/html"),
        ("text/plain", b"<html> as it is written", "text/plain"),
        ("", b"plain words", "text/plain"),
        ("", b"\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "text/html"),
        ("application/octet-stream", b"MZ\x90\x00\x03", "application/octet-stream"),
        ("image/png", b"\x89PNG\r\n", "image/png"),
        ("application/xml", b"<?xml version='1.0'?><rss>", "text/plain"),
    ],
)
def test_media_type(declared: str, head: bytes, expected: str) -> None:
    assert detect_media_type(declared, head) == expected


@given(st.text(max_size=30), st.binary(max_size=100))
def test_anything_is_something(declared: str, head: bytes) -> None:
    assert detect_media_type(declared, head) or not declared.strip()


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ('text/html;charset="latin1"', "latin1"),
        ("text/html", None),
        ("", None),
    ],
)
def test_charset(header: str, expected: str | None) -> None:
    assert read_charset(header) == expected
