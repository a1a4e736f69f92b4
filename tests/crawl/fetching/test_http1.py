"""HTTP/1.1 as servers really speak it: heads, and where bodies end."""

import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.crawl.fetching.http1 import (
    BROKE_OFF,
    HEAD_END,
    NOT_AN_ADDRESS,
    NOT_HTTP,
    BodyFraming,
    BodyUntilClose,
    ChunkedBody,
    SizedBody,
    build_connect_request,
    build_request,
    choose_framing,
    read_head,
)
from portico.errors import FetchError


@pytest.mark.parametrize(
    ("block", "status", "fields"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html", 200, {"content-type": "text/html"}),
        (b"HTTP/1.1 200", 200, {}),
        (b"HTTP/1.0  404 Not Found\nServer:x", 404, {"server": "x"}),
        (b"HTTP/1.1 200 OK\r\nA: one\r\n two\r\n\tthree\r\nB: 4", 200, {"a": "one two three", "b": "4"}),
        (b"HTTP/1.1 200 OK\r\nLocation: /a\r\nLocation: /b", 200, {"location": "/a"}),
        (b"HTTP/1.1 200 OK\r\nX-Robots-Tag: a\r\nx-robots-tag: b", 200, {"x-robots-tag": "a, b"}),
        (b"HTTP/1.1 200 OK\r\nContent-Length : 5\r\nno colon\r\nB:", 200, {"content-length": "5", "b": ""}),
        ("HTTP/1.1 302 Où\r\nLocation: /café".encode(), 302, {"location": "/café"}),
        ("HTTP/1.1 302 Où\r\nLocation: /café".encode("latin-1"), 302, {"location": "/café"}),
    ],
)
def test_heads(block: bytes, status: int, fields: dict[str, str]) -> None:
    head = read_head(block)
    assert (head.status, head.fields) == (status, fields)


@pytest.mark.parametrize(
    "block", [b"", b"<html>", b"HTTP/1.1 OK", b"HTTP/1.1 2000", b"HTTP/2 200", b"ICY 200 OK", b"\xff\xfe"]
)
def test_what_is_no_head(block: bytes) -> None:
    with pytest.raises(FetchError, match=NOT_HTTP):
        read_head(block)


@pytest.mark.parametrize(
    ("block", "persistent"),
    [
        (b"HTTP/1.1 200 OK", True),
        (b"HTTP/1.1 200 OK\r\nConnection: Close", False),
        (b"HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close", False),
        (b"HTTP/1.0 200 OK", False),
        (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive", True),
    ],
)
def test_which_connections_can_be_used_again(block: bytes, persistent: bool) -> None:
    assert read_head(block).persistent is persistent


@pytest.mark.parametrize(
    ("field", "seconds"),
    [("Keep-Alive: timeout=5, max=100", 5.0), ("Keep-Alive: max=3", None), ("Keep-Alive: timeout=x", None)],
)
def test_how_long_a_host_keeps_a_connection(field: str, seconds: float | None) -> None:
    assert read_head(f"HTTP/1.1 200 OK\r\n{field}".encode()).keeps_s == seconds


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ("", BodyUntilClose),
        ("Content-Length: 3", SizedBody),
        ("Content-Length: 3\r\nContent-Length: 3", SizedBody),
        ("Transfer-Encoding: chunked", ChunkedBody),
        ("Transfer-Encoding: Chunked\r\nContent-Length: 3", ChunkedBody),
        ("Transfer-Encoding: identity\r\nContent-Length: 3", SizedBody),
    ],
)
def test_where_bodies_end(fields: str, kind: type[BodyFraming]) -> None:
    assert isinstance(choose_framing(read_head(f"HTTP/1.1 200 OK\r\n{fields}".encode())), kind)


@pytest.mark.parametrize("status", [100, 103, 204, 304])
def test_answers_without_a_body(status: int) -> None:
    assert choose_framing(read_head(f"HTTP/1.1 {status} X\r\nContent-Length: 9".encode())).done


