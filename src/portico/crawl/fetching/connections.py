"""Keep-alive connections to hosts. The only module that opens sockets."""

import asyncio
import socket
import ssl
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self, cast
from urllib.parse import unquote, urlsplit

from portico.crawl.fetching import http1
from portico.errors import ConfigError, FetchError
from portico.text.urls import get_host, get_host_name, is_address, is_public
from portico.types.page import Url

PRIVATE = "its host is a private address; set allow_private to crawl your own network"
UNKNOWN_NAME = "the host name does not resolve"
UNREACHABLE = "the host refuses the connection or cannot be reached"
INSECURE = "no secure connection: its certificate or encryption is not valid"
HUNG_UP = "the host closed the connection before answering"
BROKEN = "the connection broke"

Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Resolves a host name to IP addresses; raises OSError if it has none."""

_BUFFERED_BYTES = 256 * 1024  # received but not read; beyond this, the host has to wait
_KEPT_OPEN_S = 15.0  # unused; many servers close connections after this time
_MARGIN_S = 1.0  # we close a connection this much earlier than the host would: requests sent then are lost
_NAMES_KEPT_S = 300.0
_MAX_NAMES = 10_000
_NAME_THREADS = 16  # threads for name lookups only, so that a slow name server does not delay commits
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ConnectionRules:
    """Which addresses may be connected to, and by which route."""

    proxy: str | None = None  # it resolves host names itself
    public_only: bool = True
    connect_timeout_s: float = 10.0
    max_idle: int = 64  # maximum number of idle connections


class Connections:
    """Sends requests to hosts, over connections that are reused while hosts keep them open."""

    def __init__(self, reach: ConnectionRules, resolve: Resolve | None = None) -> None:
        self._reach = reach
        self._threads = ThreadPoolExecutor(_NAME_THREADS, thread_name_prefix="names")
        self._names = _Names(resolve or self._ask_system, public_only=reach.public_only and not reach.proxy)
        self._idle: list[_Idle] = []  # the one used last at the end
        self._tls: ssl.SSLContext | None = None

    def ask(self, url: Url, fields: Mapping[str, str]) -> "Exchange":
        """One request, as an async context manager that holds the connection."""
        return Exchange(self, url, fields)

    async def close(self) -> None:
        for each in self._idle:
            each.connection.close()
        self._idle.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
        await asyncio.sleep(0)  # for the sockets to be closed

    async def take(self, url: Url) -> "Connection":
        """A connection to the host of this URL."""
        key = self.key(url)
        now = asyncio.get_running_loop().time()
        for place in reversed(range(len(self._idle))):
            if self._idle[place].key == key:
                idle = self._idle.pop(place)
                if idle.connection.is_open and now < idle.until:
                    return idle.connection
                idle.connection.close()
        try:
            async with asyncio.timeout(self._reach.connect_timeout_s):
                return await self._open(url)
        except TimeoutError as fault:
            limit_s = self._reach.connect_timeout_s
            raise FetchError(f"timed out after {limit_s:g} s", retryable=True) from fault

    def give_back(self, url: Url, connection: "Connection", keeps_s: float | None) -> None:
        """Keep an idle connection, for less than the time its host keeps it."""
        now = asyncio.get_running_loop().time()
        kept_s = _KEPT_OPEN_S if keeps_s is None else min(_KEPT_OPEN_S, keeps_s - _MARGIN_S)
        self._idle.append(_Idle(self.key(url), connection, now + kept_s))
        while len(self._idle) > self._reach.max_idle or (self._idle and self._idle[0].until < now):
            self._idle.pop(0).connection.close()

    def key(self, url: Url) -> str:
        """URLs that can be requested over the same connection have the same key."""
        if self._reach.proxy is not None and url.startswith("http:"):
            return self._reach.proxy
        return url[: url.index("/", 8)]

    @property
    def asks_proxy(self) -> bool:
        return self._reach.proxy is not None

    def proxy_fields(self) -> dict[str, str]:
        """Header fields for a proxy with a name and password."""
        parts = urlsplit(self._reach.proxy or "")
        if parts.username is None:
            return {}
        secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        return {"Proxy-Authorization": f"Basic {b64encode(secret.encode()).decode()}"}

    async def _open(self, url: Url) -> "Connection":
        secure = url.startswith("https:")
        if self._reach.proxy is not None:
            connection = await self._open_to_proxy(self._reach.proxy)
            return await self._tunnel(connection, url) if secure else connection
        name = get_host_name(get_host(url))
        return await self._open_to(name, _port(url), tls=self._secured() if secure else None)

    async def _open_to_proxy(self, proxy: str) -> "Connection":
        parts = urlsplit(proxy)
        tls = self._secured() if parts.scheme == "https" else None
        port = parts.port or _PORTS.get(parts.scheme, _PORTS["http"])
        try:
            return await self._open_to(parts.hostname or "", port, tls=tls)
        except FetchError as fault:
            raise ConfigError(
                f"the proxy {parts.scheme}://{parts.hostname}:{port} cannot be reached "  # without a password
                f"({fault.__cause__ or fault}): "
                f"start it, or correct `proxy` under [fetch]"
            ) from fault

    async def _tunnel(self, connection: "Connection", url: Url) -> "Connection":
        """Make a proxy pass everything on to the host, and encrypt the connection to that host."""
        name = get_host_name(get_host(url))
        authority = f"[{name}]:{_port(url)}" if ":" in name else f"{name}:{_port(url)}"
        try:
            connection.send(http1.build_connect_request(authority, self.proxy_fields()))
            head, _ = await connection.head()
            if not 200 <= head.status < 300:
                raise FetchError(f"the proxy would not connect to its host ({head.status})", retryable=True)
            await connection.encrypt(self._secured(), name)
        except OSError as fault:
            connection.close()
            raise FetchError(INSECURE) from fault
        except BaseException:
            connection.close()
            raise
        return connection

    async def _open_to(self, name: str, port: int, *, tls: ssl.SSLContext | None) -> "Connection":
        """Connect to the first of a host's addresses that accepts; none gets more than its share of the
        time.
        """
        loop = asyncio.get_running_loop()
        addresses = await self._names.addresses(name)
        share_s = self._reach.connect_timeout_s / max(1, len(addresses))
        fault: OSError | None = None
        for address in addresses:
            try:
                async with asyncio.timeout(share_s):
                    _, connection = await loop.create_connection(
                        Connection, address, port, ssl=tls, server_hostname=name if tls else None
                    )
            except ssl.SSLError as refused:
                raise FetchError(INSECURE) from refused
            except OSError as refused:  # a time-out is one
                fault = refused
            else:
                self._names.prefer(name, address)
                return connection
        if isinstance(fault, TimeoutError):
            raise fault
        raise FetchError(UNREACHABLE, retryable=True) from fault

    async def _ask_system(self, name: str) -> list[str]:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(
            self._threads, lambda: socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
        )
        return [str(address[0]) for *_, address in found]

    def _secured(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()  # when it is needed: it reads 140 certificates
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls


class Exchange:
    """One request and its response, while it is being read."""

    head: http1.AnswerHead

    def __init__(self, connections: Connections, url: Url, fields: Mapping[str, str]) -> None:
        self._connections = connections
        self._url = url
        self._fields = fields

    async def __aenter__(self) -> Self:
        url, through = self._url, self._connections.asks_proxy and self._url.startswith("http:")
        target = url if through else url[url.index("/", 8) :]
        fields = {**self._fields, **self._connections.proxy_fields()} if through else self._fields
        asked = http1.build_request(target, get_host(url), fields)
        self._connection = await self._connections.take(url)
        try:
            self._connection.send(asked)
            self.head, rest = await self._connection.head()
            while self.head.is_interim:
                self.head, rest = await self._connection.head(rest)
            self._framing = http1.choose_framing(self.head)
        except BaseException:
            self._connection.close()
            raise
        self._ready, self._at = self._framing.take(rest), 0
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close a connection whose response was not read to its end, so that the rest is never sent."""
        if self._framing.done and self.head.persistent and not self._framing.excess:
            self._connection.rest()
            self._connections.give_back(self._url, self._connection, self.head.keeps_s)
        else:
            self._connection.close()

    async def read(self, n_bytes: int) -> bytes:
        """The next bytes of the body, at most this many; none at its end."""
        while self._at == len(self._ready):
            if self._framing.done:
                return b""
            piece = await self._connection.receive()
            if not piece:
                self._framing.hang_up()
                return b""
            self._ready, self._at = self._framing.take(piece), 0
        part = self._ready[self._at : self._at + n_bytes]
        self._at += len(part)
        return part


