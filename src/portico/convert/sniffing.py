"""What a body really is, told by its first bytes: names and servers are often wrong."""

from portico.convert.unpacking import detect_packing, peek

PDF = "application/pdf"
POSTSCRIPT = "application/postscript"
HTML = "text/html"
TEXT = "text/plain"
OTHER = "application/octet-stream"
EMPTY = "application/x-empty"
DVI = "application/x-dvi"
CONVERTIBLE = frozenset({PDF, POSTSCRIPT, DVI})

# Readers accept junk before the header of a PDF within the first kilobyte (ISO 32000-1, annex H).
PDF_JUNK_BYTES = 1024
# So much of a packed body is opened to see what is inside; so much of any body is looked at.
PEEK_BYTES = 4096

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"PK\x03\x04", "application/zip"),
    (b"\xd0\xcf\x11\xe0", "application/msword"),
    (b"{\\rtf", "application/rtf"),
    (b"\xf7\x02", DVI),
)
_HTML_STARTS = (
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<body",
    b"<title",
    b"<!--",
    b"<meta",
    b"<script",
    b"<?xml",
)
# Printers want their language announced, and a control-D sent before.
_POSTSCRIPT_STARTS = (b"%!", b"\x04%!", b"\x1b%-12345X@PJL")
# Text has no other control characters than these.
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b")


def sniff_media_type(head: bytes, declared: str = "", name: str = "") -> str:
    """The media type of a body that begins with `head`.

    Bytes decide; where they say nothing (plain text, unknown), what was declared or the name's ending may.
    A packed PDF is "application/pdf+gzip", and so on for PostScript, DVI, bzip2 and compress.
    """
    packing = detect_packing(head)
    if not packing:
        return _plain_type(head, declared, name)
    inner = _plain_type(peek(head, packing, n_bytes=PEEK_BYTES), "", "")
    return f"{inner}+{packing}" if inner in CONVERTIBLE else f"application/{packing}"


def is_convertible(media_type: str) -> bool:
    """Can this type be made a document: PDF, PostScript or DVI, packed or not?"""
    return media_type.partition("+")[0] in CONVERTIBLE


def _plain_type(head: bytes, declared: str, name: str) -> str:
    if not head:
        return EMPTY
    if b"%PDF-" in head[: PDF_JUNK_BYTES + 5]:
        return PDF
    if head.startswith(_POSTSCRIPT_STARTS):
        return POSTSCRIPT
    signed = next((media_type for signature, media_type in _SIGNATURES if head.startswith(signature)), "")
    if signed:
        return signed
    if head[:PEEK_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_HTML_STARTS):
        return HTML
    if all(byte >= 0x20 or byte in _TEXT_CONTROLS for byte in head[:PEEK_BYTES]):
        return HTML if _says_html(declared, name) else TEXT
    return OTHER


def _says_html(declared: str, name: str) -> bool:
    return declared.partition(";")[0].strip().lower() == HTML or name.lower().endswith((".html", ".htm"))
