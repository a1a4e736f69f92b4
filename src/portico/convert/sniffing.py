"""Detects the type of a body by its first bytes, and decompresses it with a size limit."""

import bz2
import re
import zlib
from collections.abc import Callable, Iterator

PDF = "application/pdf"
POSTSCRIPT = "application/postscript"
HTML = "text/html"
TEXT = "text/plain"
OTHER = "application/octet-stream"
EMPTY = "application/x-empty"
DVI = "application/x-dvi"
ZIP = "application/zip"
TAR = "application/x-tar"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
TEX = "text/x-tex"
CONVERTIBLE = frozenset({PDF, POSTSCRIPT, DVI})
FLOWING = frozenset({DOCX, ODT, EPUB, TEX, ZIP, TAR, HTML})
"""Text without pages, and archives that may contain it: accepted from folders, not from the web."""

# Readers accept junk before the header of a PDF within the first kilobyte (ISO 32000-1, annex H).
PDF_JUNK_BYTES = 1024
# Bytes of a packed body that are unpacked to see its content, and bytes of any body that are examined.
PEEK_BYTES = 4096

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"PK\x03\x04", ZIP),
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
TEX_ENDINGS = (".tex", ".ltx", ".latex")
HTML_ENDINGS = (".html", ".htm", ".xhtml")
_TEX_START = re.compile(rb"\\document(?:class|style)\b|\\begin\{document\}")
_TAR_MARK, _TAR_MARK_AT = b"ustar", 257
# Bytes within which the name and content of an uncompressed first member are found.
_FIRST_MEMBER_BYTES = 200
# Files for printers may begin with a control-D or a job language command.
_POSTSCRIPT_STARTS = (b"%!", b"\x04%!", b"\x1b%-12345X@PJL")
# The only control characters found in text.
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b")


def sniff_media_type(head: bytes, declared: str = "", name: str = "") -> str:
    """The media type of a body that begins with `head`.

    The bytes decide; if they are inconclusive (plain text, unknown), the declared type or the file name
    extension may. A compressed PDF is "application/pdf+gzip", and so on for PostScript, DVI, bzip2 and
    compress.
    """
    packing = detect_packing(head)
    if not packing:
        return _plain_type(head, declared, name)
    inner = _plain_type(peek(head, packing, n_bytes=PEEK_BYTES), "", "")
    return f"{inner}+{packing}" if inner in CONVERTIBLE | {TEX, TAR} else f"application/{packing}"


def is_convertible(media_type: str) -> bool:
    """Whether this type can be converted to a document: PDF, PostScript or DVI, compressed or not."""
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
        return _archive_type(head, name) if signed == ZIP else signed
    if head[_TAR_MARK_AT:].startswith(_TAR_MARK):
        return TAR
    if head[:PEEK_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_HTML_STARTS):
        return HTML
    if all(byte >= 0x20 or byte in _TEXT_CONTROLS for byte in head[:PEEK_BYTES]):
        if _TEX_START.search(head) or name.lower().endswith(TEX_ENDINGS):
            return TEX
        return HTML if _says_html(declared, name) else TEXT
    return OTHER


def _archive_type(head: bytes, name: str) -> str:
    """The kind of a ZIP archive, by its first member or its name; the worker looks inside anyway."""
    for kind in (ODT, EPUB):
        if b"mimetype" + kind.encode() in head[:_FIRST_MEMBER_BYTES]:
            return kind
    return DOCX if b"word/" in head or name.lower().endswith(".docx") else ZIP


def _says_html(declared: str, name: str) -> bool:
    return declared.partition(";")[0].strip().lower() == HTML or name.lower().endswith(HTML_ENDINGS)


GZIP = "gzip"
BZIP2 = "bzip2"
COMPRESS = "compress"

SIGNATURES = ((b"\x1f\x8b", GZIP), (b"BZh", BZIP2), (b"\x1f\x9d", COMPRESS))

CHUNK = 1 << 16


class Overflow(Exception):
    """The decompressed content is larger than allowed."""


class Damaged(Exception):
    """The compressed data is broken or ends too early."""


