"""HTTP as uvicorn speaks it, for requests that arrive in time and end; others hold no connection."""

import asyncio
import re
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_S = 30.0
"""How long a request may take to arrive; else a few thousand that never end take every open file there is."""

# Bytes of a request, of which forms and addresses have thousands; a megabyte of query is still answered.
LONGEST_REQUEST = 4_000_000

# Bytes of an address: as many as can be taken apart. The rest is cut off, as a search then says of its query.
LONGEST_ADDRESS = 60_000

_TOO_LONG = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 24\r\n"
    b"connection: close\r\n\r\nThe request is too long."
)
_ADDRESS_END = re.compile(rb"[ \n]")


class LimitedConnection(asyncio.Protocol):
    """One connection: uvicorn answers, and a parser of our own watches where requests begin and end.

    For uvicorn's setting `http`, which takes a protocol and bounds neither the time nor the size of a
    request. Head and body of an answer are two writes; uvloop sends what one turn of its loop wrote at once.
    """

    def __init__(self, **given: Any) -> None:
        self._http = HttpToolsProtocol(**given)
        self._loop = asyncio.get_running_loop()
        self._deadline: asyncio.TimerHandle | None = None
        self._n_bytes = 0  # of this request
        self._n_address_bytes = 0
        self._in_first_line = True
        self._parser: httptools.HttpRequestParser | None = httptools.HttpRequestParser(self)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn reads

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are not of that class
        self._http.connection_made(self._transport)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._parser = None  # which refers to this object
        self._http.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._n_bytes += len(data)
        if self._n_bytes > LONGEST_REQUEST:
            self._transport.write(_TOO_LONG)
            self._transport.close()
            return
        if self._in_first_line:
            data = self._cut_address(data)
        try:
            if self._parser is not None:
                self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._parser = None  # uvicorn, which reads the same, refuses it
        self._http.data_received(data)

    def eof_received(self) -> None:
        self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()

    # What the parser tells.

    def on_message_begin(self) -> None:
        self._await_request()

    def on_url(self, url: bytes) -> None:
        self._n_address_bytes += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._in_first_line = False

    def on_message_complete(self) -> None:
        self._stop_waiting()
        self._n_address_bytes = 0
        self._in_first_line = True

    def _await_request(self) -> None:
        if self._deadline is None:
            self._n_bytes = 0
            self._deadline = self._loop.call_later(REQUEST_S, self._transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut_address(self, data: bytes) -> bytes:
        """The bytes without what is too long of the address in them."""
        room = max(0, LONGEST_ADDRESS - self._n_address_bytes)
        line_end = data.find(b"\n")
        if (line_end if line_end != -1 else len(data)) <= room:
            return data
        end = _ADDRESS_END.search(data, room)
        return data[:room] + (data[end.start() :] if end else b"")
