"""Runs the HTTP server until stopped, and cuts off requests that arrive too slowly."""

import asyncio
import errno
import gc
import re
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import httptools
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

from portico.errors import PortalError

# How long open requests may take to finish after Ctrl-C, in seconds.
_GRACE_S = 3
_BACKLOG = 256
# How long a worker process may take to report that it is alive, in seconds; on a busy machine,
# opening a large portal takes longer than uvicorn's default of five.
_PATIENCE_S = 60


def run_portal(
    app: Starlette,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    announce: Callable[[str], None],
    proxies: Sequence[str] = (),
) -> None:
    """Serve until interrupted; `announce` is called with the URL once the portal can be visited.

    Port 0 means any free port. Only `proxies` are trusted to name the client's IP address.
    """
    listening = listen(host, port)
    announce(_format_address(listening))
    _settle_garbage()
    config = configure(app, proxies)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # uvicorn has stopped gracefully and passes the signal on
    finally:
        listening.close()


def run_workers(
    make_app: Callable[[], Starlette],
    n_workers: int,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    announce: Callable[[str], None],
    proxies: Sequence[str] = (),
    http: "type[LimitedConnection] | None" = None,
) -> None:
    """Like `run_portal`, but with several processes at one URL, each of which builds the app for itself.

    A process that dies is started again. `make_app` is sent to the processes, so it has to be a module-level
    function.
    """
    listening = listen(host, port)
    announce(_format_address(listening))
    config = configure(
        partial(_settled, make_app),
        proxies,
        http=http or LimitedConnection,
        factory=True,
        workers=n_workers,
        timeout_worker_healthcheck=_PATIENCE_S,
    )
    try:
        Multiprocess(config, sockets=[listening]).run()
    finally:
        listening.close()


def configure(app: Any, proxies: Sequence[str] = (), **more: Any) -> uvicorn.Config:
    """The server configuration of every portal, however it is started."""
    return uvicorn.Config(
        app,
        http=more.pop("http", LimitedConnection),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
        limit_concurrency=MOST_CONNECTIONS,
        proxy_headers=bool(proxies),  # by default, uvicorn trusts every client on this machine
        forwarded_allow_ips=list(proxies),
        **more,
    )