class Connection(asyncio.Protocol):
    """Bytes to and from one host; unexpected data closes it."""

    def __init__(self) -> None:
        self._received: list[bytes] = []
        self._n_received = 0
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._expects = False
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if not self._expects:
            self.close()
            return
        self._received.append(data)
        self._n_received += len(data)
        if self._n_received > _BUFFERED_BYTES:
            self._transport.pause_reading()
            self._paused = True
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._wake(FetchError(BROKEN, retryable=True) if exc is not None else None)

    @property
    def is_open(self) -> bool:
        return not self._ended and not self._transport.is_closing()

    def close(self) -> None:
        self._transport.abort()

    def send(self, data: bytes) -> None:
        self._expects = True
        self._transport.write(data)

    def rest(self) -> None:
        """Record that nothing more is expected until the next request."""
        self._expects = False
        if self._received:
            self.close()

    async def encrypt(self, tls: ssl.SSLContext, name: str) -> None:
        loop = asyncio.get_running_loop()
        secured = await loop.start_tls(self._transport, self, tls, server_hostname=name)
        if secured is None:
            raise ConnectionAbortedError
        self._transport = secured

    async def head(self, rest: bytes = b"") -> tuple[http1.AnswerHead, bytes]:
        """The head of the response, and the part of its body that came with it; `rest` was received
        before.
        """
        block = rest.lstrip(b"\r\n")
        while (end := http1.HEAD_END.search(block)) is None:
            if len(block) > http1.MAX_HEAD_BYTES:
                raise FetchError(http1.NOT_HTTP)
            piece = await self.receive()
            if not piece:
                raise FetchError(http1.BROKE_OFF if block else HUNG_UP, retryable=True)
            block = (block + piece).lstrip(b"\r\n")
        if end.start() > http1.MAX_HEAD_BYTES:
            raise FetchError(http1.NOT_HTTP)
        return http1.read_head(block[: end.start()]), block[end.end() :]

    async def receive(self) -> bytes:
        """Data received since the last call; waits for some, and returns nothing at the end."""
        if not self._received and not self._ended:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        data = self._received[0] if len(self._received) == 1 else b"".join(self._received)
        self._received.clear()
        self._n_received = 0
        if self._paused and not self._ended:
            self._transport.resume_reading()
            self._paused = False
        return data

    def _wake(self, fault: FetchError | None = None) -> None:
        if self._waiter is None or self._waiter.done():
            return
        if fault is None:
            self._waiter.set_result(None)
        else:
            self._waiter.set_exception(fault)


