"""The extractor as an HTTP service, without a portal."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from portico import __version__
from portico.errors import PorticoError, SetupError
from portico.python_api.reading import PAPER_FORMS, REFERENCES, ReadingRequest, TimedReader
from portico.serve.headers import SafeHeaders
from portico.serve.public_address import KnownHosts
from portico.types.record import PaperForm

MOST_WAITING: Final = 32
"""Maximum number of requests that wait for the one being read; further clients are told to come back
later."""

MOST_HELD: Final = 400_000_000
"""Maximum bytes of all requests that wait or are being read; each may be as large as the largest file."""

MOST_REFERENCES: Final = 1_000
_MOST_REFERENCE_BYTES = 2_000_000  # of all lines, blank ones too: each takes more memory than it has bytes
_LONGEST_NAME = 200  # characters

USAGE = """\
Portico {version}: reads papers and references.

  curl --data-binary @paper.pdf 'http://HOST/extract?name=paper.pdf'            JSON
  curl --data-binary @paper.docx 'http://HOST/extract?name=p.docx&format=tei'   or bibtex
  curl --data-binary @references.txt http://HOST/parse                          one reference a line

What cannot be read gets 422 and {{"error": "why"}}.
"""

_MEDIA_TYPES: dict[str, str] = {
    PaperForm.JSON: "application/json",
    PaperForm.BIBTEX: "application/x-bibtex; charset=utf-8",
    PaperForm.TEI: "application/tei+xml",
}


def create_service(hosts: tuple[str, ...] = ()) -> Starlette:
    """Create the app, which accepts requests for `hosts`, IP addresses and localhost."""
    service = _Service()

    @asynccontextmanager
    async def stop_at_end(app: Starlette) -> AsyncIterator[None]:
        yield
        service.close()

    return Starlette(
        lifespan=stop_at_end,
        routes=[
            Route("/", service.usage),
            Route("/extract", service.extract, methods=["POST"]),
            Route("/parse", service.parse, methods=["POST"]),
            Route("/healthz", service.health),
        ],
        middleware=[Middleware(KnownHosts, hosts), Middleware(SafeHeaders)],
        exception_handlers={PorticoError: _explain, ClientDisconnect: _take_leave},
    )


class _Service:
    """Reads one request at a time, because models are shared; use `--workers` for more processes."""

    def __init__(self) -> None:
        self._reader = TimedReader()
        self._one_thread = ThreadPoolExecutor(1)
        self._n_waiting = 0
        self._n_held = 0

    def close(self) -> None:
        self._one_thread.submit(self._reader.close)
        self._one_thread.shutdown()

    async def usage(self, request: Request) -> Response:
        return PlainTextResponse(USAGE.format(version=__version__))

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__, "waiting": self._n_waiting})

    async def extract(self, request: Request) -> Response:
        form = request.query_params.get("format", PaperForm.JSON)
        if form not in PAPER_FORMS:
            return _refuse(400, "format is json, bibtex or tei")
        name = request.query_params.get("name", "the file")[:_LONGEST_NAME]

        def read(body: bytes) -> Response:
            if not body:
                return _refuse(
                    422, "the request has no file: send one as its body (curl --data-binary @FILE)"
                )
            answer = self._reader.read(ReadingRequest(name, body, form))
            return Response(answer, media_type=_MEDIA_TYPES[form])

        return await self._take_turn(request, read)

    async def parse(self, request: Request) -> Response:
        def read(body: bytes) -> Response:
            if len(body) > _MOST_REFERENCE_BYTES:
                return _refuse(422, f"send fewer references, {_MOST_REFERENCE_BYTES:,} bytes at most")
            n_lines = sum(bool(line.strip()) for line in body.decode("utf-8", "replace").splitlines())
            if not 0 < n_lines <= MOST_REFERENCES:
                return _refuse(422, f"send 1 to {MOST_REFERENCES:,} references, one a line")
            answer = self._reader.read(ReadingRequest("the references", body, REFERENCES))
            return Response(answer, media_type=_MEDIA_TYPES[PaperForm.JSON])

        return await self._take_turn(request, read)

    async def _take_turn(self, request: Request, read: Callable[[bytes], Response]) -> Response:
        """Answers a request after those before it; refuses it if the queue is full."""
        body = bytearray()
        try:
            async for piece in request.stream():
                if self._n_held + len(piece) > MOST_HELD:
                    return _refuse_busy()
                self._n_held += len(piece)
                body += piece
            if self._n_waiting >= MOST_WAITING:
                return _refuse_busy()
            return await self._wait_and_read(bytes(body), read)
        finally:
            self._n_held -= len(body)

    async def _wait_and_read(self, body: bytes, read: Callable[[bytes], Response]) -> Response:
        self._n_waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._one_thread, read, body)
        finally:
            self._n_waiting -= 1


async def _take_leave(request: Request, error: Exception) -> Response:
    """Answer a client that has disconnected."""
    return Response(status_code=400)


async def _explain(request: Request, error: Exception) -> Response:
    """Explain why something cannot be read, with a status that tells setup problems from bad input."""
    return _refuse(503 if isinstance(error, SetupError) else 422, str(error))


def _refuse_busy() -> Response:
    busy = "many requests are waiting; send this one again in a while"
    return _refuse(503, busy, {"Retry-After": "10"})


def _refuse(status: int, words: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": words}, status_code=status, headers=headers)
