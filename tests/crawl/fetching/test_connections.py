"""Connections that are used again, break, lie, or lead through a proxy; and encrypted ones."""

import asyncio
import socket
import ssl
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from portico.crawl.fetching.connections import HUNG_UP, INSECURE, UNKNOWN_NAME, UNREACHABLE, Resolve
from portico.crawl.fetching.fetcher import Fetcher
from portico.crawl.options import FetchOptions
from portico.errors import ConfigError, FetchError
from portico.types.page import Url
from tests.crawl.conftest import Crawl
from tests.crawl.web import Web

IN_CHUNKS = [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n<html>",
    b"hello\r\n0\r\n\r\n",
]
HELLO = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<html>hello"
OPTIONS = FetchOptions(timeout_s=5.0, allow_private=True)


def bodies(
    urls: list[str], options: FetchOptions = OPTIONS, resolve: Resolve | None = None
) -> list[bytes | None]:
    """Fetches one after the other."""

    async def ask() -> list[bytes | None]:
        async with Fetcher(options, resolve=resolve) as fetcher:
            return [(await fetcher.get(Url(url))).body for url in urls]

    return asyncio.run(ask())


def said(n_requests: int, *wire: bytes, reuse: bool = True) -> tuple[list[bytes | None], int]:
    """What is understood of a server that says this to each request; on how many connections it was asked."""
    n_connections = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal n_connections
        n_connections += 1
        while await reader.readuntil(b"\r\n\r\n") and wire:
            for piece in wire:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
            if not reuse:
                break
        writer.close()

    async def ask() -> list[bytes | None]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with Fetcher(OPTIONS) as fetcher:
            url = Url(f"http://127.0.0.1:{port}/")
            found = [(await fetcher.get(url)).body for _ in range(n_requests)]
        server.close()
        return found

    return asyncio.run(ask()), n_connections


