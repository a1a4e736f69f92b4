"""Addresses that lead back to us in disguise, and answers that want to be taken for something else."""

import asyncio
import time
from itertools import product

import pytest

from portico.crawl.fetching.connections import PRIVATE
from portico.crawl.fetching.fetcher import Fetcher
from portico.crawl.options import FetchOptions
from portico.errors import FetchError
from portico.text.urls import canonical
from portico.types.page import Url
from tests.crawl.web import Web

_LOOPBACK = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.00.00.01",
    "127.000.000.001",
    "0177.0.0.1",
    "0177.0.01",
    "0177.1",
    "0x7f.0.0.1",
    "0x7f.1",
    "0x7f000001",
    "0X7F000001",
    "2130706433",
    "017700000001",
    "0x7F.0x0.0x0.0x1",
    "127.255.255.254",
    "127.0.0.1.",
    "127.1.",
    "127.1..",
    "2130706433...",
    "0",
    "0.0.0.0",
    "0x0",
    "00000000000",
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "①②⑦.⓪.⓪.①",
    "%31%32%37.0.0.1",
    "127.0.0.1%2e",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "localhost.localdomain",
    "a.localhost",
    "127.0.0.1.nip.test",
]
_OTHERS_V4 = [
    "10.0.0.1",
    "10.255.255.255",
    "012.0.0.1",
    "0xa.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.1",
    "0xc0a80001",
    "3232235521",
    "169.254.169.254",
    "169.254.43518",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "100.64.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "0.1.2.3",
    "192.88.99.1",
]
_V6 = [
    "::1",
    "0:0:0:0:0:0:0:1",
    "0000::0001",
    "::",
    "::127.0.0.1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:0:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2002:a9fe:a9fe::",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "2001:0:7f00:1::",
    "100::1",
    "5f00::1",
    "3fff::1",
    "3ffe::1",
    "4000::1",
]
HOSTS = (*_LOOPBACK, *_OTHERS_V4, *(f"[{number}]" for number in _V6))


async def resolve_to_ourselves(_name: str) -> list[str]:
    return ["127.0.0.1"]


@pytest.mark.parametrize("host", HOSTS)
def test_no_spelling_of_a_private_address_is_connected_to(host: str, web: Web) -> None:
    port = web.address.rpartition(":")[2]
    for address in (f"http://{host}:{port}/", f"http://a.test@{host}:{port}/", f"http:\\\\{host}:{port}\\"):
        url = canonical(address)
        if url is None:
            continue

        async def ask(url: Url = url) -> None:
            async with Fetcher(FetchOptions(timeout_s=5.0), resolve=resolve_to_ourselves) as fetcher:
                await fetcher.get(url)

        with pytest.raises(FetchError) as caught:
            asyncio.run(ask())
        assert str(caught.value) == PRIVATE
    assert web.requests == []


class LaterLoop(asyncio.SelectorEventLoop):
    """Its clock can be put forward."""

    later_s = 0.0

    def time(self) -> float:
        return super().time() + self.later_s


_PUBLIC = "192.0.0.9"  # counts as public, and nobody answers (RFC 7723)
REBINDINGS = (
    [["127.0.0.1"], [_PUBLIC]],
    [[_PUBLIC], ["127.0.0.1"]],
    [[_PUBLIC], ["::1"]],
    [[_PUBLIC], ["::ffff:127.0.0.1"]],
    [[_PUBLIC], ["0.0.0.0"]],
    [[_PUBLIC], [_PUBLIC, "127.0.0.1"]],
    [[_PUBLIC, "127.0.0.1"], ["127.0.0.1", _PUBLIC]],
    [[], ["127.0.0.1"]],
)


@pytest.mark.parametrize("answers", REBINDINGS)
def test_rebinding_a_name_to_a_private_address_leads_nowhere(answers: list[list[str]], web: Web) -> None:
    """What the name server says is judged each time it is asked, and what was judged is connected to."""
    port = web.address.rpartition(":")[2]
    given = iter(answers)

    async def resolve(_name: str) -> list[str]:
        return next(given)

    async def ask() -> None:
        options = FetchOptions(timeout_s=0.5, connect_timeout_s=0.1)
        async with Fetcher(options, resolve=resolve) as fetcher:
            for _ in answers:
                with pytest.raises(FetchError):
                    await fetcher.get(Url(f"http://a.test:{port}/"))
                loop.later_s += 1000.0  # the name is asked for again

    loop = LaterLoop()
    try:
        loop.run_until_complete(ask())
    finally:
        loop.close()
    assert list(given) == [], "asked each time"
    assert web.requests == []