@dataclass(frozen=True, slots=True)
class _Idle:
    key: str
    connection: Connection
    until: float


class _Names:
    """Cached addresses of host names; only public ones, unless allowed otherwise."""

    def __init__(self, resolve: Resolve, *, public_only: bool) -> None:
        self._resolve = resolve
        self._public_only = public_only
        self._known: dict[str, tuple[float, list[str]]] = {}

    async def addresses(self, name: str) -> list[str]:
        """The addresses to connect to, resolved once: a later change of the name has no effect."""
        now = asyncio.get_running_loop().time()
        until, known = self._known.get(name, (0.0, []))
        if until > now:
            return known
        found = [name] if is_address(name) else await self._asked(name)
        allowed = [address for address in found if not self._public_only or is_public(address)]
        if found and not allowed:
            raise FetchError(PRIVATE)
        if len(self._known) >= _MAX_NAMES:
            self._known.clear()
        self._known[name] = (now + _NAMES_KEPT_S, allowed)
        return allowed

    def prefer(self, name: str, address: str) -> None:
        """Try this address first from now on, because it works."""
        until, known = self._known.get(name, (0.0, []))
        if known and known[0] != address:
            self._known[name] = (until, [address, *(each for each in known if each != address)])

    async def _asked(self, name: str) -> list[str]:
        try:
            return list(dict.fromkeys(await self._resolve(name)))
        except (OSError, UnicodeError) as fault:
            raise FetchError(UNKNOWN_NAME, retryable=True) from fault


def _port(url: Url) -> int:
    scheme, _, rest = url.partition("://")
    _, _, port = rest.partition("/")[0].rpartition("]")[2].partition(":")
    return int(port) if port else _PORTS[scheme]
