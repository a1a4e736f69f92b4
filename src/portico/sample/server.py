"""Serves a sample web on loopback under its own host names, as a proxy or origin server, and logs each
request.
"""

import argparse
import asyncio
import hashlib
import json
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from portico.errors import PortalError, SetupError

MEDIA_TYPES = {
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".ps": "application/postscript",
    ".gz": "application/x-gzip",
    ".txt": "text/plain",
}
LAST_MODIFIED = "Thu, 01 Jun 2000 12:00:00 GMT"


@dataclass(frozen=True, slots=True)
class SampleAnswer:
    """One response: status, headers, body."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Sites:
    """The files and rules of a sample web. Its only state is which of the flaky URLs have already failed
    once.
    """

    def __init__(self, folder: Path) -> None:
        try:
            rules: dict[str, Any] = json.loads((folder / "rules.json").read_text("utf-8"))
        except (OSError, ValueError) as problem:
            raise PortalError(f"{folder} is not a sample web ({problem}): generate it first") from problem
        self._root = (folder / "sites").resolve()
        self._redirects: dict[str, tuple[int, str]] = rules["redirects"]
        self._statuses: dict[str, int] = rules["statuses"]
        self._types: dict[str, str] = rules["types"]
        self._charsets: dict[str, str] = rules["charsets"]
        self._calendars = tuple(rules["calendars"])
        self._flaky = set(rules["flaky"])
        self._hosts = frozenset(item.name for item in self._root.iterdir())
        self._bodies: dict[Path, tuple[bytes, str]] = {}

    def answer(self, host: str, path: str, known_tag: str = "") -> SampleAnswer:
        """The response to a GET request for a path (with query) on a host; 304 if the client already has
        that version.
        """
        if host not in self._hosts:
            return _plain(502, f"no such host: {host}")
        bare = unquote(path.split("?", 1)[0])
        url = f"http://{host}{bare}"
        if url in self._redirects:
            status, target = self._redirects[url]
            return SampleAnswer(status, (("Location", target),))
        if url in self._statuses:
            return _plain(self._statuses[url], "sorry")
        if url in self._flaky:
            self._flaky.remove(url)
            return SampleAnswer(503, (("Retry-After", "0"),), b"try again")
        if url.startswith(self._calendars):
            return SampleAnswer(200, (("Content-Type", "text/html"),), make_calendar_page(bare).encode())
        return self._file(host, bare, url, known_tag)

    def _file(self, host: str, path: str, url: str, known_tag: str) -> SampleAnswer:
        file = self._root / host / path.lstrip("/")
        if ".." in file.parts or "\0" in path:
            return _plain(400, "no way up")
        if file.is_dir():
            if not path.endswith("/"):
                return SampleAnswer(301, (("Location", f"{path}/"),))
            file = file / "index.html"
        if not file.is_file():
            return _plain(404, "not found")
        body, tag = self._body(file)
        media_type = self._media_type(host, file, url)
        headers = (("ETag", tag), ("Last-Modified", LAST_MODIFIED), ("Content-Type", media_type))
        return SampleAnswer(304, headers) if known_tag == tag else SampleAnswer(200, headers, body)

    def _body(self, file: Path) -> tuple[bytes, str]:
        if file not in self._bodies:
            body = file.read_bytes()
            self._bodies[file] = (body, f'"{hashlib.sha256(body).hexdigest()[:20]}"')
        return self._bodies[file]

    def _media_type(self, host: str, file: Path, url: str) -> str:
        if url in self._types:
            return self._types[url]
        media_type = MEDIA_TYPES.get(file.suffix, "application/octet-stream")
        charset = self._charsets.get(host) if file.suffix == ".html" else None
        return f"{media_type}; charset={charset}" if charset else media_type


def make_calendar_page(path: str) -> str:
    """The page of one month, with links to the next and the previous one, without end."""
    try:
        year, month = (int(part) for part in path.rstrip("/").split("/")[-2:])
    except ValueError:
        year, month = 2000, 6
    month = min(max(month, 1), 12)
    after = f"/calendar/{year + month // 12}/{month % 12 + 1:02d}/"
    before = f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1:02d}/"
    return (
        f"<html><head><title>Calendar {year}/{month:02d}</title></head><body>\n"
        f"<h1>Events in {year}/{month:02d}</h1>\n<p>No events have been announced.</p>\n"
        f'<a href="{before}">previous month</a> <a href="{after}">next month</a>\n</body></html>\n'
    )


def _plain(status: int, text: str) -> SampleAnswer:
    return SampleAnswer(status, (("Content-Type", "text/plain"),), text.encode())


START_TIMEOUT_S = 10.0
BACKLOG = 512  # connections waiting to be accepted; a crawler opens many at once


class ServedRequest(NamedTuple):
    """One request as received: seconds since the epoch, host, and path with query."""

    time: float
    host: str
    path: str


@dataclass(frozen=True, slots=True)
class Behavior:
    """How the server treats its clients: the delay before each response, the share of requests answered
    with 503, and the share whose connection is closed without a response.
    """

    delay_s: float = 0.0
    fail_rate: float = 0.0
    drop_rate: float = 0.0


class SampleServer:
    """A server for the sample web in `folder`; use it as a context manager.

    Every request is appended to `requests`. Point an HTTP client at `proxy_url`, or at the port with a Host
    header. Port 0 means any free port.
    """

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        behavior: Behavior | None = None,
        log: Path | None = None,
    ) -> None:
        self._sites = Sites(folder)
        self._host = host
        self.port = port
        self._behavior = behavior or Behavior()
        self._log = log
        self._chance = Random(0)
        self.requests: list[ServedRequest] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="sample-server", daemon=True)
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._problem: OSError | None = None
        self._open: dict[asyncio.Task[object], asyncio.StreamWriter] = {}

    @property
    def proxy_url(self) -> str:
        return f"http://{self._host}:{self.port}"

    def start(self) -> Self:
        self._thread.start()
        if not self._ready.wait(START_TIMEOUT_S):
            raise PortalError(f"the sample server did not start within {START_TIMEOUT_S:.0f} s")
        if self._problem:
            raise SetupError(
                f"the sample server cannot listen on {self._host}:{self.port} ({self._problem}): "
                "choose another port"
            ) from self._problem
        return self

    def stop(self) -> None:
        """Close the port and all connections."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def wait(self) -> None:
        """Return when the server has stopped."""
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            try:
                runner.run(self._serve())
            except OSError as problem:
                self._problem = problem
                self._ready.set()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._converse, self._host, self.port, backlog=BACKLOG)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for writer in self._open.values():
            writer.close()
        await asyncio.gather(*self._open)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until it is closed."""
        task = asyncio.current_task()
        assert task, "a conversation runs as a task"
        self._open[task] = writer
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                method, host, path, headers = _parse(head)
                answer = await self._answer(method, host, path, headers.get("if-none-match", ""))
                if self._behavior.drop_rate and self._chance.random() < self._behavior.drop_rate:
                    break
                writer.write(_render(answer, with_body=method != "HEAD"))
                await writer.drain()
                if headers.get("connection", "").lower() == "close":
                    break
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            pass  # the client disconnected, or does not speak HTTP
        finally:
            del self._open[task]
            writer.close()

    async def _answer(self, method: str, host: str, path: str, known_tag: str) -> SampleAnswer:
        self._note(ServedRequest(time.time(), host, path))
        if self._behavior.delay_s:
            await asyncio.sleep(self._behavior.delay_s)
        if method not in ("GET", "HEAD"):
            return SampleAnswer(405, (("Allow", "GET, HEAD"),))
        if self._behavior.fail_rate and self._chance.random() < self._behavior.fail_rate:
            return SampleAnswer(503, (("Retry-After", "0"),), b"busy")
        return self._sites.answer(host, path, known_tag)

    def _note(self, request: ServedRequest) -> None:
        self.requests.append(request)
        if self._log:
            with self._log.open("a", encoding="utf-8") as lines:
                lines.write(f"{request.time:.6f}\t{request.host}\t{request.path}\n")


def main() -> None:
    """Serves a sample web until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m portico.sample.server", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--log", type=Path, help="append a line to this file for every request")
    options = parser.parse_args()
    behavior = Behavior(delay_s=options.delay)
    with SampleServer(
        options.folder, host=options.host, port=options.port, behavior=behavior, log=options.log
    ) as server:
        server.wait()


def _parse(head: str) -> tuple[str, str, str, dict[str, str]]:
    """Method, host, path and headers of a request. The target may be absolute (as for a proxy) or a path
    (as for an origin server).
    """
    request_line, *lines = head.split("\r\n")
    method, target, _ = request_line.split(" ", 2)
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    if target.startswith("http://"):
        parts = urlsplit(target)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return method, (parts.hostname or "").lower(), path, headers
    return method, headers.get("host", "").split(":", 1)[0].lower(), target, headers


def _render(answer: SampleAnswer, *, with_body: bool) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if answer.status != HTTPStatus.NOT_MODIFIED:
        lines.append(f"Content-Length: {len(answer.body)}")
    head = "\r\n".join(lines) + "\r\n\r\n"
    return head.encode("latin-1") + (answer.body if with_body else b"")


if __name__ == "__main__":
    main()