@pytest.mark.parametrize("number", [*_OTHERS_V4[:1], *_V6])
def test_rebinding_to_any_private_number_is_seen(number: str) -> None:
    async def resolve(_name: str) -> list[str]:
        return [number]

    async def ask() -> None:
        async with Fetcher(FetchOptions(timeout_s=5.0), resolve=resolve) as fetcher:
            await fetcher.get(Url("http://a.test/"))

    with pytest.raises(FetchError) as caught:
        asyncio.run(ask())
    assert str(caught.value) == PRIVATE


HELLO = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<html>hello"
FALSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<html>FALSE"
_STARTS = (
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 200 OK\r\n", b"HTTP/1.1 204 No\r\n", b"HTTP/1.1 304 Same\r\n",
    b"HTTP/1.1 101 Switching\r\n", b"HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 200 OK\r\n", b"HTTP/1.1 999 X\r\n",
    b"HTTP/1.1 200\r\n",
)  # fmt: skip
_FRAMINGS = (
    b"Content-Length: 6\r\n",
    b"Content-Length: 0\r\n",
    b"Content-Length: 99999999999999999999\r\n",
    b"Content-Length: 6\r\nContent-Length: 60\r\n",
    b"Content-Length: 6, 6\r\n",
    b"Content-Length: 0x6\r\n",
    b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    b"Transfer-Encoding: xchunked\r\n",
    b"Transfer-Encoding:\x0bchunked\r\n",
    b"Transfer-Encoding : chunked\r\n",
    b"X: y\r\n Content-Length: 6\r\n",
    b"Content-Length: 6\r\nConnection: close\r\n",
    b"Content-Length: 6\r\nContent-Encoding: gzip\r\n",
    b"Content-Length: 6\r\nContent-Encoding: deflate, br\r\n",
    b"X: " + b"y" * 100_000 + b"\r\n",
)
_BODIES = (b"<html>", b"6\r\n<html>\r\n0\r\n\r\n")
_ALONE = (
    b"",
    b"\r\n" * 50_000,
    b"\0" * 1000,
    b"HTTP/1.1",
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/9.9 200 OK\r\n\r\n",
    b"HTTP/1.1 -200 OK\r\n\r\n",
    b"HTTP/1.1 2e2 OK\r\n\r\n",
    "HTTP/1.1 ٢٠٠ OK\r\n\r\n".encode(),
    b"\x16\x03\x01\x02\x00",
    b"HTTP/1.1 100 Go on\r\n\r\n" * 2000,
    b"HTTP/1.1 200 OK\r\n" + b"A:b\r\n" * 30_000,
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"\r\n" * 50_000,
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 20_000,
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6;" + b"x" * 90_000,
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"A: b\r\n" * 30_000,
    b"HTTP/1.1 301 Moved\r\nLocation: \r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 301 Moved\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 301 Moved\r\nLocation: /\rX: y\r\nContent-Length: 0\r\n\r\n",
)
ANSWERS = (
    *(start + framing + b"\r\n" + body for start, framing, body in product(_STARTS, _FRAMINGS, _BODIES)),
    *_ALONE,
)
PATIENCE_S = 0.05  # how long the server waits for the next request before it hangs up


def fetch_before_and_after(wire: bytes) -> tuple[bytes | FetchError | None, bytes | None]:
    """What is made of the answer, and of the good one asked for next, if possible on its connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = await reader.readuntil(b"\r\n\r\n")
            while True:
                # Behind the bad answer stands one that was never asked for.
                writer.write(HELLO if b"/good" in asked else wire + FALSE)
                asked = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
        except (TimeoutError, ConnectionError, asyncio.IncompleteReadError):
            writer.close()

    async def ask() -> tuple[bytes | FetchError | None, bytes | None]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        site = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with Fetcher(FetchOptions(timeout_s=3.0, allow_private=True)) as fetcher:
            try:
                found: bytes | FetchError | None = (await fetcher.get(Url(f"{site}/bad"))).body
            except FetchError as refused:
                found = refused
            good = (await fetcher.get(Url(f"{site}/good"))).body
        server.close()
        return found, good

    return asyncio.run(ask())


@pytest.mark.parametrize("wire", ANSWERS, ids=[str(number) for number in range(len(ANSWERS))])
def test_no_answer_is_taken_for_that_to_the_next_request(wire: bytes) -> None:
    started = time.monotonic()
    _, good = fetch_before_and_after(wire)
    assert good == b"<html>hello"
    assert time.monotonic() - started < 10.0
