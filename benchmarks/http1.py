"""What reading an answer costs, and which answers are read: our own reader, httptools and h11.

    python benchmarks/http1.py

Prints microseconds of processor time for an answer of nginx with a body of 8 kB, the best of many rounds, and
which of a few answers that are not quite HTTP, and that browsers show all the same, each reader understands.
"""

import sys
import time
from collections.abc import Callable

import h11
import httptools

from portico.crawl.fetching import http1
from portico.errors import FetchError

ROUNDS, TIMES = 40, 300
BODY = b"x" * 8000
PLAIN = (
    b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Wed, 01 Jan 2025 01:00:00 GMT\r\n"
    b"Content-Type: text/html\r\nContent-Length: 8000\r\nLast-Modified: Tue, 01 Jan 2019 00:00:00 GMT\r\n"
    b'Connection: keep-alive\r\nETag: "5c2aad80-1f40"\r\nAccept-Ranges: bytes\r\n\r\n' + BODY
)
ODD = {
    "lines end without a carriage return": b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
    "so do chunks": b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n",
    "a length is said twice": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
    "an encoding is none": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi",
    "a field has no colon": b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 2\r\n\r\nhi",
    "a name has a space in it": b"HTTP/1.1 200 OK\r\nMy Field: a\r\nContent-Length: 2\r\n\r\nhi",
    "two spaces stand before the status": b"HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nhi",
}
LENIENT = (
    "headers",
    "chunked_length",
    "keep_alive",
    "transfer_encoding",
    "version",
    "data_after_close",
    "optional_lf_after_cr",
    "optional_cr_before_lf",
    "optional_crlf_after_chunk",
    "spaces_after_chunk_size",
)


def read_ours(wire: bytes) -> bool:
    """Whether the answer was read to its end."""
    end = http1.HEAD_END.search(wire)
    if end is None:
        return False
    try:
        framing = http1.choose_framing(http1.read_head(wire[: end.start()]))
        framing.take(wire[end.end() :])
    except FetchError:
        return False
    return framing.done


class Answer:
    """What httptools tells of an answer."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.body: list[bytes] = []
        self.done = False

    def on_header(self, name: bytes, value: bytes) -> None:
        self.fields[name.lower().decode("latin-1")] = value.decode("latin-1")

    def on_body(self, part: bytes) -> None:
        self.body.append(part)

    def on_message_complete(self) -> None:
        self.done = True


def read_with_httptools(wire: bytes) -> bool:
    answer = Answer()
    parser = httptools.HttpResponseParser(answer)
    parser.set_dangerous_leniencies(**{f"lenient_{name}": True for name in LENIENT})
    try:
        parser.feed_data(wire)
    except httptools.HttpParserError:
        return False
    return answer.done


def read_with_h11(wire: bytes) -> bool:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("host", "a.test")]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(wire)
    try:
        while (event := connection.next_event()) is not h11.NEED_DATA:
            if isinstance(event, h11.EndOfMessage):
                return True
    except h11.RemoteProtocolError:
        pass
    return False


def microseconds(read: Callable[[bytes], bool]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(TIMES):
            read(PLAIN)
        best = min(best, time.process_time() - start)
    return 1e6 * best / TIMES


def main() -> None:
    for name, read in (("ours", read_ours), ("httptools", read_with_httptools), ("h11", read_with_h11)):
        refused = [odd for odd, wire in ODD.items() if not read(wire)]
        sys.stdout.write(
            f"{name:10}{microseconds(read):6.1f} µs, reads {len(ODD) - len(refused)} of {len(ODD)}"
        )
        sys.stdout.write(f"; not where {', '.join(refused)}\n" if refused else "\n")


if __name__ == "__main__":
    main()
