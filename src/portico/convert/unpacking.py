"""Compressed bodies opened with a limit: what a small file expands to may fill a machine."""

import bz2
import zlib
from collections.abc import Callable, Iterator

GZIP = "gzip"
BZIP2 = "bzip2"
COMPRESS = "compress"

SIGNATURES = ((b"\x1f\x8b", GZIP), (b"BZh", BZIP2), (b"\x1f\x9d", COMPRESS))

CHUNK = 1 << 16


class Overflow(Exception):
    """There is more inside than is allowed."""


class Damaged(Exception):
    """The packing is broken or ends too early."""


def detect_packing(head: bytes) -> str:
    """How a body is packed, by its first bytes; "" where it is not."""
    return next((packing for signature, packing in SIGNATURES if head.startswith(signature)), "")


def unpack(body: bytes, packing: str, *, max_bytes: int) -> bytes:
    """All that is inside. Raises Overflow or Damaged."""
    inside = bytearray()
    try:
        for chunk in _UNPACKERS[packing](body):
            inside += chunk
            if len(inside) > max_bytes:
                raise Overflow
    except (zlib.error, OSError, EOFError, ValueError) as error:
        raise Damaged(str(error)) from error
    return bytes(inside)


def peek(head: bytes, packing: str, *, n_bytes: int) -> bytes:
    """The first bytes inside, as far as a head that may be cut anywhere tells."""
    inside = bytearray()
    try:
        for chunk in _UNPACKERS[packing](head):
            inside += chunk
            if len(inside) >= n_bytes:
                break
    except (zlib.error, OSError, EOFError, ValueError):
        pass
    return bytes(inside[:n_bytes])


def _gzip(body: bytes) -> Iterator[bytes]:
    rest = body
    while rest.startswith(b"\x1f\x8b"):  # a gzip file may have several members
        member = zlib.decompressobj(wbits=31)
        yield member.decompress(rest, CHUNK)
        while not member.eof:
            if not member.unconsumed_tail:
                raise EOFError("it ends too early")
            yield member.decompress(member.unconsumed_tail, CHUNK)
        rest = member.unused_data


def _bzip2(body: bytes) -> Iterator[bytes]:
    stream = bz2.BZ2Decompressor()
    yield stream.decompress(body, CHUNK)
    while not stream.eof:
        if stream.needs_input:
            raise EOFError("it ends too early")
        yield stream.decompress(b"", CHUNK)


def _compress(body: bytes) -> Iterator[bytes]:
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


def _codes(body: bytes, max_width: int, table: list[bytes], *, clears: bool) -> Iterator[int]:
    """The codes, whose width follows the growth of the table that the reader of them fills."""
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


_UNPACKERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {GZIP: _gzip, BZIP2: _bzip2, COMPRESS: _compress}
