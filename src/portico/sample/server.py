"""Serves a sample web on loopback under its own host names, as proxy or origin, and notes each request."""

import argparse
import asyncio
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from random import Random
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from portico.errors import PortalError, SetupError
from portico.sample.sites import Answer, Sites

START_TIMEOUT_S = 10.0
BACKLOG = 512  # connections waiting to be accepted; a crawler opens many at once


class Request(NamedTuple):
    """One request as it arrived: seconds since the epoch, host, path with query."""

    time: float
    host: str
    path: str


@dataclass(frozen=True, slots=True)
class Behavior:
    """How the server treats its clients: seconds before each answer, and the share answered with 503."""

    delay_s: float = 0.0
    fail_rate: float = 0.0


class SampleServer:
    """A server for the sample web in `folder`; use it as a context manager.

    `requests` grows with every request. Point an HTTP client at `proxy_url`, or at the port with a Host
    header. Port 0 takes a free one.
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
        self.requests: list[Request] = []
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
        """Closes the port and every connection."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def wait(self) -> None:
        """Returns when the server has stopped."""
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
        """Answers one connection's requests until it is closed."""
        task = asyncio.current_task()
        assert task, "a conversation runs as a task"
        self._open[task] = writer
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                method, host, path, headers = _parse(head)
                answer = await self._answer(method, host, path, headers.get("if-none-match", ""))
                writer.write(_render(answer, with_body=method != "HEAD"))
                await writer.drain()
                if headers.get("connection", "").lower() == "close":
                    break
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            pass  # the client went away, or does not speak HTTP
        finally:
            del self._open[task]
            writer.close()

    async def _answer(self, method: str, host: str, path: str, known_tag: str) -> Answer:
        self._note(Request(time.time(), host, path))
        if self._behavior.delay_s:
            await asyncio.sleep(self._behavior.delay_s)
        if method not in ("GET", "HEAD"):
            return Answer(405, (("Allow", "GET, HEAD"),))
        if self._behavior.fail_rate and self._chance.random() < self._behavior.fail_rate:
            return Answer(503, (("Retry-After", "0"),), b"busy")
        return self._sites.answer(host, path, known_tag)

    def _note(self, request: Request) -> None:
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
    """Method, host, path and headers; the target may be absolute (to a proxy) or a path (to an origin)."""
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


def _render(answer: Answer, *, with_body: bool) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if answer.status != HTTPStatus.NOT_MODIFIED:
        lines.append(f"Content-Length: {len(answer.body)}")
    head = "\r\n".join(lines) + "\r\n\r\n"
    return head.encode("latin-1") + (answer.body if with_body else b"")


if __name__ == "__main__":
    main()