def detect_packing(head: bytes | bytearray) -> str:
    """The compression of a body, by its first bytes; "" if there is none."""
    return next((packing for signature, packing in SIGNATURES if head.startswith(signature)), "")


def unpack(body: bytes | bytearray, packing: str, *, max_bytes: int) -> bytearray:
    """The decompressed content. Raises Overflow or Damaged."""
    inside = bytearray()
    try:
        for chunk in _UNPACKERS[packing](body):
            inside += chunk
            if len(inside) > max_bytes:
                raise Overflow
    except (zlib.error, OSError, EOFError, ValueError) as error:
        raise Damaged(str(error)) from error
    return inside


def peek(head: bytes, packing: str, *, n_bytes: int) -> bytes:
    """The first decompressed bytes, as far as possible from a head that may be cut off anywhere."""
    inside = bytearray()
    try:
        for chunk in _UNPACKERS[packing](head):
            inside += chunk
            if len(inside) >= n_bytes:
                break
    except (zlib.error, OSError, EOFError, ValueError):
        pass
    return bytes(inside[:n_bytes])


def _gzip(body: bytes | bytearray) -> Iterator[bytes]:
    # In pieces: what zlib did not use of its input is copied each time.
    rest = memoryview(body)
    while bytes(rest[:2]) == b"\x1f\x8b":  # a gzip file may have several members
        member = zlib.decompressobj(wbits=31)
        position = 0
        while not member.eof:
            piece = rest[position : position + CHUNK]
            if not piece:
                raise EOFError("it ends too early")
            position += len(piece)
            yield member.decompress(piece, CHUNK)
            while member.unconsumed_tail:
                yield member.decompress(member.unconsumed_tail, CHUNK)
        rest = rest[position - len(member.unused_data) :]


def _bzip2(body: bytes | bytearray) -> Iterator[bytes]:
    stream = bz2.BZ2Decompressor()
    yield stream.decompress(body, CHUNK)
    while not stream.eof:
        if stream.needs_input:
            raise EOFError("it ends too early")
        yield stream.decompress(b"", CHUNK)


def _compress(body: bytes | bytearray) -> Iterator[bytes]:
    """The LZW of Unix compress: codes of 9 to 16 bits, written in groups of eight of one width."""
    if len(body) < 3:
        raise EOFError("it ends too early")
    max_width, has_clear = body[2] & 0x1F, bool(body[2] & 0x80)
    if not 9 <= max_width <= 16:
        raise ValueError(f"codes of {max_width} bits")
    first_free = 257 if has_clear else 256
    table = [bytes([i]) for i in range(256)] + [b""] * (first_free - 256)
    previous = b""
    for code in _codes(body, max_width, table, clears=has_clear):
        if has_clear and code == 256:
            del table[first_free:]
            previous = b""
            continue
        if code < len(table):
            entry = table[code]
        elif code == len(table) and previous:
            entry = previous + previous[:1]
        else:
            raise ValueError("a code before its time")
        yield entry
        if previous and len(table) < 1 << max_width:
            table.append(previous + entry[:1])
        previous = entry


def _codes(body: bytes | bytearray, max_width: int, table: list[bytes], *, clears: bool) -> Iterator[int]:
    """The codes, whose width grows with the table that their reader fills."""
    position, width = 3 * 8, 9
    start = position  # of the group: a change of width skips to the end of a group of eight codes
    end = len(body) * 8
    while position + width <= end:
        byte = position >> 3
        window = int.from_bytes(body[byte : byte + 4], "little") >> (position & 7)
        code = window & ((1 << width) - 1)
        position += width
        yield code
        cleared = clears and code == 256
        wanted = 9 if cleared else max(width, min(max_width, (len(table)).bit_length()))
        if wanted != width or cleared:
            group = width * 8
            position = start + -(-(position - start) // group) * group
            start, width = position, wanted


_UNPACKERS: dict[str, Callable[[bytes | bytearray], Iterator[bytes]]] = {
    GZIP: _gzip,
    BZIP2: _bzip2,
    COMPRESS: _compress,
}