def _settle_garbage() -> None:
    """Collect garbage rarely, and exclude the objects that exist at startup, which stay anyway.

    Pages create hardly any reference cycles; looking for them every 700 objects took a tenth of the time of a
    results page.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS, 20, 50)


_OBJECTS_BETWEEN_LOOKS = 50_000


def _settled(make_app: Callable[[], Starlette]) -> Starlette:
    app = make_app()
    _settle_garbage()
    return app


# Ports tried after a taken one, to name a free one.
_PORTS_TRIED, _LAST_PORT = 20, 65_535


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, opened before uvicorn starts, so that a port in use is noticed before the URL
    is announced.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # The protocol is given, otherwise asyncio does not recognize TCP and the second part of every
        # response waits until the first is acknowledged: 40 ms.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, OverflowError) as error:
        raise PortalError(f"{host}: cannot serve there ({error}); try --host 127.0.0.1") from error
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        raise _explain_refusal(error, host, port) from error
    return listening


def _find_free_port(host: str, taken: int) -> int:
    """The next free port; 0, which stands for any, if none of the next is free."""
    for port in range(taken + 1, min(taken + _PORTS_TRIED, _LAST_PORT) + 1):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((host, port))
            except OSError:
                continue
            return port
    return 0


def _explain_refusal(error: Exception, host: str, port: int) -> PortalError:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        return PortalError(f"port {port} is in use: try --port {_find_free_port(host, port)}")
    if code == errno.EACCES:
        return PortalError(f"port {port} needs more rights than this user has: try --port 8000")
    if code == errno.EADDRNOTAVAIL:
        return PortalError(f"{host} is no address of this machine: try --host 127.0.0.1")
    return PortalError(f"cannot serve on {host} port {port} ({error}): try --port 8000")


def _format_address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if listening.family == socket.AF_INET6 else host
    return f"http://{shown}:{port}/"


REQUEST_S = 30.0
"""Maximum time for a request to arrive; otherwise a few thousand endless ones would use up all file
descriptors."""

# Maximum bytes of a request. Forms and URLs have thousands; even a megabyte of query is answered.
LONGEST_REQUEST = 4_000_000
# Maximum bytes of the documents in one upload of the builder. Uploads of others are not read.
LONGEST_UPLOAD = 60_000_000
UPLOAD_PATH = "/builder/upload"
_UPLOAD_S = 600.0  # seconds that an upload may take

MOST_CONNECTIONS = 512
"""Maximum connections per process, each of which may take some hundred kilobytes; further clients are told to
come back later."""

STALLED_S = 30.0
"""Time within which a visitor must have read some of a response; otherwise the connection is closed."""

LEAST_READ = 4_096
"""Bytes a visitor must read in that time to count as reading."""

# Maximum bytes of a URL that can be parsed. The rest is cut off, and a search says so about its query.
LONGEST_ADDRESS = 60_000

_TOO_LONG = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 24\r\n"
    b"connection: close\r\n\r\nThe request is too long."
)
_ADDRESS_END = re.compile(rb"[ \n]")


class LimitedConnection(asyncio.Protocol):
    """One connection: uvicorn responds, while a parser of our own watches where requests begin and end.

    This is for uvicorn's setting `http`, which takes a protocol class; uvicorn's own limits neither the time
    nor the size of a request. Head and body of a response are two writes, which uvloop sends together if they
    happen in one iteration of its loop.
    """

    longest_request = LONGEST_REQUEST

    def __init__(self, **given: Any) -> None:
        self._http = HttpToolsProtocol(**given)
        self._loop = asyncio.get_running_loop()
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._n_unsent = 0  # bytes that waited to be sent at the last check
        self._n_resumed = 0  # how often writing could be resumed since then
        self._n_bytes = 0  # of this request
        self._n_address_bytes = 0
        self._in_first_line = True
        self._parser: httptools.HttpRequestParser | None = httptools.HttpRequestParser(self)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn reads

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transports are not of that class
        self._http.connection_made(self._transport)
        self._await_request()
        self._stalled = self._loop.call_later(STALLED_S, self._cut_if_stalled)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        if self._stalled is not None:
            self._stalled.cancel()
        self._parser = None  # breaks the reference cycle with this object
        self._http.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._n_bytes += len(data)
        if self._n_bytes > self.longest_request:
            self._transport.write(_TOO_LONG)
            self._transport.close()
            return
        if self._in_first_line:
            data = self._cut_address(data)
        try:
            if self._parser is not None:
                self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._parser = None  # uvicorn parses the same data and refuses it
        self._http.data_received(data)

    def eof_received(self) -> None:
        self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._n_resumed += 1
        self._http.resume_writing()

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        self._await_request()

    def on_url(self, url: bytes) -> None:
        self._n_address_bytes += len(url)
        if url.endswith(UPLOAD_PATH.encode()) and self._deadline is not None:
            self.longest_request = max(self.longest_request, LONGEST_UPLOAD + LONGEST_REQUEST)
            self._deadline.cancel()
            self._deadline = self._loop.call_later(_UPLOAD_S, self._transport.close)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._in_first_line = False

    def on_message_complete(self) -> None:
        self._stop_waiting()
        self._n_address_bytes = 0
        self._in_first_line = True

    def _await_request(self) -> None:
        if self._deadline is None:
            self._n_bytes = 0
            self.longest_request = type(self).longest_request
            self._deadline = self._loop.call_later(REQUEST_S, self._transport.close)

    def _cut_if_stalled(self) -> None:
        """Abort the connection if the client has stopped reading. Closing it would wait until everything
        is read.
        """
        n_unsent = self._transport.get_write_buffer_size()
        if self._n_unsent and not self._n_resumed and n_unsent > self._n_unsent - LEAST_READ:
            self._transport.abort()
            return
        self._n_unsent, self._n_resumed = n_unsent, 0
        self._stalled = self._loop.call_later(STALLED_S, self._cut_if_stalled)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut_address(self, data: bytes) -> bytes:
        """The bytes with an overlong request URL truncated."""
        room = max(0, LONGEST_ADDRESS - self._n_address_bytes)
        line_end = data.find(b"\n")
        if (line_end if line_end != -1 else len(data)) <= room:
            return data
        end = _ADDRESS_END.search(data, room)
        return data[:room] + (data[end.start() :] if end else b"")


class FileConnection(LimitedConnection):
    """The same for a service that receives files. Its limit is the largest file that any reader accepts."""

    longest_request = 100_000_000