@pytest.mark.parametrize(
    ("wire", "n_connections"),
    [
        ([HELLO], 1),
        ([HELLO[:7], HELLO[7:40], HELLO[40:80], HELLO[80:]], 1),
        ([b"\r\n" + HELLO], 1),
        ([b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n", HELLO], 1),
        ([HELLO.replace(b"\r\n", b"\n")], 1),
        ([HELLO.replace(b"HTTP/1.1", b"HTTP/1.0")], 3),
        ([HELLO.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)], 3),
        ([HELLO.replace(b"\r\n", b"\r\nKeep-Alive: timeout=1\r\n", 1)], 3),
        ([HELLO + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfake"], 3),
        (IN_CHUNKS, 1),
    ],
    ids=[
        "plain", "in pieces", "after an empty line", "after interim answers", "line feeds", "HTTP/1.0",
        "asks to close", "closes soon", "says more than was asked", "chunks",
    ],
)  # fmt: skip
def test_connections_are_used_again_where_that_is_safe(wire: list[bytes], n_connections: int) -> None:
    assert said(3, *wire) == ([b"<html>hello"] * 3, n_connections)


def test_a_body_may_end_with_its_connection() -> None:
    wire = HELLO.replace(b"Content-Length: 11\r\n", b"")
    assert said(2, wire, reuse=False) == ([b"<html>hello"] * 2, 2)


@pytest.mark.parametrize(
    ("wire", "reason"),
    [
        ([], HUNG_UP),
        ([b"HTTP/1.1 20"], "ended early"),
        ([HELLO[:-3]], "ended early"),
        ([b"SSH-2.0-OpenSSH_9.6\r\n\r\n"], "not valid HTTP"),
        ([b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000], "not valid HTTP"),
    ],
)
def test_answers_that_cannot_be_used(wire: list[bytes], reason: str) -> None:
    with pytest.raises(FetchError, match=reason):
        said(1, *wire, reuse=False)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fixed(*addresses: str) -> Callable[[str], Awaitable[list[str]]]:
    async def resolve(_name: str) -> list[str]:
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no such host")
        return list(addresses)

    return resolve


def test_the_next_address_of_a_host_is_tried(web: Web) -> None:
    web.makers.append(lambda _url: None)
    url = web.address.replace("127.0.0.1", "a.test")
    web.add(f"{url}/", b"<html>hello")
    assert bodies([f"{url}/"] * 2, resolve=fixed("127.9.9.9", "::1", "127.0.0.1")) == [b"<html>hello"] * 2


@pytest.mark.parametrize(("addresses", "reason"), [((), UNKNOWN_NAME), (("127.9.9.9",), UNREACHABLE)])
def test_hosts_that_cannot_be_reached(addresses: tuple[str, ...], reason: str) -> None:
    with pytest.raises(FetchError, match=reason) as caught:
        bodies([f"http://a.test:{free_port()}/"], resolve=fixed(*addresses))
    assert caught.value.retryable


def test_a_proxy_that_is_not_there_is_the_builders_fault() -> None:
    options = FetchOptions(proxy=f"http://me:p%40ss@127.0.0.1:{free_port()}")
    expected = r"the proxy http://127.* cannot be reached .*correct `proxy`"
    with pytest.raises(ConfigError, match=expected) as caught:
        bodies(["http://www.a.test/"], options)
    assert "ss@" not in str(caught.value), "the password is nobody's business"


def test_a_proxy_is_told_name_and_password(web: Web) -> None:
    web.add("http://www.a.test/", b"<html>hello")
    proxy = web.address.replace("//", "//me:p%40ss@")
    # Asked twice on one connection: the first request is written down before the second is answered.
    assert bodies(["http://www.a.test/"] * 2, FetchOptions(proxy=proxy)) == [b"<html>hello"] * 2
    assert web.requests[0].headers["proxy-authorization"] == "Basic bWU6cEBzcw=="


def test_a_proxy_that_refuses_a_tunnel(web: Web) -> None:
    with pytest.raises(FetchError, match=r"the proxy would not connect to its host \(502\)"):
        bodies(["https://www.a.test/"], FetchOptions(proxy=web.address))


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate for `a.test` and this machine that only we made, and only this test trusts."""
    path = tmp_path / "certificate.pem"
    make = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=a.test"
    )
    names = ["-addext", "subjectAltName=DNS:a.test,DNS:www.a.test,IP:127.0.0.1"]
    command = [*make.split(), *names, "-keyout", str(path), "-out", str(tmp_path / "public.pem")]
    subprocess.run(command, check=True, capture_output=True)
    path.write_text(path.read_text() + (tmp_path / "public.pem").read_text())
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    return path


@pytest.fixture
def secure_web(certificate: Path) -> Iterator[Web]:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    with Web(tls) as running:
        yield running


def test_encrypted_through_a_proxy(secure_web: Web) -> None:
    secure_web.add("https://www.a.test/x", b"<html>" + b"x" * 600_000)
    options = FetchOptions(proxy=secure_web.address.replace("//", "//me:secret@"))
    (body,) = bodies(["https://www.a.test/x"], options)
    assert body is not None
    assert len(body) == 600_006
    ((target, headers),) = secure_web.tunnels
    assert target == "www.a.test:443"
    assert "proxy-authorization" in headers
    until = time.monotonic() + 5  # the server notes a request when it is answered, a moment later
    while not secure_web.requests and time.monotonic() < until:
        time.sleep(0.01)
    assert "proxy-authorization" not in secure_web.requests[0].headers, (
        "the host was told the proxy's password"
    )


def test_a_certificate_for_another_name_or_by_a_stranger_is_refused(
    secure_web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = FetchOptions(proxy=secure_web.address)
    with pytest.raises(FetchError, match=INSECURE):
        bodies(["https://www.b.test/"], options)
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(FetchError, match=INSECURE):
        bodies(["https://www.a.test/"], options)
    assert secure_web.requests == []


def test_robots_of_http_and_https_are_asked_for_and_obeyed_apart(secure_web: Web, crawled: Crawl) -> None:
    for scheme, closed in (("http", "/plain"), ("https", "/secure")):
        site = f"{scheme}://www.a.test"
        secure_web.add(f"{site}/robots.txt", f"User-agent: *\nDisallow: {closed}", media_type="text/plain")
        secure_web.link(f"{site}/", f"{site}/plain", f"{site}/secure")
        for path in ("/plain", "/secure"):
            secure_web.add(f"{site}{path}", b"<html>hello")
    options = FetchOptions(proxy=secure_web.address, timeout_s=5.0)
    crawled("http://www.a.test/", "https://www.a.test/", fetch=options)
    assert sorted(secure_web.fetched(robots=True)) == [
        f"{scheme}://www.a.test/{path}"
        for scheme, allowed in (("http", "secure"), ("https", "plain"))
        for path in sorted(("", allowed, "robots.txt"))
    ]


def test_encrypted_without_a_proxy(certificate: Path) -> None:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(HELLO)

    async def ask() -> list[bytes | None]:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls)
        port = server.sockets[0].getsockname()[1]
        async with Fetcher(OPTIONS, resolve=fixed("127.0.0.1")) as fetcher:
            names = ("www.a.test", "127.0.0.1")
            found = [(await fetcher.get(Url(f"https://{name}:{port}/"))).body for name in names]
        server.close()
        return found

    assert asyncio.run(ask()) == [b"<html>hello"] * 2
