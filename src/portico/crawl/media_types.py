"""Determines the type of a response, by its first bytes before its header, since servers are often wrong."""

import re
import zlib

HTML = "text/html"
TEXT = "text/plain"
PDF = "application/pdf"
POSTSCRIPT = "application/postscript"  # also compressed (.ps.gz, .ps.Z): the body is kept as received

DOCUMENT_TYPES = frozenset({PDF, POSTSCRIPT})
"""Types of the documents that a portal is made of: they are kept whole and never searched for links."""

KEPT_TYPES = DOCUMENT_TYPES | {HTML, TEXT}
"""Types whose bodies are kept; the download of others is aborted."""

SNIFFED_BYTES = 2048
"""Bytes of a body examined to detect its type; a PDF may have up to 1,024 bytes of junk before its header."""


def detect_media_type(declared: str, head: bytes) -> str:
    """The media type of a body that begins with `head` and was declared as `declared`."""
    found = _by_magic(head)
    if found is not None:
        return found
    name = declared.partition(";")[0].strip().lower()
    if name in _HTML_NAMES or name in ("", "application/octet-stream", "text/plain", "application/xml"):
        return _by_text(name, head)
    if name in DOCUMENT_TYPES:
        return "application/octet-stream"  # says it is a document, but is not
    return name


def read_charset(declared: str) -> str | None:
    """The character set a Content-Type header names."""
    found = _CHARSET.search(declared)
    return found[1].lower() if found else None


_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_HTML_NAMES = (HTML, "application/xhtml+xml")
_PRINTER_JOB = b"\x1b%-12345X"
_DOS_BINARY = b"\xc5\xd0\xd3\xc6"
_COMPRESS_MAGIC = b"\x1f\x9d"
_GZIP_MAGIC = b"\x1f\x8b"
_HTML_START = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|frameset|script|table|h[1-6]|p|a|div|center|br)[\s>/]"
    rb"|<!--",
    re.IGNORECASE,
)
_BINARY_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def _by_magic(head: bytes) -> str | None:
    if b"%PDF-" in head[:1024]:
        return PDF
    if _is_postscript(head):
        return POSTSCRIPT
    if head.startswith(_COMPRESS_MAGIC):
        return POSTSCRIPT  # nobody compresses anything else so that is still linked to: paper.ps.Z
    if head.startswith(_GZIP_MAGIC):
        return POSTSCRIPT if _is_postscript(_gunzip(head)) else "application/gzip"
    return None


def _is_postscript(head: bytes) -> bool:
    # Printer drivers put a job header or a Ctrl-D before it; DOS wraps it with a binary table.
    if head.startswith(_PRINTER_JOB):
        return b"%!PS" in head
    return head.startswith(_DOS_BINARY) or head[:64].lstrip(b"\x04\r\n \t").startswith(b"%!")


def _gunzip(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, SNIFFED_BYTES)
    except zlib.error:
        return b""


def _by_text(name: str, head: bytes) -> str:
    utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    looks_like_html = _HTML_START.search(head.replace(b"\x00", b"") if utf16 else head) is not None
    if looks_like_html and name != TEXT:
        return HTML
    if _BINARY_BYTES.search(head) and not utf16:
        return "application/octet-stream"
    return HTML if name in _HTML_NAMES else TEXT
