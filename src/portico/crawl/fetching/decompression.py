"""Undo the compression of an answer piece by piece, so that a small bomb never becomes a large body."""

import zlib
from typing import Protocol

from portico.errors import FetchError

ACCEPT_ENCODING = "gzip, deflate"
_MAX_LAYERS = 3
_IDENTITY = ("", "identity")
_GZIP = ("gzip", "x-gzip")
_GZIP_MAGIC = b"\x1f\x8b"


class _Layer(Protocol):
    def expand(self, piece: bytes, limit: int) -> bytes:
        """What the piece expands to; exactly `limit` bytes mean that there is more."""

    @property
    def complete(self) -> bool:
        """Whether the body has come to its proper end."""


class Decompressor:
    """Takes a body's pieces and gives what they expand to; FetchError beyond `max_bytes` in all."""

    def __init__(self, content_encoding: str, *, max_bytes: int) -> None:
        names = [name.strip().lower() for name in content_encoding.split(",")]
        names = [name for name in names if name not in _IDENTITY]
        if len(names) > _MAX_LAYERS or any(name not in (*_GZIP, "deflate") for name in names):
            raise FetchError(f"is compressed in a way we did not ask for ({content_encoding.strip()[:40]})")
        self._layers: list[_Layer] = [_Gzip() if name in _GZIP else _Deflate() for name in reversed(names)]
        self._max_bytes = max_bytes
        self._n_bytes = 0

    @property
    def compressed(self) -> bool:
        return bool(self._layers)

    @property
    def complete(self) -> bool:
        return all(layer.complete for layer in self._layers)

    def expand(self, piece: bytes) -> bytes:
        limit = self._max_bytes - self._n_bytes + 1
        for layer in self._layers:
            piece = layer.expand(piece, limit)
            if len(piece) >= limit:
                raise FetchError(f"expands to more than the limit of {self._max_bytes:,} bytes")
        self._n_bytes += len(piece)
        return piece


class _Gzip:
    """Gzip, one member after another; a body that does not look like gzip was not compressed at all."""

    def __init__(self) -> None:
        self._stream: zlib._Decompress | None = None
        self._plain = False
        self._start = b""

    def expand(self, piece: bytes, limit: int) -> bytes:
        if self._stream is None and not self._plain:
            piece, self._start = self._start + piece, b""
            if len(piece) < len(_GZIP_MAGIC):
                self._start = piece
                return b""
            self._plain = not piece.startswith(_GZIP_MAGIC)
        return piece if self._plain else self._inflate(piece, limit)

    def _inflate(self, piece: bytes, limit: int) -> bytes:
        expanded = b""
        while piece and len(expanded) < limit:
            if self._stream is None or self._stream.eof:
                if self._stream is not None and not piece.startswith(_GZIP_MAGIC[: len(piece)]):
                    break  # padding after the last member
                self._stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
            expanded += _decompress(self._stream, piece, limit - len(expanded))
            piece = self._stream.unused_data or self._stream.unconsumed_tail
        return expanded

    @property
    def complete(self) -> bool:
        return self._plain or self._stream is None or self._stream.eof


class _Deflate:
    """Deflate as the standard says (with a zlib header) or as many servers do (without)."""

    def __init__(self) -> None:
        self._stream: zlib._Decompress | None = None

    def expand(self, piece: bytes, limit: int) -> bytes:
        if self._stream is None and piece:
            has_header = piece[0] & 0x0F == zlib.DEFLATED
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
        return _decompress(self._stream, piece, limit) if self._stream is not None else b""

    @property
    def complete(self) -> bool:
        return self._stream is None or self._stream.eof


def _decompress(stream: "zlib._Decompress", piece: bytes, limit: int) -> bytes:
    try:
        return stream.decompress(piece, limit)
    except zlib.error as fault:
        raise FetchError("the compressed body is broken") from fault
