"""A small web on loopback that records every request and misbehaves when told to.

It answers as a forward proxy for any host name, and as a plain server for its own address. With a certificate
it is also at the other end of the tunnels that a proxy is asked for.
"""

import asyncio
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Reply:
    """What is answered, and how badly."""

    body: bytes = b""
    status: int = 200
    media_type: str = "text/html"
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False  # takes the request and never answers
    endless: bool = False  # sends its body over and over
    dropped: bool = False  # hangs up without a word
    dripping: bool = False  # sends a byte every 20 ms
    takes_s: float = 0.0

    def head(self) -> bytes:
        length = {} if self.endless else {"Content-Length": str(len(self.body))}
        fields = {"Content-Type": self.media_type, **length, **self.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
        return f"HTTP/1.1 {self.status} Test\r\n{lines}\r\n".encode("latin-1")


@dataclass(frozen=True)
class Request:
    """One request as the server saw it."""

    url: str
    started: float
    ended: float
    user_agent: str
    status: int = 200
    conditions: Mapping[str, str] = field(default_factory=dict)  # If-None-Match and If-Modified-Since
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def path(self) -> str:
        return urlsplit(self.url).path


TLS_HANDSHAKE = b"\x16"  # the first byte of whoever expects an encrypted connection
CONDITIONS = ("if-none-match", "if-modified-since")

Maker = Callable[[str], Reply | None]


class Web:
    """Use it as a context manager: it serves from a thread until left."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self.n_connections = 0
        self.replies: dict[str, list[Reply]] = {}
        self.makers: list[Maker] = []
        self.requests: list[Request] = []
        self.tunnels: list[tuple[str, Mapping[str, str]]] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def add(self, url: str, body: str | bytes = b"", **how: object) -> None:
        """Answer this URL; several replies for one URL are given one after the other, the last for ever."""
        text = body.encode() if isinstance(body, str) else body
        self.replies.setdefault(url, []).append(Reply(text, **how))  # type: ignore[arg-type]

    def link(self, url: str, *targets: str) -> None:
        """A page that links to these."""
        self.add(url, "<html><body>" + "".join(f'<a href="{target}">{target}</a> ' for target in targets))

    def fetched(self, *, robots: bool = False) -> list[str]:
        """The URLs that were asked for, in order."""
        return [request.url for request in self.requests if robots or request.path != "/robots.txt"]

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._run())
        self._loop.close()

    async def _run(self) -> None:
        self._stop = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.n_connections += 1
        task = self._loop.create_task(self._converse(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        scheme = "http"
        try:
            while line := await reader.readline():
                if line.startswith(TLS_HANDSHAKE):
                    writer.write(Reply(status=400).head())
                    break
                started = time.monotonic()
                method, target, _ = line.decode("latin-1").split(" ")
                headers = await _headers(reader)
                if method == "CONNECT":
                    scheme = "https"
                    await self._tunnel(writer, target, headers)
                    continue
                url = target if target.startswith("http") else f"{scheme}://{headers['host']}{target}"
                conditions = {name: headers[name] for name in CONDITIONS if name in headers}
                reply = _unless_known(self._reply(url), conditions)
                try:
                    await _send(writer, reader, reply)
                finally:
                    agent = headers.get("user-agent", "")
                    ended = time.monotonic()
                    self.requests.append(
                        Request(url, started, ended, agent, reply.status, conditions, headers)
                    )
                if reply.dropped or reply.headers.get("Connection") == "close":
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _tunnel(self, writer: asyncio.StreamWriter, target: str, headers: Mapping[str, str]) -> None:
        """As a proxy to whom a host, ourselves too, is behind an encrypted connection."""
        self.tunnels.append((target, headers))
        if self._tls is None:
            writer.write(b"HTTP/1.1 502 No way\r\nContent-Length: 0\r\n\r\n")
        else:
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            await writer.start_tls(self._tls)

    def _reply(self, url: str) -> Reply:
        known = self.replies.get(url)
        if known:
            return known.pop(0) if len(known) > 1 else known[0]
        made = (maker(url) for maker in self.makers)
        return next((reply for reply in made if reply is not None), Reply(b"not here", status=404))


def _unless_known(reply: Reply, conditions: Mapping[str, str]) -> Reply:
    """Not modified, where the request names the version that would be sent (RFC 9110, section 13)."""
    etag, date = (conditions.get(name) for name in CONDITIONS)
    version = (reply.headers.get("ETag"), reply.headers.get("Last-Modified"))
    known = etag == version[0] if etag is not None else date is not None and date == version[1]
    return Reply(status=304, media_type="") if known and reply.status == 200 else reply


async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
    headers = {}
    while (line := await reader.readline()) not in (b"\r\n", b"\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return headers


async def _send(writer: asyncio.StreamWriter, reader: asyncio.StreamReader, reply: Reply) -> None:
    if reply.takes_s:
        await asyncio.sleep(reply.takes_s)
    if reply.silent:
        await reader.read()  # until the other side hangs up
    if reply.silent or reply.dropped:
        return
    writer.write(reply.head())
    for piece in _pieces(reply):
        writer.write(piece)
        await writer.drain()
        if reply.dripping:
            await asyncio.sleep(0.02)
    while reply.endless:
        writer.write(reply.body)
        await writer.drain()


def _pieces(reply: Reply) -> list[bytes]:
    return [bytes([byte]) for byte in reply.body] if reply.dripping else [reply.body]
