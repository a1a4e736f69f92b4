"""Serves a sample web on loopback under its own host names, as a proxy or by Host header, and notes each request."""

import argparse
import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from aiohttp import web

from portico.errors import PortalError, SetupError

MEDIA_TYPES = {
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".ps": "application/postscript",
    ".gz": "application/x-gzip",
    ".txt": "text/plain",
}
LAST_MODIFIED = "Thu, 01 Jun 2000 12:00:00 GMT"
START_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived: seconds since the epoch, host, path with query."""

    time: float
    host: str
    path: str


@dataclass(frozen=True, slots=True)
class Behavior:
    """How the server misbehaves: seconds before each answer, and the share answered with 503."""

    delay_s: float = 0.0
    fail_rate: float = 0.0


class SampleServer:
    """A running server for the sample web in `folder`; use it as a context manager.

    `requests` grows with every request. Point an HTTP client at `proxy_url`, or at the port with a Host header.
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
        self._sites = _Sites(folder)
        self._host = host
        self.port = port
        self._behavior = behavior or Behavior()
        self._log = log
        self._chance = Random(0)
        self.requests: list[Request] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="sample-server", daemon=True)
        self._ready = threading.Event()
        self._problem: OSError | None = None
        self._stop = asyncio.Event()

    @property
    def proxy_url(self) -> str:
        return f"http://{self._host}:{self.port}"

    def start(self) -> Self:
        self._thread.start()
        if not self._ready.wait(START_TIMEOUT_S):
            raise PortalError(f"the sample server did not start within {START_TIMEOUT_S:.0f} s")
        if self._problem:
            raise SetupError(
                f"the sample server cannot listen on {self._host}:{self.port} ({self._problem}): choose another port"
            ) from self._problem
        return self

    def stop(self) -> None:
        """Answers what is under way and closes the port."""
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
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except OSError as problem:
            self._problem = problem
            self._ready.set()
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        runner = web.ServerRunner(web.Server(self._answer, access_log=None))
        await runner.setup()
        try:
            site = web.TCPSite(runner, self._host, self.port, shutdown_timeout=1.0)
            await site.start()
            self.port = runner.addresses[0][1]
            self._ready.set()
            await self._stop.wait()
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        host, path = _target(request)
        self._note(Request(time.time(), host, path))
        if self._behavior.delay_s:
            await asyncio.sleep(self._behavior.delay_s)
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, text="only GET and HEAD are served here")
        if self._behavior.fail_rate and self._chance.random() < self._behavior.fail_rate:
            return web.Response(status=503, text="busy")
        return self._sites.answer(host, path, request.headers.get("If-None-Match", ""))

    def _note(self, request: Request) -> None:
        self.requests.append(request)
        if self._log:
            with self._log.open("a", encoding="utf-8") as lines:
                lines.write(f"{request.time:.6f}\t{request.host}\t{request.path}\n")


def main() -> None:
    """Serves a folder until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m portico.sample.server", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--log", type=Path, help="file to append a line to for every request")
    options = parser.parse_args()
    behavior = Behavior(delay_s=options.delay)
    server = SampleServer(
        options.folder, host=options.host, port=options.port, behavior=behavior, log=options.log
    )
    with server:
        server.wait()


class _Sites:
    """The folder's files and rules, and the answer to each address."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "sites"
        try:
            rules: dict[str, Any] = json.loads((folder / "rules.json").read_text("utf-8"))
        except (OSError, ValueError) as problem:
            raise PortalError(f"{folder} is not a sample web ({problem}): generate it first") from problem
        self._redirects: dict[str, list[Any]] = rules["redirects"]
        self._statuses: dict[str, int] = rules["statuses"]
        self._types: dict[str, str] = rules["types"]
        self._charsets: dict[str, str] = rules["charsets"]
        self._calendars: tuple[str, ...] = tuple(rules["calendars"])
        self._flaky = set(rules["flaky"])
        self._hosts = frozenset(item.name for item in self._root.iterdir())
        self._bodies: dict[Path, tuple[bytes, str]] = {}

    def answer(self, host: str, path: str, known_tag: str) -> web.Response:
        if host not in self._hosts:
            return web.Response(status=502, text=f"no such host: {host}")
        bare = unquote(path.split("?", 1)[0])
        url = f"http://{host}{bare}"
        if url in self._redirects:
            status, target = self._redirects[url]
            return web.Response(status=status, headers={"Location": target})
        if url in self._statuses:
            return web.Response(status=self._statuses[url], text="sorry")
        if url in self._flaky:
            self._flaky.remove(url)
            return web.Response(status=503, headers={"Retry-After": "0"}, text="try again")
        if url.startswith(self._calendars):
            return _html(_calendar_page(bare))
        return self._file(host, bare, url, known_tag)

    def _file(self, host: str, path: str, url: str, known_tag: str) -> web.Response:
        root = self._root / host
        file = (root / path.lstrip("/")).resolve()
        if not file.is_relative_to(root.resolve()):
            return web.Response(status=400, text="no way up")
        if file.is_dir():
            if not path.endswith("/"):
                return web.Response(status=301, headers={"Location": f"{path}/"})
            file = file / "index.html"
        if not file.is_file():
            return web.Response(status=404, text="not found")
        body, tag = self._body(file)
        headers = {
            "ETag": tag,
            "Last-Modified": LAST_MODIFIED,
            "Content-Type": self._media_type(host, file, url),
        }
        if known_tag == tag:
            return web.Response(status=304, headers=headers)
        return web.Response(body=body, headers=headers)

    def _body(self, file: Path) -> tuple[bytes, str]:
        if file not in self._bodies:
            body = file.read_bytes()
            self._bodies[file] = (body, f'"{hashlib.sha256(body).hexdigest()[:20]}"')
        return self._bodies[file]

    def _media_type(self, host: str, file: Path, url: str) -> str:
        if url in self._types:
            return self._types[url]
        media_type = MEDIA_TYPES.get(file.suffix, "application/octet-stream")
        # Lindholm's pages do not say their character set themselves, so its server must.
        return (
            f"{media_type}; charset={self._charsets[host]}"
            if host == "info.lindholm.test" and file.suffix == ".html"
            else media_type
        )


def _target(request: web.BaseRequest) -> tuple[str, str]:
    """Host and path of a request in either form: to a proxy (absolute) or to an origin (Host header)."""
    raw = request.message.path
    if raw.startswith("http://"):
        parts = urlsplit(raw)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return (parts.hostname or "").lower(), path
    return request.host.split(":", 1)[0].lower(), raw


def _html(text: str, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(text=text, content_type="text/html", headers=dict(headers or {}))


def _calendar_page(path: str) -> str:
    """One month, with links to the next and the one before, for ever."""
    try:
        year, month = (int(part) for part in path.rstrip("/").split("/")[-2:])
    except ValueError:
        year, month = 2000, 6
    month = min(max(month, 1), 12)
    after = f"/calendar/{year + month // 12}/{month % 12 + 1:02d}/"
    before = f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1:02d}/"
    return (
        f"<html><head><title>Calendar {year}/{month:02d}</title></head><body><h1>Events in {year}/{month:02d}</h1>\n"
        f'<p>No events have been announced.</p>\n<a href="{before}">previous month</a> <a href="{after}">next month</a>\n'
        "</body></html>\n"
    )


if __name__ == "__main__":
    main()
