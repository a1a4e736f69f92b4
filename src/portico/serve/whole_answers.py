"""HTTP as uvicorn speaks it, but answers leave in one piece, and half a request holds no connection."""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_S = 30.0
"""How long a request may take to arrive; else a few thousand that never end take every open file there is."""

# Bytes of a request, of which forms and addresses have thousands; a megabyte of query is still answered.
LONGEST_REQUEST = 4_000_000

# Bytes of an address: as many as can be taken apart. The rest is cut off, as a search then says of its query.
LONGEST_ADDRESS = 60_000


class WholeAnswers(HttpToolsProtocol):
    """Sends what one turn of the event loop writes at once.

    uvicorn sends the head first. That wakes the reader, who takes the processor, finds no page yet and waits
    again: a quarter of the time of a page on a machine that is busy with its readers as well.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast("asyncio.Transport", Gathered(transport, self.loop)))
        self._deadline: asyncio.TimerHandle | None = None
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._request_is_here()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._n_bytes += len(data)
        if self._n_bytes > LONGEST_REQUEST:
            self.send_400_response("The request is too long.")
            return
        super().data_received(data)

    def on_message_begin(self) -> None:
        self._await_request()
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        super().on_url(url[: LONGEST_ADDRESS - len(self.url)])

    def on_message_complete(self) -> None:
        self._request_is_here()
        super().on_message_complete()

    def _await_request(self) -> None:
        if self._deadline is None:
            self._n_bytes = 0
            self._deadline = self.loop.call_later(REQUEST_S, self.transport.close)

    def _request_is_here(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class Gathered:
    """A transport that keeps what is written until the event loop has nothing else to do at once."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting.append(data)

    def close(self) -> None:
        self._send()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and not self._transport.is_closing():
            self._transport.writelines(waiting)
