"""Fetches one URL: sends the request, reads the response up to a limit, and determines its type."""

import asyncio
import zlib
from dataclasses import dataclass
from typing import Protocol, Self

from portico.crawl import media_types
from portico.crawl.fetching.connections import PRIVATE, ConnectionRules, Connections, Exchange, Resolve
from portico.crawl.options import FetchOptions
from portico.errors import FetchError
from portico.text.urls import get_host, get_host_name, is_public_name
from portico.types.frontier import Revisit
from portico.types.page import Url


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """The response of a host to one request; redirects are not followed here."""

    url: Url
    status: int
    declared_type: str = ""  # the Content-Type header
    media_type: str = ""  # the detected type
    body: bytes | None = None  # None if it is not needed: another status, a picture
    location: str | None = None  # the target of a redirect, as sent
    retry_after: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    robots_tag: str = ""


class HttpClient(Protocol):
    """Sends requests; implemented by `Fetcher`."""

    async def get(
        self, url: Url, *, max_bytes: int | None = None, known: Revisit | None = None
    ) -> HostAnswer:
        """One request; FetchError explains why there was no response. `max_bytes` cuts any body.

        A `known` page is only wanted if it has changed since: otherwise the status is 304.
        """


_PIECE = 64 * 1024  # bytes read at a time
_COMPRESSED_PIECE = 4 * 1024  # deflate expands up to 1,032 times, so to at most 4 MB at once
_REDIRECTS = (301, 302, 303, 307, 308)


class Fetcher:
    """Keeps connections open between requests; use it as an async context manager."""

    def __init__(self, options: FetchOptions, *, resolve: Resolve | None = None) -> None:
        self._options = options
        self._resolve = resolve
        self._fields = {
            "User-Agent": options.user_agent,
            "Accept": "text/html, application/pdf, application/postscript, */*;q=0.5",
            "Accept-Encoding": ACCEPT_ENCODING,
        }

    async def __aenter__(self) -> Self:
        options = self._options
        reach = ConnectionRules(
            proxy=options.proxy,
            public_only=not options.allow_private,
            connect_timeout_s=options.connect_timeout_s,
            max_idle=options.concurrency,
        )
        self._connections = Connections(reach, self._resolve)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.close()

    async def get(
        self, url: Url, *, max_bytes: int | None = None, known: Revisit | None = None
    ) -> HostAnswer:
        """One request; FetchError explains why there was no response. `max_bytes` cuts any body.

        A `known` page is only wanted if it has changed since: otherwise the status is 304.
        """
        options = self._options
        if not options.allow_private and not is_public_name(get_host_name(get_host(url))):
            raise FetchError(PRIVATE)
        fields = self._fields if known is None else {**self._fields, **_conditions(known)}
        try:
            async with asyncio.timeout(options.timeout_s), self._connections.ask(url, fields) as exchange:
                return await self._answer(url, exchange, max_bytes)
        except TimeoutError as fault:
            raise FetchError(f"timed out after {options.timeout_s:g} s", retryable=True) from fault

    async def _answer(self, url: Url, exchange: Exchange, max_bytes: int | None) -> HostAnswer:
        status, fields = exchange.head.status, exchange.head.fields
        if not 200 <= status < 300:
            location = fields.get("location") if status in _REDIRECTS else None
            await exchange.read(_PIECE)  # a short body read to its end frees the connection
            return HostAnswer(url, status, location=location, retry_after=fields.get("retry-after"))
        declared = fields.get("content-type", "")
        found, body = await self._body(exchange, declared, max_bytes)
        return HostAnswer(
            url,
            status,
            declared_type=declared,
            media_type=found,
            body=body,
            etag=fields.get("etag"),
            last_modified=fields.get("last-modified"),
            robots_tag=fields.get("x-robots-tag", ""),
        )

    async def _body(
        self, exchange: Exchange, declared: str, max_bytes: int | None
    ) -> tuple[str, bytes | None]:
        reader = _Reader(exchange, self._options)
        head = await reader.read(media_types.SNIFFED_BYTES)
        found = media_types.detect_media_type(declared, head)
        if max_bytes is not None or found in (media_types.HTML, media_types.TEXT):
            body = await reader.read(max_bytes or self._options.max_html_bytes)
            return found, body[: max_bytes or self._options.max_html_bytes]
        if found not in media_types.KEPT_TYPES:
            return found, None
        return found, await reader.read_all()


class _Reader:
    """Reads and decompresses a body within the limits."""

    def __init__(self, exchange: Exchange, options: FetchOptions) -> None:
        self._exchange = exchange
        self._options = options
        encoding = exchange.head.fields.get("content-encoding", "")
        self._expander = Decompressor(encoding, max_bytes=options.max_expanded_bytes)
        self._piece = _COMPRESSED_PIECE if self._expander.compressed else _PIECE
        self._body = bytearray()
        self._n_received = 0
        self._ended = False

    async def read(self, n_bytes: int) -> bytes:
        """At least the first `n_bytes` of the body, or all of it if it is shorter.

        What is not read is never sent: leaving the request closes the connection.
        """
        while not self._ended and len(self._body) < n_bytes:
            await self._receive()
        return bytes(self._body)

    async def read_all(self) -> bytes:
        """The whole body; FetchError if it is larger than the limits."""
        while not self._ended:
            await self._receive()
            if self._n_received > self._options.max_bytes:
                raise FetchError(f"is larger than the limit of {self._options.max_bytes:,} bytes")
        return bytes(self._body)

    async def _receive(self) -> None:
        piece = await self._exchange.read(self._piece)
        self._ended = not piece
        self._n_received += len(piece)
        self._body += self._expander.expand(piece)
        if self._ended and not self._expander.complete:
            raise FetchError("the compressed body ends early", retryable=True)


def _conditions(known: Revisit) -> dict[str, str]:
    """Headers of a conditional request (RFC 9110, section 13.1), with validators exactly as the host sent
    them.
    """
    fields = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in fields.items() if value}


ACCEPT_ENCODING = "gzip, deflate"
_MAX_LAYERS = 3
_IDENTITY = ("", "identity")
_GZIP = ("gzip", "x-gzip")
_GZIP_MAGIC = b"\x1f\x8b"


class _Layer(Protocol):
    def expand(self, piece: bytes, limit: int) -> bytes:
        """The decompressed data of the piece; exactly `limit` bytes mean that there is more."""

    @property
    def complete(self) -> bool:
        """Whether the body has ended properly."""


class Decompressor:
    """Decompresses a body piece by piece; FetchError beyond `max_bytes` in total."""

    def __init__(self, content_encoding: str, *, max_bytes: int) -> None:
        names = [name.strip().lower() for name in content_encoding.split(",")]
        names = [name for name in names if name not in _IDENTITY]
        if len(names) > _MAX_LAYERS or any(name not in (*_GZIP, "deflate") for name in names):
            raise FetchError(
                f"is compressed in a way that was not requested ({content_encoding.strip()[:40]})"
            )
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
    """Gzip, one member after another; a body that does not look like gzip is passed on unchanged."""

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