@pytest.mark.parametrize(
    "field",
    [
        "Content-Length: minus one",
        "Content-Length: -1",
        "Content-Length: +1",
        "Content-Length: ٣",
        "Content-Length: 3\r\nContent-Length: 4",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked",
    ],
)
def test_bodies_whose_end_cannot_be_known(field: str) -> None:
    with pytest.raises(FetchError):
        choose_framing(read_head(f"HTTP/1.1 200 OK\r\n{field}".encode()))


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        (b"5\r\nhello\r\n0\r\n\r\n", b"hello"),
        (b"5;name=value\r\nhello\r\n0\r\n\r\n", b"hello"),
        (b"5\nhello\n0\n\n", b"hello"),
        (b"2\r\nhe\r\n003\r\nllo\r\n0\r\nTrailer: x\r\n\r\n", b"hello"),
        (b"A \r\n0123456789\r\n0\r\n\r\n", b"0123456789"),
    ],
)
@pytest.mark.parametrize("n_bytes", [1, 2, 3, 100])
def test_chunks_however_they_come(wire: bytes, body: bytes, n_bytes: int) -> None:
    chunked = ChunkedBody()
    pieces = [chunked.take(wire[start : start + n_bytes]) for start in range(0, len(wire), n_bytes)]
    assert (b"".join(pieces), chunked.done, chunked.excess) == (body, True, False)


@pytest.mark.parametrize(
    "wire",
    [
        b"zz\r\n",
        b"5\r\nhelloworld\r\n",
        b"-1\r\n",
        b"1" * 16 + b"\r\n",
        b"x" * 70_000,
        b"\n" * 70_000,
        b"2\r\nhe\r\n\r\n0\r\n\r\n",
        b"0\r\n" + b"Trailer: x\r\n" * 10_000,
    ],
)
def test_chunks_that_are_none(wire: bytes) -> None:
    with pytest.raises(FetchError, match=NOT_HTTP):
        ChunkedBody().take(wire)


def test_many_small_chunks_take_time_in_proportion() -> None:
    wire = b"1\r\nx\r\n" * 150_000  # took 4 s when the rest was copied for every line
    started = time.process_time()
    assert len(ChunkedBody().take(wire)) == 150_000
    assert time.process_time() - started < 1.5


@pytest.mark.parametrize(
    ("framed", "wire"), [(SizedBody(5), b"hel"), (ChunkedBody(), b"5\r\nhello\r\n"), (ChunkedBody(), b"")]
)
def test_bodies_that_break_off(framed: BodyFraming, wire: bytes) -> None:
    framed.take(wire)
    with pytest.raises(FetchError, match=BROKE_OFF) as caught:
        framed.hang_up()
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("framed", "wire"), [(SizedBody(5), b"hello!"), (ChunkedBody(), b"0\r\n\r\nHTTP/1.1 200 OK")]
)
def test_more_than_was_announced_is_noticed(framed: BodyFraming, wire: bytes) -> None:
    framed.take(wire)
    assert framed.done
    assert framed.excess


@given(
    body=st.lists(st.binary(min_size=1, max_size=50), max_size=5),
    chunked=st.booleans(),
    cuts=st.lists(st.integers(0, 400), max_size=8),
)
def test_what_another_library_sends_is_understood(body: list[bytes], chunked: bool, cuts: list[int]) -> None:
    wire = sent_by_h11(body, chunked=chunked)
    end = HEAD_END.search(wire)
    assert end is not None
    framed = choose_framing(read_head(wire[: end.start()]))
    rest = wire[end.end() :]
    places = sorted({0, *(cut for cut in cuts if cut < len(rest)), len(rest)})
    found = b"".join(framed.take(rest[start:stop]) for start, stop in pairwise(places))
    assert (found, framed.done, framed.excess) == (b"".join(body), True, False)


def sent_by_h11(body: list[bytes], *, chunked: bool) -> bytes:
    server = h11.Connection(h11.SERVER)
    server.receive_data(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    server.next_event()
    length = ("Content-Length", str(sum(map(len, body))))
    fields = [("Transfer-Encoding", "chunked")] if chunked else [length]
    events = [h11.Response(status_code=200, headers=fields), *(h11.Data(data=part) for part in body)]
    return b"".join(server.send(event) or b"" for event in (*events, h11.EndOfMessage()))


@given(st.binary(max_size=300))
def test_whatever_comes_is_understood_or_refused(wire: bytes) -> None:
    readers: list[Callable[[bytes], object]] = [read_head, ChunkedBody().take]
    for read in readers:
        with suppress(FetchError):
            read(wire)


def test_requests() -> None:
    fields = {"User-Agent": "portico", "If-None-Match": 'a"\r\nX: y'}
    assert (
        build_request("/a?b", "a.test:81", fields)
        == b"GET /a?b HTTP/1.1\r\nHost: a.test:81\r\nUser-Agent: portico\r\n\r\n"
    )
    assert (
        build_connect_request("a.test:443", {}) == b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("target", "host"), [("/a b", "x"), ("/\r\nX: y", "x"), ("/", "x\r\ny"), ("/é", "x")]
)
def test_no_address_smuggles_in_a_second_request(target: str, host: str) -> None:
    with pytest.raises(FetchError, match=NOT_AN_ADDRESS):
        build_request(target, host, {})
