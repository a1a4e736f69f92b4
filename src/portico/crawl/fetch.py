"""Ask the web for one address: the only file that opens a socket."""

import socket
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from portico.crawl import media
from portico.crawl.answer import Answer
from portico.crawl.expand import ACCEPT_ENCODING, Expander
from portico.crawl.options import FetchOptions
from portico.errors import ConfigError, FetchError, PorticoError
from portico.text.addresses import is_public, is_public_name
from portico.text.urls import host_name, host_of
from portico.types.freshness import Revisit
from portico.types.page import Url

PRIVATE = "its host is a private address; set allow_private to crawl your own network"
_PIECE = 64 * 1024  # bytes read at a time
_COMPRESSED_PIECE = 4 * 1024  # deflate expands up to 1,032 times: no more than 4 MB at once
_PROXY_FAULTS = (aiohttp.ClientProxyConnectionError, aiohttp.ClientConnectorDNSError)
_REDIRECTS = (301, 302, 303, 307, 308)


class Fetcher:
    """Keeps connections open between requests; use it as an async context manager."""

    def __init__(self, options: FetchOptions, *, resolver: AbstractResolver | None = None) -> None:
        self._options = options
        self._resolver = resolver

    async def __aenter__(self) -> Self:
        options = self._options
        inner = self._resolver or aiohttp.ThreadedResolver()
        connector = aiohttp.TCPConnector(
            limit=options.concurrency,
            ttl_dns_cache=300,
            resolver=inner if options.allow_private or options.proxy else _PublicResolver(inner),
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            middlewares=(_once,),
            headers={
                "User-Agent": options.user_agent,
                "Accept": "text/html, application/pdf, application/postscript, */*;q=0.5",
                "Accept-Encoding": ACCEPT_ENCODING,
            },
            timeout=aiohttp.ClientTimeout(total=options.timeout_s, connect=options.connect_timeout_s),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def get(self, url: Url, *, max_bytes: int | None = None, known: Revisit | None = None) -> Answer:
        """One request; FetchError says in plain words why no answer came. `max_bytes` cuts any body.

        A page that is `known` is only wanted if it has changed since: otherwise the status is 304.
        """
        if not self._options.allow_private and not is_public_name(host_name(host_of(url))):
            raise FetchError(PRIVATE)
        try:
            async with self._session.get(
                URL(url, encoded=True),
                proxy=self._options.proxy,
                allow_redirects=False,
                headers=_conditions(known) if known is not None else None,
            ) as response:
                return await self._answer(url, response, max_bytes)
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as fault:
            raise self._in_plain_words(fault) from fault

    async def _answer(self, url: Url, response: aiohttp.ClientResponse, max_bytes: int | None) -> Answer:
        headers = response.headers
        if response.status in _REDIRECTS or not 200 <= response.status < 300:
            location = headers.get("Location") if response.status in _REDIRECTS else None
            await response.content.read(_PIECE)  # a short body read to its end frees the connection
            return Answer(url, response.status, location=location, retry_after=headers.get("Retry-After"))
        declared = headers.get("Content-Type", "")
        found, body = await self._body(response, declared, max_bytes)
        return Answer(
            url,
            response.status,
            declared_type=declared,
            media_type=found,
            body=body,
            etag=headers.get("ETag"),
            last_modified=headers.get("Last-Modified"),
            robots_tag=", ".join(headers.getall("X-Robots-Tag", [])),
        )

    async def _body(
        self, response: aiohttp.ClientResponse, declared: str, max_bytes: int | None
    ) -> tuple[str, bytes | None]:
        reader = _Reader(response, self._options)
        head = await reader.read(media.SNIFFED_BYTES)
        found = media.media_type(declared, head)
        if max_bytes is not None or found in (media.HTML, media.TEXT):
            body = await reader.read(max_bytes or self._options.max_html_bytes)
            return found, body[: max_bytes or self._options.max_html_bytes]
        if found not in media.KEPT_TYPES:
            response.close()
            return found, None
        return found, await reader.read_all()

    def _in_plain_words(self, fault: Exception) -> PorticoError:
        """What went wrong on the network, said so that a person understands it."""
        if isinstance(fault, TimeoutError):
            connecting = isinstance(fault, aiohttp.ConnectionTimeoutError)
            limit_s = self._options.connect_timeout_s if connecting else self._options.timeout_s
            return FetchError(f"timed out after {limit_s:g} s", passing=True)
        if self._options.proxy and isinstance(fault, _PROXY_FAULTS):
            return ConfigError(
                f"the proxy {self._options.proxy} cannot be reached ({fault.os_error}): "
                f"start it, or correct `proxy` under [fetch]"
            )
        return _plain(fault)


class _Reader:
    """Reads and expands a body within the limits."""

    def __init__(self, response: aiohttp.ClientResponse, options: FetchOptions) -> None:
        self._content = response.content
        self._options = options
        self._expander = Expander(
            response.headers.get("Content-Encoding", ""), max_bytes=options.max_expanded_bytes
        )
        self._piece = _COMPRESSED_PIECE if self._expander.compressed else _PIECE
        self._body = bytearray()
        self._n_received = 0
        self._ended = False

    async def read(self, n_bytes: int) -> bytes:
        """At least the first `n_bytes` of the body, or all of it if it is shorter.

        What is not read is never sent: leaving the request hangs up on a body without end.
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
        piece = await self._content.read(self._piece)
        self._ended = not piece
        self._n_received += len(piece)
        self._body += self._expander.expand(piece)
        if self._ended and not self._expander.complete:
            raise FetchError("the compressed body breaks off", passing=True)


class _PublicResolver(AbstractResolver):
    """Resolves names to public addresses only: what it gives is what gets connected to."""

    def __init__(self, inner: AbstractResolver) -> None:
        self._inner = inner

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        public = [result for result in found if is_public(result["host"])]
        if found and not public:
            raise FetchError(PRIVATE)
        return public

    async def close(self) -> None:
        await self._inner.close()


async def _once(request: aiohttp.ClientRequest, handle: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """By itself aiohttp asks a second time, at once, when a host hangs up; hosts are to be spared that."""
    try:
        return await handle(request)
    except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as fault:
        if isinstance(fault, aiohttp.ClientConnectorError):
            raise  # never tried again
        raise _plain(fault) from fault


def _conditions(known: Revisit) -> dict[str, str]:
    """What to ask by (RFC 9110, section 13.1), as the host itself wrote it down."""
    fields = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in fields.items() if value}


def _plain(fault: Exception) -> FetchError:
    for kinds, reason, passing in _FAULTS:
        if isinstance(fault, kinds):
            return FetchError(reason, passing=passing)
    if isinstance(fault, aiohttp.ClientHttpProxyError):
        return FetchError(f"the proxy would not connect to its host ({fault.status})", passing=True)
    if isinstance(fault, aiohttp.ClientResponseError | ValueError):
        return FetchError("the answer is not HTTP as we know it")
    return FetchError(f"the connection failed ({type(fault).__name__})", passing=True)


# The first that fits is told; whether trying again may help is the last word of each.
_FAULTS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, bool], ...] = (
    (aiohttp.ClientConnectorDNSError, "the host name does not resolve", True),
    (aiohttp.ClientSSLError, "no secure connection: its certificate or encryption is not in order", False),
    (aiohttp.ClientConnectorError, "the host refuses the connection or cannot be reached", True),
    (aiohttp.ServerDisconnectedError, "the host hung up before it answered", True),
    (aiohttp.ClientPayloadError, "the answer broke off", True),
    (aiohttp.ClientOSError, "the connection broke", True),
    (aiohttp.InvalidURL, "the address cannot be asked for", False),
)
